// Refusals of ours: patterns over what is asked, and over what is answered.
import {
  refusalCategories,
  type Adapter,
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

/** Another model is asked first: its own refusal counts, and an answer that begins with "refuse". */
export async function askGuard(
  guard: Model,
  adapter: Adapter,
  body: MessageBody,
  facts: { requestId: string; signal: AbortSignal },
): Promise<Refusal | undefined> {
  const last = body.messages.findLast(({ role }) => role === "user");
  const attempt = await adapter.attempt({
    model: guard,
    body: {
      model: guard.id,
      max_tokens: 32,
      system: guardTask,
      messages: [{ role: "user", content: textOf(last?.content ?? "") || "(nothing)" }],
    },
    stream: false,
    betas: new Set(),
    ...facts,
  });
  // A guard that cannot be asked must not be passed by.
  if (attempt.kind === "failure") throw attempt.failure;
  if (attempt.kind === "stream") throw new Error("a guard answered with a stream");
  const { message } = attempt;
  if (message.stop_reason === "refusal")
    return { category: message.stop_details?.category ?? null, explanation: null };
  const said = /^\s*refuse(?:\s*:\s*(\w+))?/i.exec(textOf(message.content));
  if (said === null) return undefined;
  return {
    category: refusalCategories.find((name) => name === said[1]) ?? null,
    explanation: null,
  };
}

const guardTask =
  "Decide whether the following request may be answered. Say only `allow`, or `refuse: ` and one of " +
  `${refusalCategories.join(", ")}.`;

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
