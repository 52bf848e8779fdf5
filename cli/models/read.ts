// `plinth models list` and `show`.
import type { ModelInfo } from "../../contract/types.ts";
import { noteMore, type PageFlags } from "../administration.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import { listTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";

export interface ModelListFlags extends PageFlags {
  lifecycle?: ModelInfo["lifecycle"];
}

export async function list(terminal: Terminal, flags: ModelListFlags): Promise<void> {
  const { limit, after: after_id, lifecycle } = flags;
  const query = { limit, after_id, ...(lifecycle !== undefined && { lifecycle: [lifecycle] }) };
  const page = await askWithApiKey(terminal, flags, (client) => client.models.list({ query }));
  if (page.data.length === 0 && flags.json !== true) terminal.note("There are no such models.\n");
  else printResult(terminal, flags, page, () => listTable(terminal, titles, page.data.map(row)));
  noteMore(terminal, flags, page);
}

const titles = ["ID", "NAME", "STATE", "INPUT", "OUTPUT", "RETIRES"];

const row = (model: ModelInfo): string[] => [
  escapeControls(model.id),
  escapeControls(model.display_name),
  model.lifecycle,
  tokens(model.max_input_tokens),
  tokens(model.max_tokens),
  formatDate(model.retires_at),
];

const tokens = (most: number | null): string => (most === null ? "-" : most.toLocaleString("en"));

export async function show(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const found = await askWithApiKey(terminal, flags, (client) =>
    client.models.retrieve({ params: { model_id: id } }),
  );
  printResult(terminal, flags, found, () =>
    detailsTable([
      ["id", escapeControls(found.id)],
      ["name", escapeControls(found.display_name)],
      ["state", found.lifecycle],
      ["input tokens", tokens(found.max_input_tokens)],
      ["output tokens", tokens(found.max_tokens)],
      ["retires", found.retires_at ?? "-"],
      ["can", abilitiesOf(found).join(", ") || "-"],
    ]),
  );
}

const abilitiesOf = ({ capabilities }: ModelInfo): string[] =>
  Object.entries(capabilities)
    .filter(([, ability]) => ability?.supported === true)
    .map(([name]) => name.replaceAll("_", " "));
