// The command that lists the next page: as it was called, with all flags that were given, and another page.
import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

/** Among the flags of each command that lists in pages. */
export interface Called {
  /** The words that called it, but for the page. */
  call: readonly string[];
}

/** Tells commands that list in pages how they were called. */
export const rememberCalls = (plinth: Command): Command =>
  plinth.hook("preAction", (_plinth, called) => {
    if (called.options.some((option) => isOfPage(option.attributeName())))
      called.setOptionValue("call", [...namesOf(called), ...called.args, ...flagsOf(called)]);
  });

const isOfPage = (name: string): boolean => name === "page" || name === "after";

const namesOf = (called: Command): string[] => [
  ...(called.parent === null ? [] : namesOf(called.parent)),
  called.name(),
];

function flagsOf(called: Command): string[] {
  return called.options.flatMap((option) => {
    const name = option.attributeName();
    if (isOfPage(name) || called.getOptionValueSource(name) !== "cli") return [];
    const flag = option.long ?? "";
    const value: unknown = called.getOptionValue(name);
    return typeof value === "boolean" ? [flag] : [flag, ...[value].flat().map(String)];
  });
}

export function noteNextPage(
  terminal: Terminal,
  { call }: Called,
  flag: "--page" | "--after",
  cursor: string,
): void {
  const words = [...call, flag, cursor].map(quoted).join(" ");
  terminal.note(`${terminal.dim(`There are more: ${words}`)}\n`);
}

/** Quoted as a word of the shell. */
export const quoted = (text: string): string =>
  /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
