// `plinth groups create`, `rename`, `delete`, `add` and `remove`.
import { confirm } from "../confirm.ts";
import { findMember } from "../members/members.ts";
import type { Flags, YesFlags } from "../options.ts";
import { printResult } from "../print-result.ts";
import type { Terminal } from "../terminal.ts";
import { askOfGroups, findGroup } from "./find.ts";
import { printGroup } from "./read.ts";

export async function create(terminal: Terminal, name: string, flags: Flags): Promise<void> {
  const body = { name };
  const made = await askOfGroups(terminal, flags, (client) => client.rbac_groups.create({ body }));
  printResult(terminal, flags, made, () => `${made.id}\n`);
}

export async function rename(
  terminal: Terminal,
  old: string,
  name: string,
  flags: Flags,
): Promise<void> {
  await printGroup(terminal, flags, async (client) => {
    const params = { rbac_group_id: await findGroup(client, old) };
    return client.rbac_groups.update({ params, body: { name } });
  });
}

export async function remove(terminal: Terminal, name: string, flags: YesFlags): Promise<void> {
  const id = await askOfGroups(terminal, flags, (client) => findGroup(client, name));
  if (flags.yes !== true) {
    terminal.note(`${name} (${id})\nIts members lose at once what it gave them.\n`);
    await confirm(terminal, "Delete?", "Nothing was deleted.");
  }
  const params = { rbac_group_id: id };
  const gone = await askOfGroups(terminal, flags, (client) =>
    client.rbac_groups.delete({ params }),
  );
  printResult(terminal, flags, gone, () => `deleted ${id}\n`);
}

/** All of them are found before the first is added. */
export async function addMembers(
  terminal: Terminal,
  name: string,
  people: readonly string[],
  flags: Flags,
): Promise<void> {
  await askOfGroups(terminal, flags, async (client) => {
    const params = { rbac_group_id: await findGroup(client, name) };
    const ids: string[] = [];
    for (const who of people) ids.push(await findMember(client, who));
    for (const [index, user_id] of ids.entries()) {
      const added = await client.rbac_groups.members.add({ params, body: { user_id } });
      printResult(terminal, flags, added, () => `added ${people[index]}\n`);
    }
  });
}

export async function removeMembers(
  terminal: Terminal,
  name: string,
  people: readonly string[],
  flags: YesFlags,
): Promise<void> {
  if (flags.yes !== true) {
    terminal.note("They lose at once what the group gave them.\n");
    await confirm(terminal, `Remove ${people.join(", ")}?`, "Nothing was changed.");
  }
  await askOfGroups(terminal, flags, async (client) => {
    const rbac_group_id = await findGroup(client, name);
    const ids: string[] = [];
    for (const who of people) ids.push(await findMember(client, who));
    for (const [index, user_id] of ids.entries()) {
      const params = { rbac_group_id, user_id };
      const removed = await client.rbac_groups.members.remove({ params });
      printResult(terminal, flags, removed, () => `removed ${people[index]}\n`);
    }
  });
}
