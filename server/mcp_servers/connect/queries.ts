// Statements about sign-ins at the authorization server of an MCP server.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export interface ConnectionRow {
  id: string;
  workspaceId: string;
  serverId: string;
  vaultId: string;
  starterId: string;
  userId: string | null;
  sealed: string | null;
  status: "pending" | "answered" | "exchanging" | "connected" | "failed";
  error: string | null;
  credentialId: string | null;
  expiresAt: Date;
}

const columns = sql`row.id, row.workspace_id as "workspaceId", row.server_id as "serverId",
  row.vault_id as "vaultId", row.starter_id as "starterId", row.user_id as "userId", row.sealed,
  row.status, row.error, row.credential_id as "credentialId", row.expires_at as "expiresAt"`;

export async function insertConnection(
  tx: Tx,
  organizationId: string,
  row: ConnectionRow & { stateSha256: Buffer; createdAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into mcp_connections (id, organization_id, workspace_id, server_id, vault_id, starter_id,
      user_id, state_sha256, sealed, status, created_at, expires_at)
    values (${row.id}, ${organizationId}, ${row.workspaceId}, ${row.serverId}, ${row.vaultId},
      ${row.starterId}, ${row.userId}, ${row.stateSha256}, ${row.sealed}, ${row.status},
      ${row.createdAt}, ${row.expiresAt})`);
}

export async function deleteOver(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  await tx.query(sql`
    delete from mcp_connections where workspace_id = ${workspaceId} and expires_at <= ${now}`);
}

export async function deleteOverOfAll(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`delete from mcp_connections where expires_at <= ${now}`);
}

export async function countConnections(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ connections: number }>(sql`
    select count(*)::int as connections from mcp_connections where workspace_id = ${workspaceId}`);
  return row?.connections ?? 0;
}

export async function findConnection(
  on: Queryable,
  workspaceId: string,
  { id, serverId, starterId }: Pick<ConnectionRow, "id" | "serverId" | "starterId">,
): Promise<ConnectionRow | undefined> {
  const [row] = await on.query<ConnectionRow>(sql`
    select ${columns} from mcp_connections as row
    where row.workspace_id = ${workspaceId} and row.id = ${id} and row.server_id = ${serverId}
      and row.starter_id = ${starterId}`);
  return row;
}

export interface WaitingConnection extends ConnectionRow {
  serverName: string;
  serverUrl: string;
  vaultName: string | null;
  workspaceName: string;
}

/** Until the end of the transaction no other answer to it is taken. */
export async function lockByState(
  tx: Tx,
  organizationId: string,
  stateSha256: Buffer,
): Promise<WaitingConnection | undefined> {
  const [row] = await tx.query<WaitingConnection>(sql`
    select ${columns}, server.name as "serverName", server.url as "serverUrl",
      vault.display_name as "vaultName", workspace.name as "workspaceName"
    from mcp_connections as row
      join mcp_servers as server on server.id = row.server_id
      join vaults as vault on vault.id = row.vault_id
      join workspaces as workspace on workspace.id = row.workspace_id
    where row.organization_id = ${organizationId} and row.state_sha256 = ${stateSha256}
    for no key update of row`);
  return row;
}

/** False where another request was first. */
export async function setConnection(
  on: Queryable,
  workspaceId: string,
  from: ConnectionRow["status"],
  row: ConnectionRow,
): Promise<boolean> {
  const set = await on.query(sql`
    update mcp_connections set sealed = ${row.sealed}, status = ${row.status},
      error = ${row.error}, credential_id = ${row.credentialId}
    where workspace_id = ${workspaceId} and id = ${row.id} and status = ${from}
    returning 1 as one`);
  return set.length > 0;
}
