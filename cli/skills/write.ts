// `plinth skills create`, `update` and `delete`.
import { confirm } from "../confirm.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import type { Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";
import type { DeleteFlags, UploadFlags } from "./options.ts";
import { formOf } from "./pack.ts";

export async function create(terminal: Terminal, source: string, flags: UploadFlags) {
  const body = await formOf(terminal, source, flags);
  const made = await askWithApiKey(terminal, flags, (client) => client.skills.create({ body }));
  printResult(terminal, flags, made, () => `${made.id}\n`);
}

export async function update(terminal: Terminal, id: string, source: string, flags: UploadFlags) {
  const body = await formOf(terminal, source, flags);
  const params = { skill_id: id };
  const made = await askWithApiKey(terminal, flags, (client) =>
    client.skills.versions.create({ params, body }),
  );
  printResult(terminal, flags, made, () => `updated ${id} to version ${made.id}\n`);
}

export async function remove(terminal: Terminal, id: string, flags: DeleteFlags): Promise<void> {
  if (flags.version !== undefined) return removeVersion(terminal, id, flags.version, flags);
  const params = { skill_id: id };
  if (flags.yes !== true) {
    const found = await askWithApiKey(terminal, flags, (client) =>
      client.skills.retrieve({ params }),
    );
    terminal.note(
      `${escapeControls(found.display_name)} (${id})\nIt goes with all its versions, also where an agent names one. That cannot be undone.\n`,
    );
    await confirm(terminal, "Delete?", "Nothing was deleted.");
  }
  const deleted = await askWithApiKey(terminal, flags, (client) =>
    client.skills.delete({ params }),
  );
  printResult(terminal, flags, deleted, () => `deleted ${id}\n`);
}

async function removeVersion(terminal: Terminal, id: string, version: string, flags: DeleteFlags) {
  const params = { skill_id: id, version };
  if (flags.yes !== true) {
    const found = await askWithApiKey(terminal, flags, (client) =>
      client.skills.versions.retrieve({ params }),
    );
    terminal.note(
      `${found.id} of ${escapeControls(found.name)}, made ${found.created_at}\nIt goes also where an agent names it. That cannot be undone.\n`,
    );
    await confirm(terminal, "Delete?", "Nothing was deleted.");
  }
  const deleted = await askWithApiKey(terminal, flags, (client) =>
    client.skills.versions.delete({ params }),
  );
  printResult(terminal, flags, deleted, () => `deleted ${deleted.id}\n`);
}
