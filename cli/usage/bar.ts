// A bar in a terminal, drawn in eighths of a column.
import type { Terminal } from "../terminal.ts";

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const columnsMax = 30;
const columnsMin = 4;
const columnsUnknown = 100;

/** The width left beside the table; none where that is next to nothing. */
export function barColumns(terminal: Terminal, rows: readonly (readonly string[])[]): number {
  const first = Math.max(...rows.map(([name = ""]) => name.length));
  const numbers = (rows[0] ?? []).slice(1).reduce((sum, cell) => sum + cell.length + 2, 0);
  const left = (terminal.screenColumns() || columnsUnknown) - first - numbers - 3;
  return left < columnsMin ? 0 : Math.min(left, columnsMax);
}

/** Every value above zero is visible. */
export function bar(value: bigint, most: bigint, columns: number): string {
  if (value <= 0n || most <= 0n) return "";
  const share = Number((value * 1_000_000n) / most) / 1_000_000;
  const parts = Math.max(1, Math.round(share * columns * 8));
  return columns === 0 ? "" : "█".repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? "");
}
