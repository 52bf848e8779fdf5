// The numbers of usage: a row for each group, and what all of them come to.
import { moneyColumn, nameColumn, numberColumn } from "../kit/list/columns.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Swatch } from "../kit/chart/chart.tsx";
import { CopyIcon } from "../kit/value/copy-button.tsx";
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
  onOpen: ((line: NamedLine) => void) | undefined,
): Column<NamedLine>[] => [
  nameColumn({
    title,
    className: "md:min-w-40",
    before: ({ place }) =>
      place === undefined ? undefined : (
        <span className="mt-1 flex">
          <Swatch place={place} />
        </span>
      ),
    name: ({ id, title: name }) => (
      <span title={id || undefined}>
        <span className="wrap-anywhere">{name}</span>
      </span>
    ),
    beside: ({ id, title: name }) =>
      id === "" ? undefined : <CopyIcon text={id} label={`Copy the id of ${name}`} />,
    below: ({ id, title: name }) =>
      hasShownIds && id !== "" && id !== name ? (
        <span className="font-mono wrap-anywhere">{id}</span>
      ) : undefined,
    opens: (line) => (line.id === "" || onOpen === undefined ? undefined : () => onOpen(line)),
  }),
  moneyColumn("Cost, USD", ({ cost }) => cost, lines),
  numberColumn("Input", ({ input }) => input),
  numberColumn("Cache read", ({ cached }) => cached),
  numberColumn("Cache write", ({ written }) => written),
  numberColumn("Output", ({ output }) => output),
  numberColumn("All tokens", tokensOf),
  numberColumn("Attempts", ({ requests }) => requests),
];

export const UsageTable = ({
  title,
  lines,
  hasShownIds,
  onOpen,
}: {
  title: string;
  lines: NamedLine[];
  /** Under the names: programs are written with ids of models. */
  hasShownIds: boolean;
  /** Looks at this group alone, where that can be done. */
  onOpen: ((line: NamedLine) => void) | undefined;
}) => (
  <Table
    label="Usage"
    columns={columnsOf(title, hasShownIds, lines, onOpen)}
    rows={lines}
    keyOf={({ id }) => id}
  />
);
