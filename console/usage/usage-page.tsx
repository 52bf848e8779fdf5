// Usage & cost: what was asked of models, by whom, and what it cost; drawn, in a table, and as a file.
import { useQuery } from "@tanstack/react-query";
import { ChartColumnStacked, Download } from "lucide-react";
import { useMemo } from "react";
import { saveAs } from "../kit/server/save-as.ts";
import { useSearchState, type Search } from "../kit/page/search.ts";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { PageHeader, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { useNamedLines } from "./named-lines.ts";
import { OverTime, Totals } from "./over-time.tsx";
import { filtersIn, GroupFilters, TimeFilters } from "./usage-filters.tsx";
import { UsageTable, type NamedLine } from "./usage-table.tsx";
import { rangeBetween, rangeOf, spans, type Range, type SpanName } from "./range.ts";
import {
  csvOf,
  dimensionOf,
  filterNames,
  groupings,
  measures,
  usageQueries,
  type Grouping,
  type Measure,
} from "./usage.ts";

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
  const filters = filtersIn(search);
  const { data, error, refetch } = useQuery(usageQueries.lines(range, by, filters));
  const lines = useNamedLines(data, by, measure);
  const isCompared = search["before"] !== "off";
  const nameOf = filterNames.find((name) => dimensionOf[name] === by);
  return (
    <>
      <PageHeader title="Usage & cost" actions={<Save lines={lines} by={by} range={range} />}>
        What was asked of models and what it cost, straight from the ledger; days are those of UTC.
      </PageHeader>
      <TimeFilters search={search} change={change} by={by} measure={measure} />
      <GroupFilters range={range} filters={filters} change={change} />
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
          <Totals {...{ lines, range, filters, isCompared }} />
          <OverTime {...{ lines, range, by, measure, change, filters, isCompared }} />
          <Section
            title={`By ${groupings[by].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`}
          >
            <UsageTable
              title={groupings[by]}
              lines={lines}
              by={by}
              onOpen={
                nameOf === undefined
                  ? undefined
                  : ({ id }) =>
                      change({ [nameOf]: id, by: by === "model" ? "api_key_id" : "model" }, true)
              }
            />
          </Section>
        </>
      )}
    </>
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
