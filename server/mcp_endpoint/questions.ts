// What a session waits for a person with, asked of the client of MCP, and what the client answers.
import { ProtocolError, ProtocolErrorCode, type InputRequests } from "@modelcontextprotocol/server";
import type { Api, Client, Turn } from "./caller.ts";
import { limits } from "./limits.ts";
import { withTableNames } from "./meta.ts";
import { readCalls, type SessionEvent } from "./turns.ts";

/** A call that waits, as the session's events have it. */
interface WaitingCall extends SessionEvent {
  name?: string;
  input?: Record<string, unknown>;
  mcp_server_name?: string;
  evaluated_permission?: string;
  /** An MCP server asks; an agent's own tool of that name is a tool as any other. */
  isOfServer?: boolean;
}

interface Question {
  key: string;
  mode: "form" | "url";
  params: Record<string, unknown>;
}

interface QuestionAnswer {
  action: "accept" | "decline" | "cancel";
  content: Record<string, unknown>;
}

/** How a call is asked about, and what the session is told of the answer. */
interface AskedCall {
  questions: Question[];
  /** Undefined where the call goes on waiting. */
  eventOf(answers: Record<string, QuestionAnswer>): object | undefined;
}

/** Rule MCE22. Undefined for a call that no person answers: a worker runs it. */
function asked(call: WaitingCall): AskedCall | undefined {
  if (call.type === "agent.custom_tool_use")
    return call.isOfServer === true ? passedOn(call) : resultOf(call);
  return call.evaluated_permission === "ask" ? confirmationOf(call) : undefined;
}

function confirmationOf(call: WaitingCall): AskedCall {
  const of = call.mcp_server_name === undefined ? "" : ` of the MCP server ${call.mcp_server_name}`;
  const params = {
    message: `The agent asks to run ${call.name}${of} with ${shown(call.input)}. Accept runs it, decline does not.`,
    requestedSchema: {
      type: "object",
      properties: {
        result: { type: "string", title: "Run it?", enum: ["allow", "deny"], default: "allow" },
        deny_message: {
          type: "string",
          title: "What the agent is told of a no",
          maxLength: 10_000,
        },
      },
    },
  };
  return {
    questions: [{ key: call.id, mode: "form", params }],
    eventOf: (answers) => {
      const { action, content } = answers[call.id] ?? {};
      if (action === undefined || action === "cancel") return undefined;
      const { result = "allow", deny_message: why } = content ?? {};
      // What is neither is no yes.
      if (action === "accept" && result !== "allow" && result !== "deny")
        throw badAnswer(`${call.id}.content.result`, "must be allow or deny");
      const isAllowed = action === "accept" && result === "allow";
      return {
        type: "user.tool_confirmation",
        tool_use_id: call.id,
        result: isAllowed ? "allow" : "deny",
        ...(!isAllowed && typeof why === "string" && { deny_message: why }),
      };
    },
  };
}

function resultOf(call: WaitingCall): AskedCall {
  const params = {
    message: `The agent calls ${call.name}, a tool that its clients run, with ${shown(call.input)}. What is the result?`,
    requestedSchema: {
      type: "object",
      properties: {
        result: { type: "string", title: "Result" },
        is_error: { type: "boolean", title: "It failed", default: false },
      },
      required: ["result"],
    },
  };
  return {
    questions: [{ key: call.id, mode: "form", params }],
    eventOf: (answers) => {
      const { action, content } = answers[call.id] ?? {};
      if (action === undefined || action === "cancel") return undefined;
      const result = content?.["result"];
      if (action === "accept" && typeof result !== "string")
        throw badAnswer(`${call.id}.content.result`, "must be a text");
      const isError = content?.["is_error"] ?? false;
      if (action === "accept" && typeof isError !== "boolean")
        throw badAnswer(`${call.id}.content.is_error`, "must be true or false");
      const text = action === "accept" ? String(result) : "The person declined to run this tool.";
      return {
        type: "user.custom_tool_result",
        custom_tool_use_id: call.id,
        content: text === "" ? [] : [{ type: "text", text }],
        is_error: action === "decline" || isError === true,
      };
    },
  };
}

/** An MCP server of the agent asks: its questions go on as they are, and are answered together. */
function passedOn(call: WaitingCall): AskedCall {
  const requests = (call.input?.["requests"] ?? {}) as Record<string, Record<string, unknown>>;
  const keyOf = (name: string) => `${call.id}.${name}`;
  const questions = Object.entries(requests).map(([name, { mode, ...params }]): Question =>
    mode === "url"
      ? { key: keyOf(name), mode, params: { mode, ...params, elicitationId: keyOf(name) } }
      : { key: keyOf(name), mode: "form", params },
  );
  return {
    questions,
    eventOf: (answers) => {
      const given = questions.filter(({ key }) => answers[key] !== undefined);
      if (given.length === 0) return undefined;
      const missing = questions.find(({ key }) => answers[key] === undefined);
      if (missing !== undefined)
        throw badAnswer(missing.key, "is missing; answer all questions of a call together");
      const told = questions.map(({ key, mode }) => {
        const { action, content } = answers[key] as QuestionAnswer;
        const takesContent = action === "accept" && mode === "form";
        return [key.slice(call.id.length + 1), { action, ...(takesContent && { content }) }];
      });
      const text = JSON.stringify(Object.fromEntries(told));
      return {
        type: "user.custom_tool_result",
        custom_tool_use_id: call.id,
        content: [{ type: "text", text }],
      };
    },
  };
}

function shown(input: unknown): string {
  const text = JSON.stringify(input ?? {});
  const most = limits.askedInputCharactersMax;
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}

/** Those of the calls that a person answers. */
export async function callsOfPerson(
  api: Api,
  turn: Turn,
  callIds: readonly string[],
): Promise<WaitingCall[]> {
  const calls: WaitingCall[] = await readCalls(api, turn, callIds);
  const named = calls.flatMap(({ name, input }) =>
    name === "mcp_input" ? [String(input?.["mcp_tool_use_id"])] : [],
  );
  const asking = named.length === 0 ? [] : await readCalls(api, turn, named);
  const isOfServer = ({ type, name, input }: WaitingCall) =>
    type === "agent.custom_tool_use" &&
    name === "mcp_input" &&
    asking.some((call) => {
      const { id, type: kind, mcp_server_name: server }: WaitingCall = call;
      const isNamed = id === input?.["mcp_tool_use_id"] && server === input["server"];
      return kind === "agent.mcp_tool_use" && isNamed;
    });
  return calls
    .map((call) => ({ ...call, isOfServer: isOfServer(call) }))
    .filter((call) => asked(call) !== undefined);
}

/** What this client can ask its person; the names of the specification's table stand beside those of the packages. */
export function askAbout(calls: readonly WaitingCall[], client: Client): InputRequests {
  const questions = calls
    .flatMap((call) => {
      const { questions: all = [] } = asked(call) ?? {};
      return all.every(({ mode }) => client[mode]) ? all : [];
    })
    .map(({ key, params }) => [key, withTableNames({ method: "elicitation/create", params })]);
  return Object.fromEntries(questions) as InputRequests;
}

/** Answers to what waits no longer are left out: it was answered, by this client or another. Whether any is left. */
export async function answerCalls(
  api: Api,
  turn: Turn,
  callIds: readonly string[],
  responses: Record<string, unknown>,
): Promise<boolean> {
  const calls = await callsOfPerson(api, turn, callIds);
  const events = calls.flatMap((call) => eventOf(call, responses) ?? []);
  if (events.length === 0) return false;
  await api("sessions.events.send", { params: { session_id: turn.session_id }, body: { events } });
  return true;
}

function eventOf(call: WaitingCall, responses: Record<string, unknown>): object | undefined {
  const one = asked(call);
  const answers = (one?.questions ?? [])
    .filter(({ key }) => Object.hasOwn(responses, key))
    .map(({ key }) => [key, readAnswer(key, responses[key])] as const);
  return one?.eventOf(Object.fromEntries(answers));
}

function readAnswer(key: string, given: unknown): QuestionAnswer {
  const { action, content } = (given ?? {}) as { action?: unknown; content?: unknown };
  if (action !== "accept" && action !== "decline" && action !== "cancel")
    throw badAnswer(`${key}.action`, "must be accept, decline or cancel");
  if (content !== undefined && (typeof content !== "object" || content === null))
    throw badAnswer(`${key}.content`, "must be an object");
  return { action, content: { ...content } };
}

const badAnswer = (place: string, what: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `inputResponses.${place}: ${what}.`);
