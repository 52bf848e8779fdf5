// Rules OVR2 and OVR3: what the month has cost against its limits, and who spends most.
import type { Context } from "../../kernel/context.ts";
import { peopleOf } from "../identity/module.ts";
import { spanOf } from "../limits/module.ts";
import { minorOf, nodeOf, readHorizon, selectUsage, type Dimension } from "../usage/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { Limit, Overview, OverviewQuery, Spender } from "./schema.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** By the database's clock, in UTC, as limits are. */
export async function spendOf(
  context: Context,
  workspaceIds: queries.Ids,
): Promise<NonNullable<Overview["spend"]>> {
  const { db, who } = context;
  const now = nodeOf(context).now();
  const spans = {
    daily: spanOf("daily", now),
    weekly: spanOf("weekly", now),
    monthly: spanOf("monthly", now),
  };
  const month = spans.monthly.key;
  const spent = await queries.monthSpent(db, who.organizationId, month);
  const rows = await queries.listLimits(db, who.organizationId, {
    spans,
    workspaceIds,
    rows: limits.shownMax,
  });
  return {
    month,
    currency: "USD",
    spent: minorOf(spent),
    limits: rows.map((row): Limit => ({
      scope: row.scope,
      id: row.id,
      name: row.name,
      period: row.period,
      limit: minorOf(BigInt(row.limitNano)),
      spent: minorOf(BigInt(row.spentNano)),
      is_blocked: row.isBlocked,
      resets_at: `${spans[row.period].until}T00:00:00.000Z`,
    })),
    blocked: rows[0]?.blocked ?? 0,
  };
}

type Period = NonNullable<OverviewQuery["period"]>;

/** The last whole day, the last seven, or the month so far. */
function rangeOf(period: Period, now: Date): { from: Date; to: Date } {
  const midnightMs = Math.floor(now.getTime() / dayMs) * dayMs;
  if (period === "month")
    return {
      from: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())),
      to: new Date(midnightMs + dayMs),
    };
  const days = period === "yesterday" ? 1 : 7;
  return { from: new Date(midnightMs - days * dayMs), to: new Date(midnightMs) };
}

/** Out of one state of the ledger; what nothing was paid for is not among them. */
export async function topOf(
  { db, who, clock }: Context,
  period: Period,
): Promise<NonNullable<Overview["top"]>> {
  const { organizationId } = who;
  const { from, to } = rangeOf(period, clock.now());
  const [models, keys, people] = await db.tx(
    async (tx) => {
      const horizon = { ...(await readHorizon(tx)), snapshot: null };
      const top = async (by: Dimension) => {
        const sums = await selectUsage(
          tx,
          organizationId,
          {
            from,
            to,
            width: null,
            groupBy: [by],
            filters: {},
            orderBy: "amount_nano",
            byTime: false,
            order: "desc",
            byClass: false,
            after: null,
            rows: limits.shownMax + 1,
          },
          horizon,
        );
        return sums.flatMap(({ group, amount_nano: nano }) => {
          const id = group[by] ?? null;
          return id === null || id === "" || nano === "0"
            ? []
            : [{ id, amount: minorOf(BigInt(nano)) }];
        });
      };
      return [await top("model"), await top("api_key_id"), await top("member")] as const;
    },
    { isolation: "repeatable read" },
  );
  const ids = [...keys, ...people].map(({ id }) => id);
  const found = [
    ...(await queries.namesOf(db, organizationId, ids)),
    ...(await peopleOf(db, organizationId, ids)).map(({ id, name, email }) => ({
      id,
      name: name === "" ? email : name,
    })),
  ];
  const names = new Map(found.map(({ id, name }) => [id, name]));
  const named = (rows: readonly Omit<Spender, "name">[]): Spender[] =>
    rows.slice(0, limits.shownMax).map((row) => ({ ...row, name: names.get(row.id) ?? row.id }));
  return {
    period,
    from: from.toISOString(),
    to: to.toISOString(),
    currency: "USD",
    models: named(models),
    keys: named(keys),
    people: named(people),
  };
}
