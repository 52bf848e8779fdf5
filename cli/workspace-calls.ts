// What commands about a workspace's agents, environments and skills share: the key, and the pages of a list.
import type { Command } from "commander";
import type { Client } from "../contract/client.ts";
import { noteNextPage, type Called } from "./next-page.ts";
import { jsonOption, positiveInteger, urlOption, type Flags } from "./options.ts";
import { printResult } from "./print-result.ts";
import { clientOf, withServerErrors } from "./server-calls.ts";
import { listTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** With the API key that is set, else in the name of the person who is signed in. */
export const askWithApiKey = <T>(
  terminal: Terminal,
  flags: Flags,
  question: (client: Client) => Promise<T>,
): Promise<T> => askWithKey(terminal, flags, ["PLINTH_API_KEY"], question);

/** With the first of these keys that is set, else in the name of the person who is signed in. */
export function askWithKey<T>(
  terminal: Terminal,
  { url }: Flags,
  keyNames: readonly [string, ...string[]],
  question: (client: Client) => Promise<T>,
): Promise<T> {
  const client = clientOf(terminal, url, keyNames);
  return withServerErrors(client, () => question(client));
}

export interface PageFlags extends Flags, Called {
  limit: number;
  page?: string;
}

export interface ListFlags extends PageFlags {
  archived?: boolean;
}

export const withPages = (command: Command): Command =>
  command
    .option("--limit <N>", "how many, up to 100", positiveInteger, 20)
    .option("--page <cursor>", "a later page, by the next_page of the one before it")
    .option(...jsonOption)
    .option(...urlOption);

interface Page<T> {
  data: readonly T[];
  next_page: string | null;
}

interface PageTable<T> {
  titles: readonly string[];
  row: (item: T, index: number) => string[];
  /** The sentence for a list without items. */
  none: string;
}

/** A table that leads on to the next page; for programs the page as the API gives it. */
export function printPage<T>(
  terminal: Terminal,
  flags: PageFlags,
  page: Page<T>,
  { titles, row, none }: PageTable<T>,
): void {
  const { json } = flags;
  if (json !== true && page.data.length === 0) terminal.note(`${none}\n`);
  else printResult(terminal, flags, page, () => listTable(terminal, titles, page.data.map(row)));
  if (json !== true && page.next_page !== null)
    noteNextPage(terminal, flags, "--page", page.next_page);
}
