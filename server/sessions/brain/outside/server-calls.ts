// Calls of tools of MCP servers: made, followed while their servers work on them, and cancelled.
import { parseExactly } from "../../../../kernel/base/exact-json.ts";
import type { World } from "../../../../kernel/context.ts";
import { DecryptionError } from "../../../../kernel/secret/keyring.ts";
import { mcpSettingsOf, type TaskHandle } from "../../../mcp_client/module.ts";
import { failed } from "../../../sandboxes/module.ts";
import type { WebCall } from "../../../web_tools/module.ts";
import type { Call } from "../../conversation/state.ts";
import { internal } from "../../events/drafts.ts";
import { makeProgressTeller } from "../../events/previews.ts";
import { limits } from "../../limits.ts";
import { helpOf } from "../../model/server-help.ts";
import type { WorkedSession } from "../../model/queries.ts";
import { networkPart, readPolicy } from "../../network/network.ts";
import type { Came, OutsideContext } from "./context.ts";
import { personOf } from "./held-questions.ts";
import { findQuestionState } from "../../servers/queries.ts";
import { questionStateContext, type ServerCaller } from "../../servers/servers.ts";
import { cancelTask, followTask, type TaskGoesOn } from "../../servers/tasks.ts";
import {
  callServerTool,
  listServerTools,
  type KeptAsks,
  type ServerResult,
  type ServerTools,
} from "../../servers/tools.ts";
import { agentOf } from "../../steps/context.ts";
import type { Draft } from "../../steps/drafts.ts";
import { addQuestion } from "../../steps/questions.ts";
import { addServerFault, addToolResult } from "../../steps/steps.ts";

type ServerContext = Pick<OutsideContext, "session" | "thread" | "signal">;
type CallContext = ServerContext & Pick<OutsideContext, "tell" | "heard">;

export async function serverToolsOf(
  world: World,
  { session, thread, signal }: ServerContext,
  answered: readonly string[] | null,
): Promise<ServerTools> {
  const { config } = agentOf(thread, session);
  if (config.mcp_servers.length === 0 || answered?.length === 0) return noServerTools;
  const caller = await callerOf(world, { session, thread });
  return listServerTools(world, caller, { config, answered }, signal);
}

const noServerTools: ServerTools = { tools: [], connected: [], errors: [], notes: [] };

export async function runServerCall(world: World, given: CallContext, call: Call): Promise<Came> {
  const { session } = given;
  const caller = await callerOf(world, given);
  const purpose = questionStateContext(call.id);
  const sealed = call.question && (await findQuestionState(world.db, session.id, call.id));
  const kept = sealed === null ? null : unsealed(world, sealed, purpose);
  if (kept === undefined) {
    const result = failed(
      `What the MCP server ${JSON.stringify(call.server)} wants back along with the answer cannot be unsealed any more: the call was not run.`,
    );
    return (draft, context) => addToolResult(draft, context, call, result);
  }
  const came = await makeOrFollow(world, given, { caller, call, kept });
  if ("asks" in came) {
    const { questions, samples, ...asks } = came.asks;
    const isEmpty = asks.requestState === null && Object.keys(asks.given).length === 0;
    const sealedState = isEmpty ? null : world.secrets.encrypt(JSON.stringify(asks), purpose);
    return (draft, context) =>
      addQuestion(draft, context, call, { questions, samples, sealedState });
  }
  if ("pauseMs" in came) {
    const { pauseMs, isAnswerTaken } = came;
    return (draft) => {
      const answered = { type: "internal.mcp_task_answered" as const, tool_use_id: call.id };
      if (isAnswerTaken) draft.add(internal(answered));
      return { pauseMs };
    };
  }
  if ("task" in came) {
    const untilMs = world.clock.now().getTime() + mcpSettingsOf(world).taskMs;
    return (draft) => addTask(draft, call, { ...came.task, untilMs });
  }
  const { error, structured, ...result } = came;
  const forPage = call.hasPage && isShownOnPage(structured) ? { forPage: structured } : {};
  return (draft, context) => {
    if (error !== undefined) addServerFault(draft, context, error);
    addToolResult(draft, context, call, { ...result, ...forPage });
  };
}

/** Streams that look at the session are told how far it is, until something has come of it. */
async function makeOrFollow(
  world: World,
  { session, thread, signal, ...telling }: CallContext,
  { caller, call, kept }: { caller: ServerCaller; call: Call; kept: KeptAsks | null },
): Promise<ServerResult | TaskGoesOn> {
  const { config } = agentOf(thread, session);
  const ended = new AbortController();
  const told = { threadId: thread.id, id: call.id, after: thread.state.position };
  const tell = makeProgressTeller(world, told, ended.signal);
  try {
    if (call.task !== null)
      return await followTask(world, caller, { config, call, task: call.task, tell }, signal);
    const help = {
      ...helpOf(world, { session, thread, signal }),
      ask: personOf(world, { session, thread, signal, ...telling }, call.id),
      tell,
    };
    return await callServerTool(world, caller, { config, call, kept, help }, signal);
  } finally {
    ended.abort();
  }
}

/** Rule MSV30. */
const isShownOnPage = (structured: object | null = null): structured is object =>
  structured !== null && JSON.stringify(structured).length <= limits.structuredCharactersMax;

/** Undefined where its key is gone. */
function unsealed(
  { secrets, logger }: World,
  sealed: string,
  purpose: string,
): KeptAsks | undefined {
  try {
    return parseExactly(secrets.decrypt(sealed, purpose).toString()) as KeptAsks;
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    logger.error({ error, purpose }, "what an MCP server wants back cannot be unsealed");
    return undefined;
  }
}

export async function cancelTaskOf(
  world: World,
  { session, thread, signal }: ServerContext,
  call: Call,
): Promise<Came> {
  const { config } = agentOf(thread, session);
  const caller = await callerOf(world, { session, thread });
  const result = await cancelTask(world, caller, { config, call }, signal);
  return (draft, context) => addToolResult(draft, context, call, result);
}

const callerOf = async (
  world: World,
  { session, thread }: Pick<OutsideContext, "session" | "thread">,
): Promise<ServerCaller> => ({
  session,
  threadId: thread.id,
  ...(await networkOf(world, session)),
});

/** Before its server is asked about it for the first time. */
function addTask(
  draft: Draft,
  { id: callId }: Call,
  { id, pollMs, untilMs }: TaskHandle & { untilMs: number },
): void {
  const task = { task_id: id, poll_ms: pollMs, until_ms: untilMs };
  draft.add(internal({ type: "internal.mcp_task_made", tool_use_id: callId, ...task }));
}

/** As sandboxes of the session's environment have it. That of workers is theirs, and says nothing of this server. */
export async function networkOf(
  world: World,
  { id, environmentType }: WorkedSession,
): Promise<Pick<WebCall, "policy" | "onRefused">> {
  if (environmentType === "self_hosted")
    return { policy: { type: "unrestricted" }, onRefused: () => {} };
  const { refusals } = networkPart.of(world);
  return {
    policy: await readPolicy(world, id),
    onRefused: (refusal) => refusals.note(id, refusal),
  };
}
