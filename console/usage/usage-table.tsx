// The numbers of usage: a row for each group, and what all of them come to.
import { moneyColumn, nameColumn, numberColumn } from "../kit/list/columns.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Swatch } from "../kit/chart/chart.tsx";
import { CopyIcon } from "../kit/value/copy-button.tsx";
import { ObjectIcon, ObjectLink } from "../kit/value/object-link.tsx";
import { tokensOf, type Grouping, type UsageLine } from "./usage.ts";

export interface NamedLine extends UsageLine {
  title: string;
  /** Its place in the chart; undefined for those that are drawn together. */
  place: number | undefined;
}

const columnsOf = (
  title: string,
  by: Grouping,
  lines: readonly NamedLine[],
  onOpen: ((line: NamedLine) => void) | undefined,
): Column<NamedLine>[] => {
  const kind = by === "model" ? by : undefined;
  return [
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
          {onOpen === undefined && id !== "" ? (
            <ObjectLink id={id} kind={kind}>
              {name}
            </ObjectLink>
          ) : (
            <span className="wrap-anywhere">{name}</span>
          )}
        </span>
      ),
      beside: ({ id, title: name }) =>
        id === "" ? undefined : (
          <>
            {onOpen !== undefined && <ObjectIcon id={id} name={name} kind={kind} />}
            <CopyIcon text={id} label={`Copy the id of ${name}`} />
          </>
        ),
      below: ({ id, title: name }) =>
        by === "model" && id !== "" && id !== name ? (
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
};

export const UsageTable = ({
  title,
  lines,
  by,
  onOpen,
}: {
  title: string;
  lines: NamedLine[];
  /** Of models the ids stand under the names: programs are written with them. */
  by: Grouping;
  /** Looks at this group alone, where that can be done. */
  onOpen: ((line: NamedLine) => void) | undefined;
}) => (
  <Table
    label="Usage"
    columns={columnsOf(title, by, lines, onOpen)}
    rows={lines}
    keyOf={({ id }) => id}
  />
);
