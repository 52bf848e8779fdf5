// A conversation on the wire, as far as the playground looks into it.
import { fallbackBeta, type Block, type Message } from "../../client/messages/message.ts";

export interface Turn {
  role: "user" | "assistant";
  content: string | Block[];
}

/** What is sent to /v1/messages. */
export interface MessageRequest {
  model: string;
  max_tokens: number;
  system?: string;
  messages: Turn[];
  temperature?: number;
  thinking?: { type: string; budget_tokens?: number };
  output_config?: { effort: string };
  tools?: unknown;
  fallbacks?: "default" | { model: string }[];
  stream?: boolean;
}

/** What else is needed for a request, by what stands in it. */
export const betasOf = ({ fallbacks }: MessageRequest): string[] =>
  fallbacks === undefined ? [] : [fallbackBeta];

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}

export const endsInCall = ({ content }: Message): boolean => content.at(-1)?.type === "tool_use";

/** Calls that wait for a result: those after the last boundary, when the model stopped for them. */
export function openCalls({ stop_reason, content }: Message): ToolCall[] {
  if (stop_reason !== "tool_use") return [];
  const boundary = content.findLastIndex(({ type }) => type === "fallback");
  return content.slice(boundary + 1).flatMap((block) => {
    if (block.type !== "tool_use") return [];
    return [{ id: text(block["id"]), name: text(block["name"]), input: block["input"] }];
  });
}
