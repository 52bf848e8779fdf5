// Tasks: a turn of a session that a client looks at until it has ended. All of a task lies in the session's events.
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  fromJsonSchema,
  type CallToolResult,
  type InputRequests,
} from "@modelcontextprotocol/server";
import { isFailure, type Failure } from "../../kernel/base/failure.ts";
import { timeOfId } from "../../kernel/base/ids.ts";
import { redactKeys } from "../../kernel/base/redact-keys.ts";
import { limits } from "./limits.ts";
import type { Api, Client, Turn } from "./caller.ts";
import { answerCalls, askAbout, callsOfPerson } from "./questions.ts";
import { resultOf } from "./tools/agents.ts";
import { readTurn } from "./turns.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

export const taskParams = fromJsonSchema<{ taskId: string }>({
  type: "object",
  properties: { taskId: { type: "string", maxLength: 200 } },
  required: ["taskId"],
});

/** Rule MCE20: the id names the session and the message, so that any process finds them. */
const idOf = ({ session_id, sent_id }: Turn) => `${session_id}.${sent_id}`;

function turnOf(taskId: string): Turn {
  const [session_id = "", sent_id = ""] = taskId.split(".");
  return { session_id, sent_id };
}

interface Task {
  taskId: string;
  status: "working" | "input_required" | "completed" | "cancelled";
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** A session stays until it is deleted. */
  ttlMs: null;
  pollIntervalMs: number;
  result?: CallToolResult;
  inputRequests?: InputRequests;
}

export const newTask = (turn: Turn, now: Date) => ({
  resultType: "task" as const,
  ...taskOf(turn, now.toISOString()),
});

const taskOf = (turn: Turn, lastUpdatedAt: string): Task => ({
  taskId: idOf(turn),
  status: "working",
  createdAt: timeOfId(turn.sent_id).toISOString(),
  lastUpdatedAt,
  ttlMs: null,
  pollIntervalMs: limits.taskPollMs,
});

/** What is asked about tasks, by a client that may. */
export interface TaskRequest {
  api: Api;
  client: Client;
  taskId: string;
  responses: Record<string, unknown>;
}

/** Rule MCE21. */
export async function getTask({ api, client, taskId }: TaskRequest): Promise<Task> {
  const turn = turnOf(taskId);
  const { state, session } = await found(api, client, taskId);
  const task = taskOf(turn, session.updated_at);
  if (state.is === "ended") {
    const { text, fields, isError } = await resultOf(api, turn, state);
    const ended = { ...task, lastUpdatedAt: state.end.processed_at ?? session.updated_at };
    if (state.isInterrupted) return { ...ended, status: "cancelled" };
    const content = [{ type: "text" as const, text }];
    const result = { content, structuredContent: fields ?? {}, ...(isError && { isError }) };
    return { ...ended, status: "completed", result };
  }
  if (state.is === "working") return task;
  const calls = await callsOfPerson(api, turn, state.callIds);
  if (calls.length === 0) return task;
  const inputRequests = askAbout(calls, client);
  // Others can answer where this client cannot: it goes on then.
  if (Object.keys(inputRequests).length === 0)
    return {
      ...task,
      statusMessage: "The session waits for a person, who answers in the console or by the API.",
    };
  return { ...task, status: "input_required", inputRequests };
}

/** Rule MCE23: some answers, or all. */
export async function updateTask({ api, client, taskId, responses }: TaskRequest): Promise<object> {
  const { state } = await found(api, client, taskId);
  if (state.is === "waiting") await answerCalls(api, turnOf(taskId), state.callIds, responses);
  return {};
}

export async function cancelTask({ api, client, taskId }: TaskRequest): Promise<object> {
  const { state, session } = await found(api, client, taskId);
  if (state.is === "ended") return {};
  const body = { events: [{ type: "user.interrupt" }] };
  await api("sessions.events.send", { params: { session_id: session.id }, body });
  return {};
}

interface Session {
  id: string;
  updated_at: string;
}

async function found(api: Api, client: Client, taskId: string) {
  if (!client.hasTasks)
    throw new MissingRequiredClientCapabilityError({
      requiredCapabilities: { extensions: { [tasksExtension]: {} } },
    });
  const turn = turnOf(taskId);
  const params = { session_id: turn.session_id };
  if (idOf(turn) !== taskId) throw noTask(taskId);
  try {
    const session = (await api("sessions.retrieve", { params })) as Session;
    const state = await readTurn(api, turn);
    if (state !== undefined) return { session, state };
  } catch (error) {
    if (!isFailure(error) || error.type !== "not_found_error") throw error;
  }
  throw noTask(taskId);
}

const noTask = (taskId: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${taskId}.`);

/** What may be asked again later is no fault of the params. */
export const isPassing = ({ status }: Failure): boolean => status === 429 || status >= 500;

/** What the API refuses, as an error of the protocol. */
export function protocolErrorOf(failure: Failure): ProtocolError {
  const { InvalidParams, InternalError } = ProtocolErrorCode;
  const { type, message } = failure;
  const code = isPassing(failure) ? InternalError : InvalidParams;
  return new ProtocolError(code, redactKeys(message), { type });
}
