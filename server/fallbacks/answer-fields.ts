// What fallbacks add to an answer: the block at a boundary, iterations, stop details.
import { showsFallbackFields } from "./betas.ts";
import type { Block, RefusalCategory, Usage } from "./types.ts";
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
