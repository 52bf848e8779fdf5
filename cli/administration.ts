// What the commands of administration share: the key, and the next page's command.
import { ApiError, type Client } from "../contract/client.ts";
import { noteNextPage, type Called } from "./next-page.ts";
import type { Flags } from "./options.ts";
import { clientOf, withServerErrors } from "./server-calls.ts";
import { CliError, type Terminal } from "./terminal.ts";

export interface PageFlags extends Flags, Called {
  limit: number;
  after?: string;
}

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

/** The command that lists the next page. */
export function noteMore(
  terminal: Terminal,
  flags: PageFlags,
  page: { has_more: boolean; last_id: string | null },
): void {
  if (flags.json !== true && page.has_more && page.last_id !== null)
    noteNextPage(terminal, flags, "--after", page.last_id);
}

/** Other types of organizations have no such routes: they are told so in this sentence. */
export const askOfEnterprise = <T>(
  terminal: Terminal,
  flags: Flags,
  elsewhere: string,
  question: (client: Client) => Promise<T>,
): Promise<T> =>
  askAsAdmin(terminal, flags, async (client) => {
    try {
      return await question(client);
    } catch (error) {
      if (error instanceof ApiError && error.code === "organization_type_not_supported")
        throw new CliError(elsewhere);
      throw error;
    }
  });
