// An answer on the wire, as far as the console and the commands look into it, put together from its events.
import type { StreamEvent } from "../../contract/client.ts";

export const fallbackBeta = "server-side-fallback-2026-07-01";

export interface Block {
  type: string;
  [field: string]: unknown;
}

export interface Counts {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number } | null;
}

export interface Usage extends Counts {
  iterations?: (Counts & { type: string; model?: string })[] | null;
}

export interface StopDetails {
  category: string | null;
  explanation: string | null;
  recommended_model?: string | null;
}

export interface Message {
  id: string;
  model: string;
  content: Block[];
  stop_reason: string | null;
  stop_details: StopDetails | null;
  usage: Usage;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
const object = (value: unknown) => (value ?? {}) as Record<string, unknown>;

/** The answer after one more event; a new object each time, so that a page sees that it changed. */
export function fold(message: Message | undefined, event: StreamEvent): Message | undefined {
  if (event.type === "message_start") return event["message"] as Message;
  if (message === undefined) return message;
  const at = Number(event["index"]);
  switch (event.type) {
    case "content_block_start": {
      const block = event["content_block"] as Block;
      const to = text(object(block["to"])["model"]);
      const model = block.type === "fallback" && to !== "" ? to : message.model;
      return { ...message, model, content: [...message.content, block] };
    }
    case "content_block_delta":
      return withBlock(message, at, (block) => grown(block, object(event["delta"])));
    case "content_block_stop":
      return withBlock(message, at, closed);
    case "message_delta":
      return ended(message, event);
    default:
      return message;
  }
}

function withBlock(message: Message, at: number, change: (block: Block) => Block): Message {
  return {
    ...message,
    content: message.content.map((block, place) => (place === at ? change(block) : block)),
  };
}

/** Counters of the end are cumulative: what it leaves out or has as null stays as it began. */
function ended(message: Message, event: StreamEvent): Message {
  const told = Object.entries(object(event["usage"])).filter(([, value]) => value !== null);
  const beside = ["context_management", "input_transformations"].filter((field) => field in event);
  return {
    ...message,
    ...object(event["delta"]),
    ...Object.fromEntries(beside.map((field) => [field, event[field]])),
    usage: { ...message.usage, ...Object.fromEntries(told) },
  };
}

/**
 * All kinds of delta that the wire has: what is lost here is lost for the next turn, which sends the answer back.
 * Arguments of a tool arrive as pieces of JSON: kept as text until the block is closed.
 */
function grown(block: Block, delta: Record<string, unknown>): Block {
  const add = (field: string, piece: unknown) => ({
    ...block,
    [field]: text(block[field]) + text(piece),
  });
  switch (delta["type"]) {
    case "text_delta":
      return add("text", delta["text"]);
    case "thinking_delta":
      return add("thinking", delta["thinking"]);
    case "signature_delta":
      return { ...block, signature: delta["signature"] };
    case "input_json_delta":
      return { ...block, partial: text(block["partial"]) + text(delta["partial_json"]) };
    case "citations_delta":
      return { ...block, citations: [...list(block["citations"]), delta["citation"]] };
    case "compaction_delta": {
      // It brings the whole of its block, not a piece.
      const { type: _, ...whole } = delta;
      return { ...block, ...whole, type: block.type };
    }
    default:
      return block;
  }
}

function closed(block: Block): Block {
  if (typeof block["partial"] !== "string") return block;
  const { partial, ...rest } = block;
  return { ...rest, type: block.type, input: jsonOr(text(partial), {}) };
}

function jsonOr(json: string, fallback: unknown): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return fallback;
  }
}
