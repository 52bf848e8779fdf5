// The events of a session as they come: over connections that may break, with a list of what was missed.
import type { Client, StreamEvent } from "../../../contract/client.ts";
import type { Clock } from "../../../kernel/base/clock.ts";
import { readTypes } from "./open-calls.ts";
import { ask, makePauses, mayPass, wordsOf } from "../requests.ts";

export interface Follower {
  /** Also what was seen before. */
  take(event: StreamEvent): void;
  /** All that there was has been taken: until then a call may have been answered long ago. */
  caughtUp(): void;
  /** The connection broke, or there is none. */
  away(reason: string): void;
}

interface Connection {
  clock: Clock;
  client: Client;
  signal: AbortSignal;
}

/** Until the signal ends it; throws where the server refuses for good. */
export async function followSession(
  connection: Connection,
  sessionId: string,
  follower: Follower,
): Promise<void> {
  const { clock, client, signal } = connection;
  const pauses = makePauses(clock);
  const params = { session_id: sessionId };
  while (!signal.aborted) {
    try {
      // Opened first, so that nothing is missed between the list and the stream.
      const stream = await ask(clock, signal, (until) =>
        client.sessions.events.stream({ params, signal: until }),
      );
      await takeList(connection, sessionId, follower);
      follower.caughtUp();
      pauses.reset();
      for await (const event of stream) follower.take(event);
    } catch (error) {
      if (signal.aborted) return;
      if (!mayPass(error)) throw error;
      follower.away(wordsOf(error));
    }
    await pauses.next(signal);
  }
}

async function takeList(
  { clock, client, signal }: Connection,
  sessionId: string,
  follower: Follower,
): Promise<void> {
  let page: string | undefined;
  do {
    const query = { limit: 1_000, types: [...readTypes], ...(page !== undefined && { page }) };
    const read = await ask(clock, signal, (until) =>
      client.sessions.events.list({ params: { session_id: sessionId }, query, signal: until }),
    );
    for (const event of read.data) follower.take(event);
    page = read.next_page ?? undefined;
  } while (page !== undefined);
}
