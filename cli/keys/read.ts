// `plinth keys list` and `show`.
import type { Client } from "../../contract/client.ts";
import type { ApiKey } from "../../contract/types.ts";
import type { ListFlags } from "./options.ts";
import { askAsAdmin, noteMore } from "../administration.ts";
import { nameAndId, nameIn, namesOf, type Names } from "../names.ts";
import type { Flags } from "../options.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import { escapeControls } from "../print-answer.ts";
import { listTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const query = {
    limit: flags.limit,
    after_id: flags.after,
    workspace_id: flags.workspace,
    status: flags.status,
    created_by_user_id: flags.by,
    unused_days: flags.unused === true ? unusedDays : flags.unused,
  };
  const { page, names } = await askAsAdmin(terminal, flags, async (client) => {
    const page = await client.api_keys.list({ query });
    const shown = flags.ids === true || flags.json === true ? [] : page.data.map(workspaceOf);
    return { page, names: await namesOf(client, shown) };
  });
  const row = (key: ApiKey) => rowOf(key, names);
  if (page.data.length === 0 && flags.json !== true) terminal.note("There are no such keys.\n");
  else printResult(terminal, flags, page, () => listTable(terminal, titles, page.data.map(row)));
  noteMore(terminal, flags, page);
}

/** Where no number is said. */
const unusedDays = 30;

const titles = ["ID", "NAME", "STATUS", "WORKSPACE", "KEY", "CREATED", "LAST USED", "EXPIRES"];

const rowOf = (key: ApiKey, names: Names): string[] => [
  key.id,
  escapeControls(key.name),
  key.status,
  nameIn(names, workspaceOf(key) ?? "organization"),
  key.partial_key_hint ?? "-",
  formatDate(key.created_at),
  key.last_used_at === null ? "never" : formatDate(key.last_used_at),
  formatDate(key.expires_at),
];

/** Null for a key of the organization. */
const workspaceOf = ({ scope }: ApiKey): string | null =>
  scope.type === "workspace" ? scope.workspace_id : null;

export async function show(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { api_key_id: id };
  await printKey(terminal, flags, (client) => client.api_keys.retrieve({ params }));
}

/** What the server has answered of a key, with the names of its workspace and its maker. */
export async function printKey(
  terminal: Terminal,
  flags: Flags,
  ask: (client: Client) => Promise<ApiKey>,
): Promise<void> {
  const { key, names } = await askAsAdmin(terminal, flags, async (client) => {
    const key = await ask(client);
    const shown = flags.json === true ? [] : [workspaceOf(key), key.created_by?.id ?? null];
    return { key, names: await namesOf(client, shown) };
  });
  printResult(terminal, flags, key, () => keyDetails(key, names));
}

const keyDetails = (key: ApiKey, names: Names): string =>
  detailsTable([
    ["id", key.id],
    ["name", escapeControls(key.name)],
    ["status", key.status],
    ["workspace", nameAndId(names, workspaceOf(key) ?? "organization")],
    ["key", key.partial_key_hint ?? "-"],
    ["created", `${key.created_at}${makerOf(key, names)}`],
    ["last used", key.last_used_at ?? "never"],
    ["expires", key.expires_at ?? "never"],
  ]);

const makerOf = ({ created_by: maker }: ApiKey, names: Names): string =>
  maker === null ? "" : ` by ${nameAndId(names, maker.id)}`;
