// Spans of questions to models, in the names of OpenTelemetry's conventions for generative AI: never their contents.
import { isFailure } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import type { Attributes } from "../../../kernel/observe/tracing/finished-span.ts";
import type { Span } from "../../../kernel/observe/tracing/tracer.ts";
import type { Model, TokenCounts } from "../../models/module.ts";
import type { Settlement } from "../../usage/module.ts";

/** Rule TRC3. Undefined where traces are off, or where nothing would be told. */
export function beginModelSpan(
  { instruments: { tracer }, requestId }: Pick<Actor, "instruments" | "requestId">,
  { id, upstream, upstreamModel }: Pick<Model, "id" | "upstream" | "upstreamModel">,
  maxTokens: number,
): Span | undefined {
  return tracer?.begin({
    name: `chat ${id}`,
    kind: "client",
    under: requestId,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": upstream,
      "gen_ai.request.model": id,
      "gen_ai.response.model": upstreamModel,
      "gen_ai.request.max_tokens": maxTokens,
    },
  });
}

/** Rule TRC5. */
export const sentTraceparent = (
  { instruments: { tracer } }: Pick<Actor, "instruments">,
  span: Span | undefined,
  upstream: string,
): string | undefined => (tracer?.sendsTo(upstream) === true ? span?.traceparent : undefined);

interface EndedModel {
  outcome: Settlement["outcome"];
  counts: TokenCounts;
  /** Where it is more than what is charged. */
  used?: TokenCounts;
  stopReason?: string | null;
}

export function endModelSpan(
  span: Span,
  { outcome, counts, used = counts, stopReason }: EndedModel,
): void {
  span.end({
    attributes: { ...usageAttributes(used), ...finishAttributes(stopReason) },
    error: outcome === "failed" || outcome === "cut" ? outcome : undefined,
  });
}

/** All input counts as input, cached or not. */
const usageAttributes = (used: TokenCounts): Attributes => ({
  "gen_ai.usage.input_tokens": used.input + used.cacheWrite5m + used.cacheWrite1h + used.cacheRead,
  "gen_ai.usage.output_tokens": used.output,
  "gen_ai.usage.cache_creation.input_tokens": used.cacheWrite5m + used.cacheWrite1h,
  "gen_ai.usage.cache_read.input_tokens": used.cacheRead,
});

const finishAttributes = (stopReason: string | null | undefined): Attributes =>
  stopReason == null ? {} : { "gen_ai.response.finish_reasons": [stopReason] };

/** A word for what ended a piece of work: of a bug its class, and never a sentence. */
export function errorWord(error: unknown): string {
  if (isFailure(error)) return error.type;
  return error instanceof Error ? error.name : "unknown";
}
