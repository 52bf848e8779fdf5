// A planned answer as the events of a stream: one delta for each token.
import type { Message, StreamEvent, Usage } from "../types.ts";
import { tokensOfBlocks, type Plan, type PlannedBlock } from "./plan.ts";

export interface Opening {
  id: string;
  model: string;
  inputTokens: number;
  speed: string | null;
}

/** Yields how many tokens have gone by with each event. */
export function* eventsOf(
  plan: Plan,
  { id, model, inputTokens, speed }: Opening,
): Generator<{ event: StreamEvent; tokens: number }> {
  const start: Message = {
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
  };
  yield { event: { type: "message_start", message: start }, tokens: 0 };
  let tokens = 0;
  for (const [index, block] of plan.blocks.entries()) {
    tokens += block.startTokens;
    const content_block = block.start;
    yield { event: { type: "content_block_start", index, content_block }, tokens };
    for (const piece of block.pieces) {
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
  yield { event: endOf(plan, inputTokens), tokens };
  yield { event: { type: "message_stop" }, tokens };
}

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

function endOf(plan: Plan, inputTokens: number): StreamEvent {
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
