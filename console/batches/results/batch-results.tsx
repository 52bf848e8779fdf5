// The results of a batch: by outcome, by part of the custom id, page after page; and one whole, beside the list.
import { useQuery } from "@tanstack/react-query";
import { FileSearch } from "lucide-react";
import type { BatchResult } from "../../kit/server/api.ts";
import { batchQueries, resultsPerPage } from "../batch-queries.ts";
import { doneOf } from "../../../client/batches/counts.ts";
import {
  isOutcome,
  isRunning,
  outcomeOf,
  outcomes,
  partsOf,
  results,
  summaryOf,
  type ToldBatch,
} from "../batch.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { useCommands } from "../../kit/page/commands.ts";
import { usePaging } from "../../kit/list/paging.ts";
import { useSearchState, type Search } from "../../kit/page/search.ts";
import { useTyped } from "../../kit/form/typed.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { nameColumn } from "../../kit/list/columns.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { SearchInput } from "../../kit/form/field.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { Pager } from "../../kit/page/pager.tsx";
import { ResultPanel } from "./result-panel.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

interface Props {
  batch: ToldBatch;
  workspace: string | undefined;
}

export function BatchResults({ batch, workspace }: Props) {
  const [search, change] = useSearchState();
  if (batch.archived_at !== null)
    return (
      <Section title="Results">
        <EmptyState icon={FileSearch} title="The results are gone">
          They are kept for 29 days from the creation of a batch. Its counts stay.
        </EmptyState>
      </Section>
    );
  return (
    <Section
      title="Results"
      note={isRunning(batch) ? "As they come, in the order of the requests." : undefined}
    >
      <Filters batch={batch} search={search} change={change} />
      <Browser batch={batch} workspace={workspace} />
    </Section>
  );
}

/** A custom id has no other characters: nothing can be found with them. */
const isSearchable = (text: string) => /^[\w-]{0,64}$/.test(text);

function useResults({ batch, workspace }: Props) {
  const [search, change] = useSearchState();
  const filter = {
    outcome: isOutcome(search.type) ? search.type : undefined,
    search: search.q !== undefined && isSearchable(search.q) ? search.q : undefined,
  };
  const paging = usePaging(`${filter.outcome} ${filter.search}`);
  const runs = isRunning(batch);
  const query = batchQueries.results(workspace, batch.id, filter, paging.cursor, runs);
  const list = useQuery(query);
  const rows = list.data?.data ?? [];
  const at = rows.findIndex(({ custom_id: id }) => id === search.result);
  const open = (id: string | undefined) =>
    change({ result: id }, id !== undefined && search.result === undefined);
  const step = (by: number) =>
    open(rows[Math.min(Math.max(at + by, 0), rows.length - 1)]?.custom_id ?? search.result);
  return { list, rows, paging, filter, at, opened: search.result, open, step };
}

function Browser({ batch, workspace }: Props) {
  const { list, rows, paging, filter, at, opened, open, step } = useResults({ batch, workspace });
  useResultCommands(step, () => open(undefined));
  return (
    <div className="grid items-start gap-6 xl:has-[aside]:grid-cols-[minmax(0,1fr)_minmax(0,480px)]">
      <div className="min-w-0">
        {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
        {list.isPending && <RowsSkeleton rows={4} />}
        {rows.length > 0 && (
          <Table
            label="Results"
            columns={columns(open)}
            rows={rows}
            keyOf={({ custom_id: id }) => id}
            selected={opened}
          />
        )}
        {list.data !== undefined && rows.length === 0 && (
          <EmptyState icon={FileSearch} title="No result here">
            {doneOf(batch.request_counts) === 0
              ? "The first ones appear here as soon as requests are done."
              : "None of this outcome has that in its custom id."}
          </EmptyState>
        )}
        <p role="status" className="mt-3 text-sm text-soft">
          {rows.length > 0 && rangeWords(batch, filter, paging.place, rows.length)}
        </p>
        <Pager paging={paging} next={list.data?.next_page ?? null} label={["Previous", "Next"]} />
      </div>
      {opened !== undefined && (
        <Opened
          customId={opened}
          found={rows[at]}
          batch={batch}
          workspace={workspace}
          onClose={() => open(undefined)}
          {...(at > 0 && { onPrevious: () => step(-1) })}
          {...(at !== -1 && at < rows.length - 1 && { onNext: () => step(1) })}
        />
      )}
    </div>
  );
}

/** `Results 21 to 40 of 1,180`; how many a search finds in all, nobody has counted. */
function rangeWords(
  batch: ToldBatch,
  { outcome, search }: ReturnType<typeof useResults>["filter"],
  page: number,
  rows: number,
): string {
  const first = page * resultsPerPage + 1;
  const all = outcome === undefined ? doneOf(batch.request_counts) : partsOf(batch)[outcome];
  const [from, to] = [first, first + rows - 1].map((place) => place.toLocaleString("en"));
  const range = rows === 1 ? `Result ${from}` : `Results ${from} to ${to}`;
  return search === undefined ? `${range} of ${all.toLocaleString("en")}` : range;
}

const columns = (open: (id: string) => void): Column<BatchResult>[] => [
  nameColumn({
    title: "Custom id",
    className: "md:min-w-44",
    name: ({ custom_id: id }) => <span className="font-mono text-sm">{id}</span>,
    opens:
      ({ custom_id: id }) =>
      () =>
        open(id),
  }),
  {
    title: "Outcome",
    cell: (row) => {
      const { tone, word } = results[outcomeOf(row)];
      return <Badge tone={tone}>{word}</Badge>;
    },
  },
  {
    title: "Reply",
    className: "md:max-w-0 md:w-full",
    cell: (row) => (
      <span className="block min-w-0 text-sm text-soft md:truncate max-md:line-clamp-2 wrap-anywhere">
        {summaryOf(row) ?? `Too long for a list: ${bytesText(row.bytes)}`}
      </span>
    ),
  },
];

function Opened({
  customId,
  found,
  batch,
  workspace,
  ...acts
}: Props & {
  customId: string;
  /** Where it stands in the list that is shown. */
  found: BatchResult | undefined;
  onClose: () => void;
  onPrevious?: () => void;
  onNext?: () => void;
}) {
  const { data, error } = useQuery({
    ...batchQueries.result(workspace, batch.id, customId, isRunning(batch)),
    enabled: found === undefined && isSearchable(customId),
  });
  const isUnknown = data === null || !isSearchable(customId);
  return (
    <ResultPanel customId={customId} batch={batch} result={found ?? data ?? undefined} {...acts}>
      {error !== null && <TroubleBox error={error} />}
      {isUnknown && (
        <p className="text-soft">
          {isRunning(batch)
            ? "There is no result of this request yet, or no such request in the batch."
            : "There is no request with this custom id in the batch."}
        </p>
      )}
      {error === null && !isUnknown && <RowsSkeleton rows={3} />}
    </ResultPanel>
  );
}

function Filters({
  batch,
  search,
  change,
}: {
  batch: ToldBatch;
  search: Search;
  change: (patch: Search) => void;
}) {
  const [typed, setTyped] = useTyped(search.q ?? "", (q) =>
    change({ q: q === "" ? undefined : q }),
  );
  const chosen = isOutcome(search.type) ? search.type : undefined;
  const counts = partsOf(batch);
  return (
    <search aria-label="Filter results" className="mb-4 flex flex-wrap items-center gap-2">
      <SearchInput
        label="Search the custom id"
        value={typed}
        maxLength={64}
        aria-invalid={isSearchable(typed) ? undefined : true}
        onChange={({ target }) => setTyped(target.value)}
      />
      <div role="group" aria-label="Outcome" className="flex flex-wrap gap-1">
        <Chip on={chosen === undefined} onClick={() => change({ type: undefined })}>
          All {doneOf(batch.request_counts).toLocaleString("en")}
        </Chip>
        {outcomes.map((type) => (
          <Chip key={type} on={chosen === type} onClick={() => change({ type })}>
            {results[type].word} {counts[type].toLocaleString("en")}
          </Chip>
        ))}
      </div>
      {!isSearchable(typed) && (
        <p role="alert" className="w-full text-sm text-bad">
          Custom ids have letters a-z and A-Z, digits, _ and - only: nothing can be found with this.
        </p>
      )}
    </search>
  );
}

function Chip({
  on,
  onClick,
  children,
}: {
  on: boolean;
  onClick: () => void;
  children: React.ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className="rounded-md px-2.5 py-1 font-medium text-soft hover:text-ink aria-pressed:bg-accent-soft aria-pressed:text-accent max-md:min-h-10"
    >
      {children}
    </button>
  );
}

function useResultCommands(step: (by: number) => void, close: () => void): void {
  const onPage = { group: "This page", inPalette: false } as const;
  const focus = () => document.querySelector<HTMLInputElement>("[data-search]")?.focus();
  useCommands([
    { ...onPage, id: "results:next", label: "Next result", keys: "j", run: () => step(1) },
    { ...onPage, id: "results:previous", label: "Previous result", keys: "k", run: () => step(-1) },
    { ...onPage, id: "results:close", label: "Close the result", keys: "Escape", run: close },
    { ...onPage, id: "results:search", label: "Search the results", keys: "/", run: focus },
  ]);
}
