// `plinth groups …`: its commands and their help; what each does is loaded when it is asked for.
import type { Command } from "commander";
import { jsonOption, urlOption, yesOption, type Flags, type YesFlags } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import { withPages, type PageFlags } from "./workspace-calls.ts";

const group = ["<group>", "the name or the id of the group"] as const;
const people = ["<member...>", "ids or e-mail addresses of people"] as const;

const withOutput = (command: Command): Command =>
  command.option(...jsonOption).option(...urlOption);

export function addGroups(plinth: Command, terminal: Terminal): void {
  const groups = plinth
    .command("groups")
    .description("groups of an enterprise organization, with PLINTH_ADMIN_KEY or signed in")
    .addHelpText("after", help);
  addReads(groups, terminal);
  addChanges(groups, terminal);
}

function addReads(groups: Command, terminal: Terminal): void {
  const load = () => import("./groups/read.ts");
  withPages(groups.command("list"))
    .description("the groups, newest first, with their roles")
    .action(async (flags: PageFlags) => (await load()).list(terminal, flags));
  withOutput(groups.command("show"))
    .description("what is known of a group")
    .argument(...group)
    .action(async (name: string, flags: Flags) => (await load()).show(terminal, name, flags));
  withPages(groups.command("members"))
    .description("the members of a group")
    .argument(...group)
    .action(async (name: string, flags: PageFlags) =>
      (await load()).members(terminal, name, flags),
    );
  withPages(groups.command("roles"))
    .description("the roles that groups may have, or what one of them holds")
    .argument("[role]", "the name or the id of a role")
    .action(async (role: string | undefined, flags: PageFlags) =>
      (await load()).roles(terminal, role, flags),
    );
}

function addChanges(groups: Command, terminal: Terminal): void {
  const load = () => import("./groups/write.ts");
  withOutput(groups.command("create"))
    .description("make a group, and print its id; roles are given in the console")
    .argument("<name>", "what it is called")
    .action(async (name: string, flags: Flags) => (await load()).create(terminal, name, flags));
  withOutput(groups.command("rename"))
    .description("give a group another name")
    .argument(...group)
    .argument("<name>", "the new name")
    .action(async (old: string, name: string, flags: Flags) =>
      (await load()).rename(terminal, old, name, flags),
    );
  withOutput(groups.command("delete"))
    .description("delete a group; its members lose at once what it gave them")
    .argument(...group)
    .option(...yesOption)
    .action(async (name: string, flags: YesFlags) => (await load()).remove(terminal, name, flags));
  withOutput(groups.command("add"))
    .description("add people of the organization to a group")
    .argument(...group)
    .argument(...people)
    .action(async (name: string, who: string[], flags: Flags) =>
      (await load()).addMembers(terminal, name, who, flags),
    );
  withOutput(groups.command("remove"))
    .description("take people out of a group; they lose at once what it gave them")
    .argument(...group)
    .argument(...people)
    .option(...yesOption)
    .action(async (name: string, who: string[], flags: YesFlags) =>
      (await load()).removeMembers(terminal, name, who, flags),
    );
}

const help = `
Only an enterprise organization has groups. A group that an identity provider pushes is changed there.

Examples:
  plinth groups create Engineering
  plinth groups add Engineering ann@example.com bob@example.com
  plinth groups members Engineering
  plinth groups roles "Everyday use"

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
