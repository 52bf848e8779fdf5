// A token that comes back: redeemed, not applied for a named reason, or a 400 that says what to send next.
import { Failure, invalid } from "../../../kernel/base/failure.ts";
import { creditBeta, grantsCredit } from "../betas.ts";
import type { MessageBody, Model, ModelResolver, TokenCounts, Turn } from "../types.ts";
import { limits } from "../limits.ts";
import { excludesContinuation } from "../continuation.ts";
import {
  splitConversation,
  fieldDigests,
  partialDigest,
  rungOf,
  withSeenTail,
  type Rung,
} from "./match.ts";
import { betasDigest } from "./mint.ts";
import {
  tokenHolder,
  openClaims,
  type CacheBreakpoint,
  type Claims,
  type CreditContext,
} from "./token.ts";

export interface RedeemInput {
  context: CreditContext;
  /** As the client sent it; `fallback_credit_token` is read from here. */
  body: MessageBody;
  betas: ReadonlySet<string>;
  /** The model of the retry. */
  model: Model;
  catalog: ModelResolver;
}

export interface Redeemed {
  status: "redeemed";
  rung: Rung;
  /** What `reprice` needs. */
  warm: readonly CacheBreakpoint[];
  /** The closing assistant turn is a continuation: allowed also for a model without prefill. */
  authorizesPrefill: boolean;
  /** In place of the body's: a continuation as the target sees it. */
  messages: readonly Turn[];
}

/** Why a token was not applied. */
export type NotAppliedReason =
  | "body_mismatch"
  | "continuation_excluded"
  | "continuation_only"
  | "expired"
  | "invalid_target_model"
  | "not_enabled"
  | "reprice_unavailable"
  | "temporarily_unavailable"
  | "variant_fields_present"
  | "wrong_organization"
  | "wrong_platform"
  | "wrong_workspace";

export interface NotApplied {
  status: "not_applied";
  reason: NotAppliedReason;
  remove_to_redeem?: string[];
}

/** Undefined: the request has no token. A Failure is for the caller to throw. */
export function redeem(input: RedeemInput): Redeemed | NotApplied | Failure | undefined {
  const { body, context } = input;
  const param = body["fallback_credit_token"];
  if (param === undefined || param === null) return undefined;
  const presented = presentedOf(param, input.betas);
  if (presented instanceof Failure) return presented;
  if (body["fallbacks"] !== undefined && body["fallbacks"] !== null)
    return invalid(
      "fallback_credit_token: cannot stand beside fallbacks. Drop fallbacks to redeem the token, or drop the token.",
    );
  const claims = openClaims(context, presented.token);
  if (claims === undefined)
    return invalid(
      "fallback_credit_token: is not a token of this server. Send stop_details.fallback_credit_token of the refusal unchanged, or retry without the token.",
    );
  const conversation = splitConversation(body);
  const rung = rungOf(conversation, claims);
  const found = notRedeemable(input, claims) ?? mismatch(input, claims, rung);
  if (found === undefined) return redeemedBy(claims, body, rung ?? "same");
  if (presented.mode === "best_effort") return found;
  const { status: _, ...details } = found;
  return invalid(
    `fallback_credit_token: ${sentenceOf(found.reason, { body, rung, extra: found.remove_to_redeem ?? [] })}`,
    { details },
  );
}

function redeemedBy(claims: Claims, { messages }: MessageBody, rung: Rung): Redeemed {
  const authorizesPrefill = rung === "appended" || claims.continued;
  return {
    status: "redeemed",
    rung,
    warm: claims.warm,
    authorizesPrefill,
    messages: authorizesPrefill ? withSeenTail(messages) : messages,
  };
}

interface Presented {
  token: string;
  mode: "strict" | "best_effort";
}

function presentedOf(param: unknown, betas: ReadonlySet<string>): Presented | Failure {
  if (!grantsCredit(betas))
    return invalid(
      `fallback_credit_token: is in beta: send the header vendor-beta: ${creditBeta} (or anthropic-beta).`,
    );
  if (typeof param === "string") return { token: param, mode: "strict" };
  const { token, mode = "strict", ...others } = param as Record<string, unknown>;
  if (typeof param !== "object" || typeof token !== "string")
    return invalid("fallback_credit_token: must be a string, or an object with the string token.");
  if (!betas.has(creditBeta))
    return invalid(
      `fallback_credit_token: the object form needs the header vendor-beta: ${creditBeta} (or anthropic-beta); the bare string does not.`,
    );
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return invalid(
      `fallback_credit_token.${unknown}: is no field here; allowed are token and mode.`,
    );
  if (mode !== "strict" && mode !== "best_effort")
    return invalid('fallback_credit_token.mode: must be "strict" or "best_effort".');
  return { token, mode };
}

const notApplied = (reason: NotAppliedReason): NotApplied => ({ status: "not_applied", reason });

/** Why this token cannot be redeemed here and now, with any body. */
function notRedeemable(input: RedeemInput, claims: Claims): NotApplied | undefined {
  const { context, model, catalog } = input;
  const { organizationId, organizationType } = context.who;
  const ageMs = context.clock.now().getTime() - claims.mintedMs;
  if (claims.org !== organizationId) return notApplied("wrong_organization");
  if (claims.at !== organizationType) return notApplied("wrong_platform");
  if (claims.who !== tokenHolder(context)) return notApplied("wrong_workspace");
  if (ageMs > limits.creditMs + limits.creditSkewMs) return notApplied("expired");
  if (ageMs < -limits.creditSkewMs) return notApplied("temporarily_unavailable");
  const refused = catalog.resolve(claims.model);
  if (refused === undefined || refused.allowedFallbackModels.length === 0)
    return notApplied("not_enabled");
  if (!refused.allowedFallbackModels.includes(model.id)) return notApplied("invalid_target_model");
  return isRepriceable(model) ? undefined : notApplied("reprice_unavailable");
}

/** How this request differs from what the token authorizes. */
function mismatch(
  { body, betas }: RedeemInput,
  claims: Claims,
  rung: Rung | undefined,
): NotApplied | undefined {
  const fields = fieldDigests(body);
  const isChanged = Object.entries(claims.fields).some(([field, was]) => fields[field] !== was);
  if (isChanged || rung === undefined || betasDigest(betas) !== claims.betas)
    return notApplied("body_mismatch");
  if (rung === "same" && claims.appended) return notApplied("continuation_only");
  if (rung === "appended") {
    if (excludesContinuation(body)) return notApplied("continuation_excluded");
    const added = splitConversation(body).tail.slice(claims.tail);
    const partial = partialDigest(added);
    if (partial === null || partial !== claims.partial) return notApplied("body_mismatch");
  }
  const extra = Object.keys(fields).filter((field) => !Object.hasOwn(claims.fields, field));
  if (extra.length === 0) return undefined;
  return { status: "not_applied", reason: "variant_fields_present", remove_to_redeem: extra };
}

/** `usage.fallback_credit` of the answer. */
export const creditUsage = (outcome: Redeemed | NotApplied) =>
  outcome.status === "redeemed"
    ? { status: { type: "redeemed" as const } }
    : {
        status: {
          type: "not_applied" as const,
          reason: outcome.reason,
          ...(outcome.remove_to_redeem && { remove_to_redeem: outcome.remove_to_redeem }),
        },
      };

/** Where reading costs more than writing, a credit would make the retry dearer. */
export const isRepriceable = ({ prices }: Model): boolean =>
  prices.cacheRead <= Math.min(prices.cacheWrite5m, prices.cacheWrite1h);

/** The repriced request by this server's count, by which the breakpoints are counted, too. */
export interface PromptMeasure {
  /** Of all of it. */
  tokens: number;
  /** The digest of the prefix at its last breakpoint. */
  lastBreakpointHash: string | undefined;
}

/**
 * Counts as if the warm prefix had been in this model's cache: writes become reads, token for token. A prefix
 * that is warm up to the last breakpoint is all that the cache holds; a shorter one is stretched to the counts,
 * because the model that refused and this one may count differently.
 */
export function reprice(
  counts: TokenCounts,
  warm: readonly CacheBreakpoint[],
  { tokens, lastBreakpointHash }: PromptMeasure,
): TokenCounts {
  const writes = counts.cacheWrite1h + counts.cacheWrite5m;
  const input = counts.input + writes + counts.cacheRead;
  const longest = Math.max(0, ...warm.map((point) => point.tokens));
  const isAll =
    lastBreakpointHash !== undefined && warm.some(({ hash }) => hash === lastBreakpointHash);
  const warmTokens = isAll ? input : Math.round((longest * input) / Math.max(tokens, 1));
  const shift = Math.max(0, Math.min(warmTokens - counts.cacheRead, writes));
  // Breakpoints of an hour stand before those of five minutes.
  const fromHour = Math.min(shift, counts.cacheWrite1h);
  return {
    ...counts,
    cacheWrite1h: counts.cacheWrite1h - fromHour,
    cacheWrite5m: counts.cacheWrite5m - (shift - fromHour),
    cacheRead: counts.cacheRead + shift,
  };
}

const sameBody = "Send the refused body unchanged, with the same token.";
const noToken = "Retry without the token.";

interface SentenceFacts {
  body: MessageBody;
  rung: Rung | undefined;
  extra: readonly string[];
}

/** Each reason, with what the client may send next. */
const sentences: Readonly<Record<NotAppliedReason, (facts: SentenceFacts) => string>> = {
  body_mismatch: ({ body, rung }) => {
    // A body that ends with an answer was meant as a continuation, even where other parts are wrong.
    const isContinuation = rung !== "same" && body.messages.at(-1)?.role === "assistant";
    return `the request body does not match the refused request: fields, messages and beta headers must be the same. ${isContinuation ? sameBody : noToken}`;
  },
  continuation_excluded: () =>
    `the continuation is not available with output_config.format or a tool_choice that forces a tool. ${sameBody}`,
  continuation_only: ({ body }) =>
    excludesContinuation(body)
      ? `the token must be redeemed by continuing the partial response, which output_config.format or a forced tool_choice excludes. ${noToken}`
      : "the token must be redeemed by continuing the partial response: append one assistant message with the partial answer, with the same token.",
  temporarily_unavailable: () =>
    "redemption is temporarily unavailable. Send the same request again with the same token.",
  reprice_unavailable: ({ body }) =>
    `reading from the cache of ${body.model} costs more than writing to it, so there is nothing to credit. ${noToken}`,
  expired: () => `the token has expired: it lives for 5 minutes after the refusal. ${noToken}`,
  invalid_target_model: ({ body }) =>
    `${body.model} is not among the allowed_fallback_models of the refused model. Name one that is, or retry without the token.`,
  not_enabled: () => `the refused model takes no part in fallback any more. ${noToken}`,
  variant_fields_present: ({ extra }) =>
    `the refused request did not have ${extra.join(", ")}. Remove that and send the request again with the same token.`,
  wrong_organization: () => `the token belongs to another organization. ${noToken}`,
  wrong_platform: () => `the token belongs to another platform. ${noToken}`,
  wrong_workspace: () => `the token belongs to another workspace or caller. ${noToken}`,
};

const sentenceOf = (reason: NotAppliedReason, facts: SentenceFacts): string =>
  sentences[reason](facts);
