// Lists by startIndex: where a page begins is remembered, so that nobody counts from the start again.
import type { World } from "../../kernel/context.ts";
import { limits, type ListQuery } from "./schema.ts";

export interface ListWindow {
  startIndex: number;
  count: number;
}

/** Rule SCM26: what lies outside is moved in, as RFC 7644, section 3.4.2.4, has it. */
export const listWindowOf = ({
  startIndex = 1,
  count = limits.itemsDefault,
}: ListQuery): ListWindow => ({
  startIndex: Math.max(1, startIndex),
  count: Math.min(Math.max(0, count), limits.itemsMax),
});

/** What a list was when a page of it was read: the next page begins at this id, and the total is not counted anew. */
interface PageStart {
  from: string;
  total: number;
}

interface List<Row> {
  /** Tenant, noun and filter. */
  key: string;
  count(): Promise<number>;
  /** The id after so many. */
  at(skip: number): Promise<string | undefined>;
  from(id: string, rows: number): Promise<Row[]>;
}

const byWorld = new WeakMap<World["db"], Map<string, PageStart>>();

function placesOf({ db }: World): Map<string, PageStart> {
  let places = byWorld.get(db);
  if (places === undefined) byWorld.set(db, (places = new Map()));
  return places;
}

const placeKey = (key: string, startIndex: number) => `${key}\n${startIndex}`;

/**
 * Rule SCM26. The first page asks for the total, which is kept, and counted for a filter only; the pages that follow
 * begin where the one before ended. A process that did not give that one, or has forgotten it, steps over the ids in
 * the index.
 */
export async function readPage<Row extends { id: string }>(
  world: World,
  list: List<Row>,
  { startIndex, count }: ListWindow,
): Promise<{ rows: Row[]; total: number }> {
  const places = placesOf(world);
  const known = startIndex === 1 ? undefined : places.get(placeKey(list.key, startIndex));
  const total = known?.total ?? (await list.count());
  if (count === 0 || startIndex > total) return { rows: [], total };
  const from = known?.from ?? (startIndex === 1 ? "" : await list.at(startIndex - 1));
  if (from === undefined) return { rows: [], total };
  const found = await list.from(from, count + 1);
  const next = found[count];
  if (next !== undefined) remember(places, placeKey(list.key, startIndex + count), next.id, total);
  return { rows: found.slice(0, count), total };
}

/** The oldest goes first. */
function remember(places: Map<string, PageStart>, key: string, from: string, total: number): void {
  places.delete(key);
  places.set(key, { from, total });
  const oldest = places.keys().next().value;
  if (places.size > limits.placesMax && oldest !== undefined) places.delete(oldest);
}
