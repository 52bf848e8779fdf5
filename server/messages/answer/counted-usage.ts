// What one hop has used: as its upstream reports it, or as this server counts it.
import { tokensOfBody, type Usage } from "../../models/module.ts";
import { usageAtStart, type ReportedUsage } from "../run/reported-usage.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import type { Hop, HopStream } from "./hops.ts";
import { sentBodyOf } from "../run/warm-cache.ts";

export const startUsageOf = (
  prepared: PreparedRequest,
  { answering }: HopStream,
  usage: unknown,
): ReportedUsage =>
  usageAtStart(
    usage,
    () => tokensOfBody(sentBodyOf(prepared, answering)),
    answering.outputTokensMax,
  );

/**
 * What the model has written so far, by this server's count: a delta may be less than a token, or thousands of them.
 * The model has not written more than it was allowed.
 */
export const outputCounted = ({ deltas, written, answering }: HopStream): number =>
  Math.min(Math.max(deltas, written.tokens()), answering.outputTokensMax);

/** What the upstream reports in the end, or what this server counts where the hop was cut before that. */
export function hopUsageOf(prepared: PreparedRequest, hop: Hop): Usage {
  return hop.kind === "whole" ? hop.message.usage : streamUsageOf(prepared, hop);
}

function streamUsageOf(prepared: PreparedRequest, stream: HopStream): Usage {
  const { usage } = stream.reported ?? startUsageOf(prepared, stream, undefined);
  if (stream.end !== undefined) return usage;
  const output_tokens = outputCounted(stream);
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage;
  // Some servers begin with zeros and say in the end what they read: no request is nothing.
  if (input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0) > 0)
    return { ...usage, output_tokens };
  return { ...startUsageOf(prepared, stream, undefined).usage, output_tokens };
}

/** Whether a part of that usage is this server's count. */
export function hasEstimatedUsage(hop: Hop): boolean {
  if (hop.kind === "whole") return hop.isCounted;
  const { end, reported, answering } = hop;
  return (
    end === undefined ||
    reported?.isInputReported !== true ||
    !reported.isOutputReported ||
    answering.progress.isEstimated
  );
}
