// The classic reports: every bucket of a range, with its results.
import type { Context, World } from "../../kernel/context.ts";
import { pageSize } from "../../kernel/http/pages.ts";
import type { UsageSelection, Dimension, Horizon, UsageSum, Width } from "../usage/module.ts";
import type {
  CostReportQuery,
  CostResult,
  MessagesQuery,
  MessagesResult,
} from "./schema-classic.ts";
import { modelIdsOf } from "./filters.ts";
import { readReportCursor, writeReportCursor } from "./cursor.ts";
import { limits } from "./limits.ts";
import { bucketRangeOf, widthMs, type Range } from "./range.ts";
import { currency, partsOf, tokensOf, wholeOf } from "./rows.ts";
import { read } from "./service.ts";

/** How many buckets a page has by default, and at most. */
const bucketsOf: Record<Width, { itemsDefault: number; itemsMax: number }> = {
  "1d": { itemsDefault: 7, itemsMax: 31 },
  "1h": { itemsDefault: 24, itemsMax: 168 },
  "1m": { itemsDefault: 60, itemsMax: 256 },
};

type ByMessage = NonNullable<MessagesQuery["group_by"]>[number];

const dimensionOf: Record<ByMessage, Dimension> = {
  account_id: "user_id",
  api_key_id: "api_key_id",
  context_window: "context_window",
  inference_geo: "inference_geo",
  model: "model",
  service_account_id: "service_account_id",
  service_tier: "service_tier",
  speed: "speed",
  workspace_id: "workspace_id",
};

export function listMessagesUsage(context: Context, query: MessagesQuery) {
  const groups = [...new Set(query.group_by)];
  return report(context, "messages", query, {
    width: query.bucket_width ?? "1d",
    groupBy: groups.map((name) => dimensionOf[name]),
    filters: filtersOf(context, query),
    byClass: false,
    resultsOf: (sum) => [messagesResult(sum)],
  });
}

function filtersOf(world: World, query: MessagesQuery): UsageSelection["filters"] {
  const given: [Dimension, readonly string[] | undefined, string?][] = [
    ["user_id", query.account_ids],
    ["api_key_id", query.api_key_ids, ""],
    ["context_window", query.context_window],
    ["inference_geo", query.inference_geos, "not_available"],
    ["model", query.models && modelIdsOf(world, query.models)],
    ["service_account_id", query.service_account_ids],
    ["service_tier", query.service_tiers],
    ["speed", query.speeds],
    ["workspace_id", query.workspace_ids],
  ];
  return Object.fromEntries(
    given.flatMap(([dimension, values, none]) =>
      values === undefined || values.length === 0
        ? []
        : [[dimension, values.map((value) => (value === none ? null : value))]],
    ),
  );
}

function messagesResult(sum: UsageSum): MessagesResult {
  const of = (name: ByMessage) => sum.group[dimensionOf[name]] ?? null;
  return {
    ...tokensOf(sum),
    account_id: of("account_id"),
    api_key_id: of("api_key_id"),
    context_window: of("context_window"),
    inference_geo: of("inference_geo"),
    model: of("model"),
    service_account_id: of("service_account_id"),
    service_tier: of("service_tier"),
    speed: of("speed"),
    workspace_id: of("workspace_id"),
  };
}

const describedBy = ["model", "context_window", "service_tier", "inference_geo"] as const;

export function listCostReport(context: Context, query: CostReportQuery) {
  const groups = new Set(query.group_by);
  const isDescribed = groups.has("description");
  return report(context, "cost_report", query, {
    width: "1d",
    groupBy: [
      ...(groups.has("workspace_id") ? (["workspace_id"] as const) : []),
      ...(isDescribed ? describedBy : []),
    ],
    filters: {},
    byClass: isDescribed,
    resultsOf: (sum) => costResults(sum, isDescribed),
  });
}

const words: Record<string, string> = {
  uncached_input_tokens: "Input Tokens",
  "cache_creation.ephemeral_5m_input_tokens": "Input Tokens, Cache Write 5 Minutes",
  "cache_creation.ephemeral_1h_input_tokens": "Input Tokens, Cache Write 1 Hour",
  cache_read_input_tokens: "Input Tokens, Cache Read",
  output_tokens: "Output Tokens",
};

const wordsWithoutModel: Record<string, string> = {
  web_search: "Web Search Usage",
  session_usage: "Session Runtime Usage",
};

/** Classes that cost nothing are left out. */
function costResults(sum: UsageSum, isDescribed: boolean): CostResult[] {
  const { group } = sum;
  const workspace_id = group.workspace_id ?? null;
  const nothing = { context_window: null, inference_geo: null, model: null, service_tier: null };
  if (!isDescribed) {
    const { amount, cost_type, token_type } = wholeOf(sum);
    const result = { ...nothing, amount, currency, workspace_id, description: null };
    return [{ ...result, cost_type, token_type }];
  }
  return partsOf(sum)
    .filter(({ amount }) => amount !== "0")
    .map(({ amount, cost_type, token_type }) => ({
      amount,
      currency,
      workspace_id,
      description:
        wordsWithoutModel[cost_type ?? ""] ??
        `${group.model} Usage - ${words[token_type ?? ""] ?? "Tokens"}`,
      cost_type,
      context_window: group.context_window ?? null,
      inference_geo: group.inference_geo ?? null,
      model: group.model ?? null,
      service_tier: group.service_tier ?? null,
      token_type,
    }));
}

interface Report<Result> extends Pick<UsageSelection, "groupBy" | "filters" | "byClass"> {
  width: Width;
  resultsOf(sum: UsageSum): Result[];
}

interface ClassicQuery {
  limit?: number;
  page?: string;
  starting_at: string;
  ending_at?: string;
}

/** Rule REP7. */
async function report<Result>(
  context: Context,
  name: string,
  query: ClassicQuery,
  { width, resultsOf, ...selection }: Report<Result>,
) {
  const step = widthMs[width];
  const size = pageSize(query.limit, bucketsOf[width]);
  const cursor = readReportCursor(context, name, { ...query });
  const now = context.clock.now();
  const range = cursor?.range ?? bucketRangeOf({ ...query, width, now });
  const fromMs = cursor === undefined ? range.from.getTime() : Number(cursor.position[0]);
  const pageEndMs = Math.min(range.to.getTime(), fromMs + size * step);
  const wanted = { from: new Date(fromMs), to: new Date(pageEndMs) };
  const { sums, horizon, endMs } = await readBuckets(
    context,
    { ...selection, width, orderBy: "total_tokens", byTime: true, order: "asc", after: null },
    { wanted, step, known: cursor?.horizon },
  );
  const results = Map.groupBy(sums, ({ bucket }) => bucket.getTime());
  const starts = Array.from({ length: (endMs - fromMs) / step }, (_, at) => fromMs + at * step);
  const atMs = cursor?.atMs ?? now.getTime();
  const hasMore = endMs < range.to.getTime();
  return {
    data: starts.map((startMs) => ({
      starting_at: new Date(startMs).toISOString(),
      ending_at: new Date(startMs + step).toISOString(),
      results: (results.get(startMs) ?? []).flatMap(resultsOf),
    })),
    has_more: hasMore,
    next_page: hasMore
      ? writeReportCursor(
          context,
          name,
          { ...query },
          { horizon, atMs, range, position: [`${endMs}`] },
        )
      : null,
  };
}

/** Where there are too many results for a page it ends earlier, after one bucket at least. */
async function readBuckets(
  context: Context,
  selection: Omit<UsageSelection, "from" | "to" | "rows">,
  { wanted, step, known }: { wanted: Range; step: number; known: Horizon | undefined },
): Promise<{ sums: readonly UsageSum[]; horizon: Horizon; endMs: number }> {
  const rows = limits.bucketRowsMax;
  const found = await read(context, { ...selection, ...wanted, rows: rows + 1 }, known);
  if (found.sums.length <= rows) return { ...found, endMs: wanted.to.getTime() };
  const cutMs = found.sums[rows]?.bucket.getTime() ?? 0;
  const firstMs = wanted.from.getTime();
  if (cutMs > firstMs) {
    const whole = found.sums.filter(({ bucket }) => bucket.getTime() < cutMs);
    return { ...found, sums: whole, endMs: cutMs };
  }
  const to = new Date(firstMs + step);
  const one = await read(context, { ...selection, ...wanted, to, rows: 10 * rows }, found.horizon);
  return { ...one, endMs: to.getTime() };
}
