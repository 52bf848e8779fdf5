// The tail of a thread's events as server-sent events, with previews where they are wanted.
import type { Context } from "../../../kernel/context.ts";
import type { Reply } from "../../../kernel/http/output/reply.ts";
import { events as eventStream, type SseWriter } from "../../../kernel/http/output/sse.ts";
import { findEvent, head } from "../../../kernel/log/log.ts";
import { subscribe } from "../../../kernel/log/subscribe.ts";
import { expectSession } from "../named-session.ts";
import { internalPrefix } from "../conversation/events.ts";
import { newEventId, presentEvent } from "./drafts.ts";
import { hearPreviews } from "./previews.ts";
import type { StreamQuery } from "./schema.ts";
import { ShownPreviews } from "./shown-previews.ts";

/** Once for each event of a session's own thread from now on that clients are shown, and when it is deleted. */
export async function followSession(
  context: Context,
  id: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<void>> {
  const { threadId } = await expectSession(context, id);
  const { db, hints, clock } = context;
  const after = await head(db, threadId);
  const world = { db, hints, clock, signal };
  return (async function* () {
    for await (const { type } of subscribe(world, threadId, after, { isThere: true }))
      if (!type.startsWith(internalPrefix)) yield;
    yield;
  })();
}

/** Nothing of the past, unless the client says which event it had last. */
export async function streamThreadEvents(
  context: Context,
  threadId: string,
  { event_deltas: wanted = [] }: StreamQuery,
): Promise<Reply> {
  const after = await startOf(context, threadId);
  return eventStream((stream) => tail(context, stream, { threadId, after, wanted }), {
    endless: true,
  });
}

async function startOf({ db, headers }: Context, threadId: string): Promise<number> {
  const last = headers["last-event-id"];
  if (typeof last !== "string" || last === "") return head(db, threadId);
  // What a client has missed that names an event which is not here cannot be told: it gets all there are.
  return (await findEvent(db, threadId, last))?.position ?? 0;
}

interface Tail {
  threadId: string;
  after: number;
  wanted: readonly string[];
}

async function tail(
  context: Context,
  stream: SseWriter,
  { threadId, after, wanted }: Tail,
): Promise<void> {
  const shown = new ShownPreviews(stream, { wanted, after });
  const forget = wanted.length > 0 ? hearPreviews(context, threadId, shown.take) : () => {};
  const signal = AbortSignal.any([stream.signal, context.signal]);
  try {
    for await (const stored of subscribe({ ...context, signal }, threadId, after, {
      isThere: true,
    })) {
      if (!stored.type.startsWith(internalPrefix)) {
        const event = presentEvent(stored, context.dialect);
        await stream.send({ event: event.type, id: event.id, data: event });
      }
      shown.follow(stored);
    }
    // The thread is gone, and its last event with it.
    if (!signal.aborted) await stream.send(deletedEvent(context));
  } finally {
    forget();
  }
}

const deletedEvent = ({ ids, clock }: Context) => {
  const type = "session.deleted";
  return {
    event: type,
    data: { id: newEventId(ids), type, processed_at: clock.now().toISOString() },
  };
};
