// What a session has used so far, as an event.
import type { World } from "../../../kernel/context.ts";
import type { EventData } from "../events/drafts.ts";
import type { WorkedSession } from "../model/queries.ts";
import { presentBudget, presentUsage } from "../present.ts";
import { listCostNano } from "../time/cost.ts";

type Clocked = Pick<World, "clock" | "sections">;

export const usageSnapshot = (world: Clocked, session: WorkedSession): EventData => ({
  type: "session.usage",
  usage: presentUsage(session.usage, {
    activeMs: session.activeMs + unsettledMsOf(world, session),
    costNano: costSoFar(world, session),
  }),
  budget: presentBudget(session.budgetNano),
});

export const costSoFar = (world: Clocked, session: WorkedSession): number =>
  listCostNano(world, { ...session, unsettledMs: unsettledMsOf(world, session) });

/** Whole, as what is priced is. */
export function unsettledMsOf(
  { clock }: Pick<World, "clock">,
  { isActive, unsettledMs, readMs }: WorkedSession,
): number {
  if (!isActive) return 0;
  return unsettledMs + Math.floor(readMs === undefined ? 0 : clock.monotonicMs() - readMs);
}
