// A table that becomes a list of cards on a phone. Roles are spelt out, because `display` takes them away there.
import { useRef, type MouseEvent, type ReactNode } from "react";
import { useNearness } from "./chunk.tsx";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** The cell that heads the card on a phone and names the row for screen readers. */
  heads?: boolean;
  /** Columns without a visible title: acts at the end. */
  bare?: boolean;
  /** On a phone at the end of the card: more than one act has no room beside the heading. */
  foot?: boolean;
  /** Its cells lead into the rows, from one to the next by `j` and `k`. */
  opens?: boolean;
  /** On the right, digits under digits. */
  isNumber?: boolean;
  className?: string;
}

export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  selected,
}: {
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  selected?: string | undefined;
}) {
  return (
    // What is there for screen readers alone stands absolutely: without a place here it widens the whole page.
    <div className="relative rounded-lg border border-line bg-surface md:overflow-x-auto max-md:border-0 max-md:bg-transparent">
      <table role="table" aria-label={label} className="w-full text-left max-md:block">
        <thead role="rowgroup" className="max-md:sr-only">
          <tr role="row" className="border-b border-line">
            {columns.map((column) => (
              <th
                key={column.title}
                role="columnheader"
                scope="col"
                className={`px-3 py-2 text-sm font-medium md:max-xl:px-2 md:max-lg:px-1.5 xl:whitespace-nowrap text-soft ${numberClass(column)}`}
              >
                {column.bare === true ? (
                  <span className="sr-only">{column.title}</span>
                ) : (
                  column.title
                )}
              </th>
            ))}
          </tr>
        </thead>
        {chunksOf(rows).map((chunk, place) => (
          <Rows key={place} isFirst={place === 0} count={chunk.length} columns={columns.length}>
            {() =>
              chunk.map((row) => (
                <Line
                  key={keyOf(row)}
                  columns={columns}
                  row={row}
                  id={keyOf(row)}
                  on={keyOf(row) === selected}
                />
              ))
            }
          </Rows>
        ))}
      </table>
    </div>
  );
}

const rowsPerChunk = 100;
const rowPx = 57;

function chunksOf<Row>(rows: readonly Row[]): (readonly Row[])[] {
  if (rows.length <= 2 * rowsPerChunk) return [rows];
  const count = Math.ceil(rows.length / rowsPerChunk);
  return Array.from({ length: count }, (_, at) =>
    rows.slice(at * rowsPerChunk, (at + 1) * rowsPerChunk),
  );
}

/** Rows of a long list that are drawn only near the window; elsewhere their room is kept. */
function Rows({
  isFirst,
  count,
  columns,
  children,
}: {
  isFirst: boolean;
  count: number;
  columns: number;
  children: () => ReactNode;
}) {
  const box = useRef<HTMLTableSectionElement>(null);
  const { isNear, heightPx } = useNearness(box, count * rowPx, isFirst);
  return (
    <tbody
      ref={box}
      role="rowgroup"
      className={`max-md:grid max-md:gap-3 ${isFirst ? "" : "max-md:mt-3"}`}
    >
      {isNear ? (
        children()
      ) : (
        <tr aria-hidden>
          <td colSpan={columns} style={{ height: heightPx }} />
        </tr>
      )}
    </tbody>
  );
}

/** A click anywhere in a row opens it, unless it was meant for something in it, or marks text. */
function openRow(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget } = event;
  const isForItself =
    !(target instanceof Element) ||
    !currentTarget.contains(target) ||
    target.closest("a, button, input, label, select, [role=menuitem]") !== null;
  if (isForItself || window.getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector<HTMLElement>("[data-opens]")?.click();
}

function Line<Row>({
  columns,
  row,
  id,
  on,
}: {
  columns: Column<Row>[];
  row: Row;
  id: string;
  on: boolean;
}) {
  return (
    <tr
      role="row"
      data-row={id}
      aria-current={on || undefined}
      onClick={openRow}
      className={`border-line has-[[data-opens]]:cursor-pointer md:not-last:border-b md:hover:bg-hover max-md:relative max-md:block max-md:rounded-lg max-md:border max-md:bg-surface max-md:p-3 ${on ? "bg-accent-soft md:hover:bg-accent-soft max-md:bg-accent-soft" : ""}`}
    >
      {columns.map((column) => (
        <td
          key={column.title}
          role={column.heads === true ? "rowheader" : "cell"}
          className={`px-3 py-2 md:max-xl:px-2 md:max-lg:px-1.5 max-md:px-0 max-md:py-0.5 ${cardLine(column)} ${numberClass(column)} ${column.className ?? ""}`}
        >
          {column.heads !== true && column.bare !== true && (
            <span aria-hidden className="w-24 shrink-0 text-sm text-soft md:hidden">
              {column.title}
            </span>
          )}
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

const numberClass = <Row,>({ isNumber }: Column<Row>): string =>
  isNumber === true ? "md:text-right tabular-nums" : "";

function cardLine<Row>({ heads, bare, foot }: Column<Row>): string {
  if (foot === true) return "max-md:block max-md:pt-2.5! max-md:text-left";
  if (heads === true) return "max-md:block max-md:pr-12 max-md:pb-1.5 max-md:text-lg";
  if (bare === true) return "max-md:absolute max-md:top-1.5 max-md:right-1.5";
  return "max-md:flex max-md:items-baseline max-md:gap-3";
}
