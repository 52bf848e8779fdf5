// A list in all its states: on its way, broken, empty, narrowed to nothing, there; with the keys that move in it.
import type { LucideIcon } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { useCommands, type Command } from "../page/commands.ts";
import { Button } from "../page/button.tsx";
import { RowsSkeleton } from "../page/skeleton.tsx";
import { TroubleBox } from "../page/trouble-box.tsx";
import { SnippetTabs } from "../value/snippet.tsx";
import type { Snippet } from "../value/snippets.ts";
import { plural } from "../../../client/text/words.ts";
import type { MenuAct } from "./act-menu.tsx";
import { actColumn } from "./columns.tsx";
import { EmptyState } from "./empty-state.tsx";
import { FilterBar, useFilters, type Filter } from "./filters.tsx";
import type { List } from "./list.ts";
import { movesIn, useRowReturn } from "./row-moves.ts";
import { Table, type Column } from "./table.tsx";

export interface Empty {
  /** Of the box; a list without an icon has none, a sentence alone stands there. */
  title?: string;
  children?: ReactNode;
  /** Code that makes the first one. */
  snippets?: Snippet[];
  action?: ReactNode;
}

export interface ListViewProps<Row extends object> {
  /** Of the table, for screen readers. */
  label: string;
  /** One of them, and several where an `s` does not do. A short list in a part of a page has none, nor a count. */
  noun?: string | [one: string, many: string];
  icon?: LucideIcon;
  list: List<Row>;
  columns: Column<Row>[];
  /** What can be done with a row; nothing where this person may not. */
  acts?: ((row: Row) => readonly MenuAct[]) | undefined;
  /** For the names of the menus. */
  nameOf?: (row: Row) => string;
  /** Its id, where nothing is said. */
  keyOf?: (row: Row) => string;
  /** How those names begin; `Change` where nothing is said. */
  menuName?: string;
  empty: Empty;
  filters?: readonly Filter[];
  /** Beside the filters. */
  beside?: ReactNode;
  /** Where filters leave nothing. */
  nothingFits?: { title: string; children: ReactNode; clear?: string };
  /** Right above the rows: what is done with several of them. */
  over?: ReactNode;
  /** In place of the rows: what was found elsewhere. */
  instead?: ReactNode;
  /** After the count: `2 under way`. */
  note?: ReactNode;
  /** Of the button that reads what follows. */
  moreLabel?: string | undefined;
  /** The row that is open beside the list. */
  selected?: string | undefined;
  /** The page has moves of its own by `j` and `k`. */
  hasOwnMoves?: boolean;
  /** What is open beside it; under it, where there is no room. */
  aside?: ReactNode;
  /** Rows of one section stand under its title: a table for each day. */
  sectionOf?: (row: Row) => string;
}

const noFilters: readonly Filter[] = [];

export function ListView<Row extends object>(props: ListViewProps<Row>) {
  const { label, noun, list, acts, filters = noFilters, beside, over, instead } = props;
  const { keyOf = idOf, nameOf = keyOf } = props;
  const { isSet, clear } = useFilters(filters);
  const box = useRef<HTMLDivElement>(null);
  const hasMoves =
    props.hasOwnMoves !== true &&
    (noun !== undefined || props.columns.some(({ opens }) => opens === true));
  useCommands([...(hasMoves ? movesIn(box) : []), ...filterKeys(filters, clear)]);
  const columns =
    acts === undefined
      ? props.columns
      : [...props.columns, actColumn(nameOf, acts, props.menuName)];
  const bar = (filters.length > 0 || beside !== undefined) && (
    <FilterBar label={`Filter ${label.toLowerCase()}`} filters={filters}>
      {beside}
    </FilterBar>
  );
  const { rows, error, isPending, isFetching } = list;
  const returning = useRowReturn(box, rows.length > 0);
  return (
    <div ref={box} {...returning}>
      {bar}
      {instead ?? (
        <Beside aside={props.aside}>
          {error !== null && <TroubleBox error={error} retry={list.refetch} />}
          {isPending && error === null && <RowsSkeleton {...(noun === undefined && { rows: 2 })} />}
          {rows.length > 0 && over}
          {rows.length > 0 && <Rows {...props} columns={columns} keyOf={keyOf} />}
          {!isPending && rows.length === 0 && error === null && !(isSet && isFetching) && (
            <Nothing {...props} isSet={isSet} clear={clear} />
          )}
          {noun !== undefined && (
            <Count list={list} noun={noun} note={props.note} moreLabel={props.moreLabel} />
          )}
        </Beside>
      )}
    </div>
  );
}

function Rows<Row extends object>({
  label,
  list: { rows },
  sectionOf,
  columns,
  keyOf,
  selected,
}: ListViewProps<Row> & { keyOf: (row: Row) => string }) {
  const shared = { columns, keyOf, selected };
  if (sectionOf === undefined) return <Table label={label} rows={rows} {...shared} />;
  return [...Map.groupBy(rows, sectionOf)].map(([title, part]) => (
    <section key={title} aria-label={title} className="mb-5">
      <h2 className="mb-2 text-sm font-medium text-soft">{title}</h2>
      <Table label={`${label} of ${title}`} rows={part} {...shared} />
    </section>
  ));
}

function Beside({ aside, children }: { aside: ReactNode; children: ReactNode }) {
  if (aside === undefined) return children;
  return (
    <div className="grid items-start gap-6 xl:has-[aside]:grid-cols-[minmax(0,1fr)_340px]">
      <div className="min-w-0">{children}</div>
      {aside}
    </div>
  );
}

const idOf = (row: object): string => (row as { id: string }).id;

/** How many there are, said for what it is: all of them, or those that were read so far. */
function Count<Row>({
  list: { rows, total = rows.length, more, isReadingMore },
  noun,
  note,
  moreLabel = "Load more",
}: {
  list: List<Row>;
  noun: string | [string, string];
  note: ReactNode;
  moreLabel: string | undefined;
}) {
  const [one, many] = typeof noun === "string" ? [noun, `${noun}s`] : noun;
  return (
    <>
      <p role="status" className="mt-3 text-sm text-soft">
        {rows.length > 0 && plural(total, one, many)}
        {rows.length > 0 && more !== undefined && " so far"}
        {rows.length > 0 && note}
        {isReadingMore && ", loading more"}
      </p>
      {more !== undefined && (
        <Button className="mt-2" busy={isReadingMore} onClick={more}>
          {moreLabel}
        </Button>
      )}
    </>
  );
}

function Nothing<Row extends object>({
  noun,
  icon,
  empty,
  nothingFits,
  isSet,
  clear,
}: ListViewProps<Row> & { isSet: boolean; clear: () => void }) {
  if (icon === undefined) return empty.children && <p className="text-soft">{empty.children}</p>;
  if (isSet)
    return (
      <EmptyState
        icon={icon}
        title={
          nothingFits?.title ?? `No ${typeof noun === "string" ? noun : (noun?.[0] ?? "row")} fits`
        }
        action={<Button onClick={clear}>{nothingFits?.clear ?? "Clear the filters"}</Button>}
      >
        {nothingFits?.children ?? "What the filters leave out is hidden."}
      </EmptyState>
    );
  const { title = "", children, snippets, action } = empty;
  return (
    <EmptyState icon={icon} title={title} action={action}>
      {snippets === undefined ? (
        children
      ) : (
        <>
          <p className="mb-4">{children}</p>
          <div className="text-left">
            <SnippetTabs snippets={snippets} label={title} />
          </div>
        </>
      )}
    </EmptyState>
  );
}

function filterKeys(filters: readonly Filter[], clear: () => void): Command[] {
  if (filters.length === 0) return [];
  const onPage = { group: "This page" } as const;
  const focus = () => document.querySelector<HTMLInputElement>("[data-search]")?.focus();
  const search: Command = {
    ...onPage,
    id: "list:search",
    label: "Search the list",
    keys: "/",
    inPalette: false,
    run: focus,
  };
  return [
    ...(filters.some(({ kind }) => kind === "search") ? [search] : []),
    { ...onPage, id: "list:clear", label: "Clear the filters", keys: "x", run: clear },
  ];
}
