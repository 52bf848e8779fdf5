// The prompt cache where the upstream reports none: what was read, what was written, what the next request finds.
import type { Statement } from "../../../kernel/sql/statement.ts";
import type { MessageBody, Model, TokenCounts } from "../../models/module.ts";
import { cacheLimits } from "./limits.ts";
import { cachePrefixesOf, type CachePrefix, type Ttl } from "./prefixes.ts";
import { type CacheRow, type CacheEntry, rememberStatement } from "./queries.ts";

export { cacheLookup } from "./queries.ts";

export const ttlSeconds: Record<Ttl, number> = { "5m": 300, "1h": 3_600 };

export interface CachePlan {
  /** To be looked up. */
  keys: readonly string[];
  /** Prefixes that may be hit, the longest first. */
  hitCandidates: readonly { key: string; tokens: number }[];
  /** In order; only those that are long enough for the model. */
  breakpoints: readonly { key: string; tokens: number; ttl: Ttl }[];
  /** Of the whole request, by our own counting. */
  tokens: number;
}

export interface CacheOutcome {
  /** All but `output`. Their sum is the whole input. */
  counts: Pick<TokenCounts, "input" | "cacheRead" | "cacheWrite5m" | "cacheWrite1h">;
  usage: CacheUsage;
  /** To be remembered once the request has been served. */
  rows: readonly CacheRow[];
}

export interface CacheUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
}

export interface MeasuredPrompt {
  prefixes: readonly CachePrefix[];
  tokens: number;
}

/** Once for all the models that a body is tried on; `tokens` are those of the whole body, by `tokensOfBody`. */
export const measurePrompt = (body: MessageBody, tokens: number): MeasuredPrompt => ({
  prefixes: cachePrefixesOf(body),
  tokens,
});

/**
 * Undefined where nothing is to be cached: no mark stands behind enough tokens. Model and effort are part
 * of each key as they were sent: `high` is another convention than nothing.
 */
export function planCache(
  body: MessageBody,
  model: Model,
  { prefixes, tokens }: MeasuredPrompt,
): CachePlan | undefined {
  const effort = body.output_config?.["effort"];
  const scope = `${model.id}/${typeof effort === "string" ? effort : "-"}/`;
  const marked = prefixes.flatMap(({ hash, tokens, mark }, at) =>
    mark === undefined || tokens < model.cacheTokensMin
      ? []
      : [{ at, key: scope + hash, tokens, ttl: mark }],
  );
  if (marked.length === 0) return undefined;
  const seen = new Map<number, { key: string; tokens: number }>();
  for (const { at } of marked)
    for (let back = at; back >= 0 && back > at - cacheLimits.lookbackBlocks; back--) {
      const { hash, tokens } = prefixes[back] as CachePrefix;
      if (tokens >= model.cacheTokensMin) seen.set(back, { key: scope + hash, tokens });
    }
  const hitCandidates = [...seen].sort(([a], [b]) => b - a).map(([, candidate]) => candidate);
  return {
    keys: hitCandidates.map(({ key }) => key),
    hitCandidates,
    breakpoints: marked.map(({ key, tokens, ttl }) => ({ key, tokens, ttl })),
    tokens,
  };
}

/** Whether the body has a mark at all: what has none needs no hashing. */
export function usesCache(body: MessageBody): boolean {
  const isMarked = (part: Readonly<Record<string, unknown>>): boolean =>
    (part["cache_control"] ?? null) !== null ||
    (part["type"] === "tool_result" && anyMarked(part["content"]));
  const anyMarked = (parts: unknown) => Array.isArray(parts) && parts.some(isMarked);
  return (
    (body["cache_control"] ?? null) !== null ||
    anyMarked(body.tools) ||
    anyMarked(body.system) ||
    body.messages.some(({ content }) => anyMarked(content))
  );
}

/**
 * What the request read and wrote, given the entries that are alive. `inputTokens` is the whole input as the
 * upstream counted it; our own prefixes are stretched to it, so that the parts always add up.
 */
export function settleCache(
  plan: CachePlan,
  found: ReadonlyMap<string, CacheEntry>,
  now: Date,
  inputTokens: number = plan.tokens,
): CacheOutcome {
  const hit = plan.hitCandidates.find(({ key }) => found.has(key));
  const upTo = (tokens: number) =>
    plan.tokens === 0 ? 0 : Math.round((Math.min(tokens, plan.tokens) * inputTokens) / plan.tokens);
  const read = upTo(hit?.tokens ?? 0);
  const longEnd = plan.breakpoints.findLast(({ ttl }) => ttl === "1h")?.tokens ?? 0;
  const written1h = Math.max(read, upTo(longEnd));
  const written = Math.max(written1h, upTo(plan.breakpoints.at(-1)?.tokens ?? 0));
  const counts = {
    input: inputTokens - written,
    cacheRead: read,
    cacheWrite1h: written1h - read,
    cacheWrite5m: written - written1h,
  };
  return { counts, usage: cacheUsageOf(counts), rows: rowsOf(plan, found, hit, now) };
}

export const cacheUsageOf = ({
  input,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h,
}: CacheOutcome["counts"]): CacheUsage => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
  cache_read_input_tokens: cacheRead,
  cache_creation: {
    ephemeral_5m_input_tokens: cacheWrite5m,
    ephemeral_1h_input_tokens: cacheWrite1h,
  },
});

/**
 * What was paid for is remembered for as long as was paid for. What lies within the prefix that was read
 * keeps its own time, from now on; a breakpoint there that was not known has the time of what was read.
 */
function rowsOf(
  plan: CachePlan,
  found: ReadonlyMap<string, CacheEntry>,
  hit: { key: string; tokens: number } | undefined,
  now: Date,
): CacheRow[] {
  const hitSeconds = (hit && found.get(hit.key)?.ttlSeconds) ?? 0;
  const rows = new Map<string, CacheRow>();
  if (hit) rows.set(hit.key, { key: hit.key, ttlSeconds: hitSeconds });
  for (const { key, tokens, ttl } of plan.breakpoints) {
    const isCovered = hit !== undefined && tokens <= hit.tokens;
    const seconds = isCovered ? (found.get(key)?.ttlSeconds ?? hitSeconds) : ttlSeconds[ttl];
    rows.set(key, { key, ttlSeconds: seconds });
  }
  return [...rows.values()].filter(({ key, ttlSeconds }) => {
    const endsMs = found.get(key)?.expiresAt.getTime() ?? 0;
    return now.getTime() + ttlSeconds * 1000 - endsMs > cacheLimits.refreshStepMs;
  });
}

/** Commits with the close of the ledger. Undefined where there is nothing to remember. */
export const cacheStatement = (
  workspaceId: string,
  rows: readonly CacheRow[],
  now: Date,
): Statement | undefined =>
  rows.length === 0 ? undefined : rememberStatement(workspaceId, rows, now);
