// The events of one thread as they are known so far: in the order of the log, each once, with what is being written.
import type { StreamEvent } from "../../../contract/client.ts";
import type { SessionEvent } from "../../kit/server/api.ts";
import { words } from "./content.ts";

/** What a model is just writing; the event of the same id takes its place. */
export interface Preview {
  id: string;
  type: string;
  text: string;
}

export interface KnownEvents {
  events: readonly SessionEvent[];
  previews: readonly Preview[];
}

export function makeEventLog() {
  const events: SessionEvent[] = [];
  const places = new Map<string, number>();
  const previews = new Map<string, Preview>();
  let shown: KnownEvents = { events: [], previews: [] };
  let hasNew = false;
  /** An event that is known is as it is told now: the time of one that waited comes later. */
  function add(event: SessionEvent): void {
    hasNew = true;
    previews.delete(event.id);
    // What was being written and was given up has no event of its own.
    if (event.type === "span.model_request_end") previews.clear();
    const place = places.get(event.id);
    if (place !== undefined) {
      events[place] = event;
      return;
    }
    places.set(event.id, events.length);
    events.push(event);
  }
  function take(event: StreamEvent): void {
    if (event.type === "event_start") {
      const { id, type } = event["event"] as { id: string; type: string };
      if (!places.has(id)) previews.set(id, { id, type, text: "" });
    } else if (event.type === "event_delta") write(event);
    else add(event as SessionEvent);
  }
  function write(event: StreamEvent): void {
    const before = previews.get(words(event["event_id"]));
    const { content } = (event["delta"] ?? {}) as { content?: { text?: unknown } };
    if (before !== undefined)
      previews.set(before.id, { ...before, text: before.text + words(content?.text) });
  }
  return {
    add,
    take,
    /** A new stream knows nothing of what an older one was writing. */
    forgetPreviews: (): void => previews.clear(),
    /** From where a stream goes on. */
    lastId: (): string | undefined => events.at(-1)?.id,
    hasWaiting: (): boolean => events.some(({ processed_at: at }) => at === null),
    /** Events that did not change keep their array. */
    read: (): KnownEvents => {
      shown = {
        events: hasNew ? [...events] : shown.events,
        previews: [...previews.values()],
      };
      hasNew = false;
      return shown;
    },
  };
}
