// Statements about the sessions of clients of older revisions.
import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export interface SessionRow {
  id: string;
  began: Record<string, unknown>;
  /** The addresses of the resources that it watches. They lie beside what it said when it began. */
  subscribed: string[];
  /** That it wants to be told of. Lies there too. */
  logLevel: LoggingLevel | null;
  usedAt: Date;
}

export interface NewSession {
  id: string;
  workspaceId: string;
  holderId: string;
  began: object;
  now: Date;
}

export async function insertSession(on: Queryable, session: NewSession): Promise<void> {
  const { id, workspaceId, holderId, began, now } = session;
  await on.query(sql`
    insert into mcp_sessions (id, workspace_id, holder_id, began, used_at)
    values (${id}, ${workspaceId}, ${holderId}, ${JSON.stringify(began)}::jsonb, ${now})`);
}

/** All but those that the holder used last. */
export async function deleteBeyond(on: Queryable, holderId: string, kept: number): Promise<void> {
  await on.query(sql`
    delete from mcp_sessions where id in (
      select id from mcp_sessions where holder_id = ${holderId}
      order by used_at desc offset ${kept})`);
}

export interface Holder {
  workspaceId: string;
  holderId: string;
}

export async function findSession(
  on: Queryable,
  id: string,
  { workspaceId, holderId }: Holder,
): Promise<SessionRow | undefined> {
  const [row] = await on.query<SessionRow>(sql`
    select id, began - 'subscribed' - 'log_level' as began,
      coalesce(began -> 'subscribed', '[]'::jsonb) as subscribed,
      began ->> 'log_level' as "logLevel", used_at as "usedAt"
    from mcp_sessions
    where id = ${id} and workspace_id = ${workspaceId} and holder_id = ${holderId}`);
  return row;
}

/** Undefined where the session is gone. */
export async function lockSubscribed(tx: Tx, id: string): Promise<string[] | undefined> {
  const [row] = await tx.query<{ subscribed: string[] }>(sql`
    select coalesce(began -> 'subscribed', '[]'::jsonb) as subscribed from mcp_sessions
    where id = ${id} for update`);
  return row?.subscribed;
}

export async function setSubscribed(tx: Tx, id: string, uris: readonly string[]): Promise<void> {
  await tx.query(sql`
    update mcp_sessions set began = jsonb_set(began, '{subscribed}', ${JSON.stringify(uris)}::jsonb)
    where id = ${id}`);
}

export async function setLogLevel(on: Queryable, id: string, level: LoggingLevel): Promise<void> {
  await on.query(sql`
    update mcp_sessions set began = jsonb_set(began, '{log_level}', ${JSON.stringify(level)}::jsonb)
    where id = ${id}`);
}

export async function touchSession(on: Queryable, id: string, now: Date): Promise<void> {
  await on.query(sql`update mcp_sessions set used_at = ${now} where id = ${id}`);
}

/** False where there was none. */
export async function deleteSession(
  on: Queryable,
  id: string,
  { workspaceId, holderId }: Holder,
): Promise<boolean> {
  const rows = await on.query<{ id: string }>(sql`
    delete from mcp_sessions
    where id = ${id} and workspace_id = ${workspaceId} and holder_id = ${holderId} returning id`);
  return rows.length > 0;
}

export async function deleteUnused(on: Queryable, before: Date): Promise<void> {
  await on.query(sql`delete from mcp_sessions where used_at < ${before}`);
  await on.query(sql`delete from mcp_session_answers where answered_at < ${before}`);
}

/** A second answer to the same request changes nothing, nor does one in a session that is being ended. */
export async function insertAnswer(
  on: Queryable,
  sessionId: string,
  answer: { requestId: string; message: object; now: Date },
): Promise<void> {
  const { requestId, message, now } = answer;
  await on.query(sql`
    insert into mcp_session_answers (session_id, request_id, answer, answered_at)
    select id, ${requestId}, ${JSON.stringify(message)}::jsonb, ${now}
    from mcp_sessions where id = ${sessionId} for key share
    on conflict do nothing`);
}

export async function takeAnswers(
  on: Queryable,
  sessionId: string,
  requestIds: readonly string[],
): Promise<{ requestId: string; answer: Record<string, unknown> }[]> {
  return on.query(sql`
    delete from mcp_session_answers
    where session_id = ${sessionId} and request_id = any(${requestIds})
    returning request_id as "requestId", answer`);
}
