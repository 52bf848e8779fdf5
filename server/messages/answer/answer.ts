// An answer: hop after hop until one serves, each settled before its last word, and given event by event to a reader.
import assert from "node:assert/strict";
import { isFailure, unavailable } from "../../../kernel/base/failure.ts";
import * as fallbacks from "../../fallbacks/module.ts";
import { accumulate, asWireEvent, type Message } from "../../models/module.ts";
import { replyHeadersOf } from "../run/begin-hop.ts";
import { shownUsage } from "../run/settle-hop.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import { warmAfter } from "../run/warm-cache.ts";
import { hopUsageOf } from "./counted-usage.ts";
import { finish } from "./finish.ts";
import { closeOpenBlock, readEvents } from "./hop-stream.ts";
import {
  contentOf,
  hasGivenOutput,
  type Answer,
  type AnswerReader,
  type Hop,
  type HopStream,
} from "./hops.ts";
import { endStream, openHop } from "./open-hop.ts";
import { settleBroken, settleDeclined } from "./settle.ts";

export interface AnswerOptions {
  /** Models are asked for whole answers: events come when it is known which one serves. */
  isWhole: boolean;
}

/**
 * Resolves when the reader has had the last event; everything is settled by then. Rejects with the failure of a hop
 * that gave no answer, before the first events or after, with what the reader threw, or with the reason of the signal.
 */
export function answerRequest(
  prepared: PreparedRequest,
  reader: AnswerReader,
  options: AnswerOptions,
): Promise<void> {
  const { thread } = prepared;
  const answered = answerInHops(prepared, reader, options);
  return thread === undefined ? answered : answered.finally(() => thread.end());
}

async function answerInHops(
  prepared: PreparedRequest,
  reader: AnswerReader,
  { isWhole }: AnswerOptions,
): Promise<void> {
  prepared.record.begin();
  try {
    await goThroughHops(prepared, reader, isWhole);
  } finally {
    prepared.record.end();
  }
}

async function goThroughHops(
  prepared: PreparedRequest,
  reader: AnswerReader,
  isWhole: boolean,
): Promise<void> {
  const answer: Answer = {
    prepared,
    reader,
    out: [],
    declined: [],
    settled: [],
    partials: [],
    content: [],
    isStarted: false,
    boundaries: [],
    nextIndex: 0,
  };
  let hop = await openHop(answer, prepared.firstHop, isWhole);
  if (hop.kind === "stream") reader.begin(replyHeadersOf(hop.answering));
  for (;;) {
    if (hop.kind === "stream") await relay(answer, hop);
    const next =
      hop.refusal && fallbacks.nextHop(prepared.plan, hop.answering.hop, hop.refusal.category);
    const nextHop = next && (await openNext(answer, hop, next));
    if (nextHop === undefined || nextHop === "overloaded") {
      await finish(answer, hop, nextHop && next?.model.id);
      if (hop.kind === "whole") reader.begin(replyHeadersOf(hop.answering));
      await give(answer);
      return;
    }
    decline(answer, hop, nextHop);
    hop = nextHop;
  }
}

/** What came together goes to the reader at once; undefined where it takes more already. */
function give(answer: Answer): Promise<void> | undefined {
  const { out, reader, prepared } = answer;
  if (out.length === 0) return undefined;
  answer.out = [];
  const taken = reader.take(out);
  return taken && whenTaken(taken, prepared.actor.signal);
}

async function whenTaken(taken: Promise<void>, signal: AbortSignal): Promise<void> {
  await taken;
  signal.throwIfAborted();
}

/** One hop's events, up to its end or its refusal. */
async function relay(answer: Answer, stream: HopStream): Promise<void> {
  let isRelayed = false;
  try {
    // Within the try: a client may leave at any word, and then this hop is settled here.
    await give(answer);
    for (let isOver = false; !isOver;) {
      const isEnded = !(await readEvents(answer, stream));
      const given = give(answer);
      if (given !== undefined) await given;
      // The next model waits for no more than what came with the refusal.
      isOver = isEnded || stream.refusal !== undefined;
    }
    if (stream.end === undefined && stream.refusal === undefined)
      throw unavailable("The upstream ended its answer before it was complete; try again.");
    isRelayed = true;
  } finally {
    await endStream(stream, () => (isRelayed ? undefined : settleBroken(answer, stream)));
  }
}

/** A fallback that is over its limits is named to the client instead of failing the request. */
async function openNext(answer: Answer, hop: Hop, next: fallbacks.Hop) {
  const hasOutput = hasGivenOutput(hop);
  if (hasOutput) answer.partials.push(contentOf(hop));
  try {
    const usage = hopUsageOf(answer.prepared, hop);
    const warm = warmAfter(answer.prepared, hop.answering, usage, hasOutput);
    return await openHop(answer, next, hop.kind === "whole", warm);
  } catch (error) {
    if (isFailure(error) && fallbacks.isOverload(next, error)) return "overloaded";
    await Promise.all([...answer.settled, settleDeclined(answer, hop)]);
    throw error;
  }
}

/** Between two hops: the open block closes, and the boundary stands where one model ends and the next begins. */
function decline(answer: Answer, hop: Hop, nextHop: Hop): void {
  const { prepared, declined } = answer;
  const { refusal, answering } = hop;
  const category = refusal?.category ?? null;
  answering.record.why = category ?? "refusal";
  if (hop.kind === "stream") closeOpenBlock(answer, hop);
  declined.push({
    hop: answering.hop,
    usage: shownUsage(prepared, answering, hopUsageOf(prepared, hop)),
    category,
  });
  const settled = settleDeclined(answer, hop);
  // Awaited in the end: until then a rejection without a handler would end the process.
  settled.catch(() => {});
  answer.settled.push(settled);
  if (hasGivenOutput(hop)) answer.content.push(...contentOf(hop));
  const block = fallbacks.fallbackBlock(
    prepared.plan,
    answering.hop,
    nextHop.answering.hop,
    category,
  );
  const index = answer.nextIndex++;
  answer.content.push(block);
  if (nextHop.kind === "stream") nextHop.offset = answer.nextIndex;
  // Before output the boundary is the first block after the message_start of the hop that answers.
  const boundary = answer.isStarted ? answer.out : answer.boundaries;
  boundary.push(
    asWireEvent({ type: "content_block_start", index, content_block: block }),
    asWireEvent({ type: "content_block_stop", index }),
  );
}

/** The events of an answer, added up to the message that they are of. */
export interface WholeAnswer {
  message: Message;
  headers: Readonly<Record<string, string>>;
}

export const answerWhole = (prepared: PreparedRequest): Promise<WholeAnswer> =>
  addUp((reader) => answerRequest(prepared, reader, { isWhole: true }));

export async function addUp(answer: (reader: AnswerReader) => Promise<void>): Promise<WholeAnswer> {
  const sum = accumulate();
  let headers: WholeAnswer["headers"] = {};
  const begin = (known: WholeAnswer["headers"]) => {
    headers = known;
  };
  const take: AnswerReader["take"] = (events) => {
    for (const event of events) sum.add(event.data());
    return undefined;
  };
  await answer({ begin, take });
  const message = sum.message();
  assert(message !== undefined, "an answer that ended began with message_start");
  return { message, headers };
}
