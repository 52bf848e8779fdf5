// The tools of MCP servers that a thread's model is offered, and calls of them.
import { createHash } from "node:crypto";
import type { World } from "../../../kernel/context.ts";
import type { AgentConfig } from "../../agents/module.ts";
import {
  effectWords,
  McpFault,
  modelNameOf,
  type ListedTools,
  type ServerAsks,
  type ServerHelp,
  type TaskHandle,
  type WholeResult,
} from "../../mcp_client/module.ts";
import { failed, type ToolResult } from "../../sandboxes/module.ts";
import type { ServerError } from "../conversation/events.ts";
import type { Call } from "../conversation/state.ts";
import { limits } from "../limits.ts";
import type { OfferedTool } from "../model/tools.ts";
import { withServer, type Server, type ServerCaller } from "./servers.ts";

export interface ServerTools {
  tools: OfferedTool[];
  /** The names of the servers that answered. */
  connected: string[];
  errors: ServerError[];
  /** What the model is told of them. */
  notes: string[];
}

type Listed = { server: Server } & ({ listed: ListedTools } | { error: ServerError });

/**
 * In a turn that begins, all servers are asked, where their lists are older than a minute. Later in it the lists stay
 * as they are, and servers that did not answer are left alone: each would keep the turn waiting again.
 */
export async function listServerTools(
  world: World,
  caller: ServerCaller,
  { config, answered }: { config: AgentConfig; answered: readonly string[] | null },
  signal: AbortSignal,
): Promise<ServerTools> {
  const isTurnsFirst = answered === null;
  const servers = config.mcp_servers.filter(({ name }) => answered?.includes(name) ?? true);
  const all = await Promise.all(
    servers.map((server) => listOne(world, caller, { server, config, isTurnsFirst }, signal)),
  );
  const good = all.flatMap((each) => ("listed" in each ? [each] : []));
  return {
    tools: good.flatMap(({ server, listed }) => offered(config, server, listed)),
    connected: good.map(({ server }) => server.name),
    errors: all.flatMap((each) => ("error" in each ? [each.error] : [])),
    notes: good.flatMap(({ server, listed }) => notesOn(server, listed)),
  };
}

const notesOn = ({ name }: Server, { hasMore, unreadable }: ListedTools): string[] => [
  ...(hasMore ? [`${named(name)} has more tools than you are shown.`] : []),
  ...(unreadable > 0
    ? [`${named(name)} has tools that cannot be read, and that you are not shown: ${unreadable}.`]
    : []),
];

async function listOne(
  world: World,
  caller: ServerCaller,
  { server, config, isTurnsFirst }: { server: Server; config: AgentConfig; isTurnsFirst: boolean },
  signal: AbortSignal,
): Promise<Listed> {
  const toolset = JSON.stringify(toolsetOf(config, server.name));
  const isWanted = (name: string) => behaviourOf(config, server.name, name)?.enabled === true;
  try {
    const asking = { signal, mayAssume: true };
    const listed = await withServer(world, caller, server, asking, async (kept, waiting) => {
      const nowMs = world.clock.monotonicMs();
      const isOld =
        kept.connection.haveToolsChanged() ||
        nowMs - kept.listedMs >= (kept.listed?.ttlMs ?? limits.serverToolsAgeMs);
      const isSame = kept.listedFor === toolset && !(isTurnsFirst && isOld);
      if (kept.listed !== undefined && isSame) return kept.listed;
      kept.listed = await kept.connection.list(isWanted, waiting);
      kept.listedMs = nowMs;
      kept.listedFor = toolset;
      return kept.listed;
    });
    return { server, listed };
  } catch (error) {
    if (signal.aborted) throw error;
    return { server, error: errorOf(world, server.name, error) };
  }
}

const offered = (config: AgentConfig, server: Server, { tools }: ListedTools): OfferedTool[] =>
  tools.flatMap(({ name, description, inputSchema, page, isForModels = true }): OfferedTool[] => {
    const behaviour = behaviourOf(config, server.name, name);
    if (behaviour === undefined || !isForModels) return [];
    const policy = behaviour.permission_policy.type;
    const longName = modelNameOf(server.name, name);
    const place = page && { page: { uri: page, server_url: server.url } };
    const remote = { server: server.name, url: server.url, name, longName, ...place };
    return [{ kind: "mcp", name: longName, description, inputSchema, policy, remote }];
  });

const toolsetOf = ({ tools }: AgentConfig, server: string) =>
  tools.find((tool) => tool.type === "mcp_toolset" && tool.mcp_server_name === server);

function behaviourOf(config: AgentConfig, server: string, name: string) {
  const toolset = toolsetOf(config, server);
  if (toolset?.type !== "mcp_toolset") return undefined;
  return toolset.configs.find((config) => config.name === name) ?? toolset.default_config;
}

/** In a sentence that is ours. */
export function errorOf({ logger }: World, server: string, error: unknown): ServerError {
  const isFault = error instanceof McpFault;
  if (!isFault) logger.error({ error }, "an MCP server could not be asked");
  const isRefused = isFault && error.kind === "authentication";
  return {
    type: isRefused ? "mcp_authentication_failed_error" : "mcp_connection_failed_error",
    message: `${named(server)} ${isFault ? error.message : ours}`,
    mcp_server_name: server,
  };
}

export const named = (server: string) => `The MCP server ${JSON.stringify(server)}`;
const ours = "could not be asked: this server failed. Its log says more.";

/** The calls of a session are one trace (W3C), and each is a span of its own, the same however often it is asked. */
export function traceOfSession(
  sessionId: string,
  callId = "",
): { traceId: string; spanId: string } {
  const hex = (text: string, length: number) =>
    createHash("sha256").update(text).digest("hex").slice(0, length);
  return { traceId: hex(sessionId, 32), spanId: hex(`${sessionId} ${callId}`, 16) };
}

function traceparentOf(sessionId: string, callId: string): string {
  const { traceId, spanId } = traceOfSession(sessionId, callId);
  return `00-${traceId}-${spanId}-01`;
}

export type ServerResult =
  | (ToolResult & Partial<WholeResult> & { error?: ServerError })
  | { asks: ServerAsks }
  | { task: TaskHandle };

/** Sealed beside the log until the call has its result. */
export type KeptAsks = Pick<ServerAsks, "requestState" | "given">;
const nothingKept: KeptAsks = { requestState: null, given: {} };

/** What keeps a call from its result is its result; an interrupt is thrown. */
export async function callServerTool(
  world: World,
  caller: ServerCaller,
  {
    config,
    call,
    kept,
    help,
  }: {
    config: AgentConfig;
    call: Pick<Call, "id" | "name" | "server" | "input" | "question">;
    /** What came with the question that is answered. */
    kept: KeptAsks | null;
    help: ServerHelp;
  },
  signal: AbortSignal,
): Promise<ServerResult> {
  const { name, input, question } = call;
  const server = config.mcp_servers.find((each) => each.name === call.server);
  if (server === undefined || behaviourOf(config, server.name, name)?.enabled !== true)
    return failed("The agent does not have this tool any more: the call was not run.");
  let isAsked = false;
  try {
    const came = await withServer(world, caller, server, { signal }, ({ connection, listed }) => {
      isAsked = true;
      const known = listed?.tools.find((tool) => tool.name === name);
      const resumed = question && {
        ...(kept ?? nothingKept),
        answers: question.answers ?? {},
        samples: question.samples,
      };
      const traceparent = traceparentOf(caller.session.id, call.id);
      return connection.callOrAsk(known ?? { name }, input, { signal, resumed, help, traceparent });
    });
    const isTooMuch = "asks" in came && (question?.times ?? 0) >= limits.questionsPerCallMax;
    return isTooMuch ? failed(`${named(server.name)} ${askedTooOften}`) : came;
  } catch (error) {
    if (signal.aborted) throw error;
    const told = errorOf(world, server.name, error);
    const fault = error instanceof McpFault ? error : undefined;
    const mayHaveRun = fault?.mayHaveRun ?? isAsked;
    // Of the call itself; a connection that is answered so was not made.
    if (fault?.kind === "answer" && mayHaveRun)
      return failed([told.message, fault.said ?? []].flat().join(" It says: "));
    return { ...failed(`${told.message} ${effectWords(mayHaveRun)}`), error: told };
  }
}

export const askedTooOften = `asked for something ${limits.questionsPerCallMax} times, and once more: the call was given up.`;
