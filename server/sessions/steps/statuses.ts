// What is told of a thread that runs or rests, and of its session where that changes with it.
import type { StopDetails, StopReason } from "../conversation/events.ts";
import type { ThreadState } from "../conversation/state.ts";
import { newEventId, sessionIdle, threadIdle, threadStatus, visible } from "../events/drafts.ts";
import type { EventData } from "../events/drafts.ts";
import type { Draft } from "./drafts.ts";
import { sessionStatus } from "./session-status.ts";
import type { StepContext } from "./context.ts";

/** What a thread does is told in the session's own thread too, under the same id. */
export function tell(draft: Draft, { ids, now, drafts }: StepContext, data: EventData): void {
  const event = visible(newEventId(ids), data, now);
  draft.add(event);
  if (draft !== drafts.primary) drafts.primary.add(event);
}

const statesOf = ({ drafts }: StepContext) => drafts.threads.map(({ state }) => state);

function tellSession({ ids, now, drafts }: StepContext, data: EventData): void {
  drafts.primary.add(visible(newEventId(ids), data, now));
}

export function tellRunning(draft: Draft, context: StepContext): void {
  tellSessionRunning(context);
  if (draft.state.status !== "running")
    tell(draft, context, threadStatus("running", context.thread));
}

function tellSessionRunning(context: StepContext): void {
  if (context.drafts.statusTold !== "running")
    tellSession(context, { type: "session.status_running" });
}

/** The session's word comes last: after it nothing follows until something is sent. */
export function tellIdle(
  draft: Draft,
  context: StepContext,
  reason: StopReason,
  details: StopDetails | null,
): void {
  tell(draft, context, threadIdle(context.thread, reason, details));
  const states = statesOf(context);
  const status = sessionStatus(states);
  // It had waited for this thread alone, and goes on with what came of it.
  if (status === "running") tellSessionRunning(context);
  if (status !== "idle" || states.some(isToBeEnded)) return;
  const waiting = pendingIds(states);
  if (waiting.length > 0)
    tellSession(context, sessionIdle({ type: "requires_action", event_ids: waiting }));
  else tellSession(context, sessionIdle(reason, details));
}

/** What a client has answered made the thread run; where it waits for others that wait, so does the session. */
export function tellWaiting(context: StepContext): void {
  const states = statesOf(context);
  const waiting = pendingIds(states);
  const isIdle = sessionStatus(states) === "idle" && !states.some(isToBeEnded);
  if (isIdle && waiting.length > 0 && context.drafts.statusTold === "running")
    tellSession(context, sessionIdle({ type: "requires_action", event_ids: waiting }));
}

/** An interrupt of several threads is done with when the last of them is: that one tells it. */
const isToBeEnded = ({ status, isInterrupted }: ThreadState): boolean =>
  isInterrupted && status !== "terminated";

const pendingIds = (states: readonly ThreadState[]): string[] =>
  states.flatMap(({ stopReason }) =>
    stopReason?.type === "requires_action" ? stopReason.event_ids : [],
  );

export function tellRescheduled(draft: Draft, context: StepContext): void {
  tell(draft, context, threadStatus("rescheduled", context.thread));
  if (sessionStatus(statesOf(context)) === "rescheduling")
    tellSession(context, { type: "session.status_rescheduled" });
}
