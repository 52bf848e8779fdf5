// An answer over HTTP, event by event: the frames that came go out as they are.
import type { Context, Dialect } from "../../../kernel/context.ts";
import { clientGone } from "../../../kernel/http/input/body.ts";
import type { Reply } from "../../../kernel/http/output/reply.ts";
import { events as eventStream, type SseWriter } from "../../../kernel/http/output/sse.ts";
import type { WireEvent } from "../../models/module.ts";
import type { UnderWay } from "../../request_bodies/module.ts";
import type { AnswerReader } from "./hops.ts";
import { eventInDialect } from "./dialect.ts";

interface RelayOptions {
  /** Freed in the end. */
  held: Disposable;
  /** Hears what the client gets, where that is kept. */
  said: UnderWay | undefined;
}

/** Errors before the first event keep their status; later ones are events of the stream. */
export async function relayAnswer(
  answer: (reader: AnswerReader) => Promise<void>,
  { dialect, signal }: Pick<Context, "dialect" | "signal">,
  { held, said }: RelayOptions,
): Promise<Reply> {
  const relay = makeRelay(dialect, said);
  // The client may leave before its stream is opened.
  if (signal.aborted) relay.close();
  else signal.addEventListener("abort", relay.close, { once: true });
  const done = answer(relay.reader).finally(() => held[Symbol.dispose]());
  await Promise.race([relay.begun, done]);
  // A client that left meanwhile gets no reply, which alone would wait for the end.
  if (signal.aborted) await done;
  const write = async (stream: SseWriter) => {
    relay.open(stream);
    await done;
  };
  return eventStream(write, { headers: relay.headers() });
}

/** What comes before the stream is open is kept, and no more is taken meanwhile. */
function makeRelay(dialect: Dialect, said: UnderWay | undefined) {
  const begun = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  let headers: Record<string, string> = {};
  let early = "";
  let stream: SseWriter | undefined;

  const reader: AnswerReader = {
    begin: (known) => {
      headers = { ...known };
    },
    take: (events) => {
      const frames = framesOf(events, dialect);
      said?.hear(events.map((event) => eventInDialect(event, dialect)));
      if (stream !== undefined) return send(stream, frames);
      early += frames;
      begun.resolve();
      return opened.promise;
    },
  };
  return {
    reader,
    begun: begun.promise,
    headers: () => headers,
    open: (to: SseWriter) => {
      stream = to;
      try {
        opened.resolve(send(to, early));
      } catch (error) {
        opened.reject(error);
      }
      early = "";
    },
    close: () => opened.resolve(),
  };
}

function send(stream: SseWriter, frames: string): Promise<void> | undefined {
  if (stream.signal.aborted) throw clientGone();
  return stream.relay(frames) ? undefined : stream.whenWritable();
}

function framesOf(events: readonly WireEvent[], dialect: Dialect): string {
  let frames = "";
  for (const event of events) frames += eventInDialect(event, dialect).raw;
  return frames;
}
