// What one hop sends, event by event: relayed as it is, and looked into only where something depends on it.
import { Failure } from "../../../kernel/base/failure.ts";
import { frame, type Block, type StreamEvent, type WireEvent } from "../../models/module.ts";
import type { ModelRefusal } from "../run/classify.ts";
import type { AnswerStream, HopStream } from "./answer-stream.ts";
import { messageDefaults } from "./ending.ts";
import { isBlank } from "../prepare/history.ts";
import { limits } from "../limits.ts";
import { startUsageOf, outputCounted } from "../run/counted-usage.ts";
import { usageAtEnd } from "../run/reported-usage.ts";
import { shownUsage } from "../run/settle-hop.ts";

/** What goes to the client of the events that came next; undefined where no more come. */
export async function nextFrames(
  answer: AnswerStream,
  stream: HopStream,
): Promise<string | undefined> {
  try {
    const batch = await stream.events.next();
    if (batch.done === true) return undefined;
    let out = "";
    for (const event of batch.value) {
      if (isCut(stream)) break;
      if (mayFollow(stream, event)) out += framesOfEvent(answer, stream, event);
    }
    return out;
  } catch (error) {
    // All of the answer is there: the client does not lose it over the way its stream ended.
    if (stream.end === undefined) throw error;
    return undefined;
  }
}

/** A rule of this server stops the model in the middle. */
const isCut = ({ refusal, end }: HopStream) => refusal !== undefined && end === undefined;

/** After the end only more of the end may follow: the last of several has the final usage. */
const mayFollow = ({ end }: HopStream, { name }: WireEvent) =>
  end === undefined || name === "message_delta";

/** What of one event goes to the client. */
export function framesOfEvent(answer: AnswerStream, stream: HopStream, event: WireEvent): string {
  switch (event.name) {
    case "message_start":
      return start(answer, stream, event.data());
    case "content_block_start":
      return blockStart(answer, stream, event);
    case "content_block_delta":
      return delta(answer, stream, event);
    case "content_block_stop":
      return blockStop(stream, event);
    case "message_delta":
      return end(answer, stream, event.data());
    case "error":
      throw upstreamError(event.data());
    case "ping":
      return answer.isStarted ? event.raw : "";
    default:
      return "";
  }
}

function start(answer: AnswerStream, stream: HopStream, event: StreamEvent): string {
  const message = event["message"] as { usage?: unknown };
  const { usage } = (stream.reported = startUsageOf(answer.prepared, stream, message.usage));
  stream.accumulator?.add(event);
  const { prepared } = answer;
  const shown = frame({
    type: "message_start",
    message: {
      ...messageDefaults,
      ...message,
      model: stream.answering.hop.model.id,
      usage: shownUsage(prepared, stream.answering, usage),
    },
  }).raw;
  stream.heldStart = shown + stream.boundary;
  // With another hop behind it, a hop waits for its first output: the client does not see a refusal before that.
  return prepared.plan.hops.length > 1 ? "" : releaseStart(answer, stream);
}

/** message_start of the hop that answers first; nothing for later hops. */
export function releaseStart(answer: AnswerStream, stream: HopStream): string {
  const frames = answer.isStarted ? "" : stream.heldStart;
  if (frames !== "") answer.isStarted = true;
  stream.heldStart = "";
  return frames;
}

function blockStart(answer: AnswerStream, stream: HopStream, event: WireEvent): string {
  const before = flushBlankText(answer, stream);
  const { type, text } = event.data()["content_block"] as Block;
  if (type !== "text" || !isBlank(text)) return before + begin(answer, stream, event);
  stream.blankEvents = [event];
  return before;
}

/** A text that ends without a word is left out where the answer is looked into, else held until no refusal can come. */
function blockStop(stream: HopStream, event: WireEvent): string {
  if (stream.blankEvents.length === 0) {
    stream.openIndex = undefined;
    stream.accumulator?.add(numbered(stream, event));
    return renumbered(stream, event);
  }
  if (stream.accumulator === undefined) stream.blankEvents.push(event);
  else {
    stream.blankEvents = [];
    stream.omittedBlocks += 1;
  }
  return "";
}

/** What was held back, now that it is known to belong to the answer. */
export function flushBlankText(answer: AnswerStream, stream: HopStream): string {
  const [first, ...more] = stream.blankEvents;
  if (first === undefined) return "";
  stream.blankEvents = [];
  let out = begin(answer, stream, first);
  for (const event of more)
    out +=
      event.name === "content_block_stop" ? blockStop(stream, event) : relayDelta(stream, event);
  return out;
}

function begin(answer: AnswerStream, stream: HopStream, event: WireEvent): string {
  stream.hasOutput = true;
  stream.written.begin(event.data()["content_block"] as Block);
  stream.openIndex = stream.offset + Number(event.data()["index"]) - stream.omittedBlocks;
  answer.nextIndex = stream.openIndex + 1;
  stream.accumulator?.add(numbered(stream, event));
  return releaseStart(answer, stream) + begunBlock(answer, stream, event);
}

/** Clients of the newer version are told that a text has no citations. */
function begunBlock({ prepared }: AnswerStream, stream: HopStream, event: WireEvent): string {
  const data = event.data();
  const block = data["content_block"] as Block;
  const isWhole = block.type !== "text" || block["citations"] !== undefined;
  if (isWhole || prepared.actor.dialect === "2023-06-01") return renumbered(stream, event);
  const content_block = { ...block, citations: null };
  return frame({ ...data, index: stream.openIndex, content_block }).raw;
}

function delta(answer: AnswerStream, stream: HopStream, event: WireEvent): string {
  if (stream.accumulator === undefined && stream.blankEvents.length === 0)
    return relayDelta(stream, event);
  const { text } = event.data()["delta"] as { text?: unknown };
  if (typeof text === "string") stream.refusal = stream.classify?.(text);
  // The client does not have what is withheld: no later model may go on from it.
  if (stream.refusal !== undefined) return "";
  if (stream.blankEvents.length === 0) return relayDelta(stream, event);
  if (isBlank(text) && stream.blankEvents.length < limits.blankEventsMax) {
    stream.blankEvents.push(event);
    return "";
  }
  return flushBlankText(answer, stream) + relayDelta(stream, event);
}

function relayDelta(stream: HopStream, event: WireEvent): string {
  stream.deltas += 1;
  stream.written.add(event);
  stream.accumulator?.add(numbered(stream, event));
  return renumbered(stream, event);
}

/** With the number that its block has in this hop. */
function numbered({ omittedBlocks }: HopStream, event: WireEvent): StreamEvent {
  const data = event.data();
  return omittedBlocks === 0 ? data : { ...data, index: Number(data["index"]) - omittedBlocks };
}

function renumbered(stream: HopStream, event: WireEvent): string {
  const by = stream.offset - stream.omittedBlocks;
  if (by === 0) return event.raw;
  const data = event.data();
  return frame({ ...data, index: Number(data["index"]) + by }).raw;
}

function end(answer: AnswerStream, stream: HopStream, event: StreamEvent): string {
  const { prepared } = answer;
  const before = stream.end?.["delta"] ?? {};
  const given = Object.entries(event["delta"] ?? {}).filter(([, value]) => value !== null);
  const delta =
    stream.end === undefined ? event["delta"] : { ...before, ...Object.fromEntries(given) };
  const { stop_reason, stop_details } = delta as {
    stop_reason: string;
    stop_details?: ModelRefusal | null;
  };
  if (stop_reason === "refusal")
    stream.refusal = {
      category: stop_details?.category ?? null,
      explanation: stop_details?.explanation ?? null,
    };
  const out = stream.refusal === undefined ? flushBlankText(answer, stream) : "";
  stream.accumulator?.add(event);
  const began = stream.reported ?? startUsageOf(prepared, stream, undefined);
  // Of several ends an earlier one may have reported it.
  const written =
    stream.end !== undefined && began.isOutputReported ? undefined : outputCounted(stream);
  stream.reported = usageAtEnd(began, event["usage"], written);
  stream.end = { ...stream.end, ...event, delta };
  return out;
}

export function closeOpenBlock(stream: HopStream): string {
  if (stream.openIndex === undefined) return "";
  const index = stream.openIndex;
  stream.openIndex = undefined;
  return frame({ type: "content_block_stop", index }).raw;
}

/** Whether the model's output begins; an error in its place is thrown. The input tokens are known before. */
export function beginsOutput(
  { prepared }: AnswerStream,
  stream: HopStream,
  event: WireEvent,
): boolean {
  if (event.name === "error") throw upstreamError(event.data());
  if (event.name === "message_start") {
    const { usage } = event.data()["message"] as { usage?: unknown };
    stream.reported = startUsageOf(prepared, stream, usage);
  }
  return event.name !== "message_start" && event.name !== "ping";
}

function upstreamError(event: StreamEvent): Failure {
  const { type, message } = (event["error"] ?? {}) as { type?: string; message?: string };
  const isUpstreamBusy = type === "overloaded_error" || type === "rate_limit_error";
  const sentence = message ?? "The upstream failed in the middle of its answer.";
  return new Failure(isUpstreamBusy ? type : "api_error", sentence, { isUpstreamBusy });
}
