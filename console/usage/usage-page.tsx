// Usage & cost: what was asked of models, by whom, and what it cost; drawn, in a table, and as a file.
import { useQuery } from "@tanstack/react-query";
import { ChartColumnStacked, Download } from "lucide-react";
import { useCallback, useMemo, type ReactNode } from "react";
import { saveAs } from "../kit/server/save-as.ts";
import { useSearchState, type Search } from "../kit/page/search.ts";
import {
  csvOf,
  groupings,
  measures,
  others,
  rangeBetween,
  rangeOf,
  spans,
  stepOf,
  tokensOf,
  usageQueries,
  valueOf,
  type Grouping,
  type Measure,
  type Range,
  type SpanName,
  type UsageLine,
} from "./usage.ts";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { FilterSelect } from "../kit/form/select.tsx";
import { Card, PageHeader, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { Chart } from "../kit/chart/chart.tsx";
import { amountText, mostPlaces } from "../kit/value/money.ts";
import { Money } from "../kit/value/money.tsx";
import { useNames } from "../kit/value/names.ts";
import { UsageTable, type NamedLine } from "./usage-table.tsx";

const drawnMax = 7;
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const oneOf = <T extends string>(known: Readonly<Record<T, unknown>>, word: string | undefined) =>
  word !== undefined && Object.hasOwn(known, word) ? (word as T) : undefined;

function rangeIn(search: Search, nowMs: number): Range {
  const [from, to] = [Date.parse(search["from"] ?? ""), Date.parse(search["to"] ?? "")];
  if (from < to) return rangeBetween(from, to);
  return rangeOf(oneOf<SpanName>(spans, search["span"]) ?? "30d", nowMs);
}

export function Page() {
  const [search, change] = useSearchState();
  const by = oneOf<Grouping>(groupings, search["by"]) ?? "model";
  const measure = oneOf<Measure>(measures, search["measure"]) ?? "cost";
  // A minute that has begun does not make another question.
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const range = useMemo(() => rangeIn(search, minute), [search, minute]);
  const { data, error, refetch } = useQuery(usageQueries.lines(range, by));
  const lines = useNamed(data, by, measure);
  return (
    <>
      <PageHeader title="Usage & cost" actions={<Save lines={lines} by={by} range={range} />}>
        What was asked of models and what it cost, straight from the ledger; days are those of UTC.
      </PageHeader>
      <Filters search={search} change={change} by={by} measure={measure} />
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton rows={6} />}
      {data?.length === 0 && (
        <EmptyState icon={ChartColumnStacked} title="Nothing was asked in this time">
          Every attempt on a model is counted here when it has ended: send one from the playground
          or with an API key, or choose a longer time.
        </EmptyState>
      )}
      {lines.length > 0 && (
        <>
          <Totals lines={lines} range={range} />
          <OverTime lines={lines} {...{ range, by, measure, change }} />
          <Section
            title={`By ${groupings[by].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`}
          >
            <UsageTable title={groupings[by]} lines={lines} hasShownIds={by === "model"} />
          </Section>
        </>
      )}
    </>
  );
}

/** The largest by what is measured come first, and those are drawn apart. */
function useNamed(data: readonly UsageLine[] | undefined, by: Grouping, measure: Measure) {
  const nameOf = useNames();
  const titles = (data ?? []).map(({ id, name }) =>
    id === "" ? nobody[by] : (name ?? nameOf(id, by === "model" ? "model" : undefined) ?? id),
  );
  return useMemo((): NamedLine[] => {
    let drawn = 0;
    return (data ?? [])
      .map((line, at) => ({ ...line, title: titles[at] ?? line.id }))
      .toSorted((a, b) => valueOf(b, measure) - valueOf(a, measure))
      .map((line) => ({
        ...line,
        place: line.id !== "" && drawn < drawnMax ? drawn++ : undefined,
      }));
  }, [data, measure, titles.join("\n")]);
}

const nobody: Record<Grouping, string> = {
  model: "No model",
  workspace_id: "No workspace",
  api_key_id: "Without a key, such as the console",
  member: "Nobody in particular",
  product: "No product",
  origin: "No origin",
  agent_id: "No agent",
  deployment_id: "No deployment",
  environment_id: "No environment",
  session_id: "No session",
};

interface Choice {
  search: Search;
  change: (patch: Search) => void;
  by: Grouping;
  measure: Measure;
}

function Filters({ search, change, by, measure }: Choice) {
  const isDrawn = search["from"] !== undefined;
  const choicesOf = (known: Readonly<Record<string, string>>) =>
    Object.entries(known).map(([value, label]) => ({ value, label }));
  const lasts = Object.entries(spans).map(([value, { title }]) => ({
    value,
    label: `Last ${title}`,
  }));
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <FilterSelect
        label="Time"
        value={isDrawn ? "drawn" : (search["span"] ?? "30d")}
        onChange={(span) => change({ span, from: undefined, to: undefined })}
        choices={[...(isDrawn ? [{ value: "drawn", label: "As drawn" }] : []), ...lasts]}
      />
      <FilterSelect
        label="Group by"
        value={by}
        onChange={(chosen) => change({ by: chosen })}
        choices={choicesOf(groupings)}
      />
      <FilterSelect
        label="Measure"
        value={measure}
        onChange={(chosen) => change({ measure: chosen })}
        choices={choicesOf(measures)}
      />
      {isDrawn && (
        <Button onClick={() => change({ from: undefined, to: undefined })}>Zoom out</Button>
      )}
    </div>
  );
}

type Fact = [name: string, value: ReactNode];

function Totals({ lines, range }: { lines: readonly UsageLine[]; range: Range }) {
  const { data: { web, time } = { web: 0, time: 0 } } = useQuery(usageQueries.withoutModel(range));
  const sum = (of: (line: UsageLine) => number) => lines.reduce((all, line) => all + of(line), 0);
  const facts: Fact[] = [
    ["Cost", <Money key="cost" dollars={sum(({ cost }) => cost)} />],
    ["Tokens", compact.format(sum(tokensOf))],
    ["Output tokens", compact.format(sum(({ output }) => output))],
    ["Attempts", compact.format(sum(({ requests }) => requests))],
    // Part of the cost, where there is some.
    ...(web > 0 ? [["Cost of the web", <Money key="web" dollars={web} />] as Fact] : []),
    ...(time > 0 ? [["Cost of sessions' time", <Money key="time" dollars={time} />] as Fact] : []),
  ];
  return (
    <dl className="mb-4 grid grid-cols-2 gap-3 md:grid-cols-4">
      {facts.map(([name, value]) => (
        <Card key={name}>
          <dt className="text-sm text-soft">{name}</dt>
          <dd className="text-xl font-semibold">{value}</dd>
        </Card>
      ))}
    </dl>
  );
}

const inDollars = (value: number) => (value === 0 ? "$0" : amountText(value));
const inCounts = (value: number) => compact.format(value);
const exactAmount = (value: number, all: readonly number[]) => (
  <Money dollars={value} places={mostPlaces(all)} />
);
const exactCount = (value: number) => value.toLocaleString("en");

function OverTime({
  lines,
  range,
  by,
  measure,
  change,
}: Omit<Choice, "search"> & { lines: readonly NamedLine[]; range: Range }) {
  // Usage without a value of its own cannot be asked for apart: it stands with the others.
  const ids = lines.filter(({ place }) => place !== undefined).map(({ id }) => id);
  const { data } = useQuery(usageQueries.series(range, measure, by, ids));
  const drawn = useMemo(() => {
    const titles = new Map(lines.map(({ id, title }) => [id, title]));
    titles.set(others, "Others");
    return (
      data && {
        times: data.times,
        series: data.rows.map(({ id, values }) => ({ title: titles.get(id) ?? id, values })),
      }
    );
  }, [data, lines]);
  const onZoom = useCallback(
    (from: number, to: number) =>
      change({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }),
    [change],
  );
  if (drawn === undefined) return <RowsSkeleton rows={4} />;
  const isCost = measure === "cost";
  return (
    <Card className="mb-8">
      <Chart
        data={drawn}
        step={stepOf(range.width)}
        format={isCost ? inDollars : inCounts}
        exact={isCost ? exactAmount : exactCount}
        onZoom={onZoom}
      />
      <p className="mt-2 text-sm text-soft">Drag over a part of the chart to look closer.</p>
    </Card>
  );
}

function Save({ lines, by, range }: { lines: readonly NamedLine[]; by: Grouping; range: Range }) {
  const save = () => {
    const head = ["group", "id", "cost_hundredths", "input_tokens", "cache_read_tokens"];
    const rows = lines.map((line) => [
      line.title,
      line.id,
      line.costText,
      line.input,
      line.cached,
      line.written,
      line.output,
      line.requests,
    ]);
    const text = csvOf([[...head, "cache_write_tokens", "output_tokens", "attempts"], ...rows]);
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const name = `usage-by-${by}-${day(range.from)}-to-${day(range.to)}.csv`;
    saveAs(new Blob([text], { type: "text/csv" }), name);
  };
  return (
    <Button onClick={save} disabled={lines.length === 0}>
      <Download size={16} aria-hidden /> CSV
    </Button>
  );
}
