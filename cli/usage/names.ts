// Names for ids that the ledger knows alone, from the lists that have them.
import { ApiError, type Client } from "../../contract/client.ts";
import type { ReportLine } from "./read.ts";

interface Named {
  id: string;
  name: string;
}

const pageRows = 1_000;

/** Each list is read until all wanted ids were found. A caller who may not read it sees ids. */
export async function addNames(client: Client, lines: readonly ReportLine[]): Promise<void> {
  const wanted = new Map(
    lines.filter(({ id, name }) => id !== "" && name === null).map((line) => [line.id, line]),
  );
  const everything = { limit: pageRows, include_archived: true };
  const lists: Record<string, () => AsyncIterable<Named>> = {
    wrkspc_: () =>
      client.pages(client.workspaces.list, { query: { ...everything, include_default: true } }),
    apikey_: () => client.pages(client.api_keys.list, { query: { limit: pageRows } }),
    svac_: () => client.pages(client.service_accounts.list, { query: everything }),
  };
  for (const [prefix, list] of Object.entries(lists))
    await nameFrom(list, new Map([...wanted].filter(([id]) => id.startsWith(prefix))));
}

async function nameFrom(list: () => AsyncIterable<Named>, wanted: Map<string, ReportLine>) {
  if (wanted.size === 0) return;
  try {
    for await (const { id, name } of list()) {
      const line = wanted.get(id);
      if (line !== undefined) line.name = name;
      wanted.delete(id);
      if (wanted.size === 0) return;
    }
  } catch (error) {
    if (!(error instanceof ApiError && [401, 403, 404].includes(error.status))) throw error;
  }
}
