// Connects an MCP server by OAuth: begun by a caller of the API, answered in the browser, finished by that caller.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { Failure, invalid, isFailure, notFound } from "../../../kernel/base/failure.ts";
import type { Context, World } from "../../../kernel/context.ts";
import { everyHour, repeated } from "../../../kernel/jobs/repeated.ts";
import { hashSecret } from "../../../kernel/secret/token.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { expectOauthPlace, putOauth } from "../../vaults/module.ts";
import { findUsableWorkspace, workspaceOf } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import { lockServer, setServer } from "../queries.ts";
import { findServer, recordEvent } from "../service.ts";
import type { Kept } from "./oauth.ts";
import * as queries from "./queries.ts";
import type {
  AnswerMcpConnection,
  ConnectMcpServer,
  McpConnection,
  McpConnectionParams,
  McpConnectionPrompt,
} from "./schema.ts";

/** What the encryption is bound to. */
export const connectionSecretContext = (id: string) => `mcp connection ${id}`;

// The client is heavy, and most processes never connect anything.
const oauth = () => import("./oauth.ts");

export async function beginConnection(
  context: Context,
  serverId: string,
  body: ConnectMcpServer,
): Promise<McpConnection> {
  const { db, ids, clock, random, who } = context;
  const workspaceId = workspaceOf(context);
  const server = await findServer(context, serverId);
  const vaultId = body.vault_id ?? server.vaultId;
  if (vaultId === null)
    throw invalid("vault_id: name the vault that the token goes into: the server has none yet.");
  if (body.client_id == null && body.client_secret != null)
    throw invalid("client_secret: belongs to a client_id; name both, or neither.");
  await db.tx((tx) => expectOauthPlace(tx, context, vaultId, server.url));
  const state = random.bytes(32).toString("base64url");
  const client = body.client_id != null && {
    client: {
      client_id: body.client_id,
      ...(body.client_secret != null && { client_secret: body.client_secret }),
    },
  };
  const { beginOauth } = await oauth();
  const begun = await beginOauth(context, { url: server.url, ...client }, state);
  const id = ids.next("mcpconn_");
  const createdAt = clock.now();
  const row: queries.ConnectionRow = {
    id,
    workspaceId,
    serverId,
    vaultId,
    ...starterOf(context),
    sealed: seal(context, id, begun.kept),
    status: "pending",
    error: null,
    credentialId: null,
    expiresAt: new Date(createdAt.getTime() + limits.connectionLifeMs),
  };
  await db.tx(async (tx) => {
    await queries.deleteOver(tx, workspaceId, createdAt);
    await expectRoom(tx, workspaceId);
    const stateSha256 = hashSecret(state);
    await queries.insertConnection(tx, who.organizationId, { ...row, stateSha256, createdAt });
    await recordEvent(tx, context, "connecting", serverId, { vault_id: vaultId });
  });
  return present(row, begun.authorizationUrl);
}

async function expectRoom(tx: Tx, workspaceId: string): Promise<void> {
  const connections = await queries.countConnections(tx, workspaceId);
  if (connections < limits.connectionsPerWorkspace) return;
  throw invalid(
    `The workspace has begun ${connections} sign-ins of MCP servers within ten minutes, and ${limits.connectionsPerWorkspace} are allowed. Wait for some minutes.`,
    { code: "mcp_connection_limit_exceeded" },
  );
}

const starterOf = ({ who }: Context) => ({
  starterId: who.userId ?? who.credentialId,
  userId: who.userId,
});

/** Rule MSV15: what the page asks the person who has come back. */
export const readConnection = (
  context: Context,
  { state }: { state: string },
): Promise<McpConnectionPrompt> =>
  context.db.tx(async (tx) => {
    const row = await lockWaiting(tx, context, state);
    return {
      type: "mcp_connection_prompt",
      server: row.serverName,
      url: row.serverUrl,
      workspace: row.workspaceName,
      vault: row.vaultName ?? row.vaultId,
      asks: row.userId === null,
    };
  });

/** It is kept for the caller who began it. */
export async function answerConnection(
  context: Context,
  { state, ...answer }: AnswerMcpConnection,
) {
  await context.db.tx(async (tx) => {
    const row = await lockWaiting(tx, context, state);
    const kept: Kept = { ...open(context, row), answer };
    await queries.setConnection(tx, row.workspaceId, "pending", {
      ...row,
      sealed: seal(context, row.id, kept),
      status: "answered",
    });
  });
  return { type: "mcp_connection_answered" as const };
}

/** A sign-in of another person, one that is over and one that never was are the same. */
async function lockWaiting(
  tx: Tx,
  context: Context,
  state: string,
): Promise<queries.WaitingConnection> {
  const { who, clock } = context;
  const row = await queries.lockByState(tx, who.organizationId, hashSecret(state));
  const isOpen = row?.status === "pending" && row.expiresAt > clock.now();
  if (isOpen && (await mayAnswer(tx, context, row))) return row;
  throw new Failure(
    "not_found_error",
    "No sign-in of yours waits for this answer: it was begun by another person, has been answered, or is older than ten minutes. Connect the MCP server again.",
    { code: "mcp_connection_not_found" },
  );
}

/** Where a key began it, any person whose own requests could. */
async function mayAnswer(tx: Tx, { who }: Context, row: queries.WaitingConnection) {
  if (row.userId !== null) return row.userId === who.userId;
  if (!who.permissions.has("vaults:use")) return false;
  return (await findUsableWorkspace(tx, who, row.workspaceId)) !== undefined;
}

/** What was sealed for one is worth nothing by then, and is not kept. */
const sweep = repeated<World>({
  kind: "mcp_servers.sweep_connections",
  timing: everyHour,
  run: ({ db, clock }, run) =>
    db.tx(async (tx) => {
      await queries.deleteOverOfAll(tx, clock.now());
      await run.finish(tx);
    }),
});

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];

/** Until the browser has come back it is `pending`; the first request after that exchanges the code. */
export async function finishConnection(
  context: Context,
  { mcp_server_id: serverId, connection_id: id }: McpConnectionParams,
): Promise<McpConnection> {
  const { db, clock } = context;
  const workspaceId = workspaceOf(context);
  const { starterId } = starterOf(context);
  const row = await queries.findConnection(db, workspaceId, { id, serverId, starterId });
  if (row === undefined) throw notFound("connection", id);
  if (row.status === "connected" || row.status === "failed") return present(row);
  if (row.expiresAt <= clock.now()) return fail(context, row, tooLate);
  if (row.status !== "answered") return present(row);
  const claimed = { ...row, sealed: null, status: "exchanging" as const };
  if (!(await queries.setConnection(db, workspaceId, "answered", claimed))) return present(row);
  try {
    const { exchangeCode } = await oauth();
    const auth = await exchangeCode(context, open(context, row));
    return await keep(context, claimed, auth);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return fail(context, claimed, error.message);
  }
}

const tooLate = "Ten minutes have passed since it was begun. Connect the MCP server again.";

async function fail(
  context: Context,
  row: queries.ConnectionRow,
  error: string,
): Promise<McpConnection> {
  const failed = { ...row, sealed: null, status: "failed" as const, error };
  await queries.setConnection(context.db, row.workspaceId, row.status, failed);
  return present(failed);
}

/** The credential, the vault of the server and the events of both, or nothing. */
const keep = (
  context: Context,
  row: queries.ConnectionRow,
  auth: Parameters<typeof putOauth>[3],
): Promise<McpConnection> =>
  context.db.tx(async (tx) => {
    const { workspaceId, serverId, vaultId } = row;
    const credential = await putOauth(tx, context, vaultId, auth);
    const server = await lockServer(tx, workspaceId, serverId);
    if (server?.url !== auth.mcp_server_url)
      throw invalid("The MCP server has got another address meanwhile. Connect it again.");
    const updatedAt = context.clock.now();
    if (server.vaultId !== vaultId)
      await setServer(tx, workspaceId, { ...server, vaultId, updatedAt });
    const details = { vault_id: vaultId, credential_id: credential.id };
    await recordEvent(tx, context, "connected", serverId, details);
    const connected = { ...row, status: "connected" as const, credentialId: credential.id };
    await queries.setConnection(tx, workspaceId, "exchanging", connected);
    return present(connected);
  });

const seal = ({ secrets }: Context, id: string, kept: Kept): string =>
  secrets.encrypt(JSON.stringify(kept), connectionSecretContext(id));

const open = ({ secrets }: Context, { id, sealed }: queries.ConnectionRow): Kept =>
  parseExactly(secrets.decrypt(sealed ?? "", connectionSecretContext(id)).toString()) as Kept;

const present = (
  row: queries.ConnectionRow,
  authorizationUrl: string | null = null,
): McpConnection => ({
  id: row.id,
  type: "mcp_connection",
  mcp_server_id: row.serverId,
  vault_id: row.vaultId,
  status: row.status === "connected" || row.status === "failed" ? row.status : "pending",
  error: row.error,
  authorization_url: authorizationUrl,
  credential_id: row.credentialId,
  expires_at: row.expiresAt.toISOString(),
});
