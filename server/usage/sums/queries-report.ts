// Sums of the ledger for reports: one row for each combination of what is asked for, in a stable order.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { identifier, joinStatements, sql, type Statement } from "../../../kernel/sql/statement.ts";
import { batchPriceDivisor } from "../price.ts";
import {
  factsOf,
  isOfWeb,
  isWithoutModel,
  matching,
  measures,
  valueOf,
  type UsageSelection,
  type Dimension,
  type Horizon,
  type Measure,
  type Position,
  type Width,
} from "./queries-facts.ts";

/** Sums are text: they may pass what a number holds. */
export type UsageSum = Record<Measure, string> & {
  bucket: Date;
  group: Partial<Record<Dimension, string | null>>;
  position: Position;
  classes: ClassSums | null;
  web: WebSums;
  /** Of the amounts, what the time of sessions cost. */
  time: AmountSums;
};

interface AmountSums {
  amountNano: bigint;
  listAmountNano: bigint;
}

/** Of the requests and the amounts, what was searched and fetched: no model was asked, and no token is priced. */
export interface WebSums extends AmountSums {
  requests: string;
  searches: string;
}

/** In halves of a nano-dollar, since a batch pays half; `unknown` is what no prices are known of. */
export interface ClassSums {
  amount: Record<PricedClass | "unknown", bigint>;
  list: Record<PricedClass | "unknown", bigint>;
}

export const pricedClasses = [
  "input",
  "output",
  "cache_write_5m",
  "cache_write_1h",
  "cache_read",
] as const;
export type PricedClass = (typeof pricedClasses)[number];

const stepOf: Record<Width, string> = { "1m": "1 minute", "1h": "1 hour", "1d": "1 day" };

function bucketOf({ width, from }: UsageSelection): Statement {
  if (width === null) return sql`${from}::timestamptz`;
  return sql`date_bin(${stepOf[width]}::interval, at, 'epoch'::timestamptz)`;
}

/** A whole nano-dollar in halves: what `priceOf` in price.ts divides by for a batch. */
const halvesPerNano = sql`${batchPriceDivisor}::int`;

/** Halves of nano-dollars by class of tokens; the output bears the halves that a batch was rounded up by. */
const classAmount = (tokens: Statement, index: number) =>
  sql`sum(${tokens}::numeric * prices[${index}::int]
    * case kind when 'batch' then 1 when 'guard' then 0 else ${halvesPerNano} end)`;
const classList = (tokens: Statement, index: number) =>
  sql`sum(${tokens}::numeric * prices[${index}::int] * ${halvesPerNano})`;
const classTokens: readonly [PricedClass, Statement, number][] = [
  ["input", sql`input_tokens`, 1],
  ["cache_write_5m", sql`cache_write_5m_tokens`, 3],
  ["cache_write_1h", sql`cache_write_1h_tokens`, 4],
  ["cache_read", sql`cache_read_tokens`, 5],
];

const classColumns = joinStatements(
  [
    ...classTokens.map(
      ([name, tokens, index]) =>
        sql`coalesce(${classAmount(tokens, index)}, 0)::text as ${identifier(`amount.${name}`)},
          coalesce(${classList(tokens, index)}, 0)::text as ${identifier(`list.${name}`)}`,
    ),
    sql`coalesce(sum(amount_nano) filter (where prices is null and not ${isWithoutModel}) * ${halvesPerNano}, 0)::text
        as "amount.unknown",
      coalesce(sum(list_amount_nano) filter (where prices is null and not ${isWithoutModel}) * ${halvesPerNano}, 0)::text
        as "list.unknown"`,
  ],
  ", ",
);

const isOfTime = sql`kind = 'session_time'`;
const columnsWithoutModel = sql`
  coalesce(sum(requests) filter (where ${isOfWeb}), 0)::text as "web.requests",
  coalesce(sum(requests) filter (where kind = 'web_search'), 0)::text as "web.searches",
  coalesce(sum(amount_nano) filter (where ${isOfWeb}), 0)::text as "web.amount",
  coalesce(sum(list_amount_nano) filter (where ${isOfWeb}), 0)::text as "web.list",
  coalesce(sum(amount_nano) filter (where ${isOfTime}), 0)::text as "time.amount",
  coalesce(sum(list_amount_nano) filter (where ${isOfTime}), 0)::text as "time.list"`;
const namesWithoutModel = [
  "web.requests",
  "web.searches",
  "web.amount",
  "web.list",
  "time.amount",
  "time.list",
];

const totalTokens = sql`input_tokens + output_tokens + cache_write_5m_tokens
  + cache_write_1h_tokens + cache_read_tokens`;

interface Order {
  by: Statement;
  type: Statement;
  direction: "asc" | "desc";
}

/** By the measure or by time, then by what makes a row unlike any other. */
function ordersOf({ byTime, order, width, groupBy }: UsageSelection): Order[] {
  const bucket: Order = { by: sql`bucket`, type: sql`timestamptz`, direction: "asc" };
  const measure = (by: Statement, direction: Order["direction"]) => ({
    by,
    type: sql`numeric`,
    direction,
  });
  const names = groupBy.map((dimension) => sql`coalesce(${identifier(dimension)}, '')`);
  const key: Order[] = names.map((by) => ({
    by: sql`${by} collate "C"`,
    type: sql`text`,
    direction: "asc",
  }));
  if (byTime && width !== null)
    return [{ ...bucket, direction: order }, measure(sql`ranked`, "desc"), ...key];
  return [measure(sql`ranked`, order), bucket, ...key];
}

/** What comes after a row: further in the first thing that differs. */
function beyond(orders: readonly Order[], after: Position | null): Statement {
  if (after === null) return sql`true`;
  const conditions = orders.map(({ by, type, direction }, index) => {
    const same = orders
      .slice(0, index)
      .map((before, at) => sql`${before.by} = ${after[at] ?? ""}::${before.type}`);
    const value = sql`${after[index] ?? ""}::${type}`;
    return joinStatements(
      [...same, direction === "asc" ? sql`${by} > ${value}` : sql`${by} < ${value}`],
      " and ",
    );
  });
  return sql`(${joinStatements(
    conditions.map((condition) => sql`(${condition})`),
    " or ",
  )})`;
}

const columnNumbers = [sql`1`, sql`2`, sql`3`, sql`4`, sql`5`, sql`6`, sql`7`, sql`8`];

/** Requests are those of models. */
const ofModels = sql`case when ${isWithoutModel} then 0 else requests end`;
const measureOf = (name: Measure) => (name === "requests" ? ofModels : identifier(name));
const rankedBy = (orderBy: UsageSelection["orderBy"]) =>
  orderBy === "total_tokens" ? totalTokens : measureOf(orderBy);

const classNames = classTokens
  .map(([name]) => name)
  .concat("unknown" as PricedClass)
  .flatMap((name) => [`amount.${name}`, `list.${name}`]);

type Raw = Record<string, string | null> & { bucket: Date; position: string[] };

/** One row more than the page has is asked for, to learn whether there are more. */
export async function selectUsage(
  on: Queryable,
  organizationId: string,
  asked: UsageSelection,
  horizon: Horizon,
): Promise<UsageSum[]> {
  const { groupBy, byClass } = asked;
  const orders = ordersOf(asked);
  const names = groupBy.map((dimension) => identifier(dimension));
  const values = groupBy.map((dimension, at) => sql`${valueOf[dimension]} as ${names[at]}`);
  const sums = measures.map(
    (name) => sql`sum(${measureOf(name)})::text as ${identifier(`sum.${name}`)}`,
  );
  const classes = byClass ? [classColumns] : [];
  const shown = [
    ...measures.map((name) => `sum.${name}`),
    ...namesWithoutModel,
    ...(byClass ? classNames : []),
  ];
  const rows = await on.query<Raw>(sql`
    with facts as (${factsOf(organizationId, asked, horizon)}),
    summed as (
      select ${joinStatements([sql`${bucketOf(asked)} as bucket`, ...values], ", ")},
        sum(${rankedBy(asked.orderBy)}) as ranked,
        ${joinStatements([...sums, columnsWithoutModel, ...classes], ", ")}
      from facts where ${matching(asked.filters)}
      group by ${joinStatements(columnNumbers.slice(0, groupBy.length + 1), ", ")}
    )
    select ${joinStatements([sql`bucket`, ...names, ...shown.map((name) => identifier(name))], ", ")},
      array[${joinStatements(
        orders.map(({ by }) => sql`(${by})::text`),
        ", ",
      )}] as position
    from summed where ${beyond(orders, asked.after)}
    order by ${joinStatements(
      orders.map(({ by, direction }) => (direction === "asc" ? sql`${by} asc` : sql`${by} desc`)),
      ", ",
    )}
    limit ${asked.rows}`);
  return rows.map((row) => toSum(row, groupBy, byClass));
}

function toSum(row: Raw, groupBy: readonly Dimension[], byClass: boolean): UsageSum {
  const sums = Object.fromEntries(measures.map((name) => [name, row[`sum.${name}`] ?? "0"]));
  return {
    ...(sums as Record<Measure, string>),
    bucket: row.bucket,
    group: Object.fromEntries(groupBy.map((dimension) => [dimension, row[dimension] ?? null])),
    position: row.position,
    classes: byClass ? { amount: halvesOf(row, "amount"), list: halvesOf(row, "list") } : null,
    web: {
      requests: row["web.requests"] ?? "0",
      searches: row["web.searches"] ?? "0",
      ...amountsOf(row, "web"),
    },
    time: amountsOf(row, "time"),
  };
}

const amountsOf = (row: Raw, name: "web" | "time"): AmountSums => ({
  amountNano: BigInt(row[`${name}.amount`] ?? "0"),
  listAmountNano: BigInt(row[`${name}.list`] ?? "0"),
});

/** The output has what the others have not: so the classes add up to the whole. */
function halvesOf(row: Raw, kind: "amount" | "list"): Record<PricedClass | "unknown", bigint> {
  const of = (name: string) => BigInt(row[`${kind}.${name}`] ?? "0");
  const known = {
    input: of("input"),
    cache_write_5m: of("cache_write_5m"),
    cache_write_1h: of("cache_write_1h"),
    cache_read: of("cache_read"),
    unknown: of("unknown"),
  };
  const isAmount = kind === "amount";
  const all = BigInt(row[isAmount ? "sum.amount_nano" : "sum.list_amount_nano"] ?? "0");
  const others = BigInt(row[`web.${kind}`] ?? "0") + BigInt(row[`time.${kind}`] ?? "0");
  const total = BigInt(batchPriceDivisor) * (all - others);
  const classes = Object.values(known).reduce((sum, value) => sum + value, 0n);
  return { ...known, output: total - classes };
}

/** Read with the first page, in its snapshot, and kept for those that follow. */
export async function readHorizon(on: Queryable): Promise<Horizon & { snapshot: string }> {
  const [row] = await on.query<{ untilMs: number | null; snapshot: string }>(sql`
    select pg_current_snapshot()::text as snapshot,
      (case when isfinite(until) then round(extract(epoch from until) * 1000) end)::double precision
        as "untilMs"
    from usage_horizon`);
  return row ?? { untilMs: null, snapshot: "0:0:" };
}
