// What an answer holds at a boundary and at the end: blocks, iterations, stop details, continuation.
import type { Failure } from "../../kernel/base/failure.ts";
import { showsFallbackFields } from "./betas.ts";
import { asBlocks, trimmedEnd } from "./blocks.ts";
import {
  noTokens,
  type Block,
  type MessageBody,
  type RefusalCategory,
  type TokenCounts,
  type Usage,
} from "./types.ts";
import type { Hop, HopPlan } from "./plan.ts";

export interface FallbackBlock extends Block {
  type: "fallback";
  from: { model: string };
  to: { model: string };
  trigger: { type: "refusal"; category: RefusalCategory | null };
}

export function fallbackBlock(
  plan: HopPlan,
  from: Hop,
  to: Hop,
  category: RefusalCategory | null,
): FallbackBlock {
  return {
    type: "fallback",
    from: { model: from.index === 0 ? plan.requestedName : from.model.id },
    to: { model: to.model.id },
    trigger: { type: "refusal", category },
  };
}

export interface Iteration {
  type: "message" | "fallback_message";
  model: string;
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: NonNullable<Usage["cache_creation"]> | null;
}

/** All hops that ran, the one whose answer is returned last. */
export function iterationsOf(ran: readonly { hop: Hop; usage: Usage }[]): Iteration[] {
  return ran.map(({ hop, usage }, at) => ({
    type: at === ran.length - 1 && hop.index > 0 ? "fallback_message" : "message",
    model: hop.model.id,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
    cache_creation: usage.cache_creation ?? null,
  }));
}

export interface RefusalFacts {
  category: RefusalCategory | null;
  explanation: string | null;
  /** As `mint` gave it. */
  credit?: { token: string; hasPrefillClaim: boolean } | undefined;
  /** The fallback that was overloaded or over its limit. */
  recommendedModel?: string | undefined;
}

export interface RefusalDetails {
  type: "refusal";
  category: RefusalCategory | null;
  explanation: string | null;
  fallback_credit_token?: string | null;
  fallback_has_prefill_claim?: boolean | null;
  recommended_model?: string | null;
  [field: string]: unknown;
}

export function stopDetails(facts: RefusalFacts, betas: ReadonlySet<string>): RefusalDetails {
  const { category, explanation, credit } = facts;
  const plain: RefusalDetails = { type: "refusal", category, explanation };
  if (!showsFallbackFields(betas)) return plain;
  return {
    ...plain,
    fallback_credit_token: credit?.token ?? null,
    fallback_has_prefill_claim: credit?.hasPrefillClaim ?? null,
    recommended_model: facts.recommendedModel ?? null,
  };
}

/**
 * Whether an error of this hop ends the request with the refusal before it, naming this hop's model: asked of
 * fallbacks only, before their output. Otherwise the error surfaces as it is.
 */
export const isOverload = (hop: Hop, failure: Failure): boolean =>
  hop.index > 0 && (failure.status === 429 || failure.status === 529);

/** Whether the upstream of a model refused to go on from another model's text. */
export const isRefusedContinuation = ({ status }: Failure): boolean =>
  status === 400 || status === 422;

/** A format or a forced tool cannot be continued in the middle. */
export function excludesContinuation(body: MessageBody): boolean {
  const format = body.output_config?.["format"] ?? body["output_format"];
  const choice = body.tool_choice?.["type"];
  return (format !== undefined && format !== null) || choice === "any" || choice === "tool";
}

/**
 * The body of a hop that goes on after others declined mid-output. `partials` are the contents that the
 * client already has, oldest first; only their text is seen.
 */
export function continuationBody(
  body: MessageBody,
  partials: readonly (readonly Block[])[],
): MessageBody {
  if (excludesContinuation(body)) return body;
  const texts = partials
    .flat()
    .flatMap(({ type, text }) => (type === "text" ? [{ type, text }] : []));
  const seen = trimmedEnd(texts);
  if (seen.length === 0) return body;
  const last = body.messages.at(-1);
  return {
    ...body,
    messages:
      last?.role === "assistant"
        ? [
            ...body.messages.slice(0, -1),
            { ...last, content: [...asBlocks(last.content), ...seen] },
          ]
        : [...body.messages, { role: "assistant", content: seen }],
  };
}

/** What a declined or last-refused hop is charged for. */
export const declinedCounts = (counts: TokenCounts, outputSent: boolean): TokenCounts =>
  outputSent ? counts : noTokens;
