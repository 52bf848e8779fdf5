// `plinth workspaces members …`: who belongs to a workspace, and with which role.
import type { Command } from "commander";
import type { WorkspaceMember } from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import { askAsAdmin, noteMore, type PageFlags } from "../administration.ts";
import {
  idParser,
  idsOption,
  jsonOption,
  knowing,
  oneOf,
  positiveInteger,
  urlOption,
  yesOption,
  type Flags,
  type IdsFlags,
  type YesFlags,
} from "../options.ts";
import { findMember } from "../members/members.ts";
import { nameIn, namesOf } from "../names.ts";
import { printResult } from "../print-result.ts";
import { listTable } from "../table.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";

type Role = WorkspaceMember["workspace_role"];

const roles = ["user", "developer", "restricted_developer", "admin", "billing"] as const;
/** The role with or without the prefix that all of them share. */
const roleOf = knowing(
  roles,
  (text): Role => `workspace_${oneOf(roles)(text.replace(/^workspace_/, "").replaceAll("-", "_"))}`,
);

const workspace = [
  "<workspace>",
  "the id of the workspace",
  idParser("workspace", "wrkspc_01m7"),
] as const;
const user = ["<user>", "the id or the e-mail address of the person"] as const;

export function addMembers(workspaces: Command, terminal: Terminal): void {
  const members = workspaces
    .command("members")
    .description("who belongs to a workspace, and with which role")
    .addHelpText("after", help);
  members
    .command("list")
    .description("the members of a workspace")
    .argument(...workspace)
    .option("--limit <N>", "how many, up to 1000", positiveInteger, 20)
    .option(
      "--after <user>",
      "those that come after this one in the list",
      idParser("member", "user_"),
    )
    .option(...idsOption)
    .option(...jsonOption)
    .option(...urlOption)
    .action((id: string, flags: PageFlags & IdsFlags) => list(terminal, id, flags));
  members
    .command("add")
    .description("add somebody of the organization")
    .argument(...workspace)
    .argument(...user)
    .option(
      "--role <role>",
      `their role: ${roles.slice(0, -1).join(", ")}`,
      roleOf,
      "workspace_user",
    )
    .option(...jsonOption)
    .option(...urlOption)
    .action((id: string, person: string, flags: Flags & { role: Role }) =>
      add(terminal, id, person, flags),
    );
  members
    .command("update")
    .description("give a member another role")
    .argument(...workspace)
    .argument(...user)
    .requiredOption("--role <role>", `their role: ${roles.join(", ")}`, roleOf)
    .option(...jsonOption)
    .option(...urlOption)
    .action((id: string, person: string, flags: Flags & { role: Role }) =>
      update(terminal, id, person, flags),
    );
  members
    .command("remove")
    .description("take a member out of the workspace; their place in the organization stays")
    .argument(...workspace)
    .argument(...user)
    .option(...yesOption)
    .option(...jsonOption)
    .option(...urlOption)
    .action((id: string, person: string, flags: YesFlags) => remove(terminal, id, person, flags));
}

async function list(terminal: Terminal, id: string, flags: PageFlags & IdsFlags): Promise<void> {
  const params = { workspace_id: id };
  const query = { limit: flags.limit, after_id: flags.after };
  const { page, names } = await askAsAdmin(terminal, flags, async (client) => {
    const page = await client.workspaces.members.list({ params, query });
    const isBare = flags.ids === true || flags.json === true;
    const shown = isBare ? [] : page.data.map(({ user_id: person }) => person);
    return { page, names: await namesOf(client, shown) };
  });
  const row = ({ user_id: person, workspace_role: role }: WorkspaceMember) => [
    nameIn(names, person),
    role,
  ];
  if (page.data.length === 0 && flags.json !== true)
    terminal.note(
      "No member was added to this workspace; administrators work in it all the same.\n",
    );
  else
    printResult(terminal, flags, page, () =>
      listTable(terminal, ["USER", "ROLE"], page.data.map(row)),
    );
  noteMore(terminal, flags, page);
}

async function add(
  terminal: Terminal,
  id: string,
  who: string,
  flags: Flags & { role: Role },
): Promise<void> {
  const { role } = flags;
  if (role === "workspace_billing")
    throw new CliError(
      "The role billing is given to a member: add them first, then plinth workspaces members update.",
      exitCodes.usage,
    );
  const params = { workspace_id: id };
  const added = await askAsAdmin(terminal, flags, async (client) => {
    const body = { user_id: await findMember(client, who), workspace_role: role };
    return client.workspaces.members.add({ params, body });
  });
  printResult(terminal, flags, added, () => `added ${who} as ${role}\n`);
}

async function update(
  terminal: Terminal,
  id: string,
  who: string,
  flags: Flags & { role: Role },
): Promise<void> {
  const body = { workspace_role: flags.role };
  const updated = await askAsAdmin(terminal, flags, async (client) => {
    const params = { workspace_id: id, user_id: await findMember(client, who) };
    return client.workspaces.members.update({ params, body });
  });
  printResult(terminal, flags, updated, () => `${who} is ${flags.role}\n`);
}

async function remove(terminal: Terminal, id: string, who: string, flags: YesFlags): Promise<void> {
  if (flags.yes !== true) {
    terminal.note(
      "They cannot work in the workspace any more; keys that they made there work on.\n",
    );
    await confirm(terminal, `Remove ${who}?`, "The member stays.");
  }
  const removed = await askAsAdmin(terminal, flags, async (client) => {
    const params = { workspace_id: id, user_id: await findMember(client, who) };
    return client.workspaces.members.remove({ params });
  });
  printResult(terminal, flags, removed, () => `removed ${who}\n`);
}

const help = `
Roles: user works in it; developer manages its keys, restricted_developer those they made; admin
manages members and keys and sees what it spends; billing sees that and does not work in it.
Administrators of the organization work in every workspace, and everybody in the default one.`;
