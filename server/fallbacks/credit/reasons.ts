// Why a token was not applied, each with what to send next.
import type { MessageBody } from "../types.ts";
import { excludesContinuation } from "../outcome.ts";
import type { Rung } from "./match.ts";

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

const sameBody = "Send the refused body unchanged, with the same token.";
const noToken = "Retry without the token.";

interface Facts {
  body: MessageBody;
  rung: Rung | undefined;
  extra: readonly string[];
}

const sentences: Readonly<Record<NotAppliedReason, (facts: Facts) => string>> = {
  body_mismatch: ({ body, rung }) => {
    // What ends with an answer was meant as a continuation, whatever else is wrong with it.
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

export const sentenceOf = (reason: NotAppliedReason, facts: Facts): string =>
  sentences[reason](facts);
