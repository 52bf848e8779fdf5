// What an upstream says that it read and wrote, as far as that is sound; else what the house counts.
import type { TokenCounts, Usage } from "../../models/module.ts";
import { limits } from "../limits.ts";

type Said = Readonly<Record<string, unknown>>;

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= limits.countMax;
const isObject = (value: unknown): value is Said =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const areCounts = (value: unknown) => isObject(value) && Object.values(value).every(isCount);
const areCountsOrNull = (value: unknown) =>
  value === null ||
  (isObject(value) && Object.values(value).every((count) => count === null || isCount(count)));
const isNameOrNull = (value: unknown) => value === null || typeof value === "string";
const countersOfStep = ["cache_creation_input_tokens", "cache_read_input_tokens"];
const isStep = (step: unknown) =>
  isObject(step) &&
  isCount(step["input_tokens"]) &&
  isCount(step["output_tokens"]) &&
  countersOfStep.every((name) => (step[name] ?? null) === null || isCount(step[name]));
const areSteps = (value: unknown) => Array.isArray(value) && value.every(isStep);

/** What a client's own reader of it relies on. */
const fieldChecks = new Map<string, (value: unknown) => boolean>([
  ["input_tokens", isCount],
  ["output_tokens", isCount],
  ["cache_creation_input_tokens", isCount],
  ["cache_read_input_tokens", isCount],
  ["cache_creation", areCounts],
  ["output_tokens_details", areCountsOrNull],
  ["server_tool_use", areCountsOrNull],
  ["service_tier", isNameOrNull],
  ["speed", isNameOrNull],
  ["inference_geo", isNameOrNull],
  ["iterations", areSteps],
]);

/** What is not sound is left out: as if the upstream had not said it. */
function validFieldsOf(usage: unknown): Said {
  if (!isObject(usage)) return {};
  const said: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(usage))
    if (fieldChecks.get(name)?.(value) ?? true) said[name] = value;
  return said;
}

/** What is counted here where the upstream does not say it. */
export interface UsageEstimator {
  input(): number;
  output(): number;
}

export interface ReportedUsage {
  usage: Usage;
  isInputReported: boolean;
  isOutputReported: boolean;
}

/** What a beginning says of the output is no last word: more than it was allowed a model has not written. */
export function usageAtStart(said: unknown, input: () => number, outputMax: number): ReportedUsage {
  const { usage, ...rest } = usageFrom(said, { input, output: () => 0 });
  const output_tokens = Math.min(usage.output_tokens, outputMax);
  return { usage: { ...usage, output_tokens }, ...rest };
}

/** Of an answer that begins, or that came whole. */
export function usageFrom(usage: unknown, count: UsageEstimator): ReportedUsage {
  const said = validFieldsOf(usage);
  const input = said["input_tokens"] as number | undefined;
  const output = said["output_tokens"] as number | undefined;
  return {
    usage: {
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      ...said,
      input_tokens: input ?? count.input(),
      output_tokens: output ?? count.output(),
    },
    isInputReported: input !== undefined,
    isOutputReported: output !== undefined,
  };
}

/**
 * Of an answer that ends: what it leaves out or has as null stays as it began, but for the output, of which the
 * beginning says little: then it is `written`, the house's count, unless an end has said it before.
 */
export function usageAtEnd(
  began: ReportedUsage,
  usage: unknown,
  written: number | undefined,
): ReportedUsage {
  const said = validFieldsOf(usage);
  const given = Object.entries(said).filter(([, value]) => value !== null);
  const before = began.usage.output_tokens;
  const output_tokens = Math.max(before, written ?? before);
  return {
    usage: { ...began.usage, output_tokens, ...Object.fromEntries(given) },
    isInputReported: began.isInputReported || "input_tokens" in said,
    isOutputReported: written === undefined || "output_tokens" in said,
  };
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
