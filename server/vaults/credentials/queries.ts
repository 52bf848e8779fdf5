// Statements about credentials.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import { isHeldLease, leasable, leaseRows, type Lease } from "../../../kernel/work/lease.ts";
import type { VaultFilter } from "../queries.ts";
import type { ShownAuth } from "./schema.ts";

export interface CredentialRow {
  id: string;
  vaultId: string;
  displayName: string | null;
  auth: ShownAuth;
  metadata: Record<string, string>;
  slot: string;
  /** Encrypted; null where it is archived. */
  secret: string | null;
  secretVersion: number;
  failedRefreshes: number;
  refreshFailingSince: Date | null;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

const columns: Statement = sql`row.id, row.vault_id as "vaultId",
  row.display_name as "displayName", row.auth, row.metadata, row.slot, row.secret,
  row.secret_version as "secretVersion", row.failed_refreshes as "failedRefreshes",
  row.refresh_failing_since as "refreshFailingSince", row.created_at as "createdAt",
  row.updated_at as "updatedAt", row.archived_at as "archivedAt"`;

export interface CredentialName {
  vaultId: string;
  id: string;
}

export async function findCredential(
  on: Queryable,
  workspaceId: string,
  { vaultId, id }: CredentialName,
): Promise<CredentialRow | undefined> {
  const [row] = await on.query<CredentialRow>(sql`
    select ${columns} from vault_credentials as row
    where row.workspace_id = ${workspaceId} and row.vault_id = ${vaultId} and row.id = ${id}`);
  return row;
}

export async function lockCredential(
  tx: Tx,
  workspaceId: string,
  { vaultId, id }: CredentialName,
): Promise<CredentialRow | undefined> {
  const [row] = await tx.query<CredentialRow>(sql`
    select ${columns} from vault_credentials as row
    where row.workspace_id = ${workspaceId} and row.vault_id = ${vaultId} and row.id = ${id}
    for no key update`);
  return row;
}

export function listCredentials(
  on: Queryable,
  workspaceId: string,
  vaultId: string,
  { includesArchived, before, rows }: VaultFilter,
): Promise<CredentialRow[]> {
  return on.query<CredentialRow>(sql`
    select ${columns} from vault_credentials as row
    where row.workspace_id = ${workspaceId} and row.vault_id = ${vaultId}
      and (${includesArchived} or row.archived_at is null)
      and (${before}::text is null or row.id < ${before})
    order by row.id desc limit ${rows}`);
}

export type LiveCredential = Pick<CredentialRow, "id" | "vaultId" | "auth" | "slot">;

/** Of several vaults, in the order in which these are named. */
export function listLive(
  on: Queryable,
  workspaceId: string,
  vaultIds: readonly string[],
  slot: string | null = null,
): Promise<LiveCredential[]> {
  return on.query<LiveCredential>(sql`
    select row.id, row.vault_id as "vaultId", row.auth, row.slot from vault_credentials as row
    where row.workspace_id = ${workspaceId} and row.vault_id = any(${vaultIds}::text[])
      and row.archived_at is null and (${slot}::text is null or row.slot = ${slot})
    order by array_position(${vaultIds}::text[], row.vault_id), row.id`);
}

export async function countCredentials(
  tx: Tx,
  vaultId: string,
): Promise<{ live: number; all: number }> {
  const [row] = await tx.query<{ live: number; all: number }>(sql`
    select count(*) filter (where archived_at is null)::int as live, count(*)::int as all
    from vault_credentials where vault_id = ${vaultId}`);
  return row ?? { live: 0, all: 0 };
}

/** The one that holds the slot of a vault. */
export async function findBySlot(
  tx: Tx,
  vaultId: string,
  slot: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    select id from vault_credentials
    where vault_id = ${vaultId} and slot = ${slot} and archived_at is null`);
  return row?.id;
}

export async function insertCredential(
  tx: Tx,
  workspaceId: string,
  row: CredentialRow & { organizationId: string },
): Promise<void> {
  await tx.query(sql`
    insert into vault_credentials (id, organization_id, workspace_id, vault_id, display_name, auth,
      metadata, slot, secret, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${workspaceId}, ${row.vaultId}, ${row.displayName},
      ${JSON.stringify(row.auth)}, ${JSON.stringify(row.metadata)}, ${row.slot}, ${row.secret},
      ${row.createdAt}, ${row.updatedAt})`);
}

export async function setCredential(
  tx: Tx,
  workspaceId: string,
  row: CredentialRow,
): Promise<void> {
  await tx.query(sql`
    update vault_credentials set display_name = ${row.displayName},
      auth = ${JSON.stringify(row.auth)}, metadata = ${JSON.stringify(row.metadata)},
      secret = ${row.secret}, secret_version = ${row.secretVersion},
      failed_refreshes = ${row.failedRefreshes},
      refresh_failing_since = ${row.refreshFailingSince}, updated_at = ${row.updatedAt},
      archived_at = ${row.archivedAt}
    where workspace_id = ${workspaceId} and id = ${row.id}`);
}

/** Of a vault that is archived: answers which were not yet. Their secrets are gone. */
export async function archiveAll(
  tx: Tx,
  workspaceId: string,
  vaultId: string,
  at: Date,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    update vault_credentials set archived_at = ${at}, updated_at = greatest(updated_at, ${at}),
      secret = null, secret_version = secret_version + 1
    where workspace_id = ${workspaceId} and vault_id = ${vaultId} and archived_at is null
    returning id`);
  return rows.map(({ id }) => id).toSorted();
}

/** Answers which there were. */
export async function deleteAll(tx: Tx, workspaceId: string, vaultId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    delete from vault_credentials where workspace_id = ${workspaceId} and vault_id = ${vaultId}
    returning id`);
  return rows.map(({ id }) => id).toSorted();
}

export async function deleteCredential(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from vault_credentials where workspace_id = ${workspaceId} and id = ${id}`);
}

/** Whose token one process at a time renews. */
export const refreshLeases = leasable("vault_credentials");

/** Undefined where another process renews it, or has done so since it was read. */
export async function claimRefresh(
  on: Queryable,
  { id, secretVersion }: Pick<CredentialRow, "id" | "secretVersion">,
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<Lease | undefined> {
  const [lease] = await refreshLeases.claim(on, {
    owner,
    leaseMs,
    where: sql`row.id = ${id} and row.secret_version = ${secretVersion} and row.secret is not null`,
    orderBy: sql`row.id`,
    limit: 1,
  });
  return lease;
}

/** Whether the row is held yet: a process that lost its lease writes nothing. */
export async function lockRefreshed(
  tx: Tx,
  lease: Lease,
): Promise<(CredentialRow & { organizationId: string; workspaceId: string }) | undefined> {
  const [row] = await tx.query<CredentialRow & { organizationId: string; workspaceId: string }>(sql`
    select ${columns}, row.organization_id as "organizationId", row.workspace_id as "workspaceId"
    from vault_credentials as row, ${leaseRows([lease])}
    where ${isHeldLease()} for no key update of row`);
  return row;
}
