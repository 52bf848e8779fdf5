// Which model a round is asked of where others may take over: the one that answered last is asked first.
import * as fallbacks from "../../fallbacks/module.ts";
import type { Block, MessageBody } from "../../models/module.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import { stickyStart } from "../prepare/sticky-start.ts";
import { thinkingWithin, tokensNeeded, type ServersRequest } from "./request.ts";

export interface Route {
  /** Of the first round: each model with the request as it takes it. */
  readonly plan: fallbacks.HopPlan;
  readonly prefixes: readonly fallbacks.StickyPrefix[];
  hop: fallbacks.Hop;
}

/** Undefined where no other model may take over. Throws where a boundary of an earlier answer was moved. */
export async function openRoute(
  { actor, body }: ServersRequest,
  plan: fallbacks.HopPlan,
): Promise<Route | undefined> {
  const { firstHop, stickyPrefixes: prefixes } = await stickyStart(actor, body, plan);
  return plan.mode === "none" ? undefined : { plan, prefixes, hop: firstHop };
}

/** A later round is prepared for the requested model alone: it gets the others of the first one. */
export function onRoute(
  prepared: PreparedRequest,
  { plan, hop }: Route,
  writtenTokens: number,
): PreparedRequest {
  if (prepared.plan === plan) return { ...prepared, firstHop: hop };
  const [requested] = prepared.plan.hops;
  const [, ...others] = plan.hops;
  const { messages, tool_choice: choice } = requested.body;
  const said = { messages, ...(choice !== undefined && { tool_choice: choice }) };
  const later = others.map((other) => {
    const body = { ...other.body, ...said };
    return { ...other, body: { ...body, ...lessWritten(body, writtenTokens) } };
  });
  const routes = new Map(
    [...plan.routes].map(([route, { index }]) => [route, later[index - 1] ?? requested] as const),
  );
  const hops: fallbacks.HopPlan["hops"] = [requested, ...later];
  const firstHop = hops[hop.index] ?? requested;
  return { ...prepared, plan: { ...plan, hops, routes }, firstHop };
}

/** One that has nothing left and is asked all the same, because another one refused, writes the least that it takes. */
function lessWritten(body: MessageBody, writtenTokens: number) {
  const max_tokens = Math.max(body.max_tokens - writtenTokens, tokensNeeded(body));
  return { max_tokens, ...thinkingWithin(body, max_tokens) };
}

/** `modelId` answered. */
export function followModel(route: Route, modelId: unknown): void {
  route.hop = route.plan.hops.find(({ model }) => model.id === modelId) ?? route.hop;
}

/** The conversation stays with the model that answered last. Where that cannot be written it begins anew next time. */
export async function keepRoute(
  { actor, body }: ServersRequest,
  { prefixes, hop }: Route,
  content: readonly Block[],
  stopReason: unknown,
): Promise<void> {
  const row = fallbacks.stickyStatement({
    organizationId: actor.who.organizationId,
    body,
    prefixes,
    hop,
    content,
    stopReason: typeof stopReason === "string" ? stopReason : null,
    now: actor.clock.now(),
  });
  if (row === undefined) return;
  try {
    await actor.db.query(row);
  } catch (error) {
    actor.logger.warn({ request_id: actor.requestId, error }, "a sticky route was not written");
  }
}

/** What the model wrote that answered: calls before a boundary are of one that declined, and are not made. */
export const behindBoundary = (said: readonly Block[]): readonly Block[] =>
  said.slice(said.findLastIndex(({ type }) => type === "fallback") + 1);
