// What events of clients set off at once: whoever reads the events of a session knows its state at every one of them.
import type { ThreadRow } from "../threads/queries.ts";
import type { LockedSession } from "../queries.ts";
import type { Accepted } from "./accept.ts";
import { sessionIdle, threadIdle, threadStatus, type EventData } from "./drafts.ts";
import type { OpenCall } from "./queries.ts";

export interface Effects {
  /** What is told, and in which thread it happens. */
  told: { threadId: string; data: EventData }[];
  /** Threads that run from now on. */
  started: string[];
}

type Thread = Pick<ThreadRow, "id" | "agentName" | "status">;

export function effectsOf(
  session: LockedSession,
  threads: readonly Thread[],
  { open, answered, hasInput, hasInterrupt }: Accepted,
): Effects {
  const effects: Effects = { told: [], started: [] };
  // Who ends the turn tells how it ended.
  if (hasInterrupt) return effects;
  let isRetold = false;
  for (const thread of threads) {
    if (thread.status !== "idle") continue;
    const isAnswered = answered.some(({ threadId }) => threadId === thread.id);
    const rest = open.filter(({ threadId }) => threadId === thread.id);
    const gets = isAnswered || (hasInput && thread.id === session.threadId);
    if (gets && rest.length === 0) {
      effects.started.push(thread.id);
      effects.told.push({ threadId: thread.id, data: threadStatus("running", thread) });
    } else if (isAnswered) {
      isRetold = true;
      effects.told.push({ threadId: thread.id, data: threadIdle(thread, requiresAction(rest)) });
    }
  }
  if (session.status !== "idle") return effects;
  const { threadId } = session;
  if (effects.started.length > 0)
    effects.told.unshift({ threadId, data: { type: "session.status_running" } });
  else if (isRetold) effects.told.push({ threadId, data: sessionIdle(requiresAction(open)) });
  return effects;
}

const requiresAction = (calls: readonly OpenCall[]) => ({
  type: "requires_action" as const,
  event_ids: calls.map(({ eventId }) => eventId),
});
