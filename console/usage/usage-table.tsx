// The numbers of usage: a row for each group, and what all of them come to.
import { moneyColumn, numberColumn } from "../kit/list/columns.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Swatch } from "../kit/chart/chart.tsx";
import { Name } from "../kit/value/name.tsx";
import { tokensOf, type UsageLine } from "./usage.ts";

export interface NamedLine extends UsageLine {
  title: string;
  /** Its place in the chart; undefined for those that are drawn together. */
  place: number | undefined;
}

const columnsOf = (
  title: string,
  hasShownIds: boolean,
  lines: readonly NamedLine[],
): Column<NamedLine>[] => [
  {
    title,
    heads: true,
    cell: (line) => (
      <span className="flex items-center gap-2 font-medium">
        {line.place !== undefined && <Swatch place={line.place} />}
        <Heading line={line} hasShownId={hasShownIds} />
      </span>
    ),
  },
  moneyColumn("Cost", ({ cost }) => cost, lines),
  numberColumn("Input", ({ input }) => input),
  numberColumn("Cache read", ({ cached }) => cached),
  numberColumn("Cache write", ({ written }) => written),
  numberColumn("Output", ({ output }) => output),
  numberColumn("All tokens", tokensOf),
  numberColumn("Attempts", ({ requests }) => requests),
];

function Heading({ line: { id, title }, hasShownId }: { line: NamedLine; hasShownId: boolean }) {
  if (id === "") return <span className="wrap-anywhere">{title}</span>;
  return (
    <span className="min-w-0">
      <Name id={id} known={title} />
      {hasShownId && id !== title && (
        <span className="block font-mono text-sm font-normal text-soft wrap-anywhere">{id}</span>
      )}
    </span>
  );
}

export const UsageTable = ({
  title,
  lines,
  hasShownIds,
}: {
  title: string;
  lines: NamedLine[];
  /** Under the names: programs are written with ids of models. */
  hasShownIds: boolean;
}) => (
  <Table
    label="Usage"
    columns={columnsOf(title, hasShownIds, lines)}
    rows={lines}
    keyOf={({ id }) => id}
  />
);
