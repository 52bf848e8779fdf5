// A stream of chat chunks as the events of a message: blocks one after the other, however deltas interleave.
import { Failure } from "../../../kernel/base/failure.ts";
import type { AttemptRequest, StreamEvent, WireEvent } from "../types.ts";
import type { StreamReader } from "./attempt.ts";
import { blockQueue } from "./chat-blocks.ts";
import {
  choiceIn,
  endingOf,
  estimateOf,
  failureIn,
  fieldsIn,
  isOmitted,
  messageIdOf,
  saidIn,
  textIn,
  usageOf,
  withoutEquivalent,
  type Fields,
  type Said,
} from "./chat-reply.ts";
import { blockScanner, fieldsOf, frame } from "./frames.ts";

export function chatReader(request: AttemptRequest, inputEstimate: number): StreamReader {
  const { model, body, requestId } = request;
  const blocks = blockQueue(requestId);
  let outputEstimate = 0;
  let usage: unknown;
  let refusal = "";
  let finished: Fields | undefined;
  let isStarted = false;
  const isThinkingHidden = isOmitted(body.thinking);

  const start = (chunk: Fields): StreamEvent => {
    isStarted = true;
    const message = {
      id: messageIdOf(chunk, requestId),
      type: "message",
      role: "assistant",
      model: model.id,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      ...withoutEquivalent,
      usage: usageOf(usage, { input: inputEstimate, output: 0 }, model.reportsCache),
    };
    return { type: "message_start", message };
  };

  const add = (said: Said) => {
    const { text, reasoning, calls } = said;
    outputEstimate += estimateOf(text, reasoning, ...calls.map((call) => call.arguments));
    if (reasoning !== "") blocks.add("thinking", isThinkingHidden ? "" : reasoning);
    if (text !== "") blocks.add("text", text);
    for (const call of calls) blocks.addCall(call);
    refusal += said.refusal;
  };

  const chunkEvents = (chunk: Fields): StreamEvent[] => {
    const failed = failureIn(chunk);
    if (failed !== undefined) throw failed;
    usage = chunk["usage"] ?? usage;
    const events = isStarted ? [] : [start(chunk)];
    const choice = choiceIn(chunk);
    add(saidIn(fieldsIn(choice["delta"] ?? choice["message"])));
    if (textIn(choice["finish_reason"]) !== "") finished = choice;
    return [...events, ...blocks.flush("going on")];
  };

  const lastEvents = (): StreamEvent[] => [
    ...(isStarted ? [] : [start({})]),
    ...blocks.flush(finished?.["finish_reason"] === "length" ? "cut" : "whole"),
    {
      type: "message_delta",
      delta: endingOf(
        finished ?? {},
        { refusal, hasCalls: blocks.hasCalls() },
        body.stop_sequences,
      ),
      context_management: null,
      usage: usageOf(usage, { input: inputEstimate, output: outputEstimate }, model.reportsCache),
    },
    { type: "message_stop" },
  ];

  return {
    scanner: blockScanner(),
    eventsOf: (block) => {
      const fields = fieldsOf(block);
      if (fields === undefined || fields.data.trim() === "") return [];
      if (fields.data.trim() === "[DONE]") return framed(isStarted ? lastEvents() : []);
      return framed(chunkEvents(chunkIn(fields.data, model.upstream)));
    },
    // Some servers close without [DONE]; without a reason to stop it is a break.
    end: () => framed(finished === undefined ? [] : lastEvents()),
  };
}

const framed = (events: readonly StreamEvent[]): WireEvent[] => events.map(frame);

function chunkIn(data: string, upstream: string): Fields {
  try {
    const chunk: unknown = JSON.parse(data);
    if (typeof chunk === "object" && chunk !== null && !Array.isArray(chunk))
      return chunk as Fields;
  } catch {
    // Said below, without the text.
  }
  throw new Failure("api_error", `The upstream ${upstream} sent a chunk that is no JSON object.`);
}
