// The events of one thread as they are known so far: in the order of the log, each once, with what is being written.
import { progressIn, type CallProgress } from "../../../client/sessions/progress.ts";
import type { StreamEvent } from "../../../contract/client.ts";
import type { SessionEvent } from "../../kit/server/api.ts";
import { words } from "./content.ts";
import type { EventsRead } from "./read-events.ts";

/** What a model is just writing; the event of the same id takes its place. */
export interface Preview {
  id: string;
  type: string;
  text: string;
}

export interface KnownEvents {
  events: readonly SessionEvent[];
  previews: readonly Preview[];
  /** Of calls that run, by the ids of their events. */
  progress: ReadonlyMap<string, CallProgress>;
  /** The first event of those that were read first: older ones come to stand before it. */
  start: string | undefined;
}

export type EventLog = ReturnType<typeof makeEventLog>;

export function makeEventLog() {
  let events: SessionEvent[] = [];
  const places = new Map<string, number>();
  /** What belongs to events that were read, and stands before them all: they are not read up to there. */
  let ahead: SessionEvent[] = [];
  const passing = makePassing();
  let start: string | undefined;
  let shown: KnownEvents = { events: [], ...passing.read(), start };
  let hasNew = false;
  /** An event that is known is as it is told now: the time of one that waited comes later. */
  function renew(event: SessionEvent): boolean {
    const place = places.get(event.id);
    const isAhead = place === undefined && ahead.some(({ id }) => id === event.id);
    if (place !== undefined) events[place] = event;
    else if (isAhead) ahead = ahead.map((each) => (each.id === event.id ? event : each));
    hasNew ||= place !== undefined || isAhead;
    return place !== undefined || isAhead;
  }
  function add(event: SessionEvent): void {
    passing.settle(event);
    if (renew(event)) return;
    places.set(event.id, events.length);
    events.push(event);
    start ??= event.id;
    hasNew = true;
  }
  /** They stand before all others, in their order. */
  function addOlder({ events: older, ahead: more }: Pick<EventsRead, "events" | "ahead">): void {
    events = [...older, ...events];
    for (const [place, { id }] of events.entries()) places.set(id, place);
    ahead = ahead.filter(({ id }) => !places.has(id));
    ahead.unshift(...more.filter((event) => !renew(event)));
    start ??= events[0]?.id;
    hasNew = true;
  }
  function take(event: StreamEvent): void {
    if (!passing.take(event, (id) => places.has(id))) add(event as SessionEvent);
  }
  const all = () => [...ahead, ...events];
  return {
    add,
    addOlder,
    renew,
    take,
    /** A new stream knows nothing of what an older one was writing. */
    forgetPreviews: passing.forget,
    /** From where a stream goes on. */
    lastId: (): string | undefined => events.at(-1)?.id,
    hasWaiting: (): boolean => all().some(({ processed_at: at }) => at === null),
    /** Events that did not change keep their array. */
    read: (): KnownEvents => {
      shown = {
        events: hasNew ? all() : shown.events,
        ...passing.read(),
        start,
      };
      hasNew = false;
      return shown;
    },
  };
}

/** What is told while it happens, and is in no log. */
function makePassing() {
  const previews = new Map<string, Preview>();
  let progress: ReadonlyMap<string, CallProgress> = new Map();
  function write(event: StreamEvent): void {
    const before = previews.get(words(event["event_id"]));
    const { content } = (event["delta"] ?? {}) as { content?: { text?: unknown } };
    if (before !== undefined)
      previews.set(before.id, { ...before, text: before.text + words(content?.text) });
  }
  return {
    /** Whether the event is such a one. */
    take(event: StreamEvent, isKnown: (id: string) => boolean): boolean {
      const told = progressIn(event);
      if (told !== undefined) progress = new Map(progress).set(told.id, told);
      else if (event.type === "event_delta") write(event);
      else if (event.type === "event_start") {
        const { id, type } = event["event"] as { id: string; type: string };
        if (!isKnown(id)) previews.set(id, { id, type, text: "" });
      } else return false;
      return true;
    },
    /** The event itself is there. */
    settle({ id, type }: SessionEvent): void {
      previews.delete(id);
      // What was being written and was given up has no event of its own.
      if (type === "span.model_request_end") previews.clear();
    },
    forget(): void {
      previews.clear();
      progress = new Map();
    },
    read: () => ({ previews: [...previews.values()], progress }),
  };
}
