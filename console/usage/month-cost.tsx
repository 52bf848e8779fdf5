// What this month has cost so far, with the days of the last month as a small line; leads to Usage & cost.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMe } from "../kit/server/queries.ts";
import { dollarsOf, goneText, limitTone, shareOf } from "../kit/value/money.ts";
import { now } from "../kit/value/time.ts";
import { limitQueries } from "../limits/queries.ts";
import { rangeBetween } from "./range.ts";
import { usageQueries } from "./usage.ts";
import { Skeleton } from "../kit/page/skeleton.tsx";
import { Sparkline } from "../kit/chart/sparkline.tsx";
import { Money, toneClass } from "../kit/value/money.tsx";

const drawnDays = 30;
const dayMs = 86_400_000;

/** The organization's, for whoever may see it. */
function useOwnLimit() {
  const enabled = useMe().permissions.includes("limits:read");
  const { data } = useQuery({ ...limitQueries.spend, enabled, refetchInterval: 60_000 });
  return data?.data.find(({ scope }) => scope.type === "organization");
}

export function MonthCost() {
  const today = now();
  const monthMs = Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
  const todayMs = today.getTime();
  // On the 31st the month is longer than what is drawn.
  const range = rangeBetween(Math.min(monthMs, todayMs - (drawnDays - 1) * dayMs), todayMs + 1);
  const { data, error } = useQuery({
    ...usageQueries.series(range, "cost", undefined, []),
    refetchInterval: 60_000,
  });
  const limit = useOwnLimit();
  const gone = Number(limit?.period_to_date_spend ?? 0) + Number(limit?.reserved ?? 0);
  const days = data?.rows[0]?.values;
  const top = Math.max(...(days ?? []));
  const sum = data?.times.reduce(
    (all, time, place) => (time >= monthMs ? all + (days?.[place] ?? 0) : all),
    0,
  );
  return (
    <div className="relative rounded-lg border border-line bg-surface px-4 py-3 hover:bg-hover max-lg:order-last max-lg:col-span-2">
      <dt className="text-sm text-soft">Cost, this month</dt>
      <dd>
        {sum === undefined ? (
          error === null && <Skeleton className="my-1.5 h-6 w-12" />
        ) : (
          <span className="block text-xl font-semibold tracking-tight">
            <Money dollars={sum} />
          </span>
        )}
        {limit?.amount != null && (
          <span
            className={`block text-sm ${toneClass[limitTone(shareOf(gone, Number(limit.amount)))]}`}
          >
            {goneText(gone, Number(limit.amount)) ?? "all"} of the limit of{" "}
            <Money dollars={dollarsOf(limit.amount)} />
          </span>
        )}
        {days !== undefined && (
          <Sparkline
            values={days.slice(-drawnDays).map((cost) => (cost === 0 ? 0 : (cost / top) * 100))}
          />
        )}
        <Link to="/usage" className="text-sm text-accent after:absolute after:inset-0">
          Usage &amp; cost
        </Link>
      </dd>
    </div>
  );
}
