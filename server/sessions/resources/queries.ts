// Statements about what sessions are given.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import type { SessionResource } from "./schema.ts";

export interface ResourceRow {
  id: string;
  sessionId: string;
  type: SessionResource["type"];
  /** As clients see it, without its id and its times. */
  shown: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
}

const columns = sql`id, session_id as "sessionId", type, shown, created_at as "createdAt",
  updated_at as "updatedAt"`;

export async function insertResource(
  tx: Tx,
  row: ResourceRow & { secret: string | null },
): Promise<void> {
  await tx.query(sql`
    insert into session_resources (id, session_id, type, shown, secret, created_at, updated_at)
    values (${row.id}, ${row.sessionId}, ${row.type}, ${JSON.stringify(row.shown)}, ${row.secret},
      ${row.createdAt}, ${row.createdAt})`);
}

/** In the order in which they were named, session after session. */
export function listResources(
  on: Queryable,
  sessionIds: readonly string[],
  { after = "", rows = 1_000_000 }: { after?: string; rows?: number } = {},
): Promise<ResourceRow[]> {
  return on.query<ResourceRow>(sql`
    select ${columns} from session_resources
    where session_id = any(${sessionIds}::text[]) and id > ${after}
    order by session_id, id limit ${rows}`);
}

export async function findResource(
  on: Queryable,
  sessionId: string,
  id: string,
): Promise<ResourceRow | undefined> {
  const [row] = await on.query<ResourceRow>(sql`
    select ${columns} from session_resources where session_id = ${sessionId} and id = ${id}`);
  return row;
}

export async function setSecret(
  tx: Tx,
  sessionId: string,
  id: string,
  { secret, at }: { secret: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    update session_resources set secret = ${secret}, updated_at = ${at}
    where session_id = ${sessionId} and id = ${id}`);
}

export async function deleteResource(tx: Tx, sessionId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from session_resources where session_id = ${sessionId} and id = ${id}`);
}
