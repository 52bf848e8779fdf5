// Prints what happens in a session: what its agent says as output, all else as notes.
import { progressIn, progressWords, type CallProgress } from "../../client/sessions/progress.ts";
import { plural } from "../../client/text/words.ts";
import type { StreamEvent } from "../../contract/client.ts";
import type { Session } from "../../contract/types.ts";
import { escapeControls, makePaper } from "../print-answer.ts";
import type { Terminal } from "../terminal.ts";
import { callText, costOf, inputTokensOf, object, oneLine, textOf, words } from "./format.ts";

export interface EventPrinter {
  take(event: StreamEvent): void;
  /** Before a question, and before a sentence of our own. */
  endLine(): void;
  finish(session: Session, reason: string): void;
}

/** For programs: the session, its events and the session again, one JSON object on a line each. */
export function makeJsonPrinter({ write }: Terminal, session: Session): EventPrinter {
  const line = (value: unknown) => write(`${JSON.stringify(value)}\n`);
  line(session);
  return { take: line, endLine: () => {}, finish: line };
}

export function makeEventPrinter(terminal: Terminal): EventPrinter {
  const paper = makePaper(terminal);
  const agentNames = new Map<string, string>();
  /** A text that is being written, as far as it was shown. */
  let shown: { id: unknown; text: string } | undefined;

  function message({ id, content }: StreamEvent): void {
    const text = textOf(content);
    const isBegun = shown?.id === id && text.startsWith(shown?.text ?? "");
    if (!isBegun) paper.endLine();
    paper.text(text.slice(isBegun ? shown?.text.length : 0));
    paper.endLine();
    shown = undefined;
  }

  function preview(event: StreamEvent): void {
    if (event.type === "event_start") {
      // One before it that never came whole was broken off.
      paper.endLine();
      shown = { id: object(event["event"])["id"], text: "" };
    } else if (shown?.id === event["event_id"]) {
      const text = words(object(object(event["delta"])["content"])["text"]);
      paper.text(text);
      shown = { id: event["event_id"], text: `${shown?.text ?? ""}${text}` };
    }
  }

  return {
    take: (event) => {
      if (event.type === "agent.message") return message(event);
      if (event.type === "event_start" || event.type === "event_delta") return preview(event);
      const { session_thread_id: thread, agent_name: name } = event;
      if (typeof thread === "string" && typeof name === "string") agentNames.set(thread, name);
      const progress = progressIn(event);
      const line = progress === undefined ? lineOf(event) : progressLine(progress);
      if (line === undefined) return;
      const isOther = typeof thread === "string" && event.type.startsWith("agent.");
      paper.line(isOther ? `  ${agentNames.get(thread) ?? "another agent"}: ${line}` : line);
    },
    endLine: paper.endLine,
    finish: (session, reason) => {
      paper.endLine();
      const { agent, usage, id } = session;
      const counts = `${plural(inputTokensOf(session), "token")} in, ${usage.output_tokens} out`;
      paper.line(`${agent.name}: ${reason}, ${counts}, ${costOf(session)} in all, ${id}`);
    },
  };
}

const progressLine = (progress: CallProgress) =>
  `  ${oneLine(escapeControls(progressWords(progress)))}`;

/** What one event says on a line; undefined where people need not see it. */
export function lineOf(event: StreamEvent): string | undefined {
  const { type, content } = event;
  const text = () => oneLine(escapeControls(textOf(content)));
  switch (type) {
    case "agent.tool_use":
    case "agent.mcp_tool_use":
    case "agent.custom_tool_use": {
      const isRefused = event["evaluated_permission"] === "deny";
      return `${callText(event)}${isRefused ? " (refused)" : ""}`;
    }
    case "agent.tool_result":
    case "agent.mcp_tool_result":
    case "user.tool_result":
    case "user.custom_tool_result":
      return `${event["is_error"] === true ? "error" : "="} ${text()}`;
    case "user.tool_confirmation":
      return `${words(event["result"])} ${oneLine(words(event["deny_message"]))}`.trim();
    case "agent.thread_message_sent":
      return `to ${words(event["to_agent_name"])}: ${text()}`;
    case "agent.thread_message_received":
      return `  ${words(event["from_agent_name"])}: ${text()}`;
    case "agent.thread_context_compacted":
      return "The conversation was summed up.";
    case "session.error": {
      const { message, retry_status: retry, mcp_server_name: server } = object(event["error"]);
      // A turn goes on without a server, which the next one tries again.
      const isRetrying = object(retry)["type"] === "retrying" && server === undefined;
      return `error${isRetrying ? ", trying again" : ""}: ${oneLine(words(message))}`;
    }
    case "session.status_idle": {
      const { category, explanation } = object(event["stop_details"]);
      const why = [words(category), words(explanation)].filter((each) => each !== "").join(": ");
      return why === "" ? undefined : `refused: ${oneLine(why)}`;
    }
    case "span.outcome_evaluation_end":
      return `outcome ${words(event["result"])}: ${oneLine(words(event["explanation"]))}`;
    default:
      return undefined;
  }
}
