// The feeds of this process, by the hints that wake them: what it appends itself they need not read.
import { parseExactly } from "../base/exact-json.ts";
import type { Hints } from "../sql/hints.ts";
import { takeAppended, type Feed, type KeptEvents } from "./feed.ts";
import type { StoredEvent } from "./pages.ts";

export const logChannel = "log";

export interface Feeds {
  byStream: Map<string, Feed>;
  kept: KeptEvents;
}

const local = new WeakMap<Hints, Set<Feeds>>();

export function addFeeds(hints: Hints, feeds: Feeds): () => void {
  const all = local.get(hints) ?? new Set();
  local.set(hints, all.add(feeds));
  return () => void all.delete(feeds);
}

/** As an event is appended: its data as text. */
export type AppendedEvent = Omit<StoredEvent, "data"> & { data: string };

/** Events have been appended after a position, and are committed. */
export function tellAppended(
  hints: Hints,
  stream: string,
  after: number,
  events: () => readonly AppendedEvent[],
): void {
  // As they would be read, and once for all who do.
  const read = () => events().map((event) => ({ ...event, data: parseExactly(event.data) }));
  let known: readonly StoredEvent[] | undefined;
  for (const { byStream, kept } of local.get(hints) ?? []) {
    const feed = byStream.get(stream);
    if (feed !== undefined) takeAppended(feed, kept, after, (known ??= read()));
  }
  hints.send(logChannel, stream, { toOthers: true });
}
