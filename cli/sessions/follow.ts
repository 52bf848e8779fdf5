// The events of a session as they come, each once, over connections that may break.
import { ApiError, type Client, type StreamEvent } from "../../contract/client.ts";
import type { SessionsEventsListQuery } from "../../contract/types.ts";
import type { Terminal } from "../terminal.ts";

export interface Follow {
  sessionId: string;
  /** The id of the last event that is known; without it, all that there are come first. */
  after?: string | undefined;
  /** Which of those that there are come first. */
  history?: SessionsEventsListQuery;
  /** Texts while they are written, too. */
  isLive?: boolean;
  signal: AbortSignal;
}

/** The pause doubles, as long as the server is not away for longer than that. */
const pauseMs = { least: 500, most: 10_000 };
const patienceMs = 5 * 60_000;

/** Resolves when it is connected: what is sent from then on will be heard. */
export async function followEvents(
  terminal: Terminal,
  client: Client,
  follow: Follow,
): Promise<AsyncGenerator<StreamEvent, void, undefined>> {
  return read(terminal, client, follow, await connect(client, follow, follow.after));
}

type Events = AsyncIterable<StreamEvent>;

function connect(
  client: Client,
  { sessionId, isLive, signal }: Follow,
  after: string | undefined,
): Promise<Events> {
  return client.sessions.events.stream({
    params: { session_id: sessionId },
    query: isLive === true ? { event_deltas: ["agent.message", "agent.mcp_tool_use"] } : {},
    headers: after === undefined ? {} : { "last-event-id": after },
    signal,
  });
}

async function* read(terminal: Terminal, client: Client, follow: Follow, first: Events) {
  const { sessionId, history, signal } = follow;
  const seen = new Set<string>();
  const params = { session_id: sessionId };
  let stream = first;
  let last = follow.after;
  for (;;) {
    try {
      if (last === undefined) {
        const query = { limit: 1_000, ...history };
        for await (const event of client.pages(client.sessions.events.list, { params, query })) {
          if (seen.has(event.id)) continue;
          seen.add(event.id);
          yield event;
        }
      }
      for await (const event of stream) {
        const { id } = event;
        if (typeof id === "string") {
          last = id;
          if (seen.has(id)) continue;
          seen.add(id);
        }
        yield event;
        if (event.type === "session.deleted") return;
      }
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
    }
    stream = await reconnect(terminal, client, follow, last);
  }
}

async function reconnect(
  { clock, note, dim }: Terminal,
  client: Client,
  follow: Follow,
  last: string | undefined,
): Promise<Events> {
  const { signal } = follow;
  const beganMs = clock.monotonicMs();
  for (let ms = pauseMs.least; ; ms = Math.min(ms * 2, pauseMs.most)) {
    await clock.sleep(ms, signal);
    signal.throwIfAborted();
    try {
      return await connect(client, follow, last);
    } catch (error) {
      const isHopeless = clock.monotonicMs() - beganMs > patienceMs;
      if (signal.aborted || isHopeless || !mayPass(error)) throw error;
      if (ms === pauseMs.least) note(`${dim("The server does not answer; waiting for it.")}\n`);
    }
  }
}

/** Fetch throws the same error for a broken stream as for a server that is away. */
const mayPass = (error: unknown): boolean =>
  error instanceof TypeError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429));
