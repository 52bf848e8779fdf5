// Where a request begins: at the model that served its conversation before; and whether its answers came back whole.
import type { Actor } from "../../../kernel/context.ts";
import * as fallbacks from "../../fallbacks/module.ts";
import type { MessageBody } from "../../models/module.ts";

export interface StickyStart {
  firstHop: fallbacks.Hop;
  stickyPrefixes: readonly fallbacks.StickyPrefix[];
}

/** Of the body as the client sent it. Throws where a boundary was moved, unless a credit token is taken. */
export async function stickyStart(
  actor: Actor,
  body: MessageBody,
  plan: fallbacks.HopPlan,
  hasCredit = false,
): Promise<StickyStart> {
  const [requested] = plan.hops;
  if (!fallbacks.usesSticky(body, plan)) return { firstHop: requested, stickyPrefixes: [] };
  const { organizationId } = actor.who;
  const stickyPrefixes = fallbacks.stickyPrefixesOf(organizationId, requested.model.id, body);
  const now = actor.clock.now();
  const routes = await fallbacks.stickyLookup(actor.db, organizationId, stickyPrefixes, now);
  const moved = hasCredit ? undefined : fallbacks.echoFailure(body, plan, routes);
  if (moved !== undefined) throw moved;
  return { firstHop: fallbacks.stickyHop(plan, routes) ?? requested, stickyPrefixes };
}
