// One call of a tool, made again while its server only wants that; and what can come of it.
import {
  isInputRequiredResult,
  type Client,
  type RequestOptions,
  type Tool,
} from "@modelcontextprotocol/client";
import { readResult } from "./answers/content.ts";
import { limits } from "./limits.ts";
import type { WholeResult } from "./answers/pages.ts";
import type { Helping } from "./questions/help.ts";
import { readAsked, type QuestionAnswers, type ServerAsks } from "./questions/questions.ts";
import { readTask, type TaskHandle } from "./tasks.ts";
import type { Scrub, ServerTool } from "./lists/tools.ts";
import { McpFault } from "./wire.ts";

/** A call goes on with the answers to what its server has asked, and with the state that the server wants back. */
export interface Resumed extends Pick<ServerAsks, "requestState" | "given" | "samples"> {
  answers: QuestionAnswers;
}

/** Its result, what its server wants to know first, or the task that it goes on with. */
export type CallOutcome = WholeResult | { asks: ServerAsks } | { task: TaskHandle };

export type CalledTool = Pick<ServerTool, "name"> & Partial<Pick<ServerTool, "definition">>;

interface CallContext {
  client: Client;
  scrub: Scrub;
  helping: Helping;
  taskGiven: TaskGiven;
}

type Calling = [
  params: { name: string; arguments: Record<string, unknown>; _meta?: Record<string, string> },
  options: RequestOptions & { toolDefinition?: Tool },
];

export const callOf = (
  { name, definition }: CalledTool,
  input: Record<string, unknown>,
  options: RequestOptions,
  meta?: Record<string, string>,
): Calling => [
  { name, arguments: input, ...(meta && { _meta: meta }) },
  { ...options, ...(definition !== undefined && { toolDefinition: definition }) },
];

/** One that asks no person is called again at once, with its state and what was asked of the session. */
export async function callOrAsk(
  { client, scrub, helping, taskGiven }: CallContext,
  [params, options]: Calling,
  resumed: Resumed | null,
): Promise<CallOutcome> {
  let back: object | null = resumed && {
    inputResponses: { ...resumed.given, ...resumed.answers },
    ...stateOf(resumed),
  };
  for (let time = 0; time <= limits.againTimesMax; time++) {
    const given = { ...params, ...back };
    const result = await client.callTool(given, { ...options, allowInputRequired: true });
    const task = taskGiven();
    if (task !== undefined) return { task: readTask(task, scrub) };
    if (!isInputRequiredResult(result)) return readResult(result, scrub);
    const { ofSession, ...asks } = readAsked(result, scrub);
    const inputResponses = await helping.answers(ofSession);
    const { samples } = helping;
    if (Object.keys(asks.questions).length > 0)
      return { asks: { ...asks, given: inputResponses, samples } };
    back = { ...stateOf(asks), ...(Object.keys(ofSession).length > 0 && { inputResponses }) };
  }
  throw new McpFault("answer", "wanted the call to be made again and again, without a result.");
}

export type TaskGiven = () => Record<string, unknown> | undefined;

/** Where no later look at it is to be had. */
export function noTask<T>(result: T, taskGiven: TaskGiven): T {
  if (taskGiven() === undefined) return result;
  throw new McpFault("answer", "went on working, and gave a task that it was not asked for.");
}

const stateOf = ({ requestState }: Pick<ServerAsks, "requestState">) =>
  requestState === null ? {} : { requestState };
