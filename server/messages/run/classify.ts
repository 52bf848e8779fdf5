// Refusals of ours: patterns over what is asked, and over what is answered.
import {
  type ClassifierRule,
  type Message,
  type MessageBody,
  type Model,
  type RefusalCategory,
  type Turn,
} from "../../models/module.ts";
import { asBlocks, isThinking } from "../../fallbacks/module.ts";
import { isBlank } from "../prepare/history.ts";
import { limits } from "../limits.ts";

export interface ModelRefusal {
  category: RefusalCategory | null;
  explanation: string | null;
}

const compiled = new WeakMap<ClassifierRule, RegExp>();

function isBroken(rule: ClassifierRule, text: string, from = 0): boolean {
  let pattern = compiled.get(rule);
  if (pattern === undefined) compiled.set(rule, (pattern = new RegExp(rule.pattern, "giu")));
  pattern.lastIndex = from;
  return pattern.test(text);
}

const refusalOf = ({ category, explanation }: ClassifierRule): ModelRefusal => ({
  category,
  explanation: explanation ?? null,
});

/** The first rule that the user's last text breaks. */
export function classifyInput(model: Model, body: MessageBody): ModelRefusal | undefined {
  const rules = model.classifiers.filter(({ on }) => on === "input");
  if (rules.length === 0) return undefined;
  const text = lastUserText(body);
  const broken = rules.find((rule) => isBroken(rule, text));
  return broken && refusalOf(broken);
}

/** Undefined where the model has no rules over its output: then the stream is not read along. */
export function outputClassifier(
  model: Model,
): ((text: string) => ModelRefusal | undefined) | undefined {
  const rules = model.classifiers.filter(({ on }) => on === "output");
  if (rules.length === 0) return undefined;
  let tail = "";
  // A character that stands before what is read: the tail's beginning is not the answer's.
  let from = 0;
  return (text) => {
    tail += text;
    const broken = rules.find((rule) => isBroken(rule, tail, from));
    if (tail.length > 2 * limits.matchedCharactersMax) {
      tail = tail.slice(-limits.matchedCharactersMax - 1);
      from = 1;
    }
    return broken && refusalOf(broken);
  };
}

/** An answer that is nothing but a refusal, made before any model was asked. */
export const refusedMessage = (id: string, model: Model, refusal: ModelRefusal): Message => ({
  id,
  type: "message",
  role: "assistant",
  model: model.id,
  content: [],
  stop_reason: "refusal",
  stop_sequence: null,
  stop_details: { type: "refusal", ...refusal },
  container: null,
  context_management: null,
  diagnostics: null,
  usage: {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation: null,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: null,
    speed: null,
    inference_geo: null,
  },
});

/**
 * All the words of the user's last turn: turns in a row are one, and documents, search results and what tools gave
 * are read too. Turns of the assistant that only think are none: some models are not shown them, and read what stands
 * around them as one. What the operator writes into a system prompt is no request.
 */
export function lastUserText({ messages }: MessageBody): string {
  const texts: string[] = [];
  for (let at = messages.findLastIndex(({ role }) => role === "user"); at >= 0; at--) {
    const turn = messages[at];
    if (turn?.role === "assistant" && hasVisibleContent(turn)) break;
    if (turn?.role === "user") texts.unshift(wordsIn(turn.content));
  }
  return texts.join("\n");
}

const hasVisibleContent = ({ content }: Turn): boolean =>
  asBlocks(content).some(
    (block) =>
      !isThinking(block) &&
      block.type !== "fallback" &&
      !(block.type === "text" && isBlank(block["text"])),
  );

function wordsIn(part: unknown): string {
  if (typeof part === "string") return part;
  if (Array.isArray(part)) return part.map(wordsIn).join("\n");
  const { type, text, title, context, source, content } = (part ?? {}) as Record<string, unknown>;
  const { data, content: inner } = (source ?? {}) as Record<string, unknown>;
  const written = (source as { type?: unknown } | undefined)?.type === "text" ? data : inner;
  return [text, title, context, type === "document" ? written : undefined, content]
    .flatMap((words) => (words === undefined || words === null ? [] : [wordsIn(words)]))
    .join("\n");
}

export function contentText(content: MessageBody["messages"][number]["content"]): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => {
      if (typeof block["text"] === "string") return block["text"];
      const inner = block["content"];
      return typeof inner === "string" || Array.isArray(inner) ? contentText(inner) : "";
    })
    .join("\n");
}
