// A session as a text to read: who said what, what was called, and what came of it.
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";
import { newestFirst, type SessionEvent } from "../turns.ts";

export interface SessionInfo {
  id: string;
  title: string | null;
  status: string;
  agent: { id: string; name: string };
  created_at: string;
  updated_at: string;
}

export type ShownEvent = SessionEvent & {
  name?: string;
  mcp_server_name?: string;
  input?: unknown;
  is_error?: boolean;
  mcp_tool_use_id?: string;
  result?: string;
  deny_message?: string | null;
};

const shownTypes = [
  "user.message",
  "user.interrupt",
  "user.tool_confirmation",
  "user.custom_tool_result",
  "user.tool_result",
  "agent.message",
  "agent.tool_use",
  "agent.tool_result",
  "agent.mcp_tool_use",
  "agent.mcp_tool_result",
  "agent.custom_tool_use",
  "agent.thread_context_compacted",
  "session.status_idle",
  "session.status_terminated",
  "session.error",
] as const;

/** Rule MCE12: where not all of it fits, the newest is kept. */
export async function transcriptOf(api: Api, session_id: string): Promise<string> {
  const session = (await api("sessions.retrieve", { params: { session_id } })) as SessionInfo;
  const parts: string[] = [];
  let characters = 0;
  let isCut = false;
  for await (const event of newestFirst(api, session_id, { types: shownTypes })) {
    const part = partOf(event);
    isCut =
      characters + part.length > limits.transcriptCharactersMax ||
      parts.length >= limits.transcriptEventsMax;
    if (isCut) break;
    characters += part.length;
    parts.push(part);
  }
  const cut = isCut
    ? [`(What came before is left out: the newest ${parts.length} events are here.)`]
    : [];
  return [headOf(session), ...cut, ...parts.toReversed()].join("\n\n");
}

export const headOf = ({ id, title, status, agent, created_at }: SessionInfo) =>
  `# ${title ?? "Session"}\n\nThe session ${id} of the agent ${agent.name}, begun at ${created_at}. It is ${status}.`;

function partOf(event: ShownEvent): string {
  const at = event.processed_at === null ? "waits to be taken" : event.processed_at;
  const heading = `## ${titleOf(event)} (${at})`;
  const text = bounded(wordsOf(event), limits.transcriptTextCharactersMax);
  return text === "" ? heading : `${heading}\n\n${text}`;
}

export function titleOf(event: ShownEvent): string {
  const { name = "", mcp_server_name: server } = event;
  switch (event.type) {
    case "user.message":
      return "User";
    case "user.interrupt":
      return "User interrupts";
    case "user.tool_confirmation":
      return `User answers ${event.tool_use_id ?? ""}: ${event.result ?? ""}`;
    case "agent.message":
      return "Agent";
    case "agent.tool_use":
    case "agent.custom_tool_use":
    case "agent.mcp_tool_use":
      return `Agent calls ${name}${server === undefined ? "" : ` of ${server}`}, ${event.id}`;
    case "agent.thread_context_compacted":
      return "The conversation was summed up";
    case "session.status_idle":
      return `Idle: ${event.stop_reason?.type ?? ""}`;
    case "session.status_terminated":
      return "Terminated";
    case "session.error":
      return "Error";
    default: {
      const call = event.tool_use_id ?? event.custom_tool_use_id ?? event.mcp_tool_use_id ?? "";
      return `${event.is_error === true ? "Failure" : "Result"} of ${call}`;
    }
  }
}

export function wordsOf({
  type,
  input,
  content,
  error,
  stop_reason,
  deny_message,
}: ShownEvent): string {
  if (error !== undefined) return `${error.type}: ${error.message}`;
  if (type.endsWith("tool_use")) return JSON.stringify(input);
  if (stop_reason?.event_ids !== undefined) return `Waits for ${stop_reason.event_ids.join(", ")}.`;
  if (deny_message != null) return deny_message;
  return (content ?? []).map((block) => block.text ?? `[${block.type}]`).join("\n");
}

export function bounded(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}… (${text.length - most} characters more)`;
}
