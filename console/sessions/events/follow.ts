// Follows the events of a thread: what has happened, then what happens, also over connections that are lost.
import { ApiError, server } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { makeEventLog, type EventLog, type KnownEvents } from "./event-log.ts";
import { readBefore, readInputs, readNewest, type Source } from "./read-events.ts";

/** Of the events before those that are known. */
interface Older {
  isThere: boolean;
  isReading: boolean;
  error: unknown;
}

/** The same with the way to them. */
export interface Past extends Older {
  read: () => void;
}

export interface Followed extends KnownEvents {
  state: "reading" | "live" | "lost" | "deleted" | "failed";
  error: unknown;
  older: Older;
}

/** What the one who follows is told. */
export interface Follower {
  show: (followed: Followed) => void;
  /** The session itself has changed; whether it may wait for a person now, or no more, is among that. */
  renew: (isTurn: boolean) => void;
}

export const noOlder: Older = { isThere: false, isReading: false, error: null };

const pauseMs = 500;
const pauseMsMax = 10_000;

const isFinal = (error: unknown) =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;

/** The stream is opened before the list is read: what happens between the two comes with it. */
export function follow(
  source: Source,
  signal: AbortSignal,
  { show, renew }: Follower,
): { readOlder: () => Promise<void> } {
  const log = makeEventLog();
  let now: Pick<Followed, "state" | "error"> = { state: "reading", error: undefined };
  let older = noOlder;
  let before: string | null = null;
  let isRead = false;
  const draw = () => show({ ...log.read(), ...now, older });
  const tell = (state: Followed["state"], error?: unknown) => {
    now = { state, error };
    draw();
  };
  const tellOlder = (next: Partial<Older>) => {
    older = { isThere: before !== null, isReading: false, error: null, ...next };
    draw();
  };
  async function begin(): Promise<void> {
    const newest = await readNewest(source, signal);
    log.addOlder(newest);
    before = newest.before;
    older = { ...noOlder, isThere: before !== null };
    isRead = true;
  }
  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const stream = await openStream(source, log.lastId(), signal);
        log.forgetPreviews();
        if (isRead) await renewWaiting(source, log, signal);
        else await begin();
        failures = 0;
        renew(true);
        tell("live");
        for await (const event of stream) {
          log.take(event);
          if (beginsTurn(event) && log.hasWaiting()) await renewWaiting(source, log, signal);
          // Nothing is left that could be asked for.
          if (event.type === "session.deleted") return tell("deleted");
          if (changesSession(event)) renew(event.type.startsWith("session.status_"));
          tell("live");
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isFinal(error)) return tell("failed", error);
      }
      log.forgetPreviews();
      tell(isRead ? "lost" : "reading");
      await pause(Math.min(pauseMsMax, pauseMs * 2 ** failures), signal);
    }
  }
  async function readOlder(): Promise<void> {
    if (before === null || older.isReading) return;
    tellOlder({ isReading: true });
    try {
      const read = await readBefore(source, signal, before);
      log.addOlder(read);
      before = read.before;
      tellOlder({});
    } catch (error) {
      if (!signal.aborted) tellOlder({ error });
    }
  }
  void run();
  return { readOlder };
}

const deltas: ("agent.message" | "agent.thinking" | "agent.mcp_tool_use")[] = [
  "agent.message",
  "agent.thinking",
  "agent.mcp_tool_use",
];

function openStream(
  { workspace, session, thread }: Source,
  after: string | undefined,
  signal: AbortSignal,
) {
  const asked = {
    query: { event_deltas: deltas },
    headers: { ...inWorkspace(workspace), ...(after !== undefined && { "last-event-id": after }) },
    signal,
  };
  const params = { session_id: session };
  if (thread === undefined) return server.sessions.events.stream({ ...asked, params });
  return server.sessions.threads.events.stream({
    ...asked,
    params: { ...params, thread_id: thread },
  });
}

const changesSession = ({ type }: { type: string }) =>
  type.startsWith("session.") || type.endsWith("_end");

const beginsTurn = ({ type }: { type: string }) =>
  type === "session.status_running" || type === "span.model_request_start";

/** That a turn took what had waited is in no event: it is asked for. Only the session's own thread has such inputs. */
async function renewWaiting(source: Source, log: EventLog, signal: AbortSignal): Promise<void> {
  if (source.thread !== undefined || !log.hasWaiting()) return;
  for (const event of await readInputs(source, signal)) log.renew(event);
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
