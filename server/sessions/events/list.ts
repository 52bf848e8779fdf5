// Lists the events of a thread, those of its own workings left out.
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { bytesOf, read, readProcessed, type StoredEvent } from "../../../kernel/log/log.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { internalPrefix } from "../conversation/events.ts";
import { limits } from "../limits.ts";
import { presentEvent } from "./drafts.ts";
import type { EventQuery } from "./schema.ts";

type Query = Pick<EventQuery, "limit" | "page" | "order" | "types" | "created_at">;

const isVisible = ({ type }: StoredEvent) => !type.startsWith(internalPrefix);

export async function listThreadEvents(context: Context, threadId: string, query: Query) {
  const size = pageSize(query.limit, { itemsMax: limits.eventsPageMax, beyond: "refuse" });
  const cursors = makeCursors(context.secrets);
  const tenant = workspaceOf(context);
  const isTimed = Object.values(query.created_at ?? {}).some((time) => time !== undefined);
  const order = query.order === "desc" ? "newest_first" : "oldest_first";
  const list = `events of ${threadId} ${order} ${isTimed ? "by time" : ""}`;
  const from = cursors.read(list, tenant, query.page) as Place | undefined;
  const walk = { threadId, order, from, rows: size + 1, types: query.types } as const;
  const rows = isTimed
    ? await readByTime(context, walk, query.created_at ?? {})
    : await readInOrder(context, walk);
  const page = toCursorPage(rows, fitting(rows, size), (last) =>
    cursors.write(list, tenant, [last.position, last.processedAt?.getTime() ?? 0]),
  );
  const data = page.data.map((event) => presentEvent(event, context.dialect));
  return { data, next_page: page.next_page };
}

/** A page that would be too large is shorter, and goes on. */
function fitting(rows: readonly StoredEvent[], size: number): number {
  let sum = 0;
  const tooMuch = rows.findIndex(
    ({ bytes }, at) => (sum += bytes) > limits.eventsPageBytesMax && at > 0,
  );
  return tooMuch === -1 ? size : Math.min(size, tooMuch);
}

/** A position, and for lists by time the moment of its processing. */
type Place = [position: number, processedMs: number];

interface Walk {
  threadId: string;
  order: "oldest_first" | "newest_first";
  from: Place | undefined;
  rows: number;
  types: readonly string[] | undefined;
}

async function readInOrder(
  { db }: Context,
  { threadId, order, from, rows, types }: Walk,
): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  let at = from?.[0];
  for (let bytes = 0; ;) {
    const wanted = rows - found.length;
    const some = await read(db, threadId, {
      order,
      limit: wanted,
      bytesMax: limits.eventsPageBytesMax,
      ...(types !== undefined && { types }),
      ...(at !== undefined && (order === "oldest_first" ? { after: at } : { before: at })),
    });
    found.push(...some.filter(isVisible));
    at = some.at(-1)?.position;
    bytes += bytesOf(some);
    // One that is too many shows that there are more.
    if (
      found.length >= rows ||
      at === undefined ||
      bytes > limits.eventsPageBytesMax + limits.eventBytesMax
    )
      return found;
  }
}

async function readByTime(
  { db }: Context,
  { threadId, order, from, rows, types }: Walk,
  { gt, gte, lt, lte }: NonNullable<EventQuery["created_at"]>,
): Promise<StoredEvent[]> {
  const lower = [
    ...(gte === undefined ? [] : [{ processedAt: new Date(gte), position: 0 }]),
    ...(gt === undefined ? [] : [{ processedAt: new Date(gt), position: Infinity }]),
  ];
  const upper = [
    ...(lte === undefined ? [] : [{ processedAt: new Date(lte), position: Infinity }]),
    ...(lt === undefined ? [] : [{ processedAt: new Date(lt), position: 0 }]),
  ];
  const place = from && { processedAt: new Date(from[1]), position: from[0] };
  if (place !== undefined) (order === "oldest_first" ? lower : upper).push(place);
  const byPlace = (one: Bound, other: Bound) =>
    one.processedAt.getTime() - other.processedAt.getTime() || one.position - other.position;
  const after = lower.toSorted(byPlace).at(-1);
  const before = upper.toSorted(byPlace)[0];
  return readProcessed(db, threadId, {
    order,
    limit: rows,
    ...(types !== undefined && { types }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  });
}

interface Bound {
  processedAt: Date;
  position: number;
}
