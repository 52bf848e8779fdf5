// Takes events of clients: they are appended, and what they set off is told in the same transaction.
import type { Context } from "../../../kernel/context.ts";
import { append, type NewEvent } from "../../../kernel/log/log.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { expectThere, namedFiles } from "../../files/module.ts";
import type { LockedSession } from "../queries.ts";
import { lockOpenSession } from "../named-session.ts";
import { sessionsChannel } from "./channel.ts";
import * as queries from "./queries.ts";
import { acceptEvents, type Accepted } from "./accept.ts";
import {
  idleEvents,
  newEventId,
  presentEvent,
  runningEvents,
  visible,
  type EventData,
} from "./drafts.ts";
import type { ClientEventInput, SendEvents } from "./schema-input.ts";

export async function sendEvents(context: Context, sessionId: string, { events }: SendEvents) {
  return context.db.tx(async (tx) => {
    const session = await lockOpenSession(tx, context, sessionId);
    const sent = await takeEvents(tx, context, session, events);
    return {
      data: sent.map((event) =>
        presentEvent({
          id: event.id,
          type: event.type,
          data: event.data,
          processedAt: event.processedAt ?? null,
          position: 0,
          bytes: 0,
          at: context.clock.now(),
        }),
      ),
    };
  });
}

/** The session is locked, or new. */
export async function takeEvents(
  tx: Tx,
  context: Context,
  session: LockedSession,
  given: readonly ClientEventInput[],
): Promise<Accepted["events"]> {
  const { clock, ids, hints } = context;
  await expectFiles(tx, context, given);
  const calls = await queries.listCalls(tx, session.id);
  const now = clock.now();
  const accepted = acceptEvents(given, session, { calls, ids, now });
  for (const call of accepted.answered) await queries.setCall(tx, session.id, call);
  for (const { id, description } of accepted.outcomes)
    await queries.saveOutcome(tx, session.id, {
      id,
      description,
      iteration: 0,
      result: "pending",
      explanation: null,
      completedAt: null,
    });
  const told = effectOf(session, accepted, calls.length > 0);
  const effects = told.events.map((data): NewEvent => visible(newEventId(ids), data, now));
  await append(tx, context, session.threadId, [...accepted.events, ...effects]);
  const waits = session.status === "rescheduling" && !accepted.hasInterrupt;
  if (told.starts) await queries.setStatus(tx, session, { status: "running", at: now, due: "now" });
  else if (!waits) await queries.setDue(tx, session.id, now);
  tx.afterCommit(() => hints.send(sessionsChannel, session.id));
  return accepted.events;
}

/** Whoever reads the events of a session knows its state at every one of them. */
function effectOf(
  session: LockedSession,
  { open, answered, hasInput, hasInterrupt }: Accepted,
  hadCalls: boolean,
): { starts: boolean; events: EventData[] } {
  const nothing = { starts: false, events: [] };
  if (session.status !== "idle" || hasInterrupt) return nothing;
  const thread = { id: session.threadId, agentName: session.agent.config.name };
  if (open.length > 0) {
    const reason = {
      type: "requires_action",
      event_ids: open.map(({ eventId }) => eventId),
    } as const;
    return answered.length === 0 ? nothing : { starts: false, events: idleEvents(thread, reason) };
  }
  return hadCalls || hasInput ? { starts: true, events: runningEvents(thread) } : nothing;
}

async function expectFiles(
  tx: Tx,
  context: Context,
  events: readonly ClientEventInput[],
): Promise<void> {
  const named = events.flatMap((event) =>
    event.type === "user.define_outcome" && event.rubric.type === "file"
      ? [event.rubric.file_id]
      : [],
  );
  if (named.length === 0) return;
  const files = await namedFiles(context, named, tx);
  for (const id of named) expectThere(context, id, files.get(id));
}
