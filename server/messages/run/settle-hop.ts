// What a hop cost: tokens by class, what of them the client is shown, and the settlement: once, however it ended.
import type { Statement } from "../../../kernel/sql/statement.ts";
import * as fallbacks from "../../fallbacks/module.ts";
import type { TokenCounts, Usage } from "../../models/module.ts";
import { priceOf, type Settlement } from "../../usage/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { cacheStatement, settleCache, cacheUsageOf } from "../cache/cache.ts";
import type { AdmittedHop } from "./admitted-hop.ts";
import { reportedCounts } from "./reported-usage.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import { endModelSpan } from "./spans.ts";
import { promptMeasureOf, warmBefore } from "./warm-cache.ts";

/** Tokens by class: the upstream's own numbers, or ours where it reports no cache; repriced by a credit. */
export function countsOf(
  prepared: PreparedRequest,
  admitted: AdmittedHop,
  usage: Usage,
): TokenCounts {
  const { cache } = admitted;
  const output = usage.output_tokens;
  const counts =
    cache === undefined
      ? reportedCounts(usage)
      : { ...settleCache(cache.plan, cache.found, cache.now, usage.input_tokens).counts, output };
  const warm = warmBefore(prepared, admitted);
  if (warm.length === 0 || !fallbacks.isRepriceable(admitted.hop.model)) return counts;
  return fallbacks.reprice(counts, warm, promptMeasureOf(prepared, admitted));
}

/** What a usage always has, null where the upstream left it out. */
const usageDefaults = {
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
  inference_geo: null,
};

/** The usage that the client sees: the upstream's, with the input in our classes where we count them. */
export function shownUsage(prepared: PreparedRequest, admitted: AdmittedHop, usage: Usage): Usage {
  const isOurs =
    admitted.cache !== undefined || prepared.credit !== undefined || admitted.warm.length > 0;
  const shown: Usage = isOurs
    ? { ...usage, ...cacheUsageOf(countsOf(prepared, admitted, usage)) }
    : usage;
  return {
    ...usageDefaults,
    ...shown,
    cache_creation_input_tokens: shown.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: shown.cache_read_input_tokens ?? 0,
    cache_creation: shown.cache_creation ?? null,
  };
}

export interface HopEnding {
  outcome: Settlement["outcome"];
  /** What is charged. */
  counts: TokenCounts;
  /** What was used, where that is more: it counts against the rates. */
  used?: TokenCounts;
  estimated?: boolean;
  stopReason?: string | null;
  /** Rows beside those of the cache. */
  with?: readonly (Statement | undefined)[];
}

/** Settles a hop; a second call does nothing. Resolves when it is durable. */
export async function settleHop(
  prepared: PreparedRequest,
  admitted: AdmittedHop,
  ending: HopEnding,
): Promise<void> {
  if (admitted.isSettled) return;
  admitted.isSettled = true;
  if (admitted.span !== undefined) endModelSpan(admitted.span, ending);
  const { counts, outcome, estimated = false, used = counts } = ending;
  const { actor, accounting } = prepared;
  const { prices } = admitted.hop.model;
  const nano = priceOf(prices, counts, { batch: accounting.isBatch });
  noteEnding(admitted, ending, { endMs: actor.clock.monotonicMs(), nano });
  const inputTokens = used.input + used.cacheWrite5m + used.cacheWrite1h;
  const { cache } = admitted;
  const remembered =
    cache !== undefined && nano > 0
      ? cacheStatement(
          workspaceOf(actor),
          settleCache(cache.plan, cache.found, cache.now).rows,
          cache.now,
        )
      : undefined;
  const rows = [remembered, ...(ending.with ?? [])].filter((row) => row !== undefined);
  await accounting.ledger(actor).close(admitted.id, {
    outcome,
    counts,
    amountNano: nano,
    listAmountNano: accounting.isBatch ? priceOf(prices, counts, { batch: false }) : nano,
    estimated,
    ...(rows.length > 0 && { with: rows }),
  });
  // Not before it is durable: what a crash would forget must stay taken out of the limits.
  admitted.admission.settle({ inputTokens, outputTokens: used.output, nano });
}

function noteEnding(
  { record }: AdmittedHop,
  { outcome, counts }: HopEnding,
  { endMs, nano }: { endMs: number; nano: number },
): void {
  record.endMs = endMs;
  record.outcome = outcome;
  record.inputTokens = counts.input;
  record.outputTokens = counts.output;
  record.cacheWriteTokens = counts.cacheWrite5m + counts.cacheWrite1h;
  record.cacheReadTokens = counts.cacheRead;
  record.nano = nano;
}
