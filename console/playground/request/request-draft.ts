// A message request as the playground fills itself in with it: from a prompt that was saved.
import type { Block } from "../../../client/messages/message.ts";
import type { MessageRequest, Turn } from "../../messages/conversation.ts";
import type { Attached } from "./attached.ts";
import { emptyDraft, newTurn, type Draft, type DraftTurn } from "../playground.ts";

export function draftOf(request: MessageRequest): Draft {
  const { thinking, fallbacks, tools, temperature } = request;
  const turns = request.messages.map(turnOf);
  return {
    ...emptyDraft(),
    model: request.model,
    system: textOf(request.system),
    ...(turns.length > 0 && { turns }),
    ...(request.max_tokens !== undefined && { maxTokens: String(request.max_tokens) }),
    temperature: temperature === undefined ? "" : String(temperature),
    effort: request.output_config?.effort ?? "",
    thinking: thinking?.type ?? "",
    ...(thinking?.budget_tokens !== undefined && { budget: String(thinking.budget_tokens) }),
    tools: Array.isArray(tools) && tools.length > 0 ? JSON.stringify(tools, null, 2) : "",
    fallbacks: fallbacks === undefined ? "off" : fallbacks === "default" ? "default" : "list",
    fallbackModels: Array.isArray(fallbacks) ? fallbacks.map(({ model }) => model) : [],
    stream: request.stream === true,
  };
}

/** A system prompt may come in blocks; here it is one text. */
const textOf = (system: unknown): string =>
  Array.isArray(system)
    ? (system as Block[]).map((block) => words(block["text"])).join("\n\n")
    : words(system);

const words = (value: unknown): string => (typeof value === "string" ? value : "");

/** What a person can write stays to be written on: the rest stands as it came. */
function turnOf({ role, content }: Turn): DraftTurn {
  if (typeof content === "string") return newTurn(role, content);
  const last = content.at(-1);
  const text = last?.type === "text" ? words(last["text"]) : "";
  const before = last?.type === "text" ? content.slice(0, -1) : content;
  const isWritten = role === "user" && before.every(({ type }) => attachable.has(type));
  if (!isWritten) return newTurn(role, "", content);
  return newTurn(role, text, undefined, before.map(attachedOf));
}

const attachable = new Set(["image", "document"]);

function attachedOf(block: Block, key: number): Attached {
  const source = (block["source"] ?? {}) as Record<string, unknown>;
  const data = words(source["data"]);
  const named = block["title"] ?? source["file_id"] ?? source["url"];
  const isText = source["media_type"] === "text/plain";
  return {
    key: -1 - key,
    name: typeof named === "string" ? named : block.type === "image" ? "Picture" : "Document",
    bytes: isText ? data.length : Math.floor((data.length * 3) / 4),
    kind: block.type === "image" ? "image" : isText ? "text" : "pdf",
    block,
  };
}
