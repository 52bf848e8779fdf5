// Finds objects with every key that is set, or as the person who is signed in, and leads to their pages.
import { ApiError, type Client } from "../../contract/client.ts";
import type { FoundObject } from "../../contract/types.ts";
import { escapeControls } from "../print-answer.ts";
import type { Flags } from "../options.ts";
import { detailsTable } from "../print-result.ts";
import { clientOf, keyOf, withServerErrors } from "../server-calls.ts";
import { table } from "../table.ts";
import { CliError, type Terminal } from "../terminal.ts";

export interface OpenFlags extends Flags {
  print?: boolean;
  limit: number;
}

interface Page {
  data: FoundObject[];
  next_page: string | null;
}

export async function open(terminal: Terminal, words: string, flags: OpenFlags): Promise<void> {
  const page = await find(terminal, words, flags);
  const [first, ...others] = page.data;
  if (flags.json === true) terminal.write(`${JSON.stringify(page)}\n`);
  if (first === undefined)
    throw new CliError(
      `Nothing is found by ${JSON.stringify(words)}. An id must be whole, and a word the beginning of one in a name; what the key may not read is not found.`,
    );
  if (flags.json === true) return;
  if (flags.print === true) {
    for (const { console_url: url } of page.data) terminal.write(`${url}\n`);
    return;
  }
  if (others.length > 0) {
    terminal.write(table([["TYPE", "NAME", "ID", "WORKSPACE"], ...page.data.map(cellsOf)]));
    const more = page.next_page === null ? "" : " There are more: type more of the name.";
    terminal.note(`Open one of them with plinth open and its id.${more}\n`);
    return;
  }
  terminal.write(detailsTable(factsOf(first)));
  if (!terminal.isPerson.output) return;
  if (!(await terminal.openBrowser(first.console_url)))
    terminal.note("There is no browser to open it in here: go to that address.\n");
}

async function find(terminal: Terminal, query: string, flags: OpenFlags): Promise<Page> {
  const asking = { query: { query, limit: flags.limit } };
  const pages: Page[] = [];
  const has = (name: string) => keyOf(terminal, [name]) !== undefined;
  const ask = async (key: string, question: (client: Client) => Promise<Page>) =>
    pages.push(await withServerErrors(clientOf(terminal, flags.url, [key]), question));
  const ofOrganization = (client: Client) => client.objects.list(asking);
  const ofWorkspace = (client: Client) => client.workspace_objects.list(asking);
  if (has(adminKey)) await ask(adminKey, ofOrganization);
  if (has(apiKey)) await ask(apiKey, ofWorkspace);
  if (pages.length === 0)
    await ask(apiKey, (client) =>
      // A person without a part in the administration may still work in the workspace.
      ofOrganization(client).catch((error: unknown) => {
        if (error instanceof ApiError && [403, 404].includes(error.status))
          return ofWorkspace(client);
        throw error;
      }),
    );
  const found = pages.flatMap(({ data }) => data);
  const places = new Map(found.map((each) => [`${each.type} ${each.id}`, each]));
  const next = pages.find((page) => page.next_page !== null)?.next_page ?? null;
  return { data: [...places.values()], next_page: next };
}

const adminKey = "PLINTH_ADMIN_KEY";
const apiKey = "PLINTH_API_KEY";

const spaced = (type: string) => type.replaceAll("_", " ");
const nameOf = ({ name, detail }: FoundObject) =>
  escapeControls([name, detail].filter((part) => part !== null).join(", ") || "-");

const cellsOf = (found: FoundObject): string[] => [
  spaced(found.type),
  nameOf(found),
  found.id,
  found.workspace_id ?? "-",
];

function factsOf(found: FoundObject): [string, string][] {
  const { type, name, detail, id, workspace_id: workspace, console_url: url } = found;
  const facts: [string, string | null][] = [
    ["type", spaced(type)],
    ["name", name],
    ["detail", detail],
    ["id", id],
    ["workspace", type === "workspace" ? null : workspace],
    ["page", url],
  ];
  return facts.flatMap(([fact, value]) => (value === null ? [] : [[fact, escapeControls(value)]]));
}
