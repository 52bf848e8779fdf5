// Reads what has happened in a thread: the newest events first, older ones as they are asked for.
import type { SessionsEventsListQuery } from "../../../contract/types.ts";
import { server, type SessionEvent } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import type { Workspace } from "../session-queries.ts";
import { stopReasonOf } from "./content.ts";

export interface Source {
  workspace: Workspace;
  session: string;
  /** Undefined: the session's own. */
  thread: string | undefined;
}

/** Some events in the order of the log, and where those before them are found. */
export interface EventsRead {
  events: readonly SessionEvent[];
  /** What belongs to them and stands before them: inputs that their turns took, and what waits still. */
  ahead: readonly SessionEvent[];
  before: string | null;
}

/** Some 25 turns: more than a screen has room for, and little to wait for. */
const newestMax = 200;
const olderMax = 500;
/** Of a thread that is read from its beginning. */
const perPage = 1_000;
const aheadMax = 100;
const inputsMax = 1_000;

const inputTypes = ["user.message", "user.define_outcome", "system.message"] as const;
const callTypes = ["agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"] as const;
const idleType = "session.status_idle";

function list({ workspace, session }: Source, signal: AbortSignal, query: SessionsEventsListQuery) {
  return server.sessions.events.list({
    params: { session_id: session },
    query: { order: "desc", ...query },
    headers: inWorkspace(workspace),
    signal,
  });
}

/** Threads of other agents are listed from their beginning alone: all of one is read. */
export async function readNewest(source: Source, signal: AbortSignal): Promise<EventsRead> {
  const { workspace, session, thread } = source;
  if (thread !== undefined) {
    const pages = server.pages(server.sessions.threads.events.list, {
      params: { session_id: session, thread_id: thread },
      query: { limit: perPage },
      headers: inWorkspace(workspace),
      signal,
    });
    return { events: await Array.fromAsync(pages), ahead: [], before: null };
  }
  const { data, next_page: before } = await list(source, signal, { limit: newestMax });
  const events = data.toReversed();
  if (before === null) return { events, ahead: [], before };
  return { events, ahead: await readAhead(source, signal, events), before };
}

/** What waits is the newest of its kind, and what the last turns took nearly so. */
async function readAhead(
  source: Source,
  signal: AbortSignal,
  events: readonly SessionEvent[],
): Promise<SessionEvent[]> {
  const [{ data: inputs }, { data: calls }] = await Promise.all([
    list(source, signal, { types: [...inputTypes], limit: aheadMax }),
    list(source, signal, { types: [...callTypes, idleType], limit: aheadMax }),
  ]);
  const idle = calls.find(({ type }) => type === idleType);
  const open = new Set(idle === undefined ? [] : stopReasonOf(idle).event_ids);
  const from = firstTime(events);
  const known = new Set(events.map(({ id }) => id));
  return [
    ...calls.toReversed().filter(({ id }) => open.has(id)),
    ...inputs
      .toReversed()
      .filter(({ processed_at: at }) => at === null || (from !== undefined && at >= from)),
  ].filter(({ id }) => !known.has(id));
}

/** The page that a page before named, with the inputs that the turns in it took. */
export async function readBefore(
  source: Source,
  signal: AbortSignal,
  page: string,
): Promise<EventsRead> {
  const { data, next_page: before } = await list(source, signal, { limit: olderMax, page });
  const events = data.toReversed();
  const from = firstTime(events);
  if (before === null || from === undefined) return { events, ahead: [], before };
  const { data: taken } = await list(source, signal, {
    types: [...inputTypes],
    created_at: { gte: from, lte: events.at(-1)?.processed_at ?? undefined },
    limit: inputsMax,
  });
  return { events, ahead: taken.toReversed(), before };
}

const isInput = (type: string) => inputTypes.some((each) => each === type);

/** Of an input, the time is that of its turn. */
const firstTime = (events: readonly SessionEvent[]): string | undefined =>
  events.find(({ type, processed_at: at }) => !isInput(type) && at !== null)?.processed_at ??
  undefined;

/** The newest inputs, as they are now: that a turn took what had waited is told in no event. */
export async function readInputs(source: Source, signal: AbortSignal): Promise<SessionEvent[]> {
  const { data } = await list(source, signal, { types: [...inputTypes], limit: inputsMax });
  return data.toReversed();
}
