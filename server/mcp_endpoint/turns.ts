// The turn of a session that a message began: how far it is, as the events of the session tell.
import type { Api, Turn } from "./caller.ts";
import { limits } from "./limits.ts";

export interface SessionEvent {
  id: string;
  type: string;
  /** Null while it waits to be taken. */
  processed_at: string | null;
  content?: { type: string; text?: string }[];
  stop_reason?: { type: string; event_ids?: string[] };
  error?: { type: string; message: string };
  session_thread_id?: string | null;
  tool_use_id?: string;
  custom_tool_use_id?: string;
}

export type TurnState =
  | { is: "working" }
  /** For a client, which answers these calls. */
  | { is: "waiting"; callIds: readonly string[] }
  | {
      is: "ended";
      begun: string;
      end: SessionEvent;
      isInterrupted: boolean;
      error: SessionEvent | undefined;
    };

const endTypes = ["session.status_idle", "session.status_terminated"];
const answerTypes = ["user.tool_confirmation", "user.custom_tool_result", "user.tool_result"];
const markTypes = [
  ...endTypes,
  ...answerTypes,
  "user.message",
  "user.interrupt",
  "session.error",
] as const;

interface EventPage {
  data: SessionEvent[];
  next_page: string | null;
}

/** Undefined where the session has no such message. Once a turn has ended, its state stays what it is. */
export async function readTurn(api: Api, turn: Turn): Promise<TurnState | undefined> {
  const [sent, ...marks] = await marksSince(api, turn);
  if (sent?.type !== "user.message") return undefined;
  const begun = sent.processed_at;
  if (begun === null) return waitingFor(await waitingBefore(api, turn));
  const waiting = new Set<string>();
  const confirmed = new Set<string>();
  let isInterrupted = false;
  let error: SessionEvent | undefined;
  for (const mark of marks) {
    const isOfTurn = mark.processed_at === null || mark.processed_at >= begun;
    if (!isOfTurn) continue;
    if (answerTypes.includes(mark.type)) {
      waiting.delete(answeredBy(mark));
      // A worker runs it now; the session goes on naming it until it has a result.
      confirmed.add(answeredBy(mark));
    }
    if (mark.type === "user.interrupt") isInterrupted ||= (mark.session_thread_id ?? null) === null;
    if (mark.type === "session.error") error = mark;
    if (!endTypes.includes(mark.type)) continue;
    if (mark.stop_reason?.type !== "requires_action")
      return { is: "ended", begun, end: mark, isInterrupted, error };
    waiting.clear();
    for (const id of mark.stop_reason.event_ids ?? []) if (!confirmed.has(id)) waiting.add(id);
  }
  return waitingFor(waiting);
}

const answeredBy = ({ tool_use_id, custom_tool_use_id }: SessionEvent) =>
  tool_use_id ?? custom_tool_use_id ?? "";

const waitingFor = (callIds: ReadonlySet<string>): TurnState =>
  callIds.size === 0 ? { is: "working" } : { is: "waiting", callIds: [...callIds] };

/** A message waits while calls of the turn before it do. */
async function waitingBefore(api: Api, { session_id }: Turn): Promise<ReadonlySet<string>> {
  const answered = new Set<string>();
  const types = [...endTypes, ...answerTypes];
  for await (const event of newestFirst(api, session_id, { types })) {
    if (answerTypes.includes(event.type)) answered.add(answeredBy(event));
    else if (event.stop_reason?.type !== "requires_action") break;
    else return new Set(event.stop_reason.event_ids?.filter((id) => !answered.has(id)));
  }
  return new Set();
}

/** What says how far the turn is, from its message on. */
async function marksSince(api: Api, { session_id, sent_id }: Turn): Promise<SessionEvent[]> {
  const marks: SessionEvent[] = [];
  for await (const event of newestFirst(api, session_id, { types: markTypes })) {
    marks.push(event);
    if (event.id === sent_id) return marks.toReversed();
  }
  return [];
}

/** What the agent said in the turn, with a blank line between messages. */
export async function textOfTurn(
  api: Api,
  { session_id }: Turn,
  { begun, end }: { begun: string; end: SessionEvent },
): Promise<string> {
  const created_at = { gte: begun, ...(end.processed_at !== null && { lte: end.processed_at }) };
  const messages: SessionEvent[] = [];
  const query = { types: ["agent.message"], created_at };
  for await (const message of newestFirst(api, session_id, query)) messages.push(message);
  return messages
    .toReversed()
    .flatMap(({ content = [] }) => content.flatMap((block) => block.text ?? []))
    .join("\n\n");
}

/** The calls themselves, which stand not far before the end of what there is. */
export async function readCalls(
  api: Api,
  { session_id }: Turn,
  ids: readonly string[],
): Promise<SessionEvent[]> {
  const types = ["agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"];
  const found: SessionEvent[] = [];
  for await (const event of newestFirst(api, session_id, { types })) {
    if (ids.includes(event.id)) found.push(event);
    if (found.length === ids.length) break;
  }
  return found.toReversed();
}

/** The events of a session's main thread. */
export async function* newestFirst(
  api: Api,
  session_id: string,
  asked: Record<string, unknown>,
): AsyncGenerator<SessionEvent> {
  let page: string | null = null;
  do {
    const query = {
      ...asked,
      order: "desc",
      limit: limits.eventsPerPage,
      ...(page !== null && { page }),
    };
    const found = (await api("sessions.events.list", {
      params: { session_id },
      query,
    })) as EventPage;
    yield* found.data;
    page = found.next_page;
  } while (page !== null);
}
