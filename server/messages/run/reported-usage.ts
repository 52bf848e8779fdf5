// What an upstream reports that it read and wrote, as far as that is valid; else what this server counts.
import type { TokenCounts, Usage } from "../../models/module.ts";
import { limits } from "../limits.ts";

type Fields = Readonly<Record<string, unknown>>;

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= limits.countMax;
const isObject = (value: unknown): value is Fields =>
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

/** What the client's reader of a usage relies on. */
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

/** Fields that are not valid are left out, as if the upstream had not sent them. */
function validFieldsOf(usage: unknown): Fields {
  if (!isObject(usage)) return {};
  const valid: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(usage))
    if (fieldChecks.get(name)?.(value) ?? true) valid[name] = value;
  return valid;
}

/** Counts here what the upstream does not report. */
export interface UsageEstimator {
  input(): number;
  output(): number;
}

export interface ReportedUsage {
  usage: Usage;
  isInputReported: boolean;
  isOutputReported: boolean;
}

/** The output that a beginning reports is not final: a model has not written more than it was allowed. */
export function usageAtStart(
  reported: unknown,
  input: () => number,
  outputMax: number,
): ReportedUsage {
  const { usage, ...rest } = usageFrom(reported, { input, output: () => 0 });
  const output_tokens = Math.min(usage.output_tokens, outputMax);
  return { usage: { ...usage, output_tokens }, ...rest };
}

/** Of an answer that begins, or that came whole. */
export function usageFrom(usage: unknown, count: UsageEstimator): ReportedUsage {
  const reported = validFieldsOf(usage);
  const input = reported["input_tokens"] as number | undefined;
  const output = reported["output_tokens"] as number | undefined;
  return {
    usage: {
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      ...reported,
      input_tokens: input ?? count.input(),
      output_tokens: output ?? count.output(),
    },
    isInputReported: input !== undefined,
    isOutputReported: output !== undefined,
  };
}

/**
 * Of an answer that ends: what the end leaves out or has as null stays as it began. But the beginning says little of
 * the output: that is `written`, this server's count, unless an earlier end has reported it.
 */
export function usageAtEnd(
  began: ReportedUsage,
  usage: unknown,
  written: number | undefined,
): ReportedUsage {
  const reported = validFieldsOf(usage);
  const given = Object.entries(reported).filter(([, value]) => value !== null);
  const before = began.usage.output_tokens;
  const output_tokens = Math.max(before, written ?? before);
  return {
    usage: { ...began.usage, output_tokens, ...Object.fromEntries(given) },
    isInputReported: began.isInputReported || "input_tokens" in reported,
    isOutputReported: written === undefined || "output_tokens" in reported,
  };
}

/** Tokens by class, as the upstream says. */
export function reportedCounts(usage: Usage): TokenCounts {
  const written = usage.cache_creation_input_tokens ?? 0;
  // An upstream may give only the sum: tokens that are not reported as an hour's are of five minutes.
  const hour = Math.min(usage.cache_creation?.ephemeral_1h_input_tokens ?? 0, written);
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheWrite5m: written - hour,
    cacheWrite1h: hour,
    cacheRead: usage.cache_read_input_tokens ?? 0,
  };
}
