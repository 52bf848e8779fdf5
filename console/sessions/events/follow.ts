// Follows the events of a thread: all that happened, then what happens, also over connections that are lost.
import { ApiError, server, type SessionEvent } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import type { Workspace } from "../session-queries.ts";
import { makeEventLog, type KnownEvents } from "./event-log.ts";

export interface Source {
  workspace: Workspace;
  session: string;
  /** Undefined: the session's own. */
  thread: string | undefined;
}

export interface Followed extends KnownEvents {
  state: "reading" | "live" | "lost" | "deleted" | "failed";
  error: unknown;
}

const perPage = 1_000;
const waitingMax = 1_000;
const pauseMs = 500;
const pauseMsMax = 10_000;

const isFinal = (error: unknown) =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;

/**
 * The stream is opened before the list is read: what happens between the two comes with it. `renew` is called where the
 * session itself has changed.
 */
export async function follow(
  source: Source,
  signal: AbortSignal,
  show: (followed: Followed) => void,
  renew: () => void,
): Promise<void> {
  const log = makeEventLog();
  let isRead = false;
  let failures = 0;
  const tell = (state: Followed["state"], error?: unknown) => show({ ...log.read(), state, error });
  while (!signal.aborted) {
    try {
      const stream = await openStream(source, log.lastId(), signal);
      log.forgetPreviews();
      if (!isRead) {
        for await (const event of eventsOf(source, signal)) log.add(event);
        isRead = true;
      } else await renewWaiting(source, log, signal);
      failures = 0;
      renew();
      tell("live");
      for await (const event of stream) {
        log.take(event);
        if (beginsTurn(event) && log.hasWaiting()) await renewWaiting(source, log, signal);
        // Nothing is left that could be asked for.
        if (event.type === "session.deleted") return tell("deleted");
        if (changesSession(event)) renew();
        tell("live");
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) return tell("failed", error);
    }
    log.forgetPreviews();
    tell(isRead ? "lost" : "reading");
    await pause(Math.min(pauseMsMax, pauseMs * 2 ** failures), signal);
    failures += 1;
  }
}

const deltas: ("agent.message" | "agent.thinking")[] = ["agent.message", "agent.thinking"];

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

function eventsOf({ workspace, session, thread }: Source, signal: AbortSignal) {
  const asked = { query: { limit: perPage }, headers: inWorkspace(workspace), signal };
  const params = { session_id: session };
  if (thread === undefined) return server.pages(server.sessions.events.list, { ...asked, params });
  return server.pages(server.sessions.threads.events.list, {
    ...asked,
    params: { ...params, thread_id: thread },
  });
}

const changesSession = ({ type }: { type: string }) =>
  type.startsWith("session.") || type.endsWith("_end");

const beginsTurn = ({ type }: { type: string }) =>
  type === "session.status_running" || type === "span.model_request_start";

/** That a turn took what had waited is in no event: it is asked for. Only the session's own thread has such inputs. */
async function renewWaiting(
  { workspace, session, thread }: Source,
  log: { add: (event: SessionEvent) => void; hasWaiting: () => boolean },
  signal: AbortSignal,
): Promise<void> {
  if (thread !== undefined || !log.hasWaiting()) return;
  const { data } = await server.sessions.events.list({
    params: { session_id: session },
    query: {
      types: ["user.message", "user.define_outcome", "system.message"],
      order: "desc",
      limit: waitingMax,
    },
    headers: inWorkspace(workspace),
    signal,
  });
  for (const event of data) log.add(event);
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
