// Amounts: as the server says them, as people read and type them, and shares of a limit.
import { formatUnits } from "../../../client/text/words.ts";

/** Hundredths of a unit, as the server says them -> units: `1234.5` -> `12.345`. */
export const unitsText = (amount: string): string => formatUnits(Number(amount) / 100);

/** `500`, `12.50` or `1,234.5` -> hundredths; undefined for anything else: `12,50` must not become 1,250. */
export function hundredthsOf(typed: string): string | undefined {
  const found = /^(\d{1,10}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,2}))?$/.exec(typed.trim());
  if (found === null) return undefined;
  const [, units = "", rest = ""] = found;
  const text = `${units.replaceAll(",", "")}${rest.padEnd(2, "0")}`.replace(/^0+(?=\d)/, "");
  return BigInt(text) <= 100_000_000_000n ? text : undefined;
}

export const percent = (share: number): string =>
  share > 0 && share < 0.01 ? "under 1%" : `${Math.floor(share * 100)}%`;

/** `1234567` nano -> `0.001235`; six places are a thousandth of a cent's tenth. */
export const moneyText = (nano: number): string => (nano / 1e9).toFixed(6);

/** Nano-units for one token -> units for a million tokens. */
export const perMillion = (nano: number): string =>
  (nano / 1e3).toLocaleString("en", { maximumFractionDigits: 3 });
