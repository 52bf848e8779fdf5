// What the simulator will answer, whole, before the first token goes out.
import { hash } from "node:crypto";
import { availableTools } from "../tools.ts";
import { piecesOfText, tokensOfText } from "../tokens.ts";
import type { Block, MessageBody, Model, StopDetails } from "../types.ts";
import { answerText, thoughtTokens } from "./answer.ts";
import type { SteeredConversation } from "./conversation.ts";
import type { Script, ScriptedToolCall } from "../steering/directives.ts";
import { exampleOf } from "./example.ts";
import { thought } from "./words.ts";

export interface PlannedBlock {
  /** As `content_block_start` has it. */
  start: Block;
  /** The whole text of its deltas; `piecesOfText` gives the tokens that it comes in. */
  text: string;
  textTokens: number;
  /** Paid with the start: the name of a tool. */
  startTokens: number;
  signature?: string;
  /** The thinking is charged, but not shown. */
  hidden?: true;
}

export interface AnswerPlan {
  blocks: readonly PlannedBlock[];
  stopReason: string;
  stopSequence: string | null;
  stopDetails: StopDetails | null;
}

export function planAnswer(
  model: Model,
  body: MessageBody,
  conversation: SteeredConversation,
  script: Script,
): AnswerPlan {
  const refusal = script.refuse.find(
    ({ models }) => models.includes("*") || models.includes(model.id),
  );
  const refused = (blocks: readonly PlannedBlock[]): AnswerPlan => ({
    blocks,
    stopReason: "refusal",
    stopSequence: null,
    stopDetails: {
      type: "refusal",
      category: refusal?.category ?? null,
      explanation: `The classifier of ${model.id} declined this request.`,
    },
  });
  if (refusal !== undefined && refusal.after === undefined) return refused([]);
  const meant = atStopSequence(planFreely(model, body, conversation, script), body);
  const total = tokensOfBlocks(meant.blocks);
  const plan: AnswerPlan =
    total > body.max_tokens || body.max_tokens === 0
      ? {
          blocks: cut(meant.blocks, body.max_tokens),
          stopReason: "max_tokens",
          stopSequence: null,
          stopDetails: null,
        }
      : meant;
  return refusal?.after === undefined ? plan : refused(cut(plan.blocks, refusal.after));
}

/** Without limits and classifiers. */
function planFreely(
  model: Model,
  body: MessageBody,
  conversation: SteeredConversation,
  script: Script,
): AnswerPlan {
  const thinking = thinkingBlocks(model, body, conversation, script);
  const isAnswer = conversation.partial !== undefined || script.grade !== undefined;
  const calls = isAnswer ? [] : nextCalls(body, conversation, script);
  const ending = { stopSequence: null, stopDetails: null };
  if (calls.length > 0) {
    const made = calls.map((call, at) =>
      callBlock(call, model, body, { calls: conversation.calls + at }),
    );
    return { blocks: [...thinking, ...made], stopReason: "tool_use", ...ending };
  }
  const text = answerText(model, body, conversation, script);
  const blocks = text === "" ? thinking : [...thinking, textBlock(text)];
  // A paused answer that goes on would else pause for ever.
  const pausedBefore = conversation.partial !== undefined && script.stop === "pause_turn";
  return { blocks, stopReason: (!pausedBefore && script.stop) || "end_turn", ...ending };
}

/** Going on from a text of its own, it does not think again. */
function thinkingBlocks(
  model: Model,
  body: MessageBody,
  conversation: SteeredConversation,
  script: Script,
): PlannedBlock[] {
  if (conversation.partial !== undefined) return [];
  const tokens = thoughtTokens(model, body, conversation, script);
  if (tokens === 0) return [];
  const text = thought(conversation.prompt, tokens);
  const hidden = body.thinking?.["display"] === "omitted";
  return [
    {
      start: { type: "thinking", thinking: "", signature: "" },
      text,
      textTokens: tokensOfText(text),
      startTokens: 0,
      signature: signatureOf(hidden ? "" : text),
      ...(hidden && { hidden }),
    },
  ];
}

const textBlock = (text: string): PlannedBlock => ({
  start: { type: "text", text: "", citations: null },
  text,
  textTokens: tokensOfText(text),
  startTokens: 0,
});

/** What the directives say, within what `tool_choice` allows and forces. */
function nextCalls(
  body: MessageBody,
  conversation: SteeredConversation,
  script: Script,
): readonly ScriptedToolCall[] {
  const { tool_choice: choice } = body;
  const scripted = scriptedCalls(script, conversation.calls);
  const invented = (name: unknown): readonly ScriptedToolCall[] => {
    const named = availableTools(body).filter((each) => each["name"] !== undefined);
    const tool = named.find((each) => name === undefined || each["name"] === name);
    if (tool === undefined) return [];
    const input = exampleOf(tool["input_schema"] ?? {}, conversation.prompt);
    return [{ name: String(tool["name"]), input: input as ScriptedToolCall["input"] }];
  };
  const allowed = choice?.["disable_parallel_tool_use"] === true ? scripted.slice(0, 1) : scripted;
  switch (choice?.["type"]) {
    case "none":
      return [];
    case "any":
      return allowed.length > 0 ? allowed : invented(undefined);
    case "tool": {
      const { name } = choice;
      const isForced = allowed.length > 0 && allowed.every((call) => call.name === name);
      return isForced ? allowed : invented(name);
    }
    default:
      return allowed;
  }
}

/** Those of one response that come after so many calls; what was cut off of a response comes in the next one. */
function scriptedCalls({ tools }: Script, made: number): readonly ScriptedToolCall[] {
  let before = 0;
  for (const calls of tools) {
    if (made < before + calls.length) return calls.slice(made - before);
    before += calls.length;
  }
  return [];
}

/**
 * The id is new in its conversation and the same for the same request. The model is part of it: two models that
 * answer one request must not give one id twice.
 */
function callBlock(
  call: ScriptedToolCall,
  model: Model,
  body: MessageBody,
  { calls }: Pick<SteeredConversation, "calls">,
): PlannedBlock {
  const json = JSON.stringify(call.input);
  const parts = [model.id, body.messages.length, calls, call.name, json];
  const id = hash("sha256", JSON.stringify(parts), "hex");
  return {
    start: {
      type: "tool_use",
      id: `toolu_${id.slice(0, 24)}`,
      name: call.name,
      input: {},
      caller: { type: "direct" },
    },
    text: json,
    textTokens: tokensOfText(json),
    startTokens: tokensOfText(call.name),
  };
}

function atStopSequence(
  plan: AnswerPlan,
  { stop_sequences: sequences = [] }: MessageBody,
): AnswerPlan {
  if (sequences.length === 0) return plan;
  for (const [index, block] of plan.blocks.entries()) {
    if (block.start.type !== "text") continue;
    const { text } = block;
    const [first] = sequences
      .map((sequence) => ({ sequence, at: sequence === "" ? -1 : text.indexOf(sequence) }))
      .filter(({ at }) => at !== -1)
      .sort((a, b) => a.at - b.at);
    if (first === undefined) continue;
    const before = plan.blocks.slice(0, index);
    return {
      ...plan,
      blocks: first.at === 0 ? before : [...before, textBlock(text.slice(0, first.at))],
      stopReason: "stop_sequence",
      stopSequence: first.sequence,
    };
  }
  return plan;
}

export const tokensOfBlocks = (blocks: readonly PlannedBlock[]) =>
  blocks.reduce((tokens, { startTokens, textTokens }) => tokens + startTokens + textTokens, 0);

/** The first so many tokens; a block of which nothing would be left is not begun. */
function cut(blocks: readonly PlannedBlock[], tokens: number): PlannedBlock[] {
  const kept: PlannedBlock[] = [];
  let left = tokens;
  for (const block of blocks) {
    if (left <= block.startTokens) break;
    const pieces = piecesOfText(block.text).slice(0, left - block.startTokens);
    const { signature } = block;
    const text = pieces.join("");
    kept.push({
      ...block,
      text,
      textTokens: pieces.length,
      ...(signature !== undefined && { signature: signatureOf(block.hidden ? "" : text) }),
    });
    left -= block.startTokens + pieces.length;
  }
  return kept;
}

/** Tells the simulator's signatures from those of other upstreams. */
const signed = "plinth-simulator.";
export const isOwnSignature = (signature: string) => signature.startsWith(signed);

/** Proves that a thought came from here unchanged. */
export const signatureOf = (thinking: string) =>
  signed + hash("sha256", `plinth simulator\n${thinking}`, "base64");
