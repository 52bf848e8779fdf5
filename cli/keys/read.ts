// `plinth keys list` and `show`.
import type { ApiKey } from "../../contract/types.ts";
import type { ListFlags } from "./options.ts";
import { askAsAdmin, noteMore } from "../administration.ts";
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
  };
  const page = await askAsAdmin(terminal, flags, (client) => client.api_keys.list({ query }));
  if (page.data.length === 0 && flags.json !== true) terminal.note("There are no such keys.\n");
  else printResult(terminal, flags, page, () => listTable(terminal, titles, page.data.map(row)));
  noteMore(terminal, flags, page);
}

const titles = ["ID", "NAME", "STATUS", "WORKSPACE", "KEY", "CREATED", "EXPIRES"];

const row = (key: ApiKey): string[] => [
  key.id,
  escapeControls(key.name),
  key.status,
  placeOf(key),
  key.partial_key_hint ?? "-",
  formatDate(key.created_at),
  formatDate(key.expires_at),
];

const placeOf = ({ scope }: ApiKey): string =>
  scope.type === "workspace" ? scope.workspace_id : "organization";

export async function show(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { api_key_id: id };
  const found = await askAsAdmin(terminal, flags, (client) => client.api_keys.retrieve({ params }));
  printResult(terminal, flags, found, () => keyDetails(found));
}

export const keyDetails = (key: ApiKey): string =>
  detailsTable([
    ["id", key.id],
    ["name", escapeControls(key.name)],
    ["status", key.status],
    ["workspace", placeOf(key)],
    ["key", key.partial_key_hint ?? "-"],
    ["created", `${key.created_at}${key.created_by === null ? "" : ` by ${key.created_by.id}`}`],
    ["expires", key.expires_at ?? "never"],
  ]);
