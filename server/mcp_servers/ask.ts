// Asks an MCP server of a workspace: which tools it has, and what one of them answers.
import { createHash } from "node:crypto";
import type { Context } from "../../kernel/context.ts";
import {
  connectServer,
  McpFault,
  mcpSettingsOf,
  type ListedTools,
  type McpConnection,
  type ServerTool,
  type ToolPage,
} from "../mcp_client/module.ts";
import {
  credentialsForServer,
  currentToken,
  refreshAfter401,
  type TokenOwner,
} from "../vaults/module.ts";
import { workspaceOf } from "../workspaces/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type {
  CallMcpTool,
  McpServerTools,
  McpToolPage,
  McpToolResult,
  ReadMcpToolPage,
  ServerVersion,
} from "./schema.ts";
import { findServer, recordEvent } from "./service.ts";

type About = McpConnection["about"];
type Changes = NonNullable<McpServerTools["changes"]>;

interface Look {
  about: About | null;
  listed: ListedTools;
  fault: McpFault | undefined;
}

export async function lookAtTools(context: Context, id: string): Promise<McpServerTools> {
  const { clock, db } = context;
  const row = await findServer(context, id);
  const owner = await ownerOf(context, row);
  await db.tx((tx) => recordEvent(tx, context, "asked", id, detailsOf(owner)));
  const beganMs = clock.monotonicMs();
  const look = await listTools(context, row, owner);
  const latencyMs = Math.round(clock.monotonicMs() - beganMs);
  const changes = await keep(context, row, look);
  const { about, listed, fault } = look;
  return {
    type: "mcp_server_tools",
    mcp_server_id: id,
    status: statusOf(fault),
    error: wordsOf(row, fault),
    server: about,
    latency_ms: latencyMs,
    tools: listed.tools.map(
      ({ name, description, inputSchema, isReading = false, page = null, isForPages = true }) => ({
        name,
        description,
        input_schema: inputSchema,
        is_reading: isReading,
        page_uri: page,
        is_for_pages: isForPages,
      }),
    ),
    has_more: listed.hasMore || listed.unreadable > 0,
    changes,
  };
}

/** It is written down before it is made, with the name of the tool and never what it is given. */
export async function callTool(
  context: Context,
  id: string,
  { name, arguments: input = {} }: CallMcpTool,
): Promise<McpToolResult> {
  const { clock, db, signal } = context;
  const row = await findServer(context, id);
  const owner = await ownerOf(context, row);
  const details = { tool: name, ...detailsOf(owner) };
  await db.tx((tx) => recordEvent(tx, context, "called", id, details));
  const beganMs = clock.monotonicMs();
  const told = (
    fault: McpFault | undefined,
    result: Pick<McpToolResult, "content" | "structured_content" | "is_error">,
  ): McpToolResult => ({
    type: "mcp_tool_result",
    mcp_server_id: id,
    name,
    status: statusOf(fault),
    error: wordsOf(row, fault),
    may_have_run: fault?.mayHaveRun ?? true,
    ...result,
    latency_ms: Math.round(clock.monotonicMs() - beganMs),
  });
  try {
    const called = await withServer(context, row, owner, async (connection) => {
      // Where the schema of a tool names headers that a call must have, they are known from the list.
      const { tools } = await connection.list((each) => each === name, waitingOf(context));
      return connection.call(tools[0] ?? { name }, input, signal);
    });
    const { content, structured, isError } = called;
    return told(undefined, { content, structured_content: structured, is_error: isError });
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    const said = error.said === undefined ? [] : [{ type: "text" as const, text: error.said }];
    return told(error, { content: said, structured_content: null, is_error: true });
  }
}

/** Rule MSV20: of a tool that the server lists with a page, and no other resource of it. */
export async function readToolPage(
  context: Context,
  id: string,
  { name }: ReadMcpToolPage,
): Promise<McpToolPage> {
  const row = await findServer(context, id);
  const owner = await ownerOf(context, row);
  await context.db.tx((tx) => recordEvent(tx, context, "asked", id, detailsOf(owner)));
  const told = (fault: McpFault | undefined, page: ToolPage | null): McpToolPage => ({
    type: "mcp_tool_page",
    mcp_server_id: id,
    name,
    status: statusOf(fault),
    error: wordsOf(row, fault),
    html: page?.html ?? null,
    connects: page?.connects ?? [],
    loads: page?.loads ?? [],
  });
  try {
    const page = await withServer(context, row, owner, async (connection) => {
      const { tools } = await connection.list((each) => each === name, waitingOf(context));
      const uri = tools[0]?.page;
      if (uri === undefined)
        throw new McpFault("answer", `has no tool ${JSON.stringify(name)} with a page.`);
      return connection.readPage(uri, waitingOf(context));
    });
    return told(undefined, page);
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    return told(error, null);
  }
}

const nothing: ListedTools = { tools: [], hasMore: false, unreadable: 0, ttlMs: undefined };

async function listTools(
  context: Context,
  row: queries.McpServerRow,
  owner: TokenOwner | undefined,
): Promise<Look> {
  let about: About | null = null;
  try {
    const listed = await withServer(context, row, owner, (connection) => {
      about = connection.about;
      return connection.list(() => true, waitingOf(context));
    });
    return { about, listed, fault: undefined };
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    return { about, listed: nothing, fault: error };
  }
}

/** A vault has one live credential for an address at most. */
async function ownerOf(
  context: Context,
  { vaultId, url }: queries.McpServerRow,
): Promise<TokenOwner | undefined> {
  const vaultIds = vaultId === null ? [] : [vaultId];
  const workspaceId = workspaceOf(context);
  const [owner] = await credentialsForServer(context.db, { workspaceId, vaultIds }, url);
  return owner;
}

const detailsOf = (owner: TokenOwner | undefined) =>
  owner && { vault_id: owner.vaultId, credential_id: owner.id };

const waitingOf = (context: Context) => ({
  signal: context.signal,
  untilMs: context.clock.monotonicMs() + mcpSettingsOf(context).connectMs,
});

/** Over a connection of its own. A token that is refused is renewed once, and what was asked is asked again. */
async function withServer<T>(
  context: Context,
  { url }: queries.McpServerRow,
  owner: TokenOwner | undefined,
  work: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  const ask = async (token: string | undefined) => {
    const authorization = token === undefined ? undefined : `Bearer ${token}`;
    const address = { url, authorization, refusalOf: () => undefined };
    const connection = await connectServer(context, address, waitingOf(context));
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  };
  const held = owner && (await currentToken(context, owner));
  try {
    return await ask(held?.token);
  } catch (error) {
    const isRefused = error instanceof McpFault && error.kind === "authentication";
    if (!isRefused || owner === undefined || held === undefined) throw error;
    const next = await refreshAfter401(context, owner, held.token);
    if (next === undefined || next.token === held.token) throw error;
    return ask(next.token);
  }
}

function statusOf(fault: McpFault | undefined): McpServerTools["status"] {
  if (fault === undefined) return "connected";
  return fault.kind === "authentication" ? "unauthorized" : "failed";
}

const wordsOf = ({ name }: queries.McpServerRow, fault: McpFault | undefined): string | null =>
  fault === undefined ? null : `The MCP server ${JSON.stringify(name)} ${fault.message}`;

/** Where it was changed to another address meanwhile, or deleted, nothing is kept. */
async function keep(
  context: Context,
  asked: queries.McpServerRow,
  { about, listed, fault }: Look,
): Promise<Changes | null> {
  const workspaceId = workspaceOf(context);
  const now = context.clock.now();
  return context.db.tx(async (tx) => {
    const row = await queries.lockServer(tx, workspaceId, asked.id);
    if (row === undefined || row.url !== asked.url) return null;
    const tools = fault === undefined ? listed.tools.map(knownTool) : row.tools;
    await queries.setServer(tx, workspaceId, {
      ...row,
      lastAskedAt: now,
      lastConnectedAt: fault === undefined ? now : row.lastConnectedAt,
      lastError: wordsOf(row, fault),
      tools,
      versions: about === null ? row.versions : versionsWith(row.versions, about, now),
    });
    return fault === undefined && row.tools !== null ? changesOf(row.tools, tools ?? []) : null;
  });
}

/** Of all that a model is told of it. */
const knownTool = ({ name, description, inputSchema }: ServerTool): queries.KnownTool => ({
  name,
  sha256: createHash("sha256")
    .update(JSON.stringify([description, inputSchema]))
    .digest("base64url"),
});

export function changesOf(
  before: readonly queries.KnownTool[],
  now: readonly queries.KnownTool[],
): Changes {
  const old = new Map(before.map(({ name, sha256 }) => [name, sha256]));
  const names = new Set(now.map(({ name }) => name));
  const named = (tools: readonly queries.KnownTool[]) => tools.map(({ name }) => name);
  return {
    added: named(now.filter(({ name }) => !old.has(name))),
    changed: named(now.filter(({ name, sha256 }) => (old.get(name) ?? sha256) !== sha256)),
    removed: named(before.filter(({ name }) => !names.has(name))),
  };
}

/** The one that was seen last comes first. */
function versionsWith(before: readonly ServerVersion[], about: About, now: Date): ServerVersion[] {
  const isSame = (each: ServerVersion) =>
    each.name === about.name && each.version === about.version && each.revision === about.revision;
  const at = now.toISOString();
  const first_seen_at = before.find(isSame)?.first_seen_at ?? at;
  const latest = { ...about, first_seen_at, last_seen_at: at };
  return [latest, ...before.filter((each) => !isSame(each))].slice(0, limits.versionsKept);
}
