// A planned answer as the events of a stream, one delta for each token, or as the message they add up to.
import { parseInput } from "../stream-events.ts";
import { piecesOfText } from "../tokens.ts";
import type { Block, Message, StreamEvent, Usage } from "../types.ts";
import { tokensOfBlocks, type AnswerPlan, type PlannedBlock } from "./plan.ts";

export interface Opening {
  id: string;
  model: string;
  inputTokens: number;
  speed: string | null;
}

/** Yields how many tokens have gone by with each event. */
export function* eventsOf(
  plan: AnswerPlan,
  opening: Opening,
): Generator<{ event: StreamEvent; tokens: number }> {
  yield { event: { type: "message_start", message: startOf(opening) }, tokens: 0 };
  let tokens = 0;
  for (const [index, block] of plan.blocks.entries()) {
    tokens += block.startTokens;
    const content_block = block.start;
    yield { event: { type: "content_block_start", index, content_block }, tokens };
    for (const piece of piecesOfText(block.text)) {
      tokens++;
      if (block.hidden === undefined)
        yield {
          event: { type: "content_block_delta", index, delta: deltaOf(block, piece) },
          tokens,
        };
    }
    if (block.signature !== undefined) {
      const delta = { type: "signature_delta", signature: block.signature };
      yield { event: { type: "content_block_delta", index, delta }, tokens };
    }
    yield { event: { type: "content_block_stop", index }, tokens };
  }
  yield { event: endOf(plan, opening.inputTokens), tokens };
  yield { event: { type: "message_stop" }, tokens };
}

/** What the events add up to, without making them: a tenth of what making and adding them costs. */
export function messageOf(plan: AnswerPlan, opening: Opening): Message {
  const start = startOf(opening);
  const { delta, usage } = endOf(plan, opening.inputTokens);
  return {
    ...start,
    ...delta,
    content: plan.blocks.map(wholeBlock),
    usage: { ...start.usage, ...usage },
  };
}

function wholeBlock({ start, text, signature, hidden }: PlannedBlock): Block {
  switch (start.type) {
    case "thinking":
      return { ...start, thinking: hidden === undefined ? text : "", signature };
    case "tool_use":
      return { ...start, input: parseInput(text) };
    default:
      return { ...start, text };
  }
}

const startOf = ({ id, model, inputTokens, speed }: Opening): Message => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  container: null,
  context_management: null,
  diagnostics: null,
  usage: startUsage(inputTokens, speed),
});

function deltaOf({ start }: PlannedBlock, piece: string): Record<string, unknown> {
  switch (start.type) {
    case "thinking":
      return { type: "thinking_delta", thinking: piece };
    case "tool_use":
      return { type: "input_json_delta", partial_json: piece };
    default:
      return { type: "text_delta", text: piece };
  }
}

const startUsage = (inputTokens: number, speed: string | null): Usage => ({
  input_tokens: inputTokens,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: "standard",
  speed,
  inference_geo: null,
});

function endOf(plan: AnswerPlan, inputTokens: number) {
  const { blocks, stopReason, stopSequence, stopDetails } = plan;
  const thoughts = blocks.filter(({ start }) => start.type === "thinking");
  return {
    type: "message_delta",
    delta: {
      stop_reason: stopReason,
      stop_sequence: stopSequence,
      stop_details: stopDetails,
      container: null,
    },
    context_management: null,
    usage: {
      input_tokens: inputTokens,
      output_tokens: tokensOfBlocks(blocks),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens_details: { thinking_tokens: tokensOfBlocks(thoughts) },
      server_tool_use: null,
    },
  };
}
