// Statements about vaults.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../kernel/sql/statement.ts";

export interface VaultRow {
  id: string;
  displayName: string;
  metadata: Record<string, string>;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

const columns = sql`id, display_name as "displayName", metadata, created_at as "createdAt",
  updated_at as "updatedAt", archived_at as "archivedAt"`;

export async function findVault(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<VaultRow | undefined> {
  const [row] = await on.query<VaultRow>(
    preparedAs(
      "vaults_find",
      sql`select ${columns} from vaults where workspace_id = ${workspaceId} and id = ${id}`,
    ),
  );
  return row;
}

/** Until the end of the transaction neither it nor which credentials it has is changed by another one. */
export async function lockVault(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<VaultRow | undefined> {
  const [row] = await tx.query<VaultRow>(sql`
    select ${columns} from vaults
    where workspace_id = ${workspaceId} and id = ${id} for no key update`);
  return row;
}

export interface VaultFilter {
  includesArchived: boolean;
  /** Older than this one. */
  before: string | null;
  rows: number;
}

export function listVaults(
  on: Queryable,
  workspaceId: string,
  { includesArchived, before, rows }: VaultFilter,
): Promise<VaultRow[]> {
  return on.query<VaultRow>(sql`
    select ${columns} from vaults
    where workspace_id = ${workspaceId} and (${includesArchived} or archived_at is null)
      and (${before}::text is null or id < ${before})
    order by id desc limit ${rows}`);
}

/** Those of the ids that there are, in no order. */
export function findVaults(
  on: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<Pick<VaultRow, "id" | "archivedAt">[]> {
  return on.query(sql`
    select id, archived_at as "archivedAt" from vaults
    where workspace_id = ${workspaceId} and id = any(${ids}::text[])`);
}

export async function countVaults(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ vaults: number }>(sql`
    select count(*)::int as vaults from vaults where workspace_id = ${workspaceId}`);
  return row?.vaults ?? 0;
}

export async function insertVault(
  tx: Tx,
  workspaceId: string,
  row: VaultRow & { organizationId: string },
): Promise<void> {
  await tx.query(sql`
    insert into vaults (id, organization_id, workspace_id, display_name, metadata, created_at,
      updated_at)
    values (${row.id}, ${row.organizationId}, ${workspaceId}, ${row.displayName},
      ${JSON.stringify(row.metadata)}, ${row.createdAt}, ${row.updatedAt})`);
}

export async function setVault(tx: Tx, workspaceId: string, row: VaultRow): Promise<void> {
  await tx.query(sql`
    update vaults set display_name = ${row.displayName}, metadata = ${JSON.stringify(row.metadata)},
      updated_at = ${row.updatedAt}, archived_at = ${row.archivedAt}
    where workspace_id = ${workspaceId} and id = ${row.id}`);
}

export async function deleteVault(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.query(sql`delete from vaults where workspace_id = ${workspaceId} and id = ${id}`);
}
