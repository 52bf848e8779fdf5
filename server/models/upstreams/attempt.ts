// What all adapters do with a reply: failures before output, then events until the last one.
import type { Clock } from "../../../kernel/base/clock.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import type { Logger } from "../../../kernel/base/logger.ts";
import type { Attempt, AttemptRequest, WireEvent } from "../types.ts";
import { errorCodeOf } from "./connection.ts";
import type { UpstreamReply, ReplyBody } from "./exchange.ts";
import {
  brokenStream,
  failureOfError,
  failureOfEvent,
  failureOfReply,
  upstreamLabel,
} from "./failures.ts";
import type { EventScanner } from "./sse.ts";
import type { HealthRecord } from "../health/record.ts";

type Failed = Extract<Attempt, { kind: "failure" }>;
type Outcomes = Pick<HealthRecord, "began" | "succeeded" | "failed">;

/** The log and the record that learn how an attempt went. */
export interface AttemptObservers {
  logger: Logger;
  clock: Clock;
  health: Outcomes;
}

/** The upstream works, and the request was wrong. Any other refusal needs an operator, or time. */
const requestsOwn: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/** Rule MDL15. An upstream that was not asked, because its wire cannot say the request, did not fail. */
function note(
  { failure, upstreamStatus }: Failed,
  code: string | undefined,
  health: Outcomes,
): void {
  if (upstreamStatus !== undefined && requestsOwn.has(upstreamStatus)) health.succeeded();
  else if (upstreamStatus !== undefined) health.failed(`status ${upstreamStatus}`);
  else if (code !== undefined) health.failed(code);
  else if (failure.status >= 500 || failure.status === 429) health.failed(failure.type);
}

/** Every error before output is a failure of the attempt; an abort by the caller is passed up. */
export async function runAttempt(
  { model, signal, requestId, progress }: AttemptRequest,
  { logger, clock, health }: AttemptObservers,
  attempt: () => Promise<Attempt>,
): Promise<Attempt> {
  const startedMs = clock.monotonicMs();
  if (progress !== undefined) progress.startedMs = startedMs;
  let caught: unknown;
  const result = await attempt().catch((error: unknown): Attempt => {
    if (signal.aborted) throw signal.reason;
    caught = error;
    return { kind: "failure", failure: failureOfError(error, model.upstream) };
  });
  if (result.kind !== "failure") {
    health.began(clock.monotonicMs() - startedMs);
    if (result.kind === "message") health.succeeded(startedMs); // a stream has not ended yet
    return result;
  }
  const code = caught === undefined ? undefined : errorCodeOf(caught);
  note(result, caught instanceof Failure ? undefined : code, health);
  const { type, status } = result.failure;
  const line = { requestId, upstream: model.upstream, model: model.id, type, status, code };
  logger[status >= 500 ? "warn" : "debug"](line, "an upstream did not answer");
  return result;
}

/** Undefined for a reply that can be read as an answer. */
export async function replyProblem(
  reply: UpstreamReply,
  { model, stream }: Pick<AttemptRequest, "model" | "stream">,
): Promise<Failed | undefined> {
  const { status, headers, body } = reply;
  if (status >= 300 || status === 204)
    return {
      kind: "failure",
      failure: await failureOfReply(reply, model.upstream),
      upstreamStatus: status,
    };
  const encoding = headers["content-encoding"] ?? "identity";
  const type = String(headers["content-type"] ?? ""); // named twice it is an array
  const isStream = type.startsWith("text/event-stream");
  if (encoding === "identity" && (!stream || isStream)) return undefined;
  body.cancel();
  const what = encoding !== "identity" ? "a compressed reply" : "no event stream";
  const sentence = `${upstreamLabel(model.upstream)} sent ${what}.`;
  return { kind: "failure", failure: new Failure("api_error", sentence) };
}

/** How the blocks of one stream become events. */
export interface StreamReader {
  scanner: EventScanner;
  eventsOf(block: string): readonly WireEvent[];
  /** Events that are still missing where the stream ends without a last event. */
  end(): readonly WireEvent[];
}

/** Waits for the first events: until then a failure still has a status of its own. */
export async function streamAttempt(
  reader: StreamReader,
  body: ReplyBody,
  request: AttemptRequest,
  health: Outcomes,
): Promise<Attempt> {
  const outcome = outcomeOf(health, request.progress?.startedMs);
  const events = eventStream(reader, body, request, outcome.ended);
  const first = await events.next();
  const head = first.done === true ? [] : first.value;
  const [event] = head;
  if (event?.name === "error") return { kind: "failure", failure: failureOfEvent(event) };
  outcome.begun();
  let isHeadDue = true;
  const iterator: AsyncIterator<readonly WireEvent[], void, void> = {
    return: events.return,
    next: () => {
      if (!isHeadDue) return events.next();
      isHeadDue = false;
      return Promise.resolve({ done: false, value: head });
    },
  };
  return { kind: "stream", events: { [Symbol.asyncIterator]: () => iterator } };
}

/** Reports the end of a stream; where it broke before its first event, the attempt reports that. */
function outcomeOf(health: Outcomes, startedMs: number | undefined) {
  let isBegun = false;
  let end: { fault: string | undefined } | undefined;
  const report = () => {
    if (end === undefined || !isBegun) return;
    if (end.fault === undefined) health.succeeded(startedMs);
    else health.failed(end.fault);
  };
  return {
    begun: () => {
      isBegun = true;
      report();
    },
    ended: (fault?: string) => {
      if (end !== undefined) return;
      end = { fault };
      report();
    },
  };
}

interface EventStream {
  next(): Promise<IteratorResult<readonly WireEvent[], void>>;
  return(): Promise<IteratorReturnResult<void>>;
}

const done = { done: true, value: undefined } as const;

/** Not a generator: its `return()` would wait behind a read that is pending, with the connection open. */
function eventStream(
  reader: StreamReader,
  body: ReplyBody,
  { model, signal }: AttemptRequest,
  ended: (fault?: string) => void,
): EventStream {
  let isOver = false;
  let isEnding = false;
  let broken: { error: unknown } | undefined;

  /** What is read before something breaks is good, and goes out first. */
  const read = async (): Promise<WireEvent[]> => {
    const events: WireEvent[] = [];
    const take = (more: readonly WireEvent[]) => {
      for (const event of more) {
        if (isOver) return;
        events.push(event);
        isEnding ||= event.name === "message_delta";
        isOver = event.name === "message_stop" || event.name === "error";
        if (isOver) ended(event.name === "error" ? failureOfEvent(event).type : undefined);
      }
    };
    try {
      const chunks = await body.read();
      if (chunks === undefined) {
        take(reader.eventsOf(reader.scanner.end()));
        take(reader.end());
        if (!isOver) broken = { error: undefined };
      } else
        for (const chunk of chunks)
          for (const block of reader.scanner.push(chunk)) take(reader.eventsOf(block));
      if (isOver) body.release();
      else if (isEnding) body.expectEndSoon();
    } catch (error) {
      broken = { error };
      body.cancel();
    }
    return events;
  };

  return {
    next: async () => {
      while (!isOver) {
        if (broken !== undefined) {
          isOver = true;
          ended(signal.aborted ? undefined : faultOf(broken.error));
          throw signal.aborted ? signal.reason : brokenStream(model.upstream, broken.error);
        }
        const events = await read();
        if (events.length > 0) return { done: false, value: events };
      }
      return done;
    },
    return: () => {
      if (!isOver) body.cancel();
      isOver = true;
      ended();
      return Promise.resolve(done);
    },
  };
}

function faultOf(error: unknown): string {
  if (error === undefined) return "ENDED_EARLY";
  return error instanceof Failure ? error.type : errorCodeOf(error);
}
