// Limits in words.
import type { Limiter, RateLimit } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";

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

/** A workspace's limit holds beside the organization's, so the smaller one is felt. */
export const heldBy = ({ value, org_limit: beside }: Limiter): number =>
  beside === null ? value : Math.min(value, beside);
