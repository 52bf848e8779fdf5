// How an answer ends on the wire: its usage, its iterations, its refusal, and the token that goes with it.
import * as fallbacks from "../../fallbacks/module.ts";
import type { Block, Message, RefusalCategory, StopDetails, Usage } from "../../models/module.ts";
import type { AnsweringHop } from "../run/begin-hop.ts";
import { shownUsage } from "../run/settle-hop.ts";
import { supportsContextEdits, type PreparedRequest } from "../prepare/prepared-request.ts";
import { warmAfter } from "../run/warm-cache.ts";

/** A hop that refused, and after which another one answers. */
export interface DeclinedHop {
  hop: fallbacks.Hop;
  usage: Usage;
  category: RefusalCategory | null;
}

/** What a message always has, null where the upstream left it out. */
export const messageDefaults = {
  stop_sequence: null,
  stop_details: null,
  container: null,
  context_management: null,
  diagnostics: null,
};

/** The usage of all of the answer: the last hop's numbers, and every hop's in `iterations`. */
export function finalUsage(
  prepared: PreparedRequest,
  answering: AnsweringHop,
  usage: Usage,
  declined: readonly DeclinedHop[],
): Usage {
  const shown = shownUsage(prepared, answering, usage);
  const hops = [...declined, { hop: answering.hop, usage: shown }];
  return {
    ...shown,
    ...(prepared.plan.mode !== "none" && { iterations: fallbacks.iterationsOf(hops) }),
    ...(prepared.accounting.isBatch && { service_tier: "batch" }),
    ...(prepared.credit !== undefined && {
      fallback_credit: fallbacks.creditUsage(prepared.credit),
    }),
  };
}

/** Where the model's upstream edits no conversations, nothing was edited. */
export const appliedEdits = ({ asksForEdits }: PreparedRequest, { hop }: AnsweringHop) =>
  asksForEdits && !supportsContextEdits(hop.model)
    ? { context_management: { applied_edits: [] } }
    : {};

export interface RefusedAnswer {
  answering: AnsweringHop;
  /** As the upstream reported it. */
  usage: Usage;
  category: RefusalCategory | null;
  explanation: string | null;
  /** What the client has of the answer. */
  partial: readonly Block[];
  isCharged: boolean;
  /** The fallback that could not be asked. */
  recommendedModel?: string | undefined;
}

/** `stop_details` of a refusal that is returned, with its credit token where one is granted. */
export function refusalDetails(prepared: PreparedRequest, refused: RefusedAnswer): StopDetails {
  const { actor } = prepared;
  const redeemed = prepared.credit?.status === "redeemed" ? prepared.credit : undefined;
  const mint = () =>
    fallbacks.mint({
      context: actor,
      body: prepared.sent.get(),
      betas: actor.betas,
      model: refused.answering.hop.model,
      partial: refused.partial,
      continued: redeemed?.authorizesPrefill === true,
      continuationOnly: fallbacks.hasServerTools(refused.partial),
      cacheBreakpoints: warmAfter(prepared, refused.answering, refused.usage, refused.isCharged),
    });
  const credit = prepared.accounting.isBatch || prepared.isRound ? undefined : mint();
  const { category, explanation, recommendedModel } = refused;
  return fallbacks.stopDetails({ category, explanation, credit, recommendedModel }, actor.betas);
}

/** The sticky row of an answer that another model than the requested one served. */
export const stickyRouteStatement = (
  prepared: PreparedRequest,
  hop: fallbacks.Hop,
  message: Pick<Message, "content" | "stop_reason">,
) =>
  hop.index === 0
    ? undefined
    : fallbacks.stickyStatement({
        organizationId: prepared.actor.who.organizationId,
        body: prepared.sent.get(),
        prefixes: prepared.stickyPrefixes,
        hop,
        content: message.content,
        stopReason: message.stop_reason,
        now: prepared.actor.clock.now(),
      });
