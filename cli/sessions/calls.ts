// Calls that wait: who has to answer each, and a person's answer as an event.
import { askedIn, type Asked } from "../../client/sessions/questions.ts";
import type { Client, StreamEvent } from "../../contract/client.ts";
import type { SessionsEventsSendBody } from "../../contract/types.ts";
import { escapeControls } from "../print-answer.ts";
import type { Terminal } from "../terminal.ts";
import { askQuestions } from "./ask-question.ts";
import { callName, callText, object, words } from "./format.ts";

export type NewEvent = SessionsEventsSendBody["events"][number];

export interface WaitingCall {
  id: string;
  /** A person allows or denies it, a person gives its result, or a worker of the environment does. */
  needs: "confirmation" | "result" | "worker";
  name: string;
  text: string;
  /** It is a question of an MCP server. */
  asked: Asked | undefined;
}

const callTypes = ["agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"] as const;
const types = [...callTypes, "user.tool_confirmation"] as const;

/** Remembers calls as they go by; those from before are looked up. */
export function makeCalls(client: Client, sessionId: string) {
  const calls = new Map<string, StreamEvent>();
  const confirmed = new Set<string>();

  function take(event: StreamEvent): void {
    const { type, id } = event;
    if (type === "user.tool_confirmation") confirmed.add(words(event["tool_use_id"]));
    else if (callTypes.some((each) => each === type)) calls.set(words(id), event);
  }

  async function lookUp(): Promise<void> {
    const params = { session_id: sessionId };
    const query = { types: [...types], limit: 1_000 };
    for await (const event of client.pages(client.sessions.events.list, { params, query }))
      take(event);
  }

  return {
    take,
    /** By the event that says that the session waits for them. */
    waiting: async (idle: StreamEvent): Promise<WaitingCall[]> => {
      const listed = object(idle["stop_reason"])["event_ids"];
      const ids = Array.isArray(listed) ? listed.map(words) : [];
      if (ids.some((id) => !calls.has(id))) await lookUp();
      return ids.map((id) => {
        const call = calls.get(id) ?? { type: "agent.tool_use" };
        const asks = call["evaluated_permission"] === "ask" && !confirmed.has(id);
        const isCustom = call.type === "agent.custom_tool_use";
        const needs = isCustom ? "result" : asks ? "confirmation" : "worker";
        const hasChanged = asks && call["tool_change"] !== undefined;
        const text = escapeControls(callText(call)) + (hasChanged ? changedWords : "");
        return { id, needs, name: callName(call), text, asked: askedIn(call) };
      });
    },
  };
}

/** The console shows how. */
const changedWords = " (its MCP server has changed this tool since the session was offered it)";

/** Undefined where the person interrupted instead. */
export async function askPerson(
  terminal: Terminal,
  call: WaitingCall,
  signal: AbortSignal,
): Promise<NewEvent | undefined> {
  const { note, readLine } = terminal;
  if (call.asked !== undefined) {
    const text = await askQuestions(terminal, call.asked, signal);
    return text === undefined ? undefined : result(call.id, text);
  }
  const name = escapeControls(call.name);
  note(
    call.needs === "confirmation"
      ? `Allow ${name}? [y, or n and why] `
      : `Result of ${name} (a line of text, or content as JSON): `,
  );
  const line = (await readLine(signal)).trim();
  if (signal.aborted) return undefined;
  return call.needs === "confirmation" ? confirmation(call.id, line) : result(call.id, line);
}

/** Whatever is not a yes is a no. */
function confirmation(id: string, line: string): NewEvent {
  const isAllowed = /^y(es)?$/i.test(line);
  const why = line.replace(/^no?\b[\s,.:]*/i, "");
  return confirmationOf(
    id,
    isAllowed ? "allow" : "deny",
    isAllowed || why === "" ? undefined : why,
  );
}

export const confirmationOf = (
  id: string,
  answer: "allow" | "deny",
  why: string | undefined,
): NewEvent => ({
  type: "user.tool_confirmation",
  tool_use_id: id,
  result: answer,
  ...(why !== undefined && { deny_message: why }),
});

/** Blocks of content are taken as such; any other JSON is a text for the agent to read. */
export const result = (id: string, text: string, isError?: boolean): NewEvent => ({
  type: "user.custom_tool_result",
  custom_tool_use_id: id,
  ...(text !== "" && { content: blocksIn(text) ?? [{ type: "text" as const, text }] }),
  ...(isError === true && { is_error: true }),
});

type Content = Extract<NewEvent, { type: "user.custom_tool_result" }>["content"];

function blocksIn(text: string): Content {
  if (!text.startsWith("[")) return undefined;
  let blocks: unknown;
  try {
    blocks = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isContent =
    Array.isArray(blocks) && blocks.length > 0 && blocks.every((each) => object(each)["type"]);
  // The server checks the blocks, and explains errors in a sentence.
  return isContent ? (blocks as Content) : undefined;
}
