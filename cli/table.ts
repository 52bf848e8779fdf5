// Rows of text in columns, two blanks apart.

export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((cells) => cells.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((cells) => `${line(cells).trimEnd()}\n`).join("");
}
