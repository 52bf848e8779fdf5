// What an MCP server has a session's model answer: texts and pictures, within bounds.
import type { World } from "../../../kernel/context.ts";
import type { ToolResult } from "../../sandboxes/module.ts";
import { readPicture } from "../answers/content.ts";
import { fieldsOf } from "../fields.ts";
import { limits } from "../limits.ts";
import { clean, type Scrub } from "../lists/tools.ts";

type SampleBlock = ToolResult["content"][number];

export interface SampleRequest {
  system: string | null;
  turns: { role: "user" | "assistant"; content: SampleBlock[] }[];
  maxTokens: number;
  stopSequences: string[];
}

/** From then on they are not declared, and there is no such method. */
export const deprecatedUntil = new Date("2027-07-28T00:00:00Z");
export const isDeprecatedOffered = ({ clock }: Pick<World, "clock">): boolean =>
  clock.now() < deprecatedUntil;

export interface SampleAnswer {
  text: string;
  model: string;
  stopReason: "endTurn" | "maxTokens" | "stopSequence";
}

export const helpMethods = ["sampling/createMessage", "roots/list"] as const;
export type HelpMethod = (typeof helpMethods)[number];

export const isHelp = (method: unknown): method is HelpMethod =>
  helpMethods.some((each) => each === method);

export interface HelpAsked {
  method: HelpMethod;
  params: unknown;
}

/** Why the model is not asked: a sentence for the server, and for the result of its call. */
export class SampleProblem extends Error {}

/** What the protocol knows beside it (a wish for a model, a temperature, more context) is left to the agent. */
export async function readSample(given: unknown, scrub: Scrub): Promise<SampleRequest> {
  const {
    messages,
    systemPrompt,
    maxTokens,
    stopSequences = [],
    tools,
    toolChoice,
  } = fieldsOf(given);
  if (tools !== undefined || toolChoice !== undefined)
    throw new SampleProblem("the model is given no tools of a server.");
  if (typeof maxTokens !== "number" || !Number.isInteger(maxTokens) || maxTokens < 1)
    throw new SampleProblem("maxTokens must be a whole number of at least 1.");
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > limits.sampleTurnsMax)
    throw new SampleProblem(`messages must be 1 to ${limits.sampleTurnsMax}.`);
  const isGoodStop =
    Array.isArray(stopSequences) && stopSequences.every((each) => typeof each === "string");
  if (!isGoodStop || stopSequences.length > limits.sampleStopsMax)
    throw new SampleProblem(`stopSequences must be ${limits.sampleStopsMax} texts at most.`);
  const shown = (text: string) => clean(scrub(text));
  const turns: SampleRequest["turns"] = [];
  for (const message of messages) turns.push(await readTurn(message, shown));
  const system = typeof systemPrompt === "string" ? shown(systemPrompt) : null;
  if (JSON.stringify([system, turns]).length > limits.sampleCharactersMax)
    throw new SampleProblem(`it has more than ${limits.sampleCharactersMax} characters.`);
  const bounded = Math.min(maxTokens, limits.sampleTokensMax);
  return { system, turns, maxTokens: bounded, stopSequences: stopSequences.map(shown) };
}

async function readTurn(
  given: unknown,
  shown: (text: string) => string,
): Promise<SampleRequest["turns"][number]> {
  const { role, content } = fieldsOf(given);
  if (role !== "user" && role !== "assistant")
    throw new SampleProblem("the role of a message must be user or assistant.");
  const blocks: SampleBlock[] = [];
  for (const each of [content].flat()) {
    const { type, text, data, mimeType } = fieldsOf(each);
    if (type === "text" && typeof text === "string") blocks.push({ type, text: shown(text) });
    else if (type === "image" && typeof data === "string")
      blocks.push(await readPicture(data, String(mimeType), limits.pictureCharactersMax));
    else throw new SampleProblem("messages must be texts and pictures.");
  }
  if (blocks.length === 0) throw new SampleProblem("a message must have content.");
  return { role, content: blocks };
}
