// The token of a refusal: what a retry must look like, and what of its prefix was warm.
import { comparedBetas, grantsCredit } from "../betas.ts";
import { canonical, shortDigest } from "../canonical.ts";
import type { Block, MessageBody, Model } from "../types.ts";
import { limits } from "../limits.ts";
import { excludesContinuation } from "../continuation.ts";
import { conversationDigest, splitConversation, fieldDigests, partialDigest } from "./match.ts";
import { encryptClaims, tokenHolder, type CacheBreakpoint, type CreditContext } from "./token.ts";

export interface MintInput {
  context: CreditContext;
  /** As the client sent it. */
  body: MessageBody;
  betas: ReadonlySet<string>;
  /** The model that refused last. */
  model: Model;
  /** What the client has of its answer. */
  partial: readonly Block[];
  /** The breakpoints that were warm on the refused model. */
  cacheBreakpoints: readonly CacheBreakpoint[];
  /** The closing assistant turn of the refused request was a continuation that a token had authorized. */
  continued?: boolean;
  /** The refusal came in a loop of server tools that had already run. */
  continuationOnly?: boolean;
}

export interface Minted {
  token: string;
  hasPrefillClaim: boolean;
}

/** Undefined: this refusal is not eligible, and both fields are null. */
export function mint(input: MintInput): Minted | undefined {
  const { context, body, betas, model } = input;
  if (!grantsCredit(betas) || model.allowedFallbackModels.length === 0) return undefined;
  const conversation = splitConversation(body);
  const partial = partialDigest(input.partial);
  const token = encryptClaims(context, {
    id: context.ids.next("fct_"),
    org: context.who.organizationId,
    who: tokenHolder(context),
    at: context.who.organizationType,
    model: model.id,
    fields: fieldDigests(body),
    betas: betasDigest(betas),
    messages: conversationDigest(conversation, conversation.tail.length),
    turns: conversation.turns,
    tail: conversation.tail.length,
    continued: conversation.tail.length > 0 && input.continued === true,
    partial,
    appended: input.continuationOnly === true && partial !== null,
    warm: input.cacheBreakpoints.slice(-limits.creditBreakpointsMax),
    mintedMs: context.clock.now().getTime(),
  });
  return { token, hasPrefillClaim: partial !== null && !excludesContinuation(body) };
}

export const betasDigest = (betas: ReadonlySet<string>): string =>
  shortDigest(canonical(comparedBetas(betas)));
