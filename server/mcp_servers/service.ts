// Adds, shows, lists, changes and deletes the MCP servers of a workspace.
import { isDeepStrictEqual } from "node:util";
import { conflict, invalid, notFound } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context } from "../../kernel/context.ts";
import { withoutTold } from "../../kernel/http/input/told-fields.ts";
import { outsideProblem } from "../../kernel/http/outside/fetch.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { recordByCaller } from "../audit/module.ts";
import { findVault } from "../vaults/module.ts";
import { lockOrganization, workspaceOf } from "../workspaces/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { CreateMcpServer, McpServer, McpServerQuery, UpdateMcpServer } from "./schema.ts";

export async function createServer(context: Context, body: CreateMcpServer): Promise<McpServer> {
  const { db, ids, clock, who } = context;
  const workspaceId = workspaceOf(context);
  const now = clock.now();
  const row: queries.McpServerRow = {
    id: ids.next("mcpsrv_"),
    name: nameOf(body.name),
    url: urlOf(context, body.url),
    description: body.description ?? null,
    vaultId: body.vault_id ?? null,
    ...neverAsked,
    createdAt: now,
    updatedAt: now,
  };
  const { organizationId } = who;
  await db.tx(async (tx) => {
    // A concurrent creation waits for this one, and then counts its server and sees its name.
    await lockOrganization(tx, organizationId);
    const servers = await queries.countServers(tx, workspaceId);
    if (servers >= limits.serversPerWorkspace)
      throw invalid(
        `The workspace has ${servers} MCP servers, and ${limits.serversPerWorkspace} are allowed. Delete some first.`,
        { code: "mcp_server_limit_exceeded" },
      );
    await expectFreeName(tx, context, row);
    await expectVault(tx, context, row.vaultId);
    await queries.insertServer(tx, workspaceId, { ...row, organizationId });
    await recordEvent(tx, context, "created", row.id);
  });
  return present(row);
}

export async function findServer(context: Context, id: string): Promise<queries.McpServerRow> {
  const row = await queries.findServer(context.db, workspaceOf(context), id);
  if (row === undefined) throw notFound("MCP server", id);
  return row;
}

export const retrieveServer = async (context: Context, id: string): Promise<McpServer> =>
  present(await findServer(context, id));

export async function listServers(context: Context, query: McpServerQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("mcp_servers", workspaceId, query.page) as string | undefined;
  const rows = await queries.listServers(db, workspaceId, {
    before: before ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, ({ id }) => cursors.write("mcp_servers", workspaceId, id));
  return { ...page, data: page.data.map(present) };
}

/** What is not named stays, and so does `updated_at` where nothing changes. */
export async function updateServer(
  context: Context,
  id: string,
  body: UpdateMcpServer,
): Promise<McpServer> {
  const { db, clock, who } = context;
  return db.tx(async (tx) => {
    await lockOrganization(tx, who.organizationId);
    const row = await lockServer(tx, context, id);
    const { name, url, description, vault_id: vaultId } = withoutTold(id, body);
    const changed: queries.McpServerRow = {
      ...row,
      name: name == null ? row.name : nameOf(name),
      url: url == null ? row.url : urlOf(context, url),
      description: description === undefined ? row.description : description,
      vaultId: vaultId === undefined ? row.vaultId : vaultId,
    };
    if (isDeepStrictEqual(changed, row)) return present(row);
    if (changed.name !== row.name) await expectFreeName(tx, context, changed);
    if (changed.vaultId !== row.vaultId) await expectVault(tx, context, changed.vaultId);
    // At another address there is another server.
    const known = changed.url === row.url ? {} : neverAsked;
    const now = clock.now();
    const updatedAt = now < row.updatedAt ? row.updatedAt : now;
    const next = { ...changed, ...known, updatedAt };
    await queries.setServer(tx, workspaceOf(context), next);
    await recordEvent(tx, context, "updated", id);
    return present(next);
  });
}

export async function deleteServer(context: Context, id: string) {
  await context.db.tx(async (tx) => {
    await lockServer(tx, context, id);
    await queries.deleteServer(tx, workspaceOf(context), id);
    await recordEvent(tx, context, "deleted", id);
  });
  return { id, type: "mcp_server_deleted" as const };
}

async function lockServer(tx: Tx, context: Context, id: string): Promise<queries.McpServerRow> {
  const row = await queries.lockServer(tx, workspaceOf(context), id);
  if (row === undefined) throw notFound("MCP server", id);
  return row;
}

const neverAsked = {
  lastAskedAt: null,
  lastConnectedAt: null,
  lastError: null,
  tools: null,
  versions: [],
};

const nameOf = (name: string) => cleanName("name", name, limits.nameCharactersMax);

/** Tokens go there, so that plain http is for addresses that the operator allows alone. */
function urlOf(context: Context, url: string): string {
  const problem = outsideProblem(context, url);
  if (problem !== undefined) throw invalid(`url: ${problem.message}`);
  if (url.includes("#"))
    throw invalid(
      "url: must not have a part behind #, which never reaches a server: leave it out.",
    );
  return url;
}

async function expectFreeName(
  tx: Tx,
  context: Context,
  { name }: queries.McpServerRow,
): Promise<void> {
  const other = await queries.findByName(tx, workspaceOf(context), name);
  if (other !== undefined)
    throw conflict(
      `name: the MCP server ${other} of this workspace has this name already. Choose another one, or change that server.`,
      { code: "mcp_server_name_taken" },
    );
}

async function expectVault(tx: Tx, context: Context, id: string | null): Promise<void> {
  if (id === null) return;
  const vault = await findVault(tx, workspaceOf(context), id);
  if (vault === undefined) throw notFound("vault", id, { code: "vault_not_found" });
  if (vault.archivedAt !== null)
    throw invalid(`vault_id: the vault ${id} is archived. Name another one.`, {
      code: "vault_archived",
    });
}

type Verb = "created" | "updated" | "deleted" | "asked" | "called" | "connecting" | "connected";

export const recordEvent = (
  tx: Tx,
  context: Context,
  verb: Verb,
  id: string,
  details?: Record<string, unknown>,
) =>
  recordByCaller(tx, context, {
    action: `mcp_server.${verb}`,
    target: { type: "mcp_server", id },
    ...(details && { details }),
  });

function present(row: queries.McpServerRow): McpServer {
  const failure = row.lastError === null ? "connected" : "failed";
  return {
    id: row.id,
    type: "mcp_server",
    name: row.name,
    url: row.url,
    description: row.description,
    vault_id: row.vaultId,
    health: {
      status: row.lastAskedAt === null ? "unknown" : failure,
      last_asked_at: row.lastAskedAt?.toISOString() ?? null,
      last_connected_at: row.lastConnectedAt?.toISOString() ?? null,
      last_error: row.lastError,
    },
    tools_count: row.tools?.length ?? null,
    versions: row.versions,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
