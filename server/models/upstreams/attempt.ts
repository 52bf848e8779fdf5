// What all adapters do with a reply: failures before output, then events until the last one.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Logger } from "../../../kernel/base/logger.ts";
import type { Attempt, AttemptRequest, WireEvent } from "../types.ts";
import { codeOf } from "./connection.ts";
import type { Reply, ReplyBody } from "./exchange.ts";
import { brokenStream, failureOfError, failureOfEvent, failureOfReply } from "./failures.ts";
import type { BlockScanner } from "./frames.ts";

/** Whatever breaks before output is a failure of the attempt; the caller's own end is passed up. */
export async function answered(
  { model, signal, requestId }: AttemptRequest,
  logger: Logger,
  attempt: () => Promise<Attempt>,
): Promise<Attempt> {
  let code: string | undefined;
  const result = await attempt().catch((error: unknown): Attempt => {
    if (signal.aborted) throw signal.reason;
    code = codeOf(error);
    return { kind: "failure", failure: failureOfError(error, model.upstream) };
  });
  if (result.kind !== "failure") return result;
  const { type, status } = result.failure;
  const line = { requestId, upstream: model.upstream, model: model.id, type, status, code };
  logger[status >= 500 ? "warn" : "debug"](line, "an upstream did not answer");
  return result;
}

/** Undefined for a reply that can be read as an answer. */
export async function problemOf(
  reply: Reply,
  { model, stream }: Pick<AttemptRequest, "model" | "stream">,
): Promise<Failure | undefined> {
  const { status, headers, body } = reply;
  if (status >= 300 || status === 204) return failureOfReply(reply, model.upstream);
  const encoding = headers["content-encoding"] ?? "identity";
  const type = headers["content-type"] ?? "";
  const isStream = type.startsWith("text/event-stream");
  if (encoding === "identity" && (!stream || isStream)) return undefined;
  body.cancel();
  const what = encoding !== "identity" ? "a compressed reply" : "no event stream";
  return new Failure("api_error", `The upstream ${model.upstream} sent ${what}.`);
}

/** How the blocks of one stream become events. */
export interface StreamReader {
  scanner: BlockScanner;
  eventsOf(block: string): readonly WireEvent[];
  /** What is still to be said where the stream ends without a last event of its own. */
  end(): readonly WireEvent[];
}

/** Waits for the first events: until then a failure still has a status of its own. */
export async function streamed(
  reader: StreamReader,
  body: ReplyBody,
  request: AttemptRequest,
): Promise<Attempt> {
  const events = eventStream(reader, body, request);
  const first = await events.next();
  const head = first.done === true ? [] : first.value;
  const [event] = head;
  if (event?.name === "error") return { kind: "failure", failure: failureOfEvent(event) };
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
): EventStream {
  let isOver = false;
  let broken: { error: unknown } | undefined;

  /** What is read before something breaks is good, and goes out first. */
  const read = async (): Promise<WireEvent[]> => {
    const events: WireEvent[] = [];
    const take = (more: readonly WireEvent[]) => {
      for (const event of more) {
        if (isOver) return;
        events.push(event);
        isOver = event.name === "message_stop" || event.name === "error";
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
      return Promise.resolve(done);
    },
  };
}
