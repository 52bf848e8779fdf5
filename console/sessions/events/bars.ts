// How long what an event began has taken: for the timeline, in which each event is a bar.
import type { SessionEvent } from "../../kit/server/api.ts";
import { durationText } from "../sessions.ts";
import { words } from "./content.ts";
import { eventWords, kindOf, type Kind } from "./event-words.ts";

/** The newest of a long log: more bars than that are no picture. */
const barsMax = 500;
/** Until something happens again may be days: what is longer than this is as wide as this. */
const longestMs = 60_000;

export interface Bar {
  id: string;
  kind: Kind;
  label: string;
  share: number;
}

export function barsOf(events: readonly SessionEvent[]): Bar[] {
  const times = timesOf(events);
  return events.slice(-barsMax).map(({ id, type }) => {
    const ms = times.get(id) ?? 0;
    const took = ms > 0 ? `, ${durationText(ms / 1_000)}` : "";
    return {
      id,
      kind: kindOf(type),
      label: `${eventWords(type)}${took}`,
      share: Math.min(ms, longestMs),
    };
  });
}

/**
 * Until the next one, by event: while a call of a tool runs, it is the call's. A call is told before the model has
 * ended its answer, and calls of one answer run one after the other.
 */
function timesOf(events: readonly SessionEvent[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  const running = new Set<string>();
  for (const [place, event] of events.entries()) {
    note(event, running);
    const [from, to] = [event.processed_at, events[place + 1]?.processed_at];
    const ms = from != null && to != null ? Math.max(0, Date.parse(to) - Date.parse(from)) : 0;
    const [call = event.id] = isOthers(event) ? [] : running;
    times.set(call, (times.get(call) ?? 0) + ms);
  }
  return times;
}

/** Calls that run, in the order in which they may. One that asks first may when a person allows it. */
function note(event: SessionEvent, running: Set<string>): void {
  const call = words(event["tool_use_id"] ?? event["mcp_tool_use_id"]);
  if (/^agent\.(mcp_)?tool_use$/.test(event.type) && event["evaluated_permission"] === "allow")
    running.add(event.id);
  else if (event.type === "user.tool_confirmation" && event["result"] === "allow")
    running.add(call);
  else if (/\.(mcp_)?tool_result$/.test(event.type)) running.delete(call);
  else if (isEnd(event)) running.clear();
}

/** Then a model is asked, or a person. */
const isOthers = (event: SessionEvent): boolean =>
  event.type === "span.model_request_start" || isEnd(event);

const isEnd = ({ type }: SessionEvent): boolean =>
  /^session\.(status_(idle|rescheduled|terminated)|deleted)$/.test(type);
