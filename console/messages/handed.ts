// A request that another page hands to the playground: in memory alone, and once.
import type { Block } from "../../client/messages/message.ts";
import type { MessageRequest, Turn } from "./conversation.ts";

let handed: MessageRequest | undefined;

export const handToPlayground = (request: MessageRequest): void => {
  handed = request;
};

export function takeHanded(): MessageRequest | undefined {
  const request = handed;
  handed = undefined;
  return request;
}

/** Undefined where the playground cannot be filled with it: clients send whatever they like. */
export function requestIn(json: string): MessageRequest | undefined {
  const request = parsed(json) as Partial<MessageRequest> | null | undefined;
  if (typeof request?.model !== "string" || !Array.isArray(request.messages)) return undefined;
  return request.messages.every(isTurn) ? (request as MessageRequest) : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isTurn(turn: unknown): turn is Turn {
  const { role, content } = (turn ?? {}) as { role?: unknown; content?: unknown };
  if (role !== "user" && role !== "assistant") return false;
  return typeof content === "string" || (Array.isArray(content) && content.every(isBlock));
}

const isBlock = (block: unknown): block is Block =>
  typeof (block as { type?: unknown } | null)?.type === "string";
