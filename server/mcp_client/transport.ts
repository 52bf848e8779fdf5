// How messages go to an MCP server and come back: what its client would wait for or throw away as a whole is told here.
import {
  isSpecType,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { fieldsOf } from "./fields.ts";
import type { Wire } from "./wire.ts";

/** What an answer is that ended without one, and one that has none. No server can send these very objects. */
export const brokenOff = {};
export const withoutResult = {};

export type Message = Parameters<NonNullable<Transport["onmessage"]>>[0];

/** One thing at a time is asked over it. */
export interface Question {
  id: string | number;
  method: string;
  /** It says its revision itself, as those since 2026-07-28 do. */
  isStateless: boolean;
  isAnswered: boolean;
  /** Tools of a list that cannot be read. */
  leftOut: number;
  /** What came in place of a result, where its server goes on working. */
  task: Record<string, unknown> | undefined;
}

export interface OpenTransport {
  transport: Transport;
  /** Of the last list. */
  leftOut: () => number;
  taskGiven: () => Question["task"];
  hasSession: () => boolean;
  endSession: () => Promise<void>;
}

/**
 * The client waits for an answer that breaks off, or is none, until its time is up. Here it is given one in its place
 * when the transport has no more to read, nor to resume; where the answer has come, the client takes no second.
 */
export function openTransport(url: string, wire: Wire): OpenTransport {
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: wire.fetch });
  let asked: Question | undefined;
  readAnswers(transport, (message) => {
    return asked === undefined ? message : takeAnswer(message, asked);
  });
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if (!("method" in message && "id" in message)) return send(message, options);
    const question = questionOf(message);
    asked = question;
    wire.isStream = false;
    const end = (data: object) => transport.onmessage?.(noAnswer(question, data));
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      end(brokenOff);
    };
    await send(sendable(message), { ...options, onRequestStreamEnd });
    // All of an answer that is no stream has been read by now.
    if (!question.isAnswered && !wire.isStream) end(withoutResult);
  };
  return {
    transport,
    leftOut: () => asked?.leftOut ?? 0,
    taskGiven: () => asked?.task,
    hasSession: () => transport.sessionId !== undefined,
    endSession: () => transport.terminateSession(),
  };
}

export const questionOf = ({
  id,
  method,
  params,
}: Pick<Question, "id" | "method"> & { params?: object | undefined }): Question => ({
  id,
  method,
  isStateless: PROTOCOL_VERSION_META_KEY in fieldsOf(fieldsOf(params)["_meta"]),
  isAnswered: false,
  leftOut: 0,
  task: undefined,
});

/** In place of an answer: what is wrong with it is in `data`. */
export const noAnswer = ({ id }: Question, data: object): Message => ({
  jsonrpc: "2.0",
  id,
  error: { code: ProtocolErrorCode.InternalError, message: "no answer", data },
});

export function takeAnswer(message: Message, asked: Question): Message {
  if (!isAnswerTo(message, asked)) return message;
  asked.isAnswered = true;
  return "result" in message ? readableAnswer(withType(message, asked), asked) : message;
}

/** What is of the newer revision alone. */
export function sendable(message: Message): Message {
  if (!("method" in message) || message.method !== "initialize") return message;
  const { capabilities, ...params } = message.params as { capabilities: Record<string, unknown> };
  const { extensions: _, ...others } = capabilities;
  return { ...message, params: { ...params, capabilities: others } };
}

const isAnswerTo = (message: Message, { id }: Question): boolean =>
  "id" in message && Number(message.id) === Number(id) && !("method" in message);

/** Whichever way its client listens. */
export function readAnswers(transport: Transport, read: (message: Message) => Message): void {
  let listener: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    get: () => listener,
    set: (given: Transport["onmessage"]) => {
      listener = given && ((message, extra) => given(read(message), extra));
    },
  });
}

/** What a server of the newer revision leaves out of a result, and its client would not take it without. */
function withType<Given extends Message>(message: Given, question: Question): Given {
  const { result } = message as unknown as { result: unknown };
  const isObject = typeof result === "object" && result !== null;
  if (!question.isStateless || !isObject) return message;
  const isKept = kept.has(question.method) || question.method.endsWith("/list");
  const untold = { resultType: "complete", ...(isKept && { ttlMs: 0, cacheScope: "private" }) };
  return { ...message, result: { ...untold, ...result } };
}

const kept = new Set(["server/discover", "resources/read"]);

/** One part that is not as the protocol has it would be the end of the whole answer. */
function readableAnswer<Given extends Message>(message: Given, question: Question): Given {
  const { result } = message as unknown as { result: Record<string, unknown> };
  const { method } = question;
  const { content, tools, resultType } = result;
  // Its client knows no such result, whether it came as JSON or in a stream.
  if (method === "tools/call" && resultType === "task") {
    question.task = result;
    return { ...message, result: { resultType: "complete", content: [] } };
  }
  if (method === "tools/call" && Array.isArray(content)) {
    return { ...message, result: { ...result, content: readableBlocks(content) } };
  }
  if (method === "tools/list" && Array.isArray(tools)) {
    const read = tools.filter((tool) => isSpecType.Tool(tool));
    question.leftOut = tools.length - read.length;
    return { ...message, result: { ...result, tools: read } };
  }
  return message;
}

export const readableBlocks = (content: readonly unknown[]) =>
  content.map((block) => (isSpecType.ContentBlock(block) ? block : unreadable));

const unreadable = { type: "text" as const, text: "[A piece of this result that cannot be read]" };
