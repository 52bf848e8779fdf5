// What one hop of a stream has used: as its upstream says it, or as the house counts it.
import { tokensOfBody, type Usage } from "../../models/module.ts";
import { usageAtStart, type ReportedUsage } from "./reported-usage.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import type { HopStream } from "../stream/hop-stream.ts";
import { sentBodyOf } from "./warm-cache.ts";

export const startUsageOf = (
  prepared: PreparedRequest,
  { running: answering }: HopStream,
  usage: unknown,
): ReportedUsage =>
  usageAtStart(
    usage,
    () => tokensOfBody(sentBodyOf(prepared, answering)),
    answering.outputTokensMax,
  );

/**
 * What the model has written so far, by the house: a delta may be less than a token, or thousands of them. More than it
 * was allowed it has not written.
 */
export const outputCounted = ({ deltas, written, running: answering }: HopStream): number =>
  Math.min(Math.max(deltas, written.tokens()), answering.outputTokensMax);

/** What the upstream says in the end, or what the house counts where the hop was cut before that. */
export function hopUsageOf(prepared: PreparedRequest, stream: HopStream): Usage {
  const { usage } = stream.reported ?? startUsageOf(prepared, stream, undefined);
  if (stream.end !== undefined) return usage;
  const output_tokens = outputCounted(stream);
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage;
  // Some servers begin with zeros and say in the end what they read: no request is nothing.
  if (input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0) > 0)
    return { ...usage, output_tokens };
  return { ...startUsageOf(prepared, stream, undefined).usage, output_tokens };
}

/** Whether any of that is the house's own count. */
export const hasEstimatedUsage = ({
  end: said,
  reported,
  running: answering,
}: HopStream): boolean =>
  said === undefined ||
  reported?.isInputReported !== true ||
  !reported.isOutputReported ||
  answering.progress.isEstimated;
