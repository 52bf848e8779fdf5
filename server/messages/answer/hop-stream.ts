// What one hop sends, event by event: relayed as it is, and looked into only where something depends on it.
import { Failure } from "../../../kernel/base/failure.ts";
import { asWireEvent, type Block, type StreamEvent, type WireEvent } from "../../models/module.ts";
import type { ModelRefusal } from "../run/classify.ts";
import type { Answer, HopStream } from "./hops.ts";
import { messageDefaults } from "./ending.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import { isBlank } from "../prepare/history.ts";
import { limits } from "../limits.ts";
import { startUsageOf, outputCounted } from "./counted-usage.ts";
import { usageAtEnd } from "../run/reported-usage.ts";
import { shownUsage } from "../run/settle-hop.ts";

/** Looks into the events that came next, and puts out what of them the client gets; false where no more come. */
export async function readEvents(answer: Answer, stream: HopStream): Promise<boolean> {
  try {
    const batch = await stream.events.next();
    if (batch.done === true) return false;
    for (const event of batch.value) {
      if (isCut(stream)) break;
      if (mayFollow(stream, event)) readEvent(answer, stream, event);
    }
    return true;
  } catch (error) {
    // All of the answer is there: the client does not lose it over the way its stream ended.
    if (stream.end === undefined) throw error;
    return false;
  }
}

/** A rule of this server stops the model in the middle. */
const isCut = ({ refusal, end }: HopStream) => refusal !== undefined && end === undefined;

/** After the end only more of the end may follow: the last of several has the final usage. */
const mayFollow = ({ end }: HopStream, { name }: WireEvent) =>
  end === undefined || name === "message_delta";

function readEvent(answer: Answer, stream: HopStream, event: WireEvent): void {
  switch (event.name) {
    case "message_start":
      return start(answer, stream, event.data());
    case "content_block_start":
      return blockStart(answer, stream, event);
    case "content_block_delta":
      return delta(answer, stream, event);
    case "content_block_stop":
      return blockStop(answer, stream, event);
    case "message_delta":
      return end(answer, stream, event.data());
    case "error":
      throw upstreamError(event.data());
    case "ping":
      if (answer.isStarted) answer.out.push(event);
      return;
    default:
  }
}

function start(answer: Answer, stream: HopStream, event: StreamEvent): void {
  const message = event["message"] as { usage?: unknown };
  const { prepared } = answer;
  const { usage } = (stream.reported = startUsageOf(prepared, stream, message.usage));
  stream.accumulator?.add(event);
  stream.heldStart = asWireEvent({
    type: "message_start",
    message: {
      ...messageDefaults,
      ...message,
      ...idOf(prepared),
      model: stream.answering.hop.model.id,
      usage: shownUsage(prepared, stream.answering, usage),
    },
  });
  // With another hop behind it, a hop waits for its first output: the client does not see a refusal before that.
  if (prepared.plan.hops.length === 1) releaseStart(answer, stream);
}

/** A kept answer has an id of this server: an upstream may give one twice. */
export const idOf = ({ thread }: PreparedRequest): { id?: string } =>
  thread === undefined ? {} : { id: thread.messageId };

/** message_start of the hop that answers first, and the boundaries behind it; nothing for later hops. */
export function releaseStart(answer: Answer, stream: HopStream): void {
  if (!answer.isStarted && stream.heldStart !== undefined) {
    answer.out.push(stream.heldStart, ...answer.boundaries);
    answer.isStarted = true;
  }
  stream.heldStart = undefined;
}

function blockStart(answer: Answer, stream: HopStream, event: WireEvent): void {
  flushBlankText(answer, stream);
  const { type, text } = event.data()["content_block"] as Block;
  if (type === "text" && isBlank(text)) stream.blankEvents = [event];
  else begin(answer, stream, event);
}

/** A text that ends without a word is left out where the answer is looked into, else held until no refusal can come. */
function blockStop(answer: Answer, stream: HopStream, event: WireEvent): void {
  if (stream.blankEvents.length === 0) {
    stream.openIndex = undefined;
    stream.accumulator?.add(numbered(stream, event));
    answer.out.push(renumbered(stream, event));
  } else if (stream.accumulator === undefined) stream.blankEvents.push(event);
  else {
    stream.blankEvents = [];
    stream.omittedBlocks += 1;
  }
}

/** What was held back, now that it is known to belong to the answer. */
export function flushBlankText(answer: Answer, stream: HopStream): void {
  const [first, ...more] = stream.blankEvents;
  if (first === undefined) return;
  stream.blankEvents = [];
  begin(answer, stream, first);
  for (const event of more)
    if (event.name === "content_block_stop") blockStop(answer, stream, event);
    else relayDelta(answer, stream, event);
}

function begin(answer: Answer, stream: HopStream, event: WireEvent): void {
  stream.hasOutput = true;
  stream.answering.record.firstMs ??= answer.prepared.actor.clock.monotonicMs();
  stream.written.begin(event.data()["content_block"] as Block);
  stream.openIndex = stream.offset + Number(event.data()["index"]) - stream.omittedBlocks;
  answer.nextIndex = stream.openIndex + 1;
  stream.accumulator?.add(numbered(stream, event));
  releaseStart(answer, stream);
  answer.out.push(renumbered(stream, event));
}

function delta(answer: Answer, stream: HopStream, event: WireEvent): void {
  if (stream.accumulator === undefined && stream.blankEvents.length === 0)
    return relayDelta(answer, stream, event);
  const { text } = event.data()["delta"] as { text?: unknown };
  if (typeof text === "string") stream.refusal = stream.classify?.(text);
  // The client does not have what is withheld: no later model may go on from it.
  if (stream.refusal !== undefined) return;
  if (stream.blankEvents.length > 0) {
    if (isBlank(text) && stream.blankEvents.length < limits.blankEventsMax) {
      stream.blankEvents.push(event);
      return;
    }
    flushBlankText(answer, stream);
  }
  relayDelta(answer, stream, event);
}

function relayDelta(answer: Answer, stream: HopStream, event: WireEvent): void {
  stream.deltas += 1;
  stream.written.add(event);
  stream.accumulator?.add(numbered(stream, event));
  answer.out.push(renumbered(stream, event));
}

/** With the number that its block has in this hop. */
function numbered({ omittedBlocks }: HopStream, event: WireEvent): StreamEvent {
  const data = event.data();
  return omittedBlocks === 0 ? data : { ...data, index: Number(data["index"]) - omittedBlocks };
}

/** With the number that its block has in the answer: as it came where that is the same. */
function renumbered(stream: HopStream, event: WireEvent): WireEvent {
  const by = stream.offset - stream.omittedBlocks;
  if (by === 0) return event;
  const data = event.data();
  return asWireEvent({ ...data, index: Number(data["index"]) + by });
}

function end(answer: Answer, stream: HopStream, event: StreamEvent): void {
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
  if (stream.refusal === undefined) flushBlankText(answer, stream);
  stream.accumulator?.add(event);
  const began = stream.reported ?? startUsageOf(prepared, stream, undefined);
  // Of several ends an earlier one may have reported it.
  const written =
    stream.end !== undefined && began.isOutputReported ? undefined : outputCounted(stream);
  stream.reported = usageAtEnd(began, event["usage"], written);
  stream.end = { ...stream.end, ...event, delta };
}

export function closeOpenBlock(answer: Answer, stream: HopStream): void {
  if (stream.openIndex === undefined) return;
  answer.out.push(asWireEvent({ type: "content_block_stop", index: stream.openIndex }));
  stream.openIndex = undefined;
}

/** Whether the model's output begins; an error in its place is thrown. The input tokens are known before. */
export function beginsOutput({ prepared }: Answer, stream: HopStream, event: WireEvent): boolean {
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
  // An upstream may repeat what it was asked, and these words are in no log.
  const logged = "The upstream failed in the middle of its answer.";
  return new Failure(isUpstreamBusy ? type : "api_error", sentence, { isUpstreamBusy, logged });
}
