// `plinth vaults create`, `list`, `show`, `update`, `archive` and `delete`.
import type { VaultsUpdateBody } from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import type { Flags, YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import { metadataOf } from "../request-body.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey, printPage, type ListFlags } from "../workspace-calls.ts";
import type { VaultFlags } from "./options.ts";

export async function create(terminal: Terminal, flags: VaultFlags): Promise<void> {
  const { name, metadata } = flags;
  if (name === undefined)
    throw new CliError("A vault needs a name: --name Support.", exitCodes.usage);
  const body = { display_name: name, ...(metadata !== undefined && { metadata }) };
  const made = await askWithApiKey(terminal, flags, (client) => client.vaults.create({ body }));
  printResult(terminal, flags, made, () => `${made.id}\n`);
}

export async function update(terminal: Terminal, id: string, flags: VaultFlags): Promise<void> {
  const { name, metadata } = flags;
  if (name === undefined && metadata === undefined)
    throw new CliError("Say what to change: --name or --metadata.", exitCodes.usage);
  const params = { vault_id: id };
  const body: VaultsUpdateBody = {
    ...(name !== undefined && { display_name: name }),
    ...metadataOf({}, metadata, true),
  };
  await askWithApiKey(terminal, flags, async (client) => {
    const before = await client.vaults.retrieve({ params });
    const after = await client.vaults.update({ params, body });
    const isSame = after.updated_at === before.updated_at;
    printResult(terminal, flags, after, () => `${isSame ? "nothing changed:" : "updated"} ${id}\n`);
  });
}

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const { limit, page: cursor, archived = false } = flags;
  const query = { limit, page: cursor, include_archived: archived };
  const page = await askWithApiKey(terminal, flags, (client) => client.vaults.list({ query }));
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "CREATED", "ARCHIVED"],
    row: (vault) => [
      vault.id,
      escapeControls(vault.display_name),
      formatDate(vault.created_at),
      formatDate(vault.archived_at),
    ],
    none: "There are no vaults here.",
  });
}

export async function show(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { vault_id: id };
  const found = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.retrieve({ params }),
  );
  const { display_name: name, metadata, archived_at: archived } = found;
  printResult(terminal, flags, found, () =>
    detailsTable([
      ["id", found.id],
      ["name", escapeControls(name)],
      ...Object.entries(metadata).map(
        (pair) => ["metadata", escapeControls(pair.join("="))] as [string, string],
      ),
      ["created", found.created_at],
      ["changed", found.updated_at],
      ...(archived === null ? [] : [["archived", archived] as [string, string]]),
    ]),
  );
}

export async function archive(terminal: Terminal, id: string, flags: YesFlags): Promise<void> {
  const consequence = "Its credentials are archived with it, and their secrets destroyed at once.";
  await askFirst(terminal, id, flags, { consequence, verb: "Archive", done: "archived" });
  const archived = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.archive({ params: { vault_id: id } }),
  );
  printResult(terminal, flags, archived, () => `archived ${id}\n`);
}

export async function remove(terminal: Terminal, id: string, flags: YesFlags): Promise<void> {
  const consequence = "It goes with its credentials: sessions that have it go on without.";
  await askFirst(terminal, id, flags, { consequence, verb: "Delete", done: "deleted" });
  const deleted = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.delete({ params: { vault_id: id } }),
  );
  printResult(terminal, flags, deleted, () => `deleted ${id}\n`);
}

async function askFirst(
  terminal: Terminal,
  id: string,
  flags: YesFlags,
  { consequence, verb, done }: { consequence: string; verb: string; done: string },
): Promise<void> {
  if (flags.yes === true) return;
  const { display_name: name } = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.retrieve({ params: { vault_id: id } }),
  );
  terminal.note(`${escapeControls(name)} (${id})\n${consequence} That cannot be undone.\n`);
  await confirm(terminal, `${verb}?`, `Nothing was ${done}.`);
}
