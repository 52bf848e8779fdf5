// Tasks of MCP servers that no call waits for any more, since the thread of the call has ended: cancelled by a job.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Context, World } from "../../../kernel/context.ts";
import { enqueueAll } from "../../../kernel/jobs/jobs.ts";
import type { JobKind } from "../../../kernel/jobs/run.ts";
import { read } from "../../../kernel/log/log.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import type { NetworkPolicy } from "../../sandboxes/module.ts";
import { limits } from "../limits.ts";
import { readPolicy } from "../network/network.ts";
import type { LockedSession } from "../queries.ts";
import type { ThreadFacts } from "../threads/queries.ts";
import { dropServer, withServer, type Server, type ServerCaller } from "./servers.ts";
import { isPassing } from "./tasks.ts";
import { errorOf } from "./tools.ts";

const kind = "sessions.cancel_task";

/** All that is needed to ask the server, since the session may be gone by then. */
interface Payload {
  session: ServerCaller["session"];
  policy: NetworkPolicy;
  server: Server;
  taskId: string;
}

/** In the transaction that ends the thread (rule SES158). */
export async function leaveTasks(
  tx: Tx,
  context: Context,
  session: LockedSession,
  { id: threadId, agent }: Pick<ThreadFacts, "id" | "agent">,
): Promise<void> {
  const { mcp_servers: servers } = (agent ?? session.agent).config;
  if (servers.length === 0) return;
  const open = await openTasks(tx, threadId);
  if (open.length === 0) return;
  const { id, organizationId, workspaceId, vaultIds } = session;
  const { sections = {} } = context;
  const policy: NetworkPolicy =
    session.environmentType === "self_hosted"
      ? { type: "unrestricted" }
      : await readPolicy({ db: tx, sections }, id);
  const jobs = open.flatMap(({ taskId, serverName }) => {
    const server = servers.find(({ name }) => name === serverName);
    if (server === undefined) return [];
    const { name, url } = server;
    const caller = { id, organizationId, workspaceId, vaultIds };
    const payload: Payload = { session: caller, policy, server: { name, url }, taskId };
    return [{ kind, payload, attemptsMax: limits.leftTaskAttemptsMax }];
  });
  await enqueueAll(tx, context, jobs.slice(0, limits.leftTasksMax));
}

interface OpenTask {
  taskId: string;
  serverName: string;
}

/** Of the round that is open: its calls follow the newest answer of the model. */
async function openTasks(tx: Tx, threadId: string): Promise<OpenTask[]> {
  const [asked] = await read(tx, threadId, {
    types: ["span.model_request_start"],
    order: "newest_first",
    limit: 1,
  });
  if (asked === undefined) return [];
  const after = asked.position;
  const calls = limits.callsPerAnswerMax;
  const made = await read(tx, threadId, {
    after,
    types: ["internal.mcp_task_made"],
    limit: calls,
  });
  if (made.length === 0) return [];
  const types = ["agent.mcp_tool_use", "agent.mcp_tool_result"];
  const told = await read(tx, threadId, { after, types, limit: 2 * calls });
  const isOver = (callId: string) =>
    told.some(({ data }) => (data as { mcp_tool_use_id?: string }).mcp_tool_use_id === callId);
  return made.flatMap(({ data }) => {
    const { tool_use_id: callId, task_id: taskId } = data as Record<string, string>;
    const call = told.find(({ id }) => id === callId)?.data;
    const { mcp_server_name: serverName } = (call ?? {}) as { mcp_server_name?: string };
    if (callId === undefined || taskId === undefined || serverName === undefined) return [];
    return isOver(callId) ? [] : [{ taskId, serverName }];
  });
}

/** To cancel one twice does nothing more. */
const cancel: JobKind<World, Payload> = {
  kind,
  backoffMs: 2_000,
  run: async (world, run) => {
    const { session, policy, server, taskId } = run.job.payload;
    // Over a connection of its own: the thread may not have let go of the one that it had.
    const caller: ServerCaller = { session, threadId: run.job.id, policy, onRefused: () => {} };
    try {
      await withServer(world, caller, server, run, ({ connection }, waiting) =>
        connection.aboutTask(waiting, (tasks) => tasks.cancel(taskId)),
      );
    } catch (error) {
      const isLast = run.job.attempt >= run.job.attemptsMax;
      if (run.signal.aborted) throw error;
      if (isPassing(error) && !isLast)
        throw new Failure("api_error", errorOf(world, server.name, error).message);
      world.logger.warn(
        { error, session: session.id, server: server.url },
        "a task of an MCP server could not be cancelled: it may go on",
      );
    } finally {
      dropServer(world, caller, server);
    }
  },
};

/** Handlers get the payload that this noun put in. */
export const kinds = [cancel] as readonly JobKind<World>[];
