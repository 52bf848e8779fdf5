// The end of a session for good: its threads end, with what they had under way and what waited.
import type { Context } from "../../../kernel/context.ts";
import {
  append,
  listWaiting,
  read,
  recordProcessed,
  type NewEvent,
} from "../../../kernel/log/log.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { newEventId, spanEnd, spanUsage, threadStatus, visible } from "../events/drafts.ts";
import type { EventData } from "../events/drafts.ts";
import { interruptOutcomes, setCalls, setThreadStatus } from "../events/queries.ts";
import { tellWebhooks } from "../events/webhooks.ts";
import type { LockedSession } from "../queries.ts";
import { leaveTasks } from "../servers/left-tasks.ts";
import { deleteQuestionStates } from "../servers/queries.ts";
import { changeStatuses } from "../time/settle.ts";
import { listThreadFacts } from "./queries.ts";

const status = "terminated";
const explanation = "The session was archived before it was reached.";

export async function terminate(
  tx: Tx,
  context: Context,
  session: LockedSession,
  at: Date,
): Promise<void> {
  const { ids } = context;
  const own: NewEvent[] = [];
  for (const { id, agentName, agent } of await listThreadFacts(tx, session.id)) {
    const ended = visible(newEventId(ids), threadStatus(status, { id, agentName }), at);
    const spans = await openSpans(tx, id);
    const closed = spans.map((data) => visible(newEventId(ids), data, at));
    await leaveTasks(tx, context, session, { id, agent });
    await setCalls(tx, { sessionId: session.id, threadId: id }, []);
    await deleteQuestionStates(tx, { sessionId: session.id, threadId: id });
    // No turn takes them any more.
    const waiting = await listWaiting(tx, id);
    const processed = waiting.map((position) => ({ stream: id, position, at }));
    if (processed.length > 0) await recordProcessed(tx, processed);
    own.push(...(id === session.threadId ? closed : []), ended);
    if (id === session.threadId) continue;
    await append(tx, context, id, [...closed, ended]);
    await setThreadStatus(tx, id, { status, at });
  }
  own.push(visible(newEventId(ids), { type: "session.status_terminated" }, at));
  await append(tx, context, session.threadId, own);
  await tellWebhooks(tx, context, [{ session, events: own }]);
  await interruptOutcomes(tx, session.id, { explanation, at });
  const ended = { ...session, status, threadStatus: status, due: "never" } as const;
  await changeStatuses(tx, context, [ended], at);
}

/** What is under way ends with its thread: no client waits for its end. */
async function openSpans(tx: Tx, threadId: string): Promise<EventData[]> {
  const ends: EventData[] = [];
  const asked = await openSpan(tx, threadId, "span.model_request");
  if (asked !== undefined) ends.push(spanEnd(asked.id, undefined));
  const graded = await openSpan(tx, threadId, "span.outcome_evaluation");
  if (graded === undefined) return ends;
  const { outcome_id, iteration } = graded.data as { outcome_id: string; iteration: number };
  const start = { outcome_evaluation_start_id: graded.id, outcome_id, iteration };
  const end = { ...start, result: "interrupted", explanation, usage: spanUsage(undefined) };
  return [...ends, { type: "span.outcome_evaluation_end", ...end }];
}

async function openSpan(tx: Tx, threadId: string, span: string) {
  const types = [`${span}_start`, `${span}_end`];
  const [newest] = await read(tx, threadId, { types, order: "newest_first", limit: 1 });
  return newest?.type === types[0] ? newest : undefined;
}
