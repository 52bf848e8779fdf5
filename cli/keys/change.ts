// `plinth keys rename`, `activate`, `deactivate` and `archive`.
import { confirm, confirmByName } from "../confirm.ts";
import { askAsAdmin } from "../administration.ts";
import type { Flags, YesFlags } from "../options.ts";
import { printResult } from "../print-result.ts";
import { escapeControls } from "../print-answer.ts";
import type { Terminal } from "../terminal.ts";
import { printKey } from "./read.ts";

export async function rename(
  terminal: Terminal,
  id: string,
  name: string,
  flags: Flags,
): Promise<void> {
  const change = { params: { api_key_id: id }, body: { name } };
  await printKey(terminal, flags, (client) => client.api_keys.update(change));
}

const done = { active: "activated", inactive: "deactivated", archived: "archived" } as const;

export async function setStatus(
  terminal: Terminal,
  id: string,
  status: keyof typeof done,
  flags: YesFlags,
): Promise<void> {
  const params = { api_key_id: id };
  if (flags.yes !== true && status !== "active") await askFirst(terminal, id, status, flags);
  const changed = await askAsAdmin(terminal, flags, (client) =>
    client.api_keys.update({ params, body: { status } }),
  );
  printResult(terminal, flags, changed, () => `${done[status]} ${id}\n`);
}

async function askFirst(
  terminal: Terminal,
  id: string,
  status: "inactive" | "archived",
  flags: Flags,
): Promise<void> {
  const params = { api_key_id: id };
  const key = await askAsAdmin(terminal, flags, (client) => client.api_keys.retrieve({ params }));
  const name = escapeControls(key.name);
  terminal.note(
    `${name} (${key.partial_key_hint ?? id})\nEvery program that uses it is refused within a second.\n`,
  );
  if (status === "inactive") return confirm(terminal, "Deactivate?", "Nothing was changed.");
  terminal.note("An archived key never works again.\n");
  return confirmByName(terminal, name, "Nothing was changed.");
}
