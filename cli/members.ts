// `plinth members …` and `plinth invites …`: their commands and help; what each does is loaded when it is asked for.
import type { Command } from "commander";
import type { InviteFlags, InviteListFlags } from "./members/invites.ts";
import type { MemberListFlags } from "./members/members.ts";
import { roleOf, type Role } from "./members/roles.ts";
import {
  idParser,
  jsonOption,
  oneOf,
  positiveInteger,
  urlOption,
  yesOption,
  type Flags,
  type YesFlags,
} from "./options.ts";
import type { Terminal } from "./terminal.ts";

const member = ["<member>", "the id or the e-mail address of the person"] as const;
const invite = ["<id>", "the id of the invite", idParser("invite", "invite_01m7")] as const;

const inviteStatuses = ["pending", "accepted", "expired"] as const;

const withOutput = (command: Command): Command =>
  command.option(...jsonOption).option(...urlOption);
const withList = (command: Command, after: string): Command =>
  withOutput(
    command
      .option("--email <address>", "the one with this e-mail address")
      .option("--role <role>", "those with this role", roleOf)
      .option("--limit <N>", "how many, up to 1000", positiveInteger, 20)
      .option("--after <id>", after),
  );

export function addMembers(plinth: Command, terminal: Terminal): void {
  const members = plinth
    .command("members")
    .description("the people of the organization, with PLINTH_ADMIN_KEY or signed in")
    .addHelpText("after", membersHelp);
  const add = (name: string, description: string) =>
    withOutput(
      members
        .command(name)
        .description(description)
        .argument(...member),
    );
  const load = () => import("./members/members.ts");
  withList(
    members.command("list").description("the members, newest first"),
    "those that come after this member in the list",
  ).action(async (flags: MemberListFlags) => (await load()).list(terminal, flags));
  add("show", "what is known of a member").action(async (who: string, flags: Flags) =>
    (await load()).show(terminal, who, flags),
  );
  add("role", "give a member another role")
    .argument("<role>", "the new role", roleOf)
    .action(async (who: string, role: Role, flags: Flags) =>
      (await load()).setRole(terminal, who, role, flags),
    );
  add("sign-out", "end a member's sign-ins and access tokens; they may sign in again").action(
    async (who: string, flags: Flags) => (await load()).signOut(terminal, who, flags),
  );
  add("remove", "take a member out of the organization; keys that they made live on")
    .option(...yesOption)
    .action(async (who: string, flags: YesFlags) => (await load()).remove(terminal, who, flags));
}

export function addInvites(plinth: Command, terminal: Terminal): void {
  const invites = plinth
    .command("invites")
    .description("invitations into the organization, with PLINTH_ADMIN_KEY or signed in")
    .addHelpText("after", invitesHelp);
  const load = () => import("./members/invites.ts");
  withList(
    invites.command("list").description("pending, accepted and expired invites, newest first"),
    "those that come after this invite in the list",
  )
    .option("--status <status>", "pending, accepted or expired", oneOf(inviteStatuses))
    .action(async (flags: InviteListFlags) => (await load()).list(terminal, flags));
  withOutput(
    invites
      .command("create")
      .description("invite a person by e-mail, for 21 days")
      .argument("<email>", "their e-mail address")
      .option("--role <role>", "the role that they get", roleOf, "user"),
  ).action(async (email: string, flags: InviteFlags) =>
    (await load()).create(terminal, email, flags),
  );
  withOutput(
    invites
      .command("withdraw")
      .description("withdraw a pending invite")
      .argument(...invite),
  ).action(async (id: string, flags: Flags) => (await load()).withdraw(terminal, id, flags));
}

const codes = "Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.";

const membersHelp = `
Owners, and people whose membership an identity provider decides, are changed elsewhere: the server
says where. In an enterprise organization the key needs read:members or write:members.

Examples:
  plinth members list --role admin
  plinth members role ann@example.com developer
  plinth members remove user_01m7… --yes

${codes}`;

const invitesHelp = `
Examples:
  plinth invites create ann@example.com --role developer
  plinth invites list --status pending
  plinth invites withdraw invite_01m7…

${codes}`;
