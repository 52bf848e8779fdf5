// What the commands of administration share: the key, the flags, the next page's command, a table of facts.
import { InvalidArgumentError } from "commander";
import { ApiError, type Client } from "../contract/client.ts";
import { clientOf, withServerErrors } from "./server-calls.ts";
import { table } from "./table.ts";
import { CliError, type Terminal } from "./terminal.ts";

export interface Flags {
  json?: boolean;
  url?: string;
}

export interface PageFlags extends Flags {
  limit: number;
  after?: string;
}

export interface YesFlags extends Flags {
  yes?: boolean;
}

export const jsonOption = ["--json", "print it as one JSON object, as the API gives it"] as const;
export const yesOption = [
  "--yes",
  "do not ask first; needed where there is no terminal to ask at",
] as const;

/** With the admin key that is set, else in the name of the person who is signed in. */
export function askAsAdmin<T>(
  terminal: Terminal,
  { url }: Flags,
  question: (client: Client) => Promise<T>,
): Promise<T> {
  const client = clientOf(terminal, url, ["PLINTH_ADMIN_KEY"]);
  return withServerErrors(client, () => question(client));
}

/** The organization of the credential; with advice where its type has none over the API. */
export async function organizationOf(client: Client, address: string) {
  try {
    return await client.organizations.me();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "organization_type_not_supported")
      throw error;
    throw new CliError(
      `A platform_cloud organization has its workspaces only over the API: list them with plinth workspaces list. Its name and everything else are in the console: open ${address}/console.`,
    );
  }
}

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

/** The command that lists the next page. */
export function noteMore(
  terminal: Terminal,
  flags: PageFlags,
  page: { has_more: boolean; last_id: string | null },
  command: string,
): void {
  if (flags.json === true || !page.has_more || page.last_id === null) return;
  const url = flags.url === undefined ? "" : ` --url ${flags.url}`;
  terminal.note(
    `${terminal.dim(`There are more: plinth ${command} --after ${page.last_id}${url}`)}\n`,
  );
}

/** An id of the server's form, so that nothing else gets into an address. */
export const idParser =
  (noun: string, example: string) =>
  (text: string): string => {
    if (!/^\w[\w-]*$/.test(text))
      throw new InvalidArgumentError(`It must be the id of a ${noun}, such as ${example}….`);
    return text;
  };

export const formatDate = (at: string | null): string => at?.slice(0, 10) ?? "-";
