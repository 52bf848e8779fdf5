// What a thing has cost: this month, yesterday, day by day beside the days before, and of what that was made.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { buttonClass } from "../kit/page/button.tsx";
import { Card, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton, Skeleton } from "../kit/page/skeleton.tsx";
import type { Search } from "../kit/page/search.ts";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { useMe } from "../kit/server/queries.ts";
import { Money } from "../kit/value/money.tsx";
import { plural } from "../../client/text/words.ts";
import { useNamedLines } from "../usage/named-lines.ts";
import { OverTime } from "../usage/over-time.tsx";
import { before, rangeBetween, rangeOf, type Range } from "../usage/range.ts";
import { UsageTable } from "../usage/usage-table.tsx";
import { groupings, usageQueries, type Filters, type Grouping } from "../usage/usage.ts";
import { groupedBy, maySeeSpend, usageFilter, type Subject } from "./subject.ts";

export function ObjectSpend({ subject }: { subject: Subject }) {
  return maySeeSpend(useMe()) ? <Spend subject={subject} /> : null;
}

const shownMax = 5;
const dayMs = 86_400_000;

function Spend({ subject }: { subject: Subject }) {
  const { kind, id } = subject;
  const filters = useMemo(() => usageFilter({ kind, id }), [kind, id]);
  const by = groupedBy(subject);
  // A minute that has begun does not make another question.
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const range = useMemo(() => rangeOf("30d", minute), [minute]);
  const search: Search = { ...filters, by };
  return (
    <Section
      title="Spend"
      note="At the models' prices; days are those of UTC."
      actions={
        <Link to="/usage" search={search} className={buttonClass()}>
          Open in usage
        </Link>
      }
    >
      <Sums filters={filters} range={range} nowMs={minute} />
      <ByDay filters={filters} range={range} by={by} search={search} />
    </Section>
  );
}

/** Of this month, of yesterday, and of the days that are drawn. */
function Sums({ filters, range, nowMs }: { filters: Filters; range: Range; nowMs: number }) {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const now = new Date(nowMs);
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const { data, error, refetch } = useQuery(
    usageQueries.series(
      rangeBetween(Math.min(month, today - dayMs), today + dayMs),
      "cost",
      undefined,
      [],
      filters,
    ),
  );
  const days = useQuery(usageQueries.series(range, "cost", undefined, [], filters)).data;
  const earlier = useQuery(usageQueries.series(before(range), "cost", undefined, [], filters)).data;
  const sum = (from: number, to: number, of = data) =>
    of?.times.reduce(
      (all, time, at) => (time >= from && time < to ? all + (of.rows[0]?.values[at] ?? 0) : all),
      0,
    );
  if (error !== null) return <TroubleBox error={error} retry={() => void refetch()} />;
  return (
    <dl className="mb-4 grid grid-cols-2 gap-3 md:grid-cols-4">
      <Sum name="This month" dollars={sum(month, today + dayMs)} />
      <Sum name="Yesterday" dollars={sum(today - dayMs, today)} />
      <Sum name="Last 30 days" dollars={sum(range.from, range.to, days)} />
      <Sum name="The 30 days before" dollars={sum(0, range.from, earlier)} />
    </dl>
  );
}

const Sum = ({ name, dollars }: { name: string; dollars: number | undefined }) => (
  <Card>
    <dt className="text-sm text-soft">{name}</dt>
    <dd className="text-xl font-semibold">
      {dollars === undefined ? (
        <Skeleton className="my-1.5 h-6 w-12" />
      ) : (
        <>
          <Money dollars={dollars} /> <span className="text-sm font-normal text-soft">USD</span>
        </>
      )}
    </dd>
  </Card>
);

function ByDay({
  filters,
  range,
  by,
  search,
}: {
  filters: Filters;
  range: Range;
  by: Grouping;
  search: Search;
}) {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(usageQueries.lines(range, by, filters));
  const lines = useNamedLines(data, by, "cost");
  const key = JSON.stringify(search);
  // A part that is drawn opens where it can be looked at closely.
  const change = useCallback(
    (patch: Search) => void navigate({ to: "/usage", search: { ...search, ...patch } }),
    [navigate, key],
  );
  if (error !== null) return <TroubleBox error={error} retry={() => void refetch()} />;
  if (data === undefined) return <RowsSkeleton rows={4} />;
  if (lines.length === 0) return <p className="text-soft">Nothing in the last 30 days.</p>;
  const more = lines.length - shownMax;
  return (
    <>
      <OverTime {...{ lines, range, by, change, filters }} measure="cost" isCompared isSmall />
      <UsageTable
        title={groupings[by]}
        by={by}
        lines={lines.slice(0, shownMax)}
        onOpen={undefined}
      />
      {more > 0 && (
        <p className="mt-3">
          <Link to="/usage" search={search} className="underline underline-offset-2">
            {plural(more, "more", "more")} in usage
          </Link>
        </p>
      )}
    </>
  );
}
