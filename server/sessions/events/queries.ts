// Statements about what events change beside the log: calls that wait, outcomes, and where a session stands.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { givenRows } from "../../../kernel/sql/rows/given-rows.ts";
import { identifier, preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { Payer } from "../../usage/module.ts";
import type { OutcomeRow, SessionRow, Status } from "../queries.ts";
import { sinceActive } from "../time/queries.ts";

export interface OpenCall {
  eventId: string;
  threadId: string;
  /**
   * Who runs it once it may: the client, a worker of its environment, or this server. A question is what the MCP server
   * of a call wants to know before it goes on with it.
   */
  kind: "custom" | "built_in" | "server" | "question";
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

/** Those that have not come to an end. */
export async function interruptOutcomes(
  tx: Tx,
  sessionId: string,
  { explanation, at }: { explanation: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    update session_outcomes set result = 'interrupted', explanation = ${explanation}, completed_at = ${at}
    where session_id = ${sessionId} and completed_at is null`);
}

/** When there is something to do: milliseconds from now where it is a number. */
export type Due = "now" | "never" | "as_before" | number;

export interface StatusChange extends Pick<SessionRow, "id" | "threadId"> {
  status: Status;
  /** Of the session's own thread. */
  threadStatus: Status;
  due: Due;
  /** The process that writes this works on it no more. */
  isGivenBack?: boolean;
  /** It runs on, and what it ran for until now is settled. */
  isSettled?: boolean;
}

/** How long a session has run by now, and what of it was settled just then. */
export interface ChangedStatus {
  id: string;
  activeMs: number;
  timeNano: number;
  isActive: boolean;
  unsettledMs: number;
  settled: SettledTime | null;
}

interface SettledTime extends Pick<
  Payer,
  | "organizationId"
  | "workspaceId"
  | "credentialId"
  | "userId"
  | "keyMakerId"
  | "agentId"
  | "deploymentId"
  | "environmentId"
> {
  sinceMs: number;
  amountNano: number;
}

type Told = "row" | "thread";
const told = (next: Statement, at: Date, what: Told = "row"): Statement => {
  const it = identifier(what);
  return sql`status = ${next},
    updated_at = case when ${it}.status = ${next} then ${it}.updated_at else greatest(${it}.updated_at, ${at}) end`;
};

/** A thread that takes another status at a moment: how long it has run is summed. `row` is its session. */
const threadTimed = (next: Statement, at: Date): Statement => sql`${told(next, at, "thread")},
  active_ms = thread.active_ms + case when ${next} = 'running' then 0 else ${sinceActive("thread")} end,
  active_since = case when ${next} = 'running' then coalesce(thread.active_since, statement_timestamp()) end`;

/**
 * Of sessions, whose rows are locked, and of their own threads. When one is due is said by the database's clock, one
 * for all who look.
 */
export async function setStatuses(
  tx: Tx,
  changes: readonly StatusChange[],
  { at, hourNano }: { at: Date; hourNano: number },
): Promise<ChangedStatus[]> {
  const column = <Key extends keyof StatusChange>(key: Key) => changes.map((each) => each[key]);
  const due = column("due").map((each) => (typeof each === "string" ? each : "later"));
  const pauses = column("due").map((each) => (typeof each === "string" ? 0 : each));
  const isTrue = (key: "isGivenBack" | "isSettled") => column(key).map((each) => each === true);
  return tx.query<ChangedStatus>(
    preparedAs(
      "sessions_status",
      sql`with asked as materialized (
          select id, thread_id, status, thread_status, due, pause_ms, is_given_back, is_settled
          from ${givenRows("asked", {
            id: ["text", column("id")],
            thread_id: ["text", column("threadId")],
            status: ["text", column("status")],
            thread_status: ["text", column("threadStatus")],
            due: ["text", due],
            pause_ms: ["double precision", pauses],
            is_given_back: ["boolean", isTrue("isGivenBack")],
            is_settled: ["boolean", isTrue("isSettled")],
          })}
        ), period as materialized (
          select id, since, ms, case when environment_type = 'cloud'
            then ceil(ms::numeric * ${hourNano}::bigint / 3600000)::bigint else 0 end as nano
          from (select row.id, row.environment_type, row.active_since as since, case
              when asked.status <> 'running' or asked.is_settled then ${sinceActive("row")}
              else 0 end as ms
            from asked join sessions as row on row.id = asked.id) as ended
        ), threads as (
          update session_threads as thread set ${threadTimed(sql`asked.thread_status`, at)}
          from asked join sessions as row on row.id = asked.id where thread.id = asked.thread_id
        )
        update sessions as row set ${told(sql`asked.status`, at)},
          active_ms = row.active_ms + period.ms, time_nano = row.time_nano + period.nano,
          active_since = case when asked.status <> 'running' then null when asked.is_settled then statement_timestamp()
            else coalesce(row.active_since, statement_timestamp()) end,
          due_at = case asked.due when 'as_before' then row.due_at when 'now' then clock_timestamp()
            when 'later' then clock_timestamp() + asked.pause_ms * interval '1 millisecond' end,
          lease_owner = case when not asked.is_given_back then row.lease_owner end,
          lease_until = case when not asked.is_given_back then row.lease_until end
        from asked join period on period.id = asked.id where row.id = asked.id
        returning row.id, row.active_ms as "activeMs", row.time_nano as "timeNano",
          row.active_since is not null as "isActive", ${sinceActive("row")} as "unsettledMs",
          case when period.nano > 0 then ${settledTime} end as settled`,
    ),
  );
}

const settledTime = sql`json_build_object(
  'sinceMs', (extract(epoch from period.since) * 1000)::bigint, 'amountNano', period.nano,
  'organizationId', row.organization_id, 'workspaceId', row.workspace_id, 'credentialId', row.credential_id,
  'userId', coalesce(row.user_id, row.service_account_id), 'keyMakerId', row.key_maker_id,
  'agentId', row.agent_id, 'deploymentId', row.deployment_id, 'environmentId', row.environment_id)`;

/** Of the session alone: a thread of another agent runs. */
export async function setSessionRunning(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(
    preparedAs(
      "sessions_own_status",
      sql`update sessions as row set ${told(sql`'running'`, at)}, due_at = clock_timestamp(),
          active_since = coalesce(row.active_since, statement_timestamp())
        where id = ${id}`,
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
      sql`update session_threads as thread set ${threadTimed(sql`${status}::text`, at)}
        from sessions as row where thread.id = ${threadId} and row.id = thread.session_id`,
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
