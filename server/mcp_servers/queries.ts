// Statements about the MCP servers of a workspace.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { ServerVersion } from "./schema.ts";

export interface KnownTool {
  name: string;
  sha256: string;
}

export interface McpServerRow {
  id: string;
  name: string;
  url: string;
  description: string | null;
  vaultId: string | null;
  lastAskedAt: Date | null;
  lastConnectedAt: Date | null;
  lastError: string | null;
  tools: KnownTool[] | null;
  versions: ServerVersion[];
  createdAt: Date;
  updatedAt: Date;
}

const columns = sql`id, name, url, description, vault_id as "vaultId",
  last_asked_at as "lastAskedAt", last_connected_at as "lastConnectedAt",
  last_error as "lastError", tools, versions, created_at as "createdAt",
  updated_at as "updatedAt"`;

export async function findServer(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<McpServerRow | undefined> {
  const [row] = await on.query<McpServerRow>(sql`
    select ${columns} from mcp_servers where workspace_id = ${workspaceId} and id = ${id}`);
  return row;
}

export async function findByName(
  on: Queryable,
  workspaceId: string,
  name: string,
): Promise<string | undefined> {
  const [row] = await on.query<{ id: string }>(sql`
    select id from mcp_servers where workspace_id = ${workspaceId} and name = ${name}`);
  return row?.id;
}

/** Until the end of the transaction it is neither changed nor deleted by another one. */
export async function lockServer(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<McpServerRow | undefined> {
  const [row] = await tx.query<McpServerRow>(sql`
    select ${columns} from mcp_servers
    where workspace_id = ${workspaceId} and id = ${id} for no key update`);
  return row;
}

export function listServers(
  on: Queryable,
  workspaceId: string,
  { before, rows }: { before: string | null; rows: number },
): Promise<McpServerRow[]> {
  return on.query<McpServerRow>(sql`
    select ${columns} from mcp_servers
    where workspace_id = ${workspaceId} and (${before}::text is null or id < ${before})
    order by id desc limit ${rows}`);
}

export async function countServers(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ servers: number }>(sql`
    select count(*)::int as servers from mcp_servers where workspace_id = ${workspaceId}`);
  return row?.servers ?? 0;
}

export async function insertServer(
  tx: Tx,
  workspaceId: string,
  row: McpServerRow & { organizationId: string },
): Promise<void> {
  await tx.query(sql`
    insert into mcp_servers (id, organization_id, workspace_id, name, url, description, vault_id,
      versions, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${workspaceId}, ${row.name}, ${row.url},
      ${row.description}, ${row.vaultId}, ${JSON.stringify(row.versions)}, ${row.createdAt},
      ${row.updatedAt})`);
}

export async function setServer(tx: Tx, workspaceId: string, row: McpServerRow): Promise<void> {
  await tx.query(sql`
    update mcp_servers set name = ${row.name}, url = ${row.url}, description = ${row.description},
      vault_id = ${row.vaultId}, last_asked_at = ${row.lastAskedAt},
      last_connected_at = ${row.lastConnectedAt}, last_error = ${row.lastError},
      tools = ${row.tools && JSON.stringify(row.tools)}::jsonb,
      versions = ${JSON.stringify(row.versions)}, updated_at = ${row.updatedAt}
    where workspace_id = ${workspaceId} and id = ${row.id}`);
}

export async function deleteServer(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from mcp_servers where workspace_id = ${workspaceId} and id = ${id}`);
}
