// What the simulator says, and how long it thinks about it.
import { formatOf } from "../tokens.ts";
import type { Effort, MessageBody, Model } from "../types.ts";
import type { SteeredConversation } from "./conversation.ts";
import type { Script } from "../steering/directives.ts";
import { exampleOf } from "./example.ts";
import { excerpt, filler, sentencesFor } from "./words.ts";

const sentencesByEffort: Record<Effort, number> = { low: 0, medium: 1, high: 2, xhigh: 4, max: 6 };
const thoughtsByEffort: Record<Effort, number> = {
  low: 0,
  medium: 12,
  high: 24,
  xhigh: 48,
  max: 96,
};
const quotedCharactersMax = 120;

/** Leaving it out is the same as `high`; a turn of the system may set another from there on. */
function effortOf({ efforts }: Model, { output_config: config, messages }: MessageBody): Effort {
  const set = messages.findLast(({ role, output_config: turnConfig }) => {
    return role === "system" && ((turnConfig as Config)?.["effort"] ?? null) !== null;
  });
  const effort = (set === undefined ? config : (set["output_config"] as Config))?.["effort"];
  return efforts.find((each) => each === effort) ?? "high";
}

type Config = MessageBody["output_config"];

export function thoughtTokens(
  model: Model,
  body: MessageBody,
  { answers }: SteeredConversation,
  script: Script,
): number {
  const { type, budget_tokens: budget } = body.thinking ?? {};
  const isOn =
    type === "enabled" || type === "adaptive" || (type === "between_tools" && answers.length > 0);
  if (!isOn || !model.thinking.some((each) => each === type)) return 0;
  const tokens = script.think ?? thoughtsByEffort[effortOf(model, body)];
  return typeof budget === "number" ? Math.min(tokens, budget) : tokens;
}

/** The whole text, or the rest of it where the conversation ends with its beginning. */
export function answerText(
  model: Model,
  body: MessageBody,
  conversation: SteeredConversation,
  script: Script,
): string {
  const whole = wholeText(model, body, conversation, script);
  const { partial = "" } = conversation;
  return whole.startsWith(partial) ? whole.slice(partial.length) : whole;
}

function wholeText(
  model: Model,
  body: MessageBody,
  conversation: SteeredConversation,
  script: Script,
): string {
  if (script.grade !== undefined) return JSON.stringify(script.grade);
  if (script.say !== undefined) return script.say;
  const format = formatOf(body);
  if (format?.["type"] === "json_schema")
    return JSON.stringify(exampleOf(format["schema"], conversation.prompt));
  if (script.tokens !== undefined) return filler(script.tokens);
  const { prompt, answers } = conversation;
  const subject =
    answers.length > 0
      ? `${answers.map(inWords).join(" ")} That is all I needed.`
      : prompt === ""
        ? "There was no text to answer."
        : `You said: "${excerpt(prompt, quotedCharactersMax)}"`;
  const more = sentencesFor(prompt, sentencesByEffort[effortOf(model, body)]);
  // The model's name stands at the end, so that another model can go on from any part before it.
  return [subject, more, `(${model.id})`].filter((part) => part !== "").join(" ");
}

const inWords = ({ name, text, isError }: SteeredConversation["answers"][number]) =>
  `${name} ${isError ? "failed" : "answered"}: "${excerpt(text, quotedCharactersMax)}".`;
