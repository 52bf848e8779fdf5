// Rows of text in columns, two blanks apart; on a screen no wider than it, with states in colour.
import { cutText, displayWidth, padText } from "./display-width.ts";
import { colorOfState } from "./state-color.ts";
import type { Terminal } from "./terminal.ts";

type Rows = readonly (readonly string[])[];

const gap = "  ";

export function table(rows: Rows): string {
  const widths = widthsOf(rows);
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => padText(cell, widths[column] ?? 0)).join(gap);
  return rows.map((cells) => `${line(cells).trimEnd()}\n`).join("");
}

/** Columns of states have these titles. */
const stateTitles: ReadonlySet<string> = new Set(["STATE", "STATUS"]);

/** Titles over rows. A pipe gets everything; a screen so much as fits into its width. */
export function listTable(
  terminal: Pick<Terminal, "screenColumns" | "color">,
  titles: readonly string[],
  rows: Rows,
): string {
  const all = [titles, ...rows];
  const screen = terminal.screenColumns();
  const widths = screen === 0 ? widthsOf(all) : fittingWidths(titles, widthsOf(all), screen);
  const cellOf = (cell: string, column: number, isTitle: boolean) => {
    const shown = screen === 0 ? cell : cutText(cell, widths[column] ?? 0);
    const color =
      !isTitle && stateTitles.has(titles[column] ?? "") ? colorOfState(cell) : undefined;
    const blanks = " ".repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(shown)));
    return `${color === undefined ? shown : terminal.color(color, shown)}${blanks}`;
  };
  return all
    .map((cells, index) => {
      const line = cells.map((cell, column) => cellOf(cell, column, index === 0)).join(gap);
      return `${line.trimEnd()}\n`;
    })
    .join("");
}

const widthsOf = (rows: Rows): number[] =>
  Array.from({ length: Math.max(0, ...rows.map((cells) => cells.length)) }, (_, column) =>
    Math.max(...rows.map((cells) => displayWidth(cells[column] ?? ""))),
  );

/** Cut before anything else: what is long, and stands in full in `show`. */
const firstCut: ReadonlySet<string> = new Set([
  "ADDRESS",
  "COUNTS",
  "DESCRIPTION",
  "KEY",
  "NETWORKING",
  "PACKAGES",
  "SHA256",
  "TAGS",
]);
/** Cut after everything else: what the next command is given. */
const lastCut: ReadonlySet<string> = new Set(["ID", "REQUEST", "VERSION", "SEQUENCE"]);

/** Until the table fits, the longest columns are cut: of each rank, down to so much; then of the next rank. */
const ranks: readonly { of(title: string): boolean; least: number }[] = [
  { of: (title) => firstCut.has(title), least: 8 },
  { of: (title) => !lastCut.has(title), least: 10 },
  { of: () => true, least: 10 },
  { of: () => true, least: 1 },
];

/** Exported for its tests. */
export function fittingWidths(
  titles: readonly string[],
  natural: readonly number[],
  screen: number,
): number[] {
  const widths = [...natural];
  let excess = sum(widths) + gap.length * (widths.length - 1) - screen;
  for (const { of, least } of ranks) {
    const columns = [...widths.keys()].filter((column) => of(titles[column] ?? ""));
    while (excess > 0) {
      const longest = columns.reduce<number | undefined>(
        (best, column) =>
          best === undefined || (widths[column] ?? 0) > (widths[best] ?? 0) ? column : best,
        undefined,
      );
      if (longest === undefined || (widths[longest] ?? 0) <= least) break;
      widths[longest] = (widths[longest] ?? 0) - 1;
      excess--;
    }
  }
  return widths;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
