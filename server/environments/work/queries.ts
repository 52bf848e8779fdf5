// Statements about work: queued, handed out, acknowledged, kept by heartbeats, stopped.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";
import { limits } from "./limits.ts";
import type { WorkState } from "./schema.ts";

export interface WorkRow {
  id: string;
  environmentId: string;
  /** Null where it is a check. */
  sessionId: string | null;
  checkId: string | null;
  state: WorkState;
  metadata: Record<string, string>;
  epoch: number;
  holderEpoch: number | null;
  ttlSeconds: number;
  createdAt: Date;
  handedOutAt: Date | null;
  acknowledgedAt: Date | null;
  startedAt: Date | null;
  latestHeartbeatAt: Date | null;
  stopRequestedAt: Date | null;
  stoppedAt: Date | null;
  isLeft: boolean;
  tries: number;
  oldestCallId: string | null;
}

const columns: Statement = sql`work.id, work.environment_id as "environmentId",
  work.session_id as "sessionId", work.check_id as "checkId", work.state, work.metadata,
  work.epoch, work.holder_epoch as "holderEpoch", work.ttl_seconds as "ttlSeconds",
  work.created_at as "createdAt", work.handed_out_at as "handedOutAt",
  work.acknowledged_at as "acknowledgedAt", work.started_at as "startedAt",
  work.latest_heartbeat_at as "latestHeartbeatAt", work.stop_requested_at as "stopRequestedAt",
  work.stopped_at as "stoppedAt", work.is_left as "isLeft", work.tries,
  work.oldest_call_id as "oldestCallId"`;

/** The moment at which something happens: the row may have been waited for. */
const now: Statement = sql`clock_timestamp()`;
const inSeconds = (seconds: number): Statement =>
  sql`clock_timestamp() + ${seconds}::integer * interval '1 second'`;

/** Of calls: a worker answers it. */
const forWorkers: Statement = sql`kind = 'built_in' and needs_result and not needs_confirmation`;
const oldestCallOf = (sessionId: Statement): Statement =>
  sql`(select min(event_id) from session_calls as call where call.session_id = ${sessionId} and ${forWorkers})`;

/** Nothing where there is some already, or where the environment is gone. */
export async function queueForSession(
  tx: Tx,
  { id, sessionId, tries }: { id: string; sessionId: string; tries: number },
): Promise<string | undefined> {
  const [queued] = await tx.query<{ environmentId: string }>(
    preparedAs(
      "environment_work_queue",
      sql`
        insert into environment_work (id, organization_id, workspace_id, environment_id, session_id,
          state, ttl_seconds, created_at, tries, oldest_call_id)
        select ${id}, environment.organization_id, environment.workspace_id, environment.id, session.id,
          'queued', ${limits.ttlSecondsMax}, clock_timestamp(), ${tries},
          ${oldestCallOf(sql`session.id`)}
        from sessions as session
        join environments as environment on environment.id = session.environment_id
        where session.id = ${sessionId} and session.environment_type = 'self_hosted'
        for key share of environment
        on conflict (session_id) where session_id is not null and (state <> 'stopped' or due_at is not null)
          do nothing
        returning environment_id as "environmentId"`,
    ),
  );
  return queued?.environmentId;
}

/** Nothing where one waits or is answered at this moment. */
export async function queueCheck(
  tx: Tx,
  environmentId: string,
  { id, checkId }: { id: string; checkId: string },
): Promise<void> {
  await tx.query(sql`
    insert into environment_work (id, organization_id, workspace_id, environment_id, check_id,
      state, ttl_seconds, created_at)
    select ${id}, organization_id, workspace_id, id, ${checkId}, 'queued', ${limits.ttlSecondsMax},
      clock_timestamp()
    from environments where id = ${environmentId} for key share
    on conflict (environment_id) where session_id is null and (state <> 'stopped' or due_at is not null)
      do nothing`);
}

export async function findLiveCheck(tx: Tx, environmentId: string): Promise<WorkRow | undefined> {
  const [row] = await tx.query<WorkRow>(sql`
    select ${columns} from environment_work as work
    where environment_id = ${environmentId} and session_id is null
      and (state <> 'stopped' or due_at is not null)`);
  return row;
}

/** The oldest that waits, or that was handed out so long ago without being acknowledged. */
export async function handOut(
  tx: Tx,
  environmentId: string,
  reclaimMs: number,
): Promise<WorkRow | undefined> {
  const [row] = await tx.query<WorkRow>(
    preparedAs(
      "environment_work_hand_out",
      sql`
        update environment_work as work set handed_out_at = ${now}, epoch = work.epoch + 1
        where work.id = (
          select id from environment_work
          where environment_id = ${environmentId} and state = 'queued' and (handed_out_at is null
            or handed_out_at <= clock_timestamp() - ${reclaimMs}::integer * interval '1 millisecond')
          order by id limit 1 for no key update skip locked)
        returning ${columns}`,
    ),
  );
  return row;
}

export async function findWork(
  on: Queryable,
  environmentId: string,
  id: string,
): Promise<WorkRow | undefined> {
  const [row] = await on.query<WorkRow>(
    preparedAs(
      "environment_work_find",
      sql`select ${columns} from environment_work as work
        where environment_id = ${environmentId} and id = ${id}`,
    ),
  );
  return row;
}

export async function lockWork(
  tx: Tx,
  environmentId: string,
  id: string,
): Promise<WorkRow | undefined> {
  const [row] = await tx.query<WorkRow>(
    preparedAs(
      "environment_work_lock",
      sql`select ${columns} from environment_work as work
        where environment_id = ${environmentId} and id = ${id} for no key update`,
    ),
  );
  return row;
}

export function listWork(
  on: Queryable,
  environmentId: string,
  { before, rows }: { before: string | null; rows: number },
): Promise<WorkRow[]> {
  return on.query<WorkRow>(sql`
    select ${columns} from environment_work as work
    where environment_id = ${environmentId} and (${before}::text is null or id < ${before})
    order by id desc limit ${rows}`);
}

const changed = async (tx: Tx, id: string, set: Statement): Promise<WorkRow> => {
  const [row] = await tx.query<WorkRow>(sql`
    update environment_work as work set ${set} where id = ${id} returning ${columns}`);
  if (row === undefined) throw new Error("work that is locked is there");
  return row;
};

/** `holder` is the epoch of the token that has acknowledged it; null where a key has, which any worker may have. */
export const setAcknowledged = (tx: Tx, id: string, holder: number | null): Promise<WorkRow> =>
  changed(
    tx,
    id,
    sql`state = 'starting', acknowledged_at = ${now}, holder_epoch = ${holder},
      due_at = ${inSeconds(limits.startSecondsMax)}`,
  );

/** Two heartbeats never have one time: it is what the next one is told by. */
export const setBeaten = (
  tx: Tx,
  id: string,
  { epoch, ttlSeconds }: { epoch: number; ttlSeconds: number },
): Promise<WorkRow> =>
  changed(
    tx,
    id,
    sql`state = case state when 'starting' then 'active' else state end,
      started_at = coalesce(started_at, ${now}), holder_epoch = coalesce(holder_epoch, ${epoch}),
      latest_heartbeat_at = greatest(${now}, latest_heartbeat_at + interval '1 millisecond'),
      ttl_seconds = ${ttlSeconds}, due_at = ${inSeconds(ttlSeconds + limits.lateSeconds)}`,
  );

/** Its worker hears of it with the next heartbeat. */
export const setStopping = (
  tx: Tx,
  id: string,
  { isLeft }: { isLeft: boolean },
): Promise<WorkRow> =>
  changed(
    tx,
    id,
    sql`state = 'stopping', stop_requested_at = coalesce(stop_requested_at, ${now}),
      is_left = is_left or ${isLeft},
      due_at = case when ${isLeft} then ${inSeconds(limits.leaveSeconds)}
        else greatest(due_at, ${inSeconds(limits.ttlSecondsMax)}) end`,
  );

/** `isDue`: what its worker had begun is still to be answered. */
export const setStopped = (
  tx: Tx,
  id: string,
  { isDue = false, isLeft = false }: { isDue?: boolean; isLeft?: boolean } = {},
): Promise<WorkRow> =>
  changed(
    tx,
    id,
    sql`state = 'stopped', stop_requested_at = coalesce(stop_requested_at, ${now}),
      stopped_at = coalesce(stopped_at, ${now}), is_left = is_left or ${isLeft},
      due_at = case when ${isDue} then ${now} end`,
  );

export const setMetadata = (
  tx: Tx,
  id: string,
  metadata: Record<string, string>,
): Promise<WorkRow> => changed(tx, id, sql`metadata = ${JSON.stringify(metadata)}`);

/** Of a session that is archived or deleted: who works on it hears of it, the rest is over. */
export async function stopForSession(tx: Tx, sessionId: string): Promise<void> {
  await tx.query(sql`
    update environment_work as work set stop_requested_at = coalesce(stop_requested_at, ${now}),
      state = case when state = 'active' then 'stopping' when state = 'stopping' then state else 'stopped' end,
      stopped_at = case when state in ('active', 'stopping') then stopped_at else coalesce(stopped_at, ${now}) end,
      due_at = case when state in ('active', 'stopping') then due_at end
    where session_id = ${sessionId} and (state <> 'stopped' or due_at is not null)`);
}

export interface WorkedSession {
  wantsWorker: boolean;
  /** Of those that a worker answers; null where none waits. */
  oldestCallId: string | null;
}

/**
 * Locked before work of it is, as whatever else changes a session does. Undefined where it is gone. Two statements:
 * what waits for the lock still sees the calls of before, and not those of the write that it has waited for.
 */
export async function lockSession(tx: Tx, sessionId: string): Promise<WorkedSession | undefined> {
  const lock = preparedAs(
    "environment_work_session_lock",
    sql`select from sessions where id = ${sessionId} for no key update`,
  );
  const read = preparedAs(
    "environment_work_session",
    sql`
      select status in ('running', 'rescheduling') or (status = 'idle' and exists (
          select from session_calls where session_id = sessions.id
            and ${forWorkers})) as "wantsWorker",
        ${oldestCallOf(sql`sessions.id`)} as "oldestCallId"
      from sessions where id = ${sessionId}`,
  );
  const [, [row]] = await Promise.all([tx.query(lock), tx.query<WorkedSession>(read)]);
  return row;
}

export interface DueWork {
  id: string;
  environmentId: string;
  sessionId: string | null;
}

export function listDue(on: Queryable): Promise<DueWork[]> {
  return on.query<DueWork>(
    preparedAs(
      "environment_work_due",
      sql`select id, environment_id as "environmentId", session_id as "sessionId" from environment_work
        where due_at <= statement_timestamp() order by due_at limit ${limits.sweptTogetherMax}`,
    ),
  );
}

/** Undefined where it was heard of meanwhile, or another process has ended it. */
export async function lockDue(tx: Tx, id: string): Promise<WorkRow | undefined> {
  const [row] = await tx.query<WorkRow>(sql`
    select ${columns} from environment_work as work
    where id = ${id} and due_at <= clock_timestamp() for no key update`);
  return row;
}

export async function deleteOld(tx: Tx): Promise<void> {
  await tx.query(sql`
    delete from environment_work where id in (
      select id from environment_work where state = 'stopped' and due_at is null
        and stopped_at < statement_timestamp() - ${limits.keptSeconds}::integer * interval '1 second'
      order by stopped_at limit ${limits.sweptTogetherMax})`);
  await tx.query(sql`
    delete from environment_workers
    where polled_at < statement_timestamp() - ${limits.keptSeconds}::integer * interval '1 second'`);
}
