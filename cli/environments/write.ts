// `plinth environments create`, `update`, `archive` and `delete`.
import type { EnvironmentsCreateBody, EnvironmentsUpdateBody } from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import type { YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { readFields } from "../request-body.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";
import { environmentFields } from "./fields.ts";
import type { EnvironmentFlags } from "./options.ts";

export async function create(terminal: Terminal, flags: EnvironmentFlags): Promise<void> {
  const fields = environmentFields(await readFields(terminal, flags.file), flags, false);
  if (fields["name"] === undefined)
    throw new CliError(
      "An environment needs a name: --name python, or one in --file.",
      exitCodes.usage,
    );
  // The server checks the fields, and explains errors in a sentence.
  const body = fields as EnvironmentsCreateBody;
  const made = await askWithApiKey(terminal, flags, (client) =>
    client.environments.create({ body }),
  );
  printResult(terminal, flags, made, () => `${made.id}\n`);
}

export async function update(
  terminal: Terminal,
  id: string,
  flags: EnvironmentFlags,
): Promise<void> {
  const fields = environmentFields(await readFields(terminal, flags.file, id), flags, true);
  if (Object.keys(fields).length === 0)
    throw new CliError(
      "Say what to change: --name, --description, --networking, --hosts, packages such as --pip, --metadata or --file.",
      exitCodes.usage,
    );
  const params = { environment_id: id };
  const body = fields as EnvironmentsUpdateBody;
  await askWithApiKey(terminal, flags, async (client) => {
    const before = await client.environments.retrieve({ params });
    const after = await client.environments.update({ params, body });
    const isSame = after.updated_at === before.updated_at;
    printResult(terminal, flags, after, () => `${isSame ? "nothing changed:" : "updated"} ${id}\n`);
  });
}

export async function archive(terminal: Terminal, id: string, flags: YesFlags): Promise<void> {
  const consequence = "No session begins in it any more, and it is not changed.";
  await askFirst(terminal, id, flags, { consequence, verb: "Archive", done: "archived" });
  const params = { environment_id: id };
  const archived = await askWithApiKey(terminal, flags, (client) =>
    client.environments.archive({ params }),
  );
  printResult(terminal, flags, archived, () => `archived ${id}\n`);
}

export async function remove(terminal: Terminal, id: string, flags: YesFlags): Promise<void> {
  const consequence = "It goes with its keys: workers that use one are refused within a second.";
  await askFirst(terminal, id, flags, { consequence, verb: "Delete", done: "deleted" });
  const params = { environment_id: id };
  const deleted = await askWithApiKey(terminal, flags, (client) =>
    client.environments.delete({ params }),
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
  const params = { environment_id: id };
  const { name } = await askWithApiKey(terminal, flags, (client) =>
    client.environments.retrieve({ params }),
  );
  terminal.note(`${escapeControls(name)} (${id})\n${consequence} That cannot be undone.\n`);
  await confirm(terminal, `${verb}?`, `Nothing was ${done}.`);
}
