// Usage and cost as the console asks for them: groups, filters, rows of a table, lines of a chart.
import { queryOptions, keepPreviousData } from "@tanstack/react-query";
import { server } from "../kit/server/api.ts";
import { stepOf, type Range } from "./range.ts";

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

/** What of the ledger is looked at, by the names that the address has for it. */
export type Filters = Partial<Record<FilterName, string>>;
export const filterNames = ["model", "space", "key", "person"] as const;
export type FilterName = (typeof filterNames)[number];
export const dimensionOf = {
  model: "model",
  space: "workspace_id",
  key: "api_key_id",
  person: "member",
} as const satisfies Record<FilterName, Grouping>;

const filtered = (filters: Filters) =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = filters[name];
      return value === undefined ? [] : [[filterOf[dimensionOf[name]], [value]]];
    }),
  );

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
async function linesOf(
  range: Range,
  by: Grouping | undefined,
  filters: Filters,
): Promise<UsageLine[]> {
  const grouped = by !== undefined && { group_by: [by] };
  const query = { ...asked(range), ...filtered(filters), limit: 1_000, ...grouped };
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
  filters: Filters,
): Promise<Map<string, Map<number, number>>> {
  const found = new Map<string, Map<number, number>>();
  let page: string | undefined;
  do {
    const query = {
      ...asked(range),
      ...filtered(filters),
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
  filters: Filters,
): Promise<Series> {
  const step = stepOf(range.width);
  const times = Array.from(
    { length: Math.max(1, (range.to - range.from) / step) },
    (_, at) => range.from + at * step,
  );
  const [whole, parts] = await Promise.all([
    bucketsOf(range, measure, undefined, [], filters),
    by === undefined || ids.length === 0 ? undefined : bucketsOf(range, measure, by, ids, filters),
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

async function withoutModel(range: Range, filters: Filters): Promise<CostWithoutModel> {
  const query = { ...asked(range), ...filtered(filters), group_by: ["cost_type" as const] };
  const { data } = await server.console.analytics.cost({ query });
  const of = (type: string) =>
    data
      .filter(({ group }) => group.cost_type === type)
      .reduce((sum, { cost }) => sum + Number(cost.amount) / 100, 0);
  return { web: of("web_search"), time: of("session_usage") };
}

/** The groups that there is usage of in this time: those that asked most. */
async function choicesOf(range: Range, by: Grouping): Promise<Pick<UsageLine, "id" | "name">[]> {
  const query = { ...asked(range), group_by: [by], limit: choicesMax };
  const { data } = await server.console.analytics.usage({ query });
  return data.map(({ group }) => keyOf(group, by)).filter(({ id }) => id !== "");
}

const choicesMax = 100;

const fresh = { staleTime: 15_000, placeholderData: keepPreviousData };

export const usageQueries = {
  lines: (range: Range, by: Grouping | undefined, filters: Filters = {}) =>
    queryOptions({
      queryKey: ["usage", "lines", range, by, filters],
      queryFn: () => linesOf(range, by, filters),
      ...fresh,
    }),
  choices: (range: Range, by: Grouping) =>
    queryOptions({
      queryKey: ["usage", "choices", range, by],
      queryFn: () => choicesOf(range, by),
      ...fresh,
      staleTime: 60_000,
    }),
  withoutModel: (range: Range, filters: Filters = {}) =>
    queryOptions({
      queryKey: ["usage", "without model", range, filters],
      queryFn: () => withoutModel(range, filters),
      ...fresh,
    }),
  series: (
    range: Range,
    measure: Measure,
    by: Grouping | undefined,
    ids: readonly string[],
    filters: Filters = {},
  ) =>
    queryOptions({
      queryKey: ["usage", "series", range, measure, by, ids, filters],
      queryFn: () => seriesOf(range, measure, by, ids, filters),
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
