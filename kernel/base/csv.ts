// Lines of a table for a spreadsheet.

/** A spreadsheet would run a text that begins like a formula: an apostrophe in front keeps it a text. */
const cell = (text: string) =>
  `"${(/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

export const csvHead = (names: readonly string[]): string => `${names.join(",")}\r\n`;

export const csvLine = (texts: readonly string[]): string => `${texts.map(cell).join(",")}\r\n`;
