// What a person reads of a thread's events: what was said, each call with what came of it, and what else happened.
import { askedIn } from "../../../client/sessions/questions.ts";
import type { SessionEvent } from "../../kit/server/api.ts";
import { stopReasonOf, words } from "../events/content.ts";

/** What a call waits for: a word whether it may run, its result from a person, or a worker elsewhere. */
export type Need = "confirmation" | "answer" | "worker";

export interface Call {
  kind: "call";
  event: SessionEvent;
  confirmation: SessionEvent | undefined;
  result: SessionEvent | undefined;
  /** The thread has come to rest without it. */
  isClosed: boolean;
}

export type Item = Call | { kind: "said" | "told"; event: SessionEvent };

export interface Transcript {
  items: readonly Item[];
  /** By the id of an event, the place of the item that shows it. */
  places: ReadonlyMap<string, number>;
  /** How many items stand before those that were there first. */
  before: number;
}

const isCall = (type: string) => /^agent\.(mcp_|custom_)?tool_use$/.test(type);
const isResult = (type: string) =>
  /^agent\.(mcp_)?tool_result$|^user\.(custom_)?tool_result$/.test(type);
const said = new Set([
  "user.message",
  "system.message",
  "user.define_outcome",
  "agent.message",
  "agent.thinking",
  "agent.thread_message_sent",
  "agent.thread_message_received",
]);
/** Told by what stands around them, or of no use to a reader: they are among the raw events. */
const silent =
  /^session\.(status_running|usage|thread_status_)|^span\.(model_|outcome_evaluation_(start|ongoing))/;

/** The event that a result or a word answers. */
const answered = (event: SessionEvent): string =>
  words(event["tool_use_id"] ?? event["custom_tool_use_id"] ?? event["mcp_tool_use_id"]);

interface Shown {
  events: readonly SessionEvent[];
  /** The first of those that were read first. */
  start: string | undefined;
  /** Older ones are not read yet. */
  isCut: boolean;
}

/** `thread` is that of the events, undefined for the session's own. */
export function transcriptOf(
  { events, start, isCut }: Shown,
  thread: string | undefined,
): Transcript {
  const items: Item[] = [];
  const places = new Map<string, number>();
  const calls = new Map<string, Call>();
  let before = 0;
  for (const event of inTurnOrder(events)) {
    if (event.id === start) before = items.length;
    const call = calls.get(answered(event));
    const isAnswer = isResult(event.type) || event.type === "user.tool_confirmation";
    if (isIdleOf(event, thread)) closeCalls(calls, event);
    if (isAnswer && call !== undefined) {
      if (isResult(event.type)) call.result = event;
      else call.confirmation = event;
      places.set(event.id, places.get(call.event.id) ?? 0);
      continue;
    }
    // What it answers is among those that are not read yet.
    if (isAnswer && isCut) {
      places.set(event.id, Math.max(0, items.length - 1));
      continue;
    }
    if (isCall(event.type)) {
      const begun: Call = {
        kind: "call",
        event,
        confirmation: undefined,
        result: undefined,
        isClosed: false,
      };
      calls.set(event.id, begun);
      items.push(begun);
    } else if (said.has(event.type)) items.push({ kind: "said", event });
    else if (!silent.test(event.type)) items.push({ kind: "told", event });
    // What is not shown is found at what was shown last.
    places.set(event.id, Math.max(0, items.length - 1));
  }
  return { items, places, before };
}

const inputs = new Set(["user.message", "user.define_outcome", "system.message"]);

/** An input that waited stands where its turn took it, before the answer to it; one that waits still is last. */
function inTurnOrder(events: readonly SessionEvent[]): SessionEvent[] {
  const ordered: SessionEvent[] = [];
  let waiting: SessionEvent[] = [];
  for (const event of events) {
    if (inputs.has(event.type)) {
      waiting.push(event);
      continue;
    }
    const now = event.processed_at ?? "";
    const isTaken = ({ processed_at: at }: SessionEvent) => at !== null && at <= now;
    ordered.push(...waiting.filter(isTaken), event);
    waiting = waiting.filter((each) => !isTaken(each));
  }
  return [...ordered, ...waiting];
}

function isIdleOf({ type, session_thread_id: of }: SessionEvent, thread: string | undefined) {
  if (thread === undefined) return type === "session.status_idle";
  return type === "session.thread_status_idle" && of === thread;
}

/** A call whose server asks for something waits with its question. */
function closeCalls(calls: ReadonlyMap<string, Call>, idle: SessionEvent): void {
  const open = new Set(stopReasonOf(idle).event_ids);
  for (const id of open) {
    const question = calls.get(id);
    const asked = question && askedIn(question.event);
    if (asked !== undefined) open.add(asked.callId);
  }
  for (const call of calls.values())
    if (call.result === undefined) call.isClosed = !open.has(call.event.id);
}

export function needOf(
  { event, confirmation, result, isClosed }: Call,
  isSelfHosted: boolean,
): Need | undefined {
  const permission = event["evaluated_permission"];
  const isDenied = permission === "deny" || confirmation?.["result"] === "deny";
  if (result !== undefined || isClosed || isDenied) return undefined;
  if (permission === "ask" && confirmation === undefined) return "confirmation";
  if (event.type === "agent.custom_tool_use") return "answer";
  return isSelfHosted && event.type === "agent.tool_use" ? "worker" : undefined;
}
