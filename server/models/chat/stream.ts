// A stream of chat chunks as the events of a message: blocks one after the other, however deltas interleave.
import { parseShallow } from "../../../kernel/base/json.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import { tokensOfBytes, tokensOfText } from "../tokens.ts";
import type { AttemptRequest, StreamEvent, Usage, WireEvent } from "../types.ts";
import type { StreamReader } from "../upstreams/attempt.ts";
import { blockQueue } from "./blocks.ts";
import {
  choiceIn,
  stopFieldsOf,
  failureIn,
  fieldsIn,
  hidesThinking,
  isReported,
  messageIdOf,
  replyContentIn,
  textIn,
  usageOf,
  withoutEquivalent,
  type Fields,
  type ReplyContent,
} from "./reply.ts";
import { makeEventScanner, sseFieldsOf, lazyFrame } from "../upstreams/sse.ts";
import { upstreamLabel } from "../upstreams/failures.ts";

export function chatReader(request: AttemptRequest, inputEstimate: number): StreamReader {
  const { model, body, requestId, progress } = request;
  const blocks = blockQueue(requestId);
  const written = writtenCount(body.max_tokens);
  let usage: unknown;
  let refusal = "";
  let finished: Fields | undefined;
  let isStarted = false;
  const isThinkingHidden = hidesThinking(body.thinking);

  const start = (chunk: Fields): StreamEvent => {
    isStarted = true;
    return startOf(
      chunk,
      request,
      usageOf(usage, { input: inputEstimate, output: 0 }, model.reportsCache),
    );
  };

  const add = (content: ReplyContent) => {
    const { text, reasoning, calls } = content;
    written.add(content);
    if (progress !== undefined) progress.writtenTokens = written.tokens();
    if (reasoning !== "") blocks.add("thinking", isThinkingHidden ? "" : reasoning);
    if (text !== "") blocks.add("text", text);
    for (const call of calls) blocks.addCall(call);
    refusal += content.refusal;
  };

  const chunkEvents = (chunk: Fields): StreamEvent[] => {
    const failed = failureIn(chunk);
    if (failed !== undefined) throw failed;
    usage = chunk["usage"] ?? usage;
    const events = isStarted ? [] : [start(chunk)];
    const choice = choiceIn(chunk);
    add(replyContentIn(fieldsIn(choice["delta"] ?? choice["message"])));
    if (textIn(choice["finish_reason"]) !== "") finished = choice;
    return [...events, ...blocks.flush("going on")];
  };

  const lastEvents = (): StreamEvent[] => {
    if (progress !== undefined) progress.isEstimated = !isReported(usage);
    const estimate = { input: inputEstimate, output: written.tokens() };
    const ended = { refusal, hasCalls: blocks.hasCalls() };
    return [
      ...(isStarted ? [] : [start({})]),
      ...blocks.flush(finished?.["finish_reason"] === "length" ? "cut" : "whole"),
      {
        type: "message_delta",
        delta: stopFieldsOf(finished ?? {}, ended, body.stop_sequences),
        context_management: null,
        usage: usageOf(usage, estimate, model.reportsCache),
      },
      { type: "message_stop" },
    ];
  };

  return {
    scanner: makeEventScanner(),
    eventsOf: (block) => {
      const fields = sseFieldsOf(block);
      if (fields === undefined || fields.data.trim() === "") return [];
      if (fields.data.trim() === "[DONE]") return framed(isStarted ? lastEvents() : []);
      return framed(chunkEvents(chunkIn(fields.data, model.upstream)));
    },
    // Some servers close without [DONE]; without a reason to stop it is a break.
    end: () => framed(finished === undefined ? [] : lastEvents()),
  };
}

const startOf = (
  chunk: Fields,
  { model, requestId }: AttemptRequest,
  usage: Usage,
): StreamEvent => ({
  type: "message_start",
  message: {
    id: messageIdOf(chunk, requestId),
    type: "message",
    role: "assistant",
    model: model.id,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...withoutEquivalent,
    usage,
  },
});

/**
 * What the model wrote, also thoughts that the client does not get: the larger of the number of pieces that came and
 * this server's count of them, as rule MSG72 has it.
 */
function writtenCount(tokensMax: number) {
  let pieces = 0;
  let [text, reasoning, names] = [0, 0, 0];
  /** Bytes of each call's input: servers number calls, or name them, or send one after the other. */
  const inputs = new Map<number | string, number>();
  let latest: number | string = "";
  const tokens = () => {
    let counted = tokensOfBytes(text) + tokensOfBytes(reasoning) + names;
    for (const bytes of inputs.values()) counted += tokensOfBytes(bytes);
    return Math.min(Math.max(pieces, counted), tokensMax);
  };
  return {
    tokens,
    add: ({ text: words, reasoning: thoughts, calls }: ReplyContent): void => {
      text += Buffer.byteLength(words);
      reasoning += Buffer.byteLength(thoughts);
      for (const { index, id, name, arguments: input } of calls) {
        names += tokensOfText(name);
        latest = index ?? (id || (name === "" ? latest : `call ${inputs.size}`));
        inputs.set(latest, (inputs.get(latest) ?? 0) + Buffer.byteLength(input));
      }
      if (
        words !== "" ||
        thoughts !== "" ||
        calls.some((call) => call.name + call.arguments !== "")
      )
        pieces++;
    },
  };
}

const framed = (events: readonly StreamEvent[]): WireEvent[] => events.map(lazyFrame);

function chunkIn(data: string, upstream: string): Fields {
  try {
    const chunk = parseShallow(data);
    if (typeof chunk === "object" && chunk !== null && !Array.isArray(chunk))
      return chunk as Fields;
  } catch {
    // The failure below names it, without the text.
  }
  throw new Failure("api_error", `${upstreamLabel(upstream)} sent a chunk that is no JSON object.`);
}
