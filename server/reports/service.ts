// Reports by dimension: usage and cost, page by page out of one and the same state of the ledger.
import { invalid } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import { pageSize } from "../../kernel/http/pages.ts";
import { peopleOf } from "../identity/module.ts";
import {
  postJournal,
  readHorizon,
  selectUsage,
  type UsageSelection,
  type Horizon,
  type OrderBy,
  type UsageSum,
} from "../usage/module.ts";
import { filtersOf, dimensionsOf } from "./filters.ts";
import { readReportCursor, writeReportCursor } from "./cursor.ts";
import { limits } from "./limits.ts";
import { rangeOf, type Range } from "./range.ts";
import { costRows, usageRow, type People, type Shown } from "./rows.ts";
import {
  actorNames,
  type CostQuery,
  type CostRow,
  type ReportQuery,
  type UsageQuery,
  type UsageRow,
} from "./schema.ts";

const usageOrders: Record<NonNullable<UsageQuery["order_by"]>, OrderBy> = {
  total_tokens: "total_tokens",
  output_tokens: "output_tokens",
  uncached_input_tokens: "input_tokens",
  requests: "requests",
  time: "total_tokens",
};
const costOrders: Record<NonNullable<CostQuery["order_by"]>, OrderBy> = {
  amount: "amount_nano",
  list_amount: "list_amount_nano",
  time: "amount_nano",
};

export async function listUsage(context: Context, query: UsageQuery) {
  const orderBy = usageOrders[query.order_by ?? "total_tokens"];
  const found = await pageOf(context, "usage", query, { orderBy, byClass: false });
  return shown(found, query, (sum, how): UsageRow[] => [usageRow(sum, how)]);
}

export async function listCost(context: Context, query: CostQuery) {
  const orderBy = costOrders[query.order_by ?? "amount"];
  const groupBy = query.group_by ?? [];
  const byClass = groupBy.includes("token_type");
  const isParted = byClass || groupBy.includes("cost_type");
  const found = await pageOf(context, "cost", query, { orderBy, byClass });
  return shown(found, query, (sum, how): CostRow[] => costRows(sum, isParted, how));
}

interface Found {
  sums: readonly UsageSum[];
  next: string | null;
  atMs: number;
  range: Range;
  people: People;
}

async function pageOf(
  context: Context,
  report: "usage" | "cost",
  query: UsageQuery | CostQuery,
  how: Pick<UsageSelection, "orderBy" | "byClass">,
): Promise<Found> {
  const width = query.time_bucket_width ?? null;
  if (width !== null && query.ending_at === undefined)
    throw invalid("ending_at: is wanted beside time_bucket_width.");
  const groupBy = dimensionsOf(query.group_by);
  if (query.exclude_deleted_users === true && !groupBy.includes("actor"))
    throw invalid("exclude_deleted_users: goes with group_by[]=actor.");
  const cursor = readReportCursor(context, report, query);
  const now = context.clock.now();
  const { starting_at, ending_at } = query;
  const isConsole = context.who.kind === "console";
  const range = cursor?.range ?? rangeOf({ starting_at, ending_at, width, now, isConsole });
  const size = pageSize(query.limit, {
    itemsDefault: limits.rowsDefault,
    itemsMax: limits.rowsMax,
    beyond: "refuse",
  });
  const filters = filtersOf(context, query);
  const atMs = cursor?.atMs ?? now.getTime();
  const none = { sums: [], next: null, atMs, range, people: new Map() };
  if (filters === undefined) return none;
  const selection: UsageSelection = {
    ...range,
    ...how,
    byTime: query.order_by === "time",
    width,
    groupBy,
    filters,
    order: query.order ?? "desc",
    after: cursor?.position ?? null,
    rows: size + 1,
  };
  const { sums, horizon } = await read(context, selection, cursor?.horizon);
  const page = sums.slice(0, size);
  const last = page.at(-1);
  const next =
    sums.length > size && last !== undefined
      ? writeReportCursor(context, report, query, { horizon, atMs, range, position: last.position })
      : null;
  return { sums: page, next, atMs, range, people: await peopleIn(context, page) };
}

/** The first page and its horizon are of one snapshot, and of all that was answered before. */
export async function read(
  context: Context,
  selection: UsageSelection,
  known: Horizon | undefined,
): Promise<{ sums: UsageSum[]; horizon: Horizon }> {
  const { db, who } = context;
  if (known === undefined) await postJournal(context);
  return db.tx(
    async (tx) => {
      const horizon = known ?? (await readHorizon(tx));
      // Everything that this snapshot shows belongs to it.
      const within = known ?? { ...horizon, snapshot: null };
      return { sums: await selectUsage(tx, who.organizationId, selection, within), horizon };
    },
    { isolation: "repeatable read" },
  );
}

async function peopleIn(context: Context, sums: readonly UsageSum[]): Promise<People> {
  const ids = sums
    .flatMap(({ group }) => actorNames.map((name) => group[name] ?? ""))
    .filter((id) => id.startsWith("user_"));
  if (ids.length === 0) return new Map();
  const rows = await peopleOf(context.db, context.who.organizationId, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

function shown<Row extends { group: UsageRow["group"] }>(
  { sums, next, atMs, range, people }: Found,
  {
    time_bucket_width: width = null,
    exclude_deleted_users: leavesOut,
  }: Pick<ReportQuery, "exclude_deleted_users"> & {
    time_bucket_width?: Shown["width"];
  },
  rowsOf: (sum: UsageSum, how: Shown) => Row[],
) {
  const rows = sums.flatMap((sum) => rowsOf(sum, { width, range, people }));
  const isGone = ({ group: { actor } }: Row) => actor?.type === "user_actor" && actor.deleted;
  return {
    data: leavesOut === true ? rows.filter((row) => !isGone(row)) : rows,
    has_more: next !== null,
    next_page: next,
    data_refreshed_at: new Date(atMs).toISOString(),
  };
}
