// What an upstream says that it read and wrote, as far as those are counts; else what the house counts.
import {
  tokensOfBody,
  tokensOfContent,
  type Block,
  type MessageBody,
  type TokenCounts,
  type Usage,
} from "../models/module.ts";
import { limits } from "./limits.ts";

type Said = Readonly<Record<string, unknown>>;

const counters = [
  "input_tokens",
  "output_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
] as const;

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= limits.countMax;

/** Counters that are no counts are left out: as if the upstream had not said them. */
function countsIn(usage: unknown): Said {
  const { cache_creation: split, ...said } = (usage ?? {}) as Record<string, unknown>;
  for (const name of counters) if (name in said && !isCount(said[name])) delete said[name];
  const isSplit = typeof split === "object" && split !== null;
  if (isSplit && Object.values(split).every(isCount)) said["cache_creation"] = split;
  return said;
}

/** Of an answer that begins, or that came whole. */
export function usageFrom(
  usage: unknown,
  bodyOf: () => MessageBody,
  content: readonly Block[],
): Usage {
  const said = countsIn(usage);
  return {
    cache_creation_input_tokens: null,
    cache_read_input_tokens: null,
    ...said,
    input_tokens: (said["input_tokens"] as number | undefined) ?? tokensOfBody(bodyOf()),
    output_tokens: (said["output_tokens"] as number | undefined) ?? tokensOfContent(content),
  };
}

/**
 * Of an answer that ends: what it leaves out or has as null stays as it began, but for the output, of which
 * the deltas tell.
 */
export function usageAtEnd(began: Usage, usage: unknown, deltas: number): Usage {
  const said = Object.entries(countsIn(usage)).filter(([, value]) => value !== null);
  const output_tokens = Math.max(began.output_tokens, deltas);
  return { ...began, output_tokens, ...Object.fromEntries(said) };
}

/** Tokens by class, as the upstream says. */
export function reportedCounts(usage: Usage): TokenCounts {
  const written = usage.cache_creation_input_tokens ?? 0;
  // An upstream may give only the sum: what is not said to be for an hour is for five minutes.
  const hour = Math.min(usage.cache_creation?.ephemeral_1h_input_tokens ?? 0, written);
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheWrite5m: written - hour,
    cacheWrite1h: hour,
    cacheRead: usage.cache_read_input_tokens ?? 0,
  };
}
