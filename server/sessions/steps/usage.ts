// What a session has used so far, as an event.
import type { EventData } from "../events/drafts.ts";
import type { WorkedSession } from "../model/queries.ts";
import { presentBudget, presentUsage } from "../present.ts";

export function usageSnapshot(
  { usage, budgetNano, activeMs, activeSince }: WorkedSession,
  now: Date,
): EventData {
  const sinceMs = activeSince === null ? 0 : Math.max(0, now.getTime() - activeSince.getTime());
  return {
    type: "session.usage",
    usage: presentUsage(usage, (activeMs + sinceMs) / 1000),
    budget: presentBudget(budgetNano),
  };
}
