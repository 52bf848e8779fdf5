// Tasks: what a server that works for long gives in place of a result, and what it says of one when it is asked.
import {
  isSpecType,
  type CallToolResult,
  type Client,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import { readResult } from "./answers/content.ts";
import { fieldsOf } from "./fields.ts";
import { limits } from "./limits.ts";
import type { WholeResult } from "./answers/pages.ts";
import { readAsked, type QuestionAnswers, type ServerAsks } from "./questions/questions.ts";
import { clean, cut, type Scrub } from "./lists/tools.ts";
import { wordsOf } from "./answers/progress.ts";
import { readableBlocks } from "./transport.ts";
import { McpFault } from "./wire.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** What a later process asks the server about. */
export interface TaskHandle {
  id: string;
  pollMs: number;
}

export type TaskNews =
  /** `isWaiting`: for answers that it was given already; `said` is of the server, if it says how far it is. */
  | { is: "working"; pollMs: number; isWaiting: boolean; said: string | null }
  | { is: "asking"; asks: ServerAsks }
  /** `said` is of the server. */
  | { is: "failed"; said: string }
  | { is: "cancelled" }
  | { is: "completed"; result: WholeResult };

export interface TaskRequests {
  /** What it has been answered, by the server's keys, is not asked for again. */
  look(id: string, answered: ReadonlySet<string>): Promise<TaskNews>;
  answer(id: string, answers: QuestionAnswers): Promise<void>;
  cancel(id: string): Promise<void>;
}

/** Throws the fault of a server whose task cannot be asked about (rule MCP26). */
export function readTask(given: Record<string, unknown>, scrub: Scrub): TaskHandle {
  const { taskId: id } = given;
  const isGood =
    typeof id === "string" && /^[\x21-\x7e]+$/.test(id) && id.length <= limits.taskIdCharactersMax;
  if (!isGood || scrub(id) !== id)
    throw new McpFault(
      "answer",
      "gave a task in place of a result, without an id that can be kept.",
    );
  return { id, pollMs: pollMsOf(given) };
}

const pollMsOf = ({ pollIntervalMs: given }: Record<string, unknown>): number => {
  const askedMs = typeof given === "number" && given > 0 ? given : limits.taskPollMsDefault;
  return Math.min(Math.max(askedMs, limits.taskPollMsMin), limits.taskPollMsMax);
};

interface Asking {
  client: Client;
  scrub: Scrub;
  options: RequestOptions;
}

export function taskRequests({ client, scrub, options }: Asking): TaskRequests {
  const ask = async (method: string, params: object): Promise<Record<string, unknown>> =>
    fieldsOf(await client.request({ method, params: { ...params } }, anything, options));
  return {
    look: async (id, answered) =>
      readNews(await ask("tasks/get", { taskId: id }), { answered, scrub }),
    answer: async (id, inputResponses) =>
      void (await ask("tasks/update", { taskId: id, inputResponses })),
    cancel: async (id) => void (await ask("tasks/cancel", { taskId: id })),
  };
}

/** What is read of an answer is read piece by piece. */
const anything = {
  "~standard": {
    version: 1 as const,
    vendor: "plinth",
    validate: (value: unknown) => ({ value }),
  },
};

async function readNews(
  task: Record<string, unknown>,
  { answered, scrub }: { answered: ReadonlySet<string>; scrub: Scrub },
): Promise<TaskNews> {
  switch (task["status"]) {
    case "working":
      return { ...workingOn(task, scrub), isWaiting: false };
    case "input_required": {
      const requests = Object.entries(fieldsOf(task["inputRequests"]));
      const open = requests.filter(([key]) => !answered.has(key));
      if (open.length === 0) return { ...workingOn(task, scrub), isWaiting: true };
      const asked = readAsked({ inputRequests: Object.fromEntries(open) }, scrub);
      const { ofSession, ...asks } = asked;
      if (Object.keys(ofSession).length > 0)
        throw new McpFault("answer", "asked, in a task, for what a session gives in calls alone.");
      return { is: "asking", asks: { ...asks, given: {}, samples: 0 } };
    }
    case "completed":
      return { is: "completed", result: await readResult(resultIn(task), scrub) };
    case "failed": {
      const { code, message } = fieldsOf(task["error"]);
      const words = typeof message === "string" ? message : "";
      const said = [typeof code === "number" ? `(${code})` : "", words].join(" ").trim();
      return { is: "failed", said: cut(clean(scrub(said)), limits.errorCharactersMax) };
    }
    case "cancelled":
      return { is: "cancelled" };
    default:
      throw new McpFault("answer", "told a state of its task that is none.");
  }
}

const workingOn = (task: Record<string, unknown>, scrub: Scrub) => ({
  is: "working" as const,
  pollMs: pollMsOf(task),
  said: wordsOf(task["statusMessage"], scrub),
});

function resultIn(task: Record<string, unknown>): CallToolResult {
  const { content, structuredContent, isError } = fieldsOf(task["result"]);
  const result = {
    content: readableBlocks(Array.isArray(content) ? content : []),
    ...(structuredContent !== undefined && { structuredContent: fieldsOf(structuredContent) }),
    isError: isError === true,
  };
  if (!Array.isArray(content) || !isSpecType.CallToolResult(result))
    throw new McpFault("answer", "ended its task with a result that is none.");
  return result;
}
