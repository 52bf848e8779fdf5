// Statements about the threads of sessions.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";
import { usageColumns, type PinnedAgent, type Status, type UsageSums } from "../queries.ts";
import { sinceActive } from "../time/queries.ts";

export interface ThreadRow {
  id: string;
  sessionId: string;
  parentId: string | null;
  agentName: string;
  agent: PinnedAgent;
  status: Status;
  activeMs: number;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
  usage: UsageSums;
}

/** A thread of a session whose process is gone is taken up again with it. */
const status: Statement = sql`case when thread.status = 'running'
  and row.lease_until < statement_timestamp() then 'rescheduling' else thread.status end`;

const columns: Statement = sql`thread.id, thread.session_id as "sessionId",
  thread.parent_id as "parentId", thread.agent_name as "agentName", coalesce(thread.agent, row.agent) as agent, ${status} as status,
  thread.active_ms + ${sinceActive("thread")} as "activeMs", thread.created_at as "createdAt",
  thread.updated_at as "updatedAt", thread.archived_at as "archivedAt",
  (select row_to_json(used) from (
    select ${usageColumns} from session_usage where thread_id = thread.id) as used) as usage`;

export interface ThreadFilter {
  statuses: readonly string[] | null;
  after: string | null;
  rows: number;
}

/** The first one first. */
export function listThreads(
  on: Queryable,
  sessionId: string,
  { statuses, after, rows }: ThreadFilter,
): Promise<ThreadRow[]> {
  return on.query<ThreadRow>(sql`
    select ${columns} from session_threads as thread join sessions as row on row.id = thread.session_id
    where thread.session_id = ${sessionId}
      and (${statuses}::text[] is null or ${status} = any(${statuses}::text[]))
      and (${after}::text is null or thread.id > ${after})
    order by thread.id limit ${rows}`);
}

export async function findThread(
  on: Queryable,
  sessionId: string,
  id: string,
): Promise<ThreadRow | undefined> {
  const [row] = await on.query<ThreadRow>(sql`
    select ${columns} from session_threads as thread join sessions as row on row.id = thread.session_id
    where thread.session_id = ${sessionId} and thread.id = ${id}`);
  return row;
}

export async function listThreadIds(on: Queryable, sessionId: string): Promise<string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select id from session_threads where session_id = ${sessionId} order by id`);
  return rows.map(({ id }) => id);
}

export interface ThreadFacts {
  id: string;
  /** Of the thread that it works for. */
  parentId: string | null;
  /** Null where it is the session's own. */
  agent: PinnedAgent | null;
  agentName: string;
}

/** Those that have not ended, the session's own first. */
export function listThreadFacts(on: Queryable, sessionId: string): Promise<ThreadFacts[]> {
  return on.query<ThreadFacts>(
    preparedAs(
      "sessions_threads",
      sql`select id, parent_id as "parentId", agent, agent_name as "agentName"
        from session_threads where session_id = ${sessionId} and archived_at is null
        order by parent_id is not null, id`,
    ),
  );
}

export type OpenThread = Pick<ThreadRow, "id" | "agentName" | "status">;

/** Those that have not ended. */
export function listOpenThreads(on: Queryable, sessionId: string): Promise<OpenThread[]> {
  return on.query<OpenThread>(
    preparedAs(
      "sessions_open_threads",
      sql`select thread.id, thread.agent_name as "agentName", ${status} as status
        from session_threads as thread join sessions as row on row.id = thread.session_id
        where thread.session_id = ${sessionId} and thread.archived_at is null order by thread.id`,
    ),
  );
}

export async function insertThread(
  tx: Tx,
  sessionId: string,
  { id, parentId, agent, agentName }: ThreadFacts,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into session_threads (id, session_id, parent_id, agent_name, agent, status, created_at, updated_at)
    values (${id}, ${sessionId}, ${parentId}, ${agentName}, ${JSON.stringify(agent)}, 'idle', ${at}, ${at})`);
  await tx.query(
    sql`insert into session_usage (thread_id, session_id) values (${id}, ${sessionId})`,
  );
}

export async function setArchived(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(sql`update session_threads set archived_at = ${at} where id = ${id}`);
}
