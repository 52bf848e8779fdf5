// Refusals of ours: patterns over what is asked, and over what is answered.
import {
  type ClassifierRule,
  type Message,
  type MessageBody,
  type Model,
  type RefusalCategory,
} from "../models/module.ts";

export interface Refusal {
  category: RefusalCategory | null;
  explanation: string | null;
}

const compiled = new WeakMap<ClassifierRule, RegExp>();

function patternOf(rule: ClassifierRule): RegExp {
  let pattern = compiled.get(rule);
  if (pattern === undefined) compiled.set(rule, (pattern = new RegExp(rule.pattern, "iu")));
  return pattern;
}

const refusalOf = ({ category, explanation }: ClassifierRule): Refusal => ({
  category,
  explanation: explanation ?? null,
});

/** The first rule that the last user turn breaks. */
export function classifyInput(model: Model, body: MessageBody): Refusal | undefined {
  const rules = model.classifiers.filter(({ on }) => on === "input");
  if (rules.length === 0) return undefined;
  const last = body.messages.findLast(({ role }) => role === "user");
  const said = textOf(last?.content ?? "");
  const broken = rules.find((rule) => patternOf(rule).test(said));
  return broken && refusalOf(broken);
}

/** Undefined where the model has no rules over its output: then nobody needs to read along. */
export function outputClassifier(
  model: Model,
): ((text: string) => Refusal | undefined) | undefined {
  const rules = model.classifiers.filter(({ on }) => on === "output");
  if (rules.length === 0) return undefined;
  let written = "";
  return (text) => {
    written += text;
    const broken = rules.find((rule) => patternOf(rule).test(written));
    return broken && refusalOf(broken);
  };
}

/** An answer that is nothing but a refusal, made before any model was asked. */
export const refusedMessage = (id: string, model: Model, refusal: Refusal): Message => ({
  id,
  type: "message",
  role: "assistant",
  model: model.id,
  content: [],
  stop_reason: "refusal",
  stop_sequence: null,
  stop_details: { type: "refusal", ...refusal },
  container: null,
  usage: {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  },
});

export function textOf(content: MessageBody["messages"][number]["content"]): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => {
      if (typeof block["text"] === "string") return block["text"];
      const inner = block["content"];
      return typeof inner === "string" || Array.isArray(inner) ? textOf(inner) : "";
    })
    .join("\n");
}
