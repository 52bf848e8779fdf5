// Usage and cost as the console asks for them: ranges, groups, rows of a table, lines of a chart.
import { queryOptions, keepPreviousData } from "@tanstack/react-query";
import { server } from "../kit/server/api.ts";

export const spans = {
  "24h": { title: "24 hours", days: 1 },
  "7d": { title: "7 days", days: 7 },
  "30d": { title: "30 days", days: 30 },
  "90d": { title: "90 days", days: 90 },
  "365d": { title: "365 days", days: 365 },
} as const;
export type SpanName = keyof typeof spans;

export const groupings = {
  model: "Model",
  workspace_id: "Workspace",
  api_key_id: "API key",
  member: "Member",
  product: "Product",
  origin: "Origin",
  agent_id: "Agent",
  deployment_id: "Deployment",
  environment_id: "Environment",
  session_id: "Session",
} as const;
export type Grouping = keyof typeof groupings;

export const measures = { cost: "Cost", tokens: "Tokens", requests: "Attempts" } as const;
export type Measure = keyof typeof measures;

export interface Range {
  from: number;
  to: number;
  width: "1m" | "1h" | "1d";
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const up = (ms: number, step: number) => Math.ceil(ms / step) * step;

/** Whole buckets of UTC, the present one too. */
export function rangeOf(span: SpanName, nowMs: number): Range {
  const { days } = spans[span];
  const step = days === 1 ? hourMs : dayMs;
  const to = up(nowMs + 1, step);
  return { from: to - days * dayMs, to, width: days === 1 ? "1h" : "1d" };
}

/** What somebody drew or typed, in buckets that are neither few nor many. */
export function rangeBetween(fromMs: number, toMs: number): Range {
  const length = toMs - fromMs;
  const width = length <= 6 * hourMs ? "1m" : length <= 4 * dayMs ? "1h" : "1d";
  const step = stepOf(width);
  return { from: Math.floor(fromMs / step) * step, to: up(toMs, step), width };
}

export const stepOf = (width: Range["width"]) =>
  width === "1m" ? 60_000 : width === "1h" ? hourMs : dayMs;

export interface UsageLine {
  /** Of the group; empty where there is none. */
  id: string;
  /** Of a member; others are named by the page. */
  name: string | null;
  cost: number;
  costText: string;
  input: number;
  cached: number;
  written: number;
  output: number;
  requests: number;
}

const asked = ({ from, to }: Pick<Range, "from" | "to">) => ({
  starting_at: new Date(from).toISOString(),
  ending_at: new Date(to).toISOString(),
});

interface Group {
  [name: string]: unknown;
}
interface Actor {
  name?: string | null;
  email_address?: string | null;
  user_id?: string;
  service_account_id?: string;
  api_key_id?: string;
}

function keyOf(group: Group, by: Grouping | undefined): Pick<UsageLine, "id" | "name"> {
  if (by === undefined) return { id: "", name: null };
  const value = group[by];
  if (typeof value === "string") return { id: value, name: null };
  if (typeof value !== "object" || value === null) return { id: "", name: null };
  const actor = value as Actor;
  const id = actor.user_id ?? actor.service_account_id ?? actor.api_key_id ?? "";
  return { id, name: actor.name ?? actor.email_address ?? null };
}

/** The first thousand groups, the dearest first. */
async function linesOf(range: Range, by: Grouping | undefined): Promise<UsageLine[]> {
  const query = { ...asked(range), limit: 1_000, ...(by !== undefined && { group_by: [by] }) };
  const [usage, cost] = await Promise.all([
    server.console.analytics.usage({ query }),
    server.console.analytics.cost({ query }),
  ]);
  const costs = new Map(cost.data.map(({ group, cost: each }) => [keyOf(group, by).id, each]));
  return usage.data
    .map(({ group, usage: sum }): UsageLine => {
      const key = keyOf(group, by);
      const amount = costs.get(key.id)?.amount ?? "0";
      const { ephemeral_5m_input_tokens: five, ephemeral_1h_input_tokens: hour } =
        sum.cache_creation;
      return {
        ...key,
        cost: Number(amount) / 100,
        costText: amount,
        input: sum.uncached_input_tokens,
        cached: sum.cache_read_input_tokens,
        written: five + hour,
        output: sum.output_tokens,
        requests: sum.requests ?? 0,
      };
    })
    .toSorted((a, b) => b.cost - a.cost || b.requests - a.requests);
}

export const tokensOf = ({ input, cached, written, output }: UsageLine) =>
  input + cached + written + output;

export const valueOf = (line: UsageLine, measure: Measure) =>
  measure === "cost" ? line.cost : measure === "tokens" ? tokensOf(line) : line.requests;

/** Numbers by bucket for each group that is drawn. */
export interface Series {
  times: number[];
  rows: { id: string; values: number[] }[];
}

const filterOf: Record<Grouping, string> = {
  model: "models",
  workspace_id: "workspace_ids",
  api_key_id: "api_key_ids",
  member: "member_ids",
  product: "products",
  origin: "origins",
  agent_id: "agent_ids",
  deployment_id: "deployment_ids",
  environment_id: "environment_ids",
  session_id: "session_ids",
};

async function bucketsOf(
  range: Range,
  measure: Measure,
  by: Grouping | undefined,
  ids: readonly string[],
): Promise<Map<string, Map<number, number>>> {
  const found = new Map<string, Map<number, number>>();
  let page: string | undefined;
  do {
    const query = {
      ...asked(range),
      time_bucket_width: range.width,
      order_by: "time" as const,
      limit: 1_000,
      ...(page !== undefined && { page }),
      ...(by !== undefined && { group_by: [by], [filterOf[by]]: [...ids] }),
    };
    const got =
      measure === "cost"
        ? await server.console.analytics.cost({ query })
        : await server.console.analytics.usage({ query });
    for (const row of got.data) {
      const { id } = keyOf(row.group, by);
      const value =
        "cost" in row
          ? Number(row.cost.amount) / 100
          : measure === "tokens"
            ? row.usage.total_tokens
            : (row.usage.requests ?? 0);
      const buckets = found.get(id) ?? new Map<number, number>();
      found.set(id, buckets.set(Date.parse(row.starting_at), value));
    }
    page = got.next_page ?? undefined;
  } while (page !== undefined);
  return found;
}

/** The groups that are named, and the rest of the whole as one more. */
async function seriesOf(
  range: Range,
  measure: Measure,
  by: Grouping | undefined,
  ids: readonly string[],
): Promise<Series> {
  const step = stepOf(range.width);
  const times = Array.from(
    { length: Math.max(1, (range.to - range.from) / step) },
    (_, at) => range.from + at * step,
  );
  const [whole, parts] = await Promise.all([
    bucketsOf(range, measure, undefined, []),
    by === undefined || ids.length === 0 ? undefined : bucketsOf(range, measure, by, ids),
  ]);
  const all = times.map((time) => whole.get("")?.get(time) ?? 0);
  if (parts === undefined) return { times, rows: [{ id: "", values: all }] };
  const rows = ids.map((id) => ({
    id,
    values: times.map((time) => parts.get(id)?.get(time) ?? 0),
  }));
  const rest = all.map((value, at) =>
    Math.max(
      0,
      rows.reduce((left, { values }) => left - (values[at] ?? 0), value),
    ),
  );
  const isWhole = rest.every((value, at) => value <= (all[at] ?? 0) * 1e-9);
  return { times, rows: isWhole ? rows : [...rows, { id: others, values: rest }] };
}

/** No id of a group. */
export const others = "others of them";

/** What is of no model, in dollars. */
export interface CostWithoutModel {
  web: number;
  time: number;
}

async function withoutModel(range: Range): Promise<CostWithoutModel> {
  const query = { ...asked(range), group_by: ["cost_type" as const] };
  const { data } = await server.console.analytics.cost({ query });
  const of = (type: string) =>
    data
      .filter(({ group }) => group.cost_type === type)
      .reduce((sum, { cost }) => sum + Number(cost.amount) / 100, 0);
  return { web: of("web_search"), time: of("session_usage") };
}

const fresh = { staleTime: 15_000, placeholderData: keepPreviousData };

export const usageQueries = {
  lines: (range: Range, by: Grouping | undefined) =>
    queryOptions({
      queryKey: ["usage", "lines", range, by],
      queryFn: () => linesOf(range, by),
      ...fresh,
    }),
  withoutModel: (range: Range) =>
    queryOptions({
      queryKey: ["usage", "without model", range],
      queryFn: () => withoutModel(range),
      ...fresh,
    }),
  series: (range: Range, measure: Measure, by: Grouping | undefined, ids: readonly string[]) =>
    queryOptions({
      queryKey: ["usage", "series", range, measure, by, ids],
      queryFn: () => seriesOf(range, measure, by, ids),
      ...fresh,
    }),
};

/** A cell that no spreadsheet takes for a formula. */
const cell = (value: string | number) => {
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value === "string" ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvOf = (rows: readonly (readonly (string | number)[])[]) =>
  rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
