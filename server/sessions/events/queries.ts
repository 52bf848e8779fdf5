// Statements about what events change beside the log: calls that wait, outcomes, and where a session stands.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { empty, preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { OutcomeRow, SessionRow, Status } from "../queries.ts";

export interface OpenCall {
  eventId: string;
  threadId: string;
  kind: "custom" | "built_in";
  needsConfirmation: boolean;
  needsResult: boolean;
}

/** In the order in which they were made. */
export function listCalls(on: Queryable, sessionId: string): Promise<OpenCall[]> {
  return on.query<OpenCall>(
    preparedAs(
      "sessions_calls",
      sql`select event_id as "eventId", thread_id as "threadId", kind,
          needs_confirmation as "needsConfirmation", needs_result as "needsResult"
        from session_calls where session_id = ${sessionId} order by event_id`,
    ),
  );
}

/** All that wait in a thread from now on, and no others. */
export async function setCalls(
  tx: Tx,
  { sessionId, threadId }: { sessionId: string; threadId: string },
  calls: readonly OpenCall[],
): Promise<void> {
  await tx.query(sql`
    delete from session_calls where session_id = ${sessionId} and thread_id = ${threadId}`);
  if (calls.length === 0) return;
  await tx.query(sql`
    insert into session_calls (session_id, thread_id, event_id, kind, needs_confirmation, needs_result)
    select ${sessionId}, ${threadId}, asked.event_id, asked.kind, asked.needs_confirmation, asked.needs_result
    from unnest(${calls.map(({ eventId }) => eventId)}::text[], ${calls.map(({ kind }) => kind)}::text[],
      ${calls.map(({ needsConfirmation }) => needsConfirmation)}::boolean[],
      ${calls.map(({ needsResult }) => needsResult)}::boolean[])
      as asked (event_id, kind, needs_confirmation, needs_result)`);
}

export async function setCall(
  tx: Tx,
  sessionId: string,
  { eventId, needsConfirmation, needsResult }: OpenCall,
): Promise<void> {
  await tx.query(
    needsConfirmation || needsResult
      ? sql`update session_calls set needs_confirmation = ${needsConfirmation}, needs_result = ${needsResult}
          where session_id = ${sessionId} and event_id = ${eventId}`
      : sql`delete from session_calls where session_id = ${sessionId} and event_id = ${eventId}`,
  );
}

export async function saveOutcome(
  tx: Tx,
  sessionId: string,
  { id, description, iteration, result, explanation, completedAt }: OutcomeRow,
): Promise<void> {
  await tx.query(sql`
    insert into session_outcomes (id, session_id, description, iteration, result, explanation, completed_at)
    values (${id}, ${sessionId}, ${description}, ${iteration}, ${result}, ${explanation}, ${completedAt})
    on conflict (id) do update set iteration = excluded.iteration, result = excluded.result,
      explanation = excluded.explanation, completed_at = excluded.completed_at`);
}

/** When there is something to do: milliseconds from now where it is a number. */
export type Due = "now" | "never" | "as_before" | number;

/** By the database's clock, which is one for all who look. */
function dueAt(due: Due): Statement {
  if (due === "as_before") return sql`due_at`;
  if (due === "never") return sql`null`;
  if (due === "now") return sql`clock_timestamp()`;
  return sql`clock_timestamp() + ${due} * interval '1 millisecond'`;
}

export interface StatusChange {
  status: Status;
  /** Of the session's own thread. */
  threadStatus: Status;
  at: Date;
  due: Due;
  /** The process that writes this works on it no more. */
  isGivenBack?: boolean;
}

const givenBack = sql`, lease_owner = null, lease_until = null`;

/** A thread, or a session, that takes another status at a moment: how long it has run is summed. */
const timed = (next: Status, at: Date): Statement => sql`status = ${next},
  updated_at = case when status = ${next} then updated_at else greatest(updated_at, ${at}) end,
  active_ms = active_ms + case when ${next === "running"} then 0
    else greatest(0, coalesce(extract(epoch from ${at}::timestamptz - active_since) * 1000, 0))::bigint end,
  active_since = case when ${next === "running"} then coalesce(active_since, ${at}) end`;

/** Of the session and of its own thread. */
export async function setStatus(
  tx: Tx,
  { id, threadId }: Pick<SessionRow, "id" | "threadId">,
  { status, threadStatus, at, due, isGivenBack = false }: StatusChange,
): Promise<void> {
  await tx.query(
    preparedAs(
      `sessions_status_${typeof due === "string" ? due : "later"}${isGivenBack ? "_back" : ""}`,
      sql`with thread as (
          update session_threads set ${timed(threadStatus, at)} where id = ${threadId}
        )
        update sessions set ${timed(status, at)}, due_at = ${dueAt(due)}${isGivenBack ? givenBack : empty}
        where id = ${id}`,
    ),
  );
}

/** Of the session alone: a thread of another agent runs. */
export async function setSessionStatus(
  tx: Tx,
  id: string,
  { status, at }: { status: Status; at: Date },
): Promise<void> {
  await tx.query(
    preparedAs(
      "sessions_own_status",
      sql`update sessions set ${timed(status, at)}, due_at = clock_timestamp() where id = ${id}`,
    ),
  );
}

export async function setThreadStatus(
  tx: Tx,
  threadId: string,
  { status, at }: { status: Status; at: Date },
): Promise<void> {
  await tx.query(
    preparedAs(
      "sessions_thread_status",
      sql`update session_threads set ${timed(status, at)} where id = ${threadId}`,
    ),
  );
}

export async function setDue(tx: Tx, id: string): Promise<void> {
  await tx.query(
    preparedAs(
      "sessions_due",
      sql`update sessions set due_at = clock_timestamp() where id = ${id}`,
    ),
  );
}
