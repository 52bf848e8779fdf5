// Tasks of MCP servers: asked about until they have ended, and cancelled with the call that they are the result of.
import type { World } from "../../../kernel/context.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import type { AgentConfig } from "../../agents/module.ts";
import {
  McpFault,
  mcpLimits,
  mcpSettingsOf,
  type Progress,
  type TaskNews,
  type TaskRequests,
} from "../../mcp_client/module.ts";
import { failed, type ToolResult } from "../../sandboxes/module.ts";
import type { ServerError } from "../conversation/events.ts";
import type { Call, CallTask } from "../conversation/state.ts";
import { limits } from "../limits.ts";
import { withServer, type Server, type ServerCaller } from "./servers.ts";
import { askedTooOften, errorOf, named, type ServerResult } from "./tools.ts";

interface Following {
  config: AgentConfig;
  call: Call;
  task: CallTask;
  /** How far it is. */
  tell: (progress: Progress) => void;
}

/**
 * A look does nothing, so that one that fails is made again, over another connection; an answer that was given already
 * is given again by a process. What keeps the call from its result is its result (rule SES155).
 */
export async function followTask(
  world: World,
  caller: ServerCaller,
  { config, call, task, tell }: Following,
  signal: AbortSignal,
): Promise<ServerResult | TaskGoesOn> {
  const server = serverOf(config, call);
  if (server === undefined)
    return failed(`${named(call.server ?? "")} is not the agent's any more. ${unknownWords}`);
  const asking: Asking & Pick<Following, "tell"> = { world, caller, server, signal, tell };
  const came = await newsOf(asking, call, task);
  if (!("is" in came)) return came;
  switch (came.is) {
    case "completed":
      return came.result;
    case "failed":
      return failed(`${named(server.name)} says that its task failed: ${came.said}`);
    case "cancelled":
      return failed(`${named(server.name)} says that its task was cancelled.`);
    case "working":
      return { pauseMs: came.pauseMs, isAnswerTaken: came.isAnswerTaken };
    // It asks.
    default:
      if ((call.question?.times ?? 0) < limits.questionsPerCallMax) return { asks: came.asks };
      await cancel(asking, task.id);
      return failed(`${named(server.name)} ${askedTooOften}`);
  }
}

/** It takes long: a process looks again after the pause, and until then none waits. */
export interface TaskGoesOn {
  pauseMs: number;
  /** The server has what it had asked for. */
  isAnswerTaken: boolean;
}

const unknownWords = "What came of its task is not known.";

const serverOf = ({ mcp_servers }: AgentConfig, { server: name }: Call): Server | undefined =>
  mcp_servers.find((each) => each.name === name);

interface Asking {
  world: World;
  caller: ServerCaller;
  server: Server;
  signal: AbortSignal;
}

type News = Exclude<TaskNews, { is: "working" }> | ({ is: "working" } & TaskGoesOn);

/** Until it has ended, asks for something, or takes long; or the result that is told in place of that. */
async function newsOf(
  asking: Asking & Pick<Following, "tell">,
  { question }: Pick<Call, "question">,
  task: CallTask,
): Promise<News | (ToolResult & { error?: ServerError })> {
  const { world, server, signal } = asking;
  const { clock } = world;
  const answers = question?.answers ?? {};
  const answered = new Set(question?.isTaken === true ? [] : Object.keys(answers));
  let toAnswer = answered.size > 0;
  let isAnswerTaken = false;
  // Where it was waited for before, the pause has passed.
  let isDue = ageOf(world, task) >= limits.taskHeldMs;
  let refusal: McpFault | undefined;
  let { pollMs } = task;
  let heardMs = clock.monotonicMs();
  for (;;) {
    if (!toAnswer && !isDue) await clock.sleep(pollMs, signal);
    isDue = false;
    signal.throwIfAborted();
    if (clock.now().getTime() >= task.untilMs) {
      const told = await cancel(asking, task.id);
      return failed(`${named(server.name)} worked on its task for too long: ${told}`);
    }
    try {
      if (toAnswer)
        await ask(asking, (tasks) => tasks.answer(task.id, answers)).catch((error) => {
          // It may have taken them from a process that died then.
          if (!isAnswer(error)) throw error;
          refusal = error;
        });
      toAnswer = false;
      const news = await ask(asking, (tasks) => tasks.look(task.id, answered));
      if (news.is !== "working") return news;
      if (news.said !== null) asking.tell({ progress: null, total: null, message: news.said });
      if (news.isWaiting && refusal !== undefined) return unknownEnd(asking, refusal);
      // It has come to them: what it asks by the same key now is another question.
      isAnswerTaken ||= !news.isWaiting && answered.size > 0;
      if (!news.isWaiting) answered.clear();
      heardMs = clock.monotonicMs();
      ({ pollMs } = news);
      const ageMs = ageOf(world, task);
      if (ageMs >= limits.taskHeldMs && !news.isWaiting)
        return { is: "working", pauseMs: pauseOf(ageMs, pollMs), isAnswerTaken };
    } catch (error) {
      const isSilent = clock.monotonicMs() - heardMs >= mcpLimits.taskSilenceMs;
      // It is not asked about any more.
      if (!signal.aborted && isAnswer(error)) await cancel(asking, task.id);
      if (signal.aborted || !isPassing(error) || isSilent) return unknownEnd(asking, error);
      pollMs = Math.min(pollMs * 2, mcpLimits.taskPollMsMax);
      if (toAnswer) await clock.sleep(pollMs, signal);
    }
  }
}

const ageOf = (world: World, { untilMs }: CallTask): number =>
  world.clock.now().getTime() - (untilMs - mcpSettingsOf(world).taskMs);

/** The longer it has taken, the more seldom it is looked at. */
function pauseOf(ageMs: number, pollMs: number): number {
  const { taskPauseMsMin, taskPauseMsMax, taskPauseShare } = limits;
  return Math.min(Math.max(pollMs, ageMs * taskPauseShare, taskPauseMsMin), taskPauseMsMax);
}

/** Throws for an interrupt. */
function unknownEnd(
  { world, server, signal }: Asking,
  error: unknown,
): ToolResult & { error?: ServerError } {
  if (signal.aborted) throw error;
  const told = errorOf(world, server.name, error);
  const said =
    error instanceof McpFault && error.said !== undefined ? ` It says: ${error.said}` : "";
  const result = failed(`${told.message}${said} ${unknownWords}`);
  return isAnswer(error) ? result : { ...result, error: told };
}

const isAnswer = (error: unknown): error is McpFault =>
  error instanceof McpFault && error.kind === "answer";

/** A server that is away comes back; what is too large, or at an address that is refused, stays so. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof McpFault)) return false;
  const { kind, cause } = error;
  if (kind === "authentication" || kind === "answer") return false;
  return !(cause instanceof OutsideFailure) || ["timeout", "unreachable"].includes(cause.reason);
}

const ask = <T>(
  { world, caller, server, signal }: Asking,
  work: (tasks: TaskRequests) => Promise<T>,
  withinMs: number = mcpSettingsOf(world).connectMs,
): Promise<T> => {
  const untilMs = world.clock.monotonicMs() + withinMs;
  return withServer(world, caller, server, { signal, untilMs }, ({ connection }, waiting) =>
    connection.aboutTask(waiting, work),
  );
};

/** Answers in words what came of it: that a server cannot be told keeps no session waiting. */
async function cancel(asking: Asking, taskId: string): Promise<string> {
  try {
    await ask(asking, (tasks) => tasks.cancel(taskId), mcpLimits.taskCancelMs);
    return "it was cancelled.";
  } catch (error) {
    if (asking.signal.aborted) throw error;
    if (!(error instanceof McpFault))
      asking.world.logger.error({ error }, "a task of an MCP server could not be cancelled");
    return "it was to be cancelled, which its server did not take; it may go on.";
  }
}

/** Of an interrupted call. */
export async function cancelTask(
  world: World,
  caller: ServerCaller,
  { config, call }: Pick<Following, "config" | "call">,
  signal: AbortSignal,
): Promise<ToolResult> {
  const server = serverOf(config, call);
  const told =
    server === undefined || call.task === null
      ? "it may go on."
      : await cancel({ world, caller, server, signal }, call.task.id);
  return failed(`Interrupted while its server worked on it as a task: ${told}`);
}
