// Lists by startIndex: the beginning of the next page is remembered, so that it is not counted from the start again.
import type { World } from "../../kernel/context.ts";
import { part } from "../../kernel/work/parts.ts";
import { limits } from "./limits.ts";
import type { ListQuery } from "./schema.ts";

export interface ListWindow {
  startIndex: number;
  count: number;
}

/** Rule SCM26: values out of range are clamped, as RFC 7644, section 3.4.2.4, has it. */
export const listWindowOf = ({
  startIndex = 1,
  count = limits.itemsDefault,
}: ListQuery): ListWindow => ({
  startIndex: Math.max(1, startIndex),
  count: Math.min(Math.max(0, count), limits.itemsMax),
});

/** Kept from a page that was read: the next page begins at this id, and the total is not counted again. */
interface PageStart {
  from: string;
  total: number;
}

interface List<Row> {
  /** Tenant, noun and filter. */
  key: string;
  count(): Promise<number>;
  /** The id after `skip` rows. */
  at(skip: number): Promise<string | undefined>;
  from(id: string, rows: number): Promise<Row[]>;
}

export const pageStartsPart = part("pages of SCIM", {
  make: () => new Map<string, PageStart>(),
});

const startKey = (key: string, startIndex: number) => `${key}\n${startIndex}`;

/**
 * Rule SCM26. The first page reads the total, which is kept, and counted only for a filter; the following pages
 * begin where the one before ended. A process that did not serve that one, or has forgotten it, steps over the ids
 * in the index.
 */
export async function readPage<Row extends { id: string }>(
  world: World,
  list: List<Row>,
  { startIndex, count }: ListWindow,
): Promise<{ rows: Row[]; total: number }> {
  const starts = pageStartsPart.of(world);
  const known = startIndex === 1 ? undefined : starts.get(startKey(list.key, startIndex));
  const total = known?.total ?? (await list.count());
  if (count === 0 || startIndex > total) return { rows: [], total };
  const from = known?.from ?? (startIndex === 1 ? "" : await list.at(startIndex - 1));
  if (from === undefined) return { rows: [], total };
  const found = await list.from(from, count + 1);
  const next = found[count];
  if (next !== undefined) remember(starts, startKey(list.key, startIndex + count), next.id, total);
  return { rows: found.slice(0, count), total };
}

/** The oldest entry is dropped first. */
function remember(starts: Map<string, PageStart>, key: string, from: string, total: number): void {
  starts.delete(key);
  starts.set(key, { from, total });
  const oldest = starts.keys().next().value;
  if (starts.size > limits.pageStartsMax && oldest !== undefined) starts.delete(oldest);
}
