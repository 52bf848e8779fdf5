// Content of events: texts as people read them, what stands beside texts, and why a turn ended.
import { askedIn } from "../../../client/sessions/questions.ts";
import type { SessionEvent } from "../../kit/server/api.ts";

export interface Block {
  type: string;
  [field: string]: unknown;
}

export const blocksOf = (content: unknown): Block[] =>
  Array.isArray(content) ? (content as Block[]) : [];

export const words = (value: unknown): string => (typeof value === "string" ? value : "");

/** All texts of it, one after the other. */
export const textIn = (content: unknown): string =>
  blocksOf(content)
    .flatMap(({ type, text }) => (type === "text" ? [words(text)] : []))
    .join("\n\n");

/** A tool of an MCP server is named with its server, and so is what the server asks of a person. */
export function callName(event: SessionEvent): string {
  const { name, mcp_server_name: server } = event;
  const asked = askedIn(event);
  if (asked !== undefined) return `${asked.server} asks: ${asked.tool}`;
  return server === undefined ? words(name) : `${words(server)}: ${words(name)}`;
}

/** Several calls of one tool are told apart: by the end of the id. */
export const inputLabel = ({ id, name }: { id: string; name?: unknown }): string =>
  `Input of ${words(name)}, call ${id.slice(-6)}`;

export interface StopReason {
  type: string;
  event_ids?: string[];
}

export const stopReasonOf = (event: SessionEvent): StopReason =>
  (event["stop_reason"] ?? { type: "end_turn" }) as StopReason;
