// The numbers of a time as a whole and bucket by bucket, beside those of as long a time before it.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, type ReactNode } from "react";
import { Chart } from "../kit/chart/chart.tsx";
import { Card } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { amountText, mostPlaces } from "../kit/value/money.ts";
import { Money } from "../kit/value/money.tsx";
import type { Choice } from "./usage-filters.tsx";
import type { NamedLine } from "./usage-table.tsx";
import { before, stepOf, type Range } from "./range.ts";
import { measures, others, tokensOf, usageQueries, type Filters, type UsageLine } from "./usage.ts";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

type Fact = [name: string, value: ReactNode, earlier?: ReactNode];

interface Looked {
  range: Range;
  filters: Filters;
  /** Beside as long a time right before it. */
  isCompared: boolean;
}

export function Totals({
  lines,
  range,
  filters,
  isCompared,
}: Looked & { lines: readonly UsageLine[] }) {
  const { data: { web, time } = { web: 0, time: 0 } } = useQuery(
    usageQueries.withoutModel(range, filters),
  );
  const earlier = useQuery({
    ...usageQueries.lines(before(range), undefined, filters),
    enabled: isCompared,
  });
  const sumOf = (all: readonly UsageLine[], of: (line: UsageLine) => number) =>
    all.reduce((sum, line) => sum + of(line), 0);
  const told = (
    name: string,
    of: (line: UsageLine) => number,
    show: (value: number) => ReactNode,
  ): Fact => {
    const then = isCompared && earlier.data !== undefined ? sumOf(earlier.data, of) : undefined;
    const now = sumOf(lines, of);
    return [name, show(now), then !== undefined && <Before now={now} then={then} show={show} />];
  };
  const facts: Fact[] = [
    told("Cost", ({ cost }) => cost, asMoney),
    told("Tokens", tokensOf, inCounts),
    told("Output tokens", ({ output }) => output, inCounts),
    told("Attempts", ({ requests }) => requests, inCounts),
    // Part of the cost, where there is some.
    ...(web > 0 ? [["Cost of the web", asMoney(web)] as Fact] : []),
    ...(time > 0 ? [["Cost of sessions' time", asMoney(time)] as Fact] : []),
  ];
  return (
    <dl className="mb-4 grid grid-cols-2 gap-3 md:grid-cols-4">
      {facts.map(([name, value, earlierValue]) => (
        <Card key={name}>
          <dt className="text-sm text-soft">{name}</dt>
          <dd className="text-xl font-semibold">{value}</dd>
          {earlierValue}
        </Card>
      ))}
    </dl>
  );
}

const asMoney = (dollars: number): ReactNode => (
  <>
    <Money dollars={dollars} /> <span className="text-sm font-normal text-soft">USD</span>
  </>
);

/** `before 1.2K, 40% more`. */
function Before({
  now,
  then,
  show,
}: {
  now: number;
  then: number;
  show: (value: number) => ReactNode;
}) {
  const change = then === 0 ? undefined : (now - then) / then;
  return (
    <dd className="text-sm text-soft">
      before {show(then)}
      {change !== undefined && Math.abs(change) >= 0.005 && (
        <>
          , {Math.round(Math.abs(change) * 100).toLocaleString("en")}%{" "}
          {change > 0 ? "more" : "less"}
        </>
      )}
    </dd>
  );
}

const inDollars = (value: number) => (value === 0 ? "$0" : amountText(value));
const inCounts = (value: number) => compact.format(value);
const exactAmount = (value: number, all: readonly number[]) => (
  <Money dollars={value} places={mostPlaces(all)} />
);
const exactCount = (value: number) => value.toLocaleString("en");

export function OverTime({
  lines,
  range,
  by,
  measure,
  change,
  filters,
  isCompared,
  isSmall = false,
}: Omit<Choice, "search"> & Looked & { lines: readonly NamedLine[]; isSmall?: boolean }) {
  // Usage without a value of its own cannot be asked for apart: it stands with the others.
  const ids = lines.filter(({ place }) => place !== undefined).map(({ id }) => id);
  const { data } = useQuery(usageQueries.series(range, measure, by, ids, filters));
  const earlier = useQuery({
    ...usageQueries.series(before(range), measure, undefined, [], filters),
    enabled: isCompared,
  });
  const values = isCompared ? earlier.data?.rows[0]?.values : undefined;
  // Of another time, as long as this one's are on their way.
  const beforeValues = values?.length === data?.times.length ? values : undefined;
  const drawn = useMemo(() => {
    const titles = new Map(lines.map(({ id, title }) => [id, title]));
    titles.set(others, "Others");
    return (
      data && {
        times: data.times,
        series: data.rows.map(({ id, values }) => ({ title: titles.get(id) ?? id, values })),
        ...(beforeValues !== undefined && { before: beforeValues }),
      }
    );
  }, [data, lines, beforeValues]);
  const onZoom = useCallback(
    (from: number, to: number) =>
      change({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }),
    [change],
  );
  if (drawn === undefined) return <RowsSkeleton rows={4} />;
  const isCost = measure === "cost";
  return (
    <Card className={isSmall ? "mb-4" : "mb-8"}>
      <Chart
        data={drawn}
        label={`Chart of ${measures[measure].toLowerCase()}`}
        unit={isCost ? "USD" : undefined}
        step={stepOf(range.width)}
        format={isCost ? inDollars : inCounts}
        exact={isCost ? exactAmount : exactCount}
        {...(isSmall && { heightPx: 160 })}
        onZoom={onZoom}
      />
      <p className="mt-2 text-sm text-soft">Drag over a part of the chart to look closer.</p>
    </Card>
  );
}
