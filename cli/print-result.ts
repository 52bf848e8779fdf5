// What a command prints: JSON for programs, a table of facts for people.
import type { Flags } from "./options.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** JSON where it is asked for, else text for people. */
export function printResult(
  terminal: Terminal,
  flags: Flags,
  value: unknown,
  words: () => string,
): void {
  terminal.write(flags.json === true ? `${JSON.stringify(value)}\n` : words());
}

export const detailsTable = (facts: readonly (readonly [string, string])[]): string => table(facts);

export const formatDate = (at: string | null): string => at?.slice(0, 10) ?? "-";
