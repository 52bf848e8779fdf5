// The turns of a conversation as chat messages: text, images, tool calls and their results, reasoning.
import type { Block, MessageBody, Model, Turn } from "../types.ts";
import type { ChatFieldNames, RefuseField } from "./types.ts";

export interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | ChatPart[] | null;
  tool_call_id?: string;
  tool_calls?: ChatToolCall[];
  reasoning_content?: string;
  reasoning?: string;
}

type ChatPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

interface ChatToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

interface Target {
  model: Model;
  refuse: RefuseField;
}

/** A turn with what stood next to it under the same role, and the path of each of its blocks. */
interface MergedTurn {
  role: Turn["role"];
  blocks: { block: Block; path: string }[];
}

export function chatMessages(
  body: MessageBody,
  model: Model,
  reasoningField: ChatFieldNames["reasoningField"],
  refuse: RefuseField,
): ChatMessage[] {
  const target = { model, refuse };
  const turns = mergedTurns(body.messages, refuse);
  const last = turns.at(-1);
  if (last?.role === "assistant" && !model.prefill)
    refuse(`messages.${body.messages.length - 1}`, "it cannot continue an answer that has begun");
  // Reasoning counts within the tool loop that is under way; of earlier turns it is left out everywhere.
  const loopFrom = turns.findLastIndex(
    ({ role, blocks }) =>
      role === "user" && blocks.some(({ block }) => block.type !== "tool_result"),
  );
  const system = systemText(body.system, target);
  return withoutNeighbours([
    ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
    ...turns.flatMap((turn, index): ChatMessage[] => {
      switch (turn.role) {
        case "system":
          return [{ role: turn.role, content: textOf(turn.blocks, target) }];
        case "user":
          return userMessages(turn, target);
        case "assistant":
          return assistantMessages(turn, index > loopFrom && reasoningField, target);
        default:
          return refuse(`messages.${index}.role`);
      }
    }),
  ]);
}

/** Where a turn has no content for this model, the turns around it become one. */
function withoutNeighbours(messages: readonly ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role !== "user" || last?.role !== "user") joined.push(message);
    else last.content = [...partsOf(last.content), ...partsOf(message.content)];
  }
  return joined;
}

const partsOf = (content: ChatMessage["content"]): ChatPart[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);

/** Templates of many models insist on turns that alternate. */
function mergedTurns(turns: readonly Turn[], refuse: RefuseField): MergedTurn[] {
  const merged: MergedTurn[] = [];
  for (const [index, turn] of turns.entries()) {
    const path = `messages.${index}`;
    for (const field of Object.keys(turn))
      if (field !== "role" && field !== "content" && (turn[field] ?? null) !== null)
        refuse(`${path}.${field}`);
    const blocks =
      typeof turn.content === "string"
        ? [{ block: { type: "text", text: turn.content }, path: `${path}.content` }]
        : turn.content.map((block, at) => ({ block, path: `${path}.content.${at}` }));
    const before = merged.at(-1);
    if (before !== undefined && before.role === turn.role) before.blocks.push(...blocks);
    else merged.push({ role: turn.role, blocks });
  }
  return merged;
}

function systemText(system: MessageBody["system"], target: Target): string {
  if (system === undefined || typeof system === "string") return system ?? "";
  return textOf(
    system.map((block, at) => ({ block, path: `system.${at}` })),
    target,
  );
}

function textOf(blocks: MergedTurn["blocks"], { refuse }: Target): string {
  return blocks.map(({ block, path }) => wordsOf(block, path, refuse) ?? refuse(path)).join("\n\n");
}

/** A document of plain text is text: its title and what stands around it come first. */
function wordsOf(block: Block, path: string, refuse: RefuseField): string | undefined {
  if (block.type === "text") return String(block["text"]);
  // What a search for tools found: each of them is there already.
  if (block.type === "tool_reference") return `The tool ${String(block["tool_name"])} can be used.`;
  if (block.type !== "document") return undefined;
  const { source, title, context, citations } = block;
  const { type, data } = (source ?? {}) as Record<string, unknown>;
  if (type !== "text") return undefined;
  if ((citations as { enabled?: boolean } | null | undefined)?.enabled === true)
    refuse(`${path}.citations`);
  return [title, context, data].filter((words) => typeof words === "string").join("\n\n");
}

function userMessages({ blocks }: MergedTurn, target: Target): ChatMessage[] {
  // Results answer the calls of the message before: nothing may stand between.
  const results = blocks.filter(({ block }) => block.type === "tool_result");
  const rest = blocks.filter(({ block }) => block.type !== "tool_result");
  return [
    ...results.map(({ block, path }) => toolMessage(block, path, target)),
    ...(rest.length > 0 || results.length === 0
      ? [{ role: "user" as const, content: contentOf(rest, target) }]
      : []),
  ];
}

function contentOf(blocks: MergedTurn["blocks"], target: Target): string | ChatPart[] {
  const parts = blocks.map(({ block, path }): ChatPart => {
    const text = wordsOf(block, path, target.refuse);
    if (text !== undefined) return { type: "text", text };
    if (block.type === "image") return imagePart(block, path, target);
    return target.refuse(path, `blocks of type ${block.type} have no equivalent there`);
  });
  const [first] = parts;
  if (first === undefined) return "";
  return parts.length === 1 && first.type === "text" ? first.text : parts;
}

function imagePart(block: Block, path: string, { model, refuse }: Target): ChatPart {
  if (!model.vision) refuse(path, "it does not see images");
  const source = (block["source"] ?? {}) as Record<string, unknown>;
  switch (source["type"]) {
    case "base64": {
      const url = `data:${String(source["media_type"])};base64,${String(source["data"])}`;
      return { type: "image_url", image_url: { url } };
    }
    case "url":
      return { type: "image_url", image_url: { url: String(source["url"]) } };
    default:
      return refuse(`${path}.source`);
  }
}

function toolMessage(block: Block, path: string, target: Target): ChatMessage {
  const content = (block["content"] ?? "") as string | readonly Block[];
  const text =
    typeof content === "string"
      ? content
      : textOf(
          content.map((inner, at) => ({ block: inner, path: `${path}.content.${at}` })),
          target,
        );
  return {
    role: "tool",
    tool_call_id: String(block["tool_use_id"]),
    // There is no flag for it: what a model reads says the same.
    content: block["is_error"] === true ? `Error: ${text}` : text,
  };
}

/** Empty where the turn has no content for this model. */
function assistantMessages(
  { blocks }: MergedTurn,
  reasoningField: ChatFieldNames["reasoningField"] | false,
  target: Target,
): ChatMessage[] {
  const texts: string[] = [];
  const calls: ChatToolCall[] = [];
  const thoughts: string[] = [];
  for (const { block, path } of blocks)
    switch (block.type) {
      case "text":
        texts.push(String(block["text"]));
        break;
      case "thinking":
        thoughts.push(String(block["thinking"]));
        break;
      // The first is another model's own and unreadable; the second marks a border and says nothing.
      case "redacted_thinking":
      case "fallback":
        break;
      case "tool_use":
        calls.push({
          id: String(block["id"]),
          type: "function",
          function: {
            name: String(block["name"]),
            arguments: JSON.stringify(block["input"] ?? {}),
          },
        });
        break;
      default:
        target.refuse(path, `blocks of type ${block.type} have no equivalent there`);
    }
  const reasoning = reasoningField === false ? "" : thoughts.join("\n\n");
  if (texts.length + calls.length === 0 && reasoning === "") return [];
  return [
    {
      role: "assistant",
      content: texts.length === 0 ? null : texts.join(""),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(reasoningField !== false && reasoning !== "" && { [reasoningField]: reasoning }),
    },
  ];
}
