// The numbers of usage: a row for each group, and what all of them come to.
import { tokensOf, type UsageLine } from "./usage.ts";
import { Table, type Column } from "../kit/list/table.tsx";

export interface NamedLine extends UsageLine {
  title: string;
  /** In the chart; undefined for those that are drawn together. */
  colour: string | undefined;
}

const count = new Intl.NumberFormat("en");

export const costWords = (units: number) =>
  units.toLocaleString("en", {
    minimumFractionDigits: 2,
    maximumFractionDigits: units !== 0 && units < 1 ? 6 : 2,
  });

export function UsageTable({ title, lines }: { title: string; lines: NamedLine[] }) {
  const number = (name: string, of: (line: UsageLine) => number): Column<NamedLine> => ({
    title: name,
    cell: (line) => count.format(of(line)),
    className: "md:text-right",
  });
  const columns: Column<NamedLine>[] = [
    {
      title,
      heads: true,
      cell: ({ title: name, colour }) => (
        <span className="flex items-center gap-2">
          {colour !== undefined && (
            <span
              aria-hidden
              className="size-3 shrink-0 rounded-sm"
              style={{ backgroundColor: colour }}
            />
          )}
          <span className="font-medium wrap-anywhere">{name}</span>
        </span>
      ),
    },
    { title: "Cost", cell: ({ cost }) => costWords(cost), className: "md:text-right" },
    number("Input", ({ input }) => input),
    number("Cache read", ({ cached }) => cached),
    number("Cache write", ({ written }) => written),
    number("Output", ({ output }) => output),
    number("All tokens", tokensOf),
    number("Attempts", ({ requests }) => requests),
  ];
  return <Table label="Usage" columns={columns} rows={lines} keyOf={({ id }) => id} />;
}
