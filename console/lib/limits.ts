// Limits in words, and amounts as people type them.
import type { Limiter, RateLimit, SpendLimit } from "./api.ts";
import { queryClient } from "./queries.ts";

/** Awaited before a dialog closes: what is opened from the page next begins with what holds now. */
export const renewLimits = () => queryClient.invalidateQueries({ queryKey: ["limits"] });

export const limiterWords: Record<Limiter["type"], string> = {
  requests_per_minute: "Requests",
  input_tokens_per_minute: "Input tokens",
  output_tokens_per_minute: "Output tokens",
};

/** Where a rate comes from, seen from the organization or from a workspace. */
export function sourceWords({ source }: Limiter, isWorkspace: boolean): string {
  if (source.type === "workspace") return "set for this workspace";
  if (source.type === "settings") return "in the settings file";
  if (source.type === "organization") return isWorkspace ? "the organization's" : "set here";
  return "the default";
}

/** Was it set here, and can be taken away here? */
export const isSetHere = ({ source }: Limiter, { workspace_id: workspace }: RateLimit): boolean =>
  source.type === (workspace === null ? "organization" : "workspace");

/** Hundredths of a unit, as the server says them -> units: `1234.5` -> `12.345`. */
export function unitsText(amount: string): string {
  const units = Number(amount) / 100;
  const places = units !== 0 && units < 1 ? 6 : 2;
  return units.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: places });
}

/** `500`, `12.50` or `1,234.5` -> hundredths; undefined for anything else: `12,50` must not become 1,250. */
export function hundredthsOf(typed: string): string | undefined {
  const found = /^(\d{1,10}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,2}))?$/.exec(typed.trim());
  if (found === null) return undefined;
  const [, units = "", rest = ""] = found;
  const text = `${units.replaceAll(",", "")}${rest.padEnd(2, "0")}`.replace(/^0+(?=\d)/, "");
  return BigInt(text) <= 100_000_000_000n ? text : undefined;
}

/** How much of a limit is gone; undefined where there is none. */
export function shareOf({ amount, period_to_date_spend: spent, reserved }: SpendLimit) {
  if (amount === null) return undefined;
  const limit = Number(amount);
  const part = (value: string) => (limit === 0 ? 1 : Math.min(1, Number(value) / limit));
  return { spent: part(spent), reserved: Math.min(part(reserved), 1 - part(spent)) };
}

export const percent = (share: number): string =>
  share > 0 && share < 0.01 ? "under 1%" : `${Math.floor(share * 100)}%`;
