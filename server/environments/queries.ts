// Statements about environments.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../kernel/sql/statement.ts";
import type { EnvironmentConfig } from "./schema.ts";

export interface EnvironmentRow {
  id: string;
  name: string;
  description: string | null;
  config: EnvironmentConfig;
  metadata: Record<string, string>;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

const columns = sql`id, name, description, config, metadata, created_at as "createdAt",
  updated_at as "updatedAt", archived_at as "archivedAt"`;

export async function findEnvironment(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<EnvironmentRow | undefined> {
  const [row] = await on.query<EnvironmentRow>(
    preparedAs(
      "environments_find",
      sql`select ${columns} from environments where workspace_id = ${workspaceId} and id = ${id}`,
    ),
  );
  return row;
}

/** Until the end of the transaction it is neither changed nor deleted by another one. */
export async function lockEnvironment(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<EnvironmentRow | undefined> {
  const [row] = await tx.query<EnvironmentRow>(sql`
    select ${columns} from environments
    where workspace_id = ${workspaceId} and id = ${id} for no key update`);
  return row;
}

export interface EnvironmentFilter {
  includesArchived: boolean;
  /** Older than this one. */
  before: string | null;
  rows: number;
}

export function listEnvironments(
  on: Queryable,
  workspaceId: string,
  { includesArchived, before, rows }: EnvironmentFilter,
): Promise<EnvironmentRow[]> {
  return on.query<EnvironmentRow>(sql`
    select ${columns} from environments
    where workspace_id = ${workspaceId} and (${includesArchived} or archived_at is null)
      and (${before}::text is null or id < ${before})
    order by id desc limit ${rows}`);
}

export async function countEnvironments(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ environments: number }>(sql`
    select count(*)::int as environments from environments where workspace_id = ${workspaceId}`);
  return row?.environments ?? 0;
}

export async function insertEnvironment(
  tx: Tx,
  workspaceId: string,
  row: EnvironmentRow & { organizationId: string },
): Promise<void> {
  await tx.query(sql`
    insert into environments (id, organization_id, workspace_id, name, description, config,
      metadata, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${workspaceId}, ${row.name}, ${row.description},
      ${JSON.stringify(row.config)}, ${JSON.stringify(row.metadata)}, ${row.createdAt},
      ${row.updatedAt})`);
}

export async function setEnvironment(
  tx: Tx,
  workspaceId: string,
  row: EnvironmentRow,
): Promise<void> {
  await tx.query(sql`
    update environments set name = ${row.name}, description = ${row.description},
      config = ${JSON.stringify(row.config)}, metadata = ${JSON.stringify(row.metadata)},
      updated_at = ${row.updatedAt}, archived_at = ${row.archivedAt}
    where workspace_id = ${workspaceId} and id = ${row.id}`);
}

/** Its keys go with it. */
export async function deleteEnvironment(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from environments where workspace_id = ${workspaceId} and id = ${id}`);
}
