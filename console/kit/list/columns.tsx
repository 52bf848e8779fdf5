// Columns that many lists have.
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { mostPlaces } from "../value/money.ts";
import { Money } from "../value/money.tsx";
import { Time } from "../value/time.tsx";
import { Button } from "../page/button.tsx";
import { ActMenu, type MenuAct } from "./act-menu.tsx";
import type { Column } from "./table.tsx";

/** Where a row leads: to a page, or to what opens beside the list. */
export type Opens = (Pick<LinkProps, "to" | "params" | "search"> & { run?: never }) | (() => void);

const nameClass =
  "text-left font-medium text-accent underline-offset-2 wrap-anywhere hover:underline";

/** What is opened by a click anywhere in the row, and found by `j` and `k`. */
function NameOf({ opens, children }: { opens: Opens | undefined; children: ReactNode }) {
  if (opens === undefined) return <span className="font-medium wrap-anywhere">{children}</span>;
  if (typeof opens === "function")
    return (
      <button
        type="button"
        data-opens
        className={`${nameClass} max-md:min-h-10`}
        onClick={() => opens()}
      >
        {children}
      </button>
    );
  return (
    <Link {...opens} data-opens className={nameClass}>
      {children}
    </Link>
  );
}

/** The name of a row, as the way into it; under it what tells it from others. */
export function nameColumn<Row>({
  title = "Name",
  className = "md:min-w-48",
  name,
  before,
  beside,
  below,
  opens,
}: {
  title?: string;
  className?: string;
  name: (row: Row) => ReactNode;
  /** A mark, a picture, a box to choose the row by. */
  before?: (row: Row) => ReactNode;
  /** Badges. */
  beside?: (row: Row) => ReactNode;
  below?: (row: Row) => ReactNode;
  opens?: (row: Row) => Opens | undefined;
}): Column<Row> {
  return {
    title,
    heads: true,
    opens: opens !== undefined,
    className,
    cell: (row) => (
      <Before what={before?.(row)}>
        <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
          <NameOf opens={opens?.(row)}>{name(row)}</NameOf>
          {beside?.(row)}
        </span>
        {below !== undefined && (
          <span className="line-clamp-2 text-sm text-soft wrap-anywhere">{below(row)}</span>
        )}
      </Before>
    ),
  };
}

function Before({ what, children }: { what: ReactNode; children: ReactNode }) {
  if (what === undefined) return children;
  return (
    <div className="flex items-start gap-2.5">
      {what}
      <div className="min-w-0">{children}</div>
    </div>
  );
}

export const timeColumn = <Row,>(title: string, at: (row: Row) => string | null): Column<Row> => ({
  title,
  cell: (row) => <Time at={at(row)} isShort />,
});

export const numberColumn = <Row,>(title: string, of: (row: Row) => number): Column<Row> => ({
  title,
  isNumber: true,
  cell: (row) => of(row).toLocaleString("en"),
});

/** Amounts, their points under each other; null where there is none. */
export function moneyColumn<Row>(
  title: string,
  of: (row: Row) => number | null,
  rows: readonly Row[],
): Column<Row> {
  const places = mostPlaces(rows.map((row) => of(row) ?? 0));
  return {
    title,
    isNumber: true,
    cell: (row) => {
      const dollars = of(row);
      if (dollars === null) return <span className="text-soft">None</span>;
      return <Money dollars={dollars} places={places} />;
    },
  };
}

/** The menu at the end of each row; none where a row has no acts. */
export const actColumn = <Row,>(
  nameOf: (row: Row) => string,
  actsOf: (row: Row) => readonly MenuAct[],
  menuName = "Change",
): Column<Row> => ({
  title: "Acts",
  bare: true,
  className: "text-right",
  cell: (row) => {
    const acts = actsOf(row).filter(({ when }) => when !== false);
    return acts.length > 0 && <ActMenu label={`${menuName} ${nameOf(row)}`} acts={acts} />;
  },
});

/** Acts that are wanted often, in sight: at the end of each row a button for each. */
export const buttonColumn = <Row,>(
  nameOf: (row: Row) => string,
  actsOf: (row: Row) => readonly (Omit<MenuAct, "icon"> & { busy?: boolean })[],
): Column<Row> => ({
  title: "Acts",
  bare: true,
  foot: true,
  className: "md:text-right",
  cell: (row) => (
    <span className="inline-flex flex-wrap gap-1.5 md:justify-end">
      {actsOf(row)
        .filter(({ when }) => when !== false)
        .map(({ label, run, busy = false }) => (
          <Button key={label} aria-label={`${label} ${nameOf(row)}`} busy={busy} onClick={run}>
            {label}
          </Button>
        ))}
    </span>
  ),
});
