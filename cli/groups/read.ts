// `plinth groups list`, `show`, `members` and `roles`.
import type { Client } from "../../contract/client.ts";
import type { RbacGroup } from "../../contract/types.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import type { Terminal } from "../terminal.ts";
import { printPage, type PageFlags } from "../workspace-calls.ts";
import { askOfGroups, findGroup, findRole, roleNames } from "./find.ts";

type Names = ReadonlyMap<string, string>;

export async function list(terminal: Terminal, flags: PageFlags): Promise<void> {
  const query = { limit: flags.limit, page: flags.page };
  const { page, names } = await askOfGroups(terminal, flags, async (client) => ({
    page: await client.rbac_groups.list({ query }),
    names: await namesUnlessJson(client, flags),
  }));
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "ROLES", "FROM", "CREATED"],
    row: (group) => [
      group.id,
      escapeControls(group.name),
      rolesOf(group, names),
      fromOf(group),
      formatDate(group.created_at),
    ],
    none: "There are no groups. Make one: plinth groups create NAME",
  });
}

const namesUnlessJson = async (client: Client, { json }: Flags): Promise<Names> =>
  json === true ? new Map() : roleNames(client);

/** Null is not none: the server could not read them just now. */
const rolesOf = ({ roles }: RbacGroup, names: Names): string =>
  roles === null
    ? "unknown just now"
    : roles.map((id) => escapeControls(names.get(id) ?? id)).join(", ") || "-";

const fromOf = ({ source_type: source }: RbacGroup): string =>
  source === "scim" ? "identity provider" : "here";

export async function show(terminal: Terminal, name: string, flags: Flags): Promise<void> {
  await printGroup(terminal, flags, async (client) =>
    client.rbac_groups.retrieve({ params: { rbac_group_id: await findGroup(client, name) } }),
  );
}

export async function printGroup(
  terminal: Terminal,
  flags: Flags,
  ask: (client: Client) => Promise<RbacGroup>,
): Promise<void> {
  const { group, names } = await askOfGroups(terminal, flags, async (client) => ({
    group: await ask(client),
    names: await namesUnlessJson(client, flags),
  }));
  printResult(terminal, flags, group, () =>
    detailsTable([
      ["id", group.id],
      ["name", escapeControls(group.name)],
      ["roles", rolesOf(group, names)],
      ["from", fromOf(group)],
      ["created", group.created_at],
      ["changed", group.updated_at],
    ]),
  );
}

export async function members(terminal: Terminal, name: string, flags: PageFlags): Promise<void> {
  const query = { limit: flags.limit, page: flags.page };
  const page = await askOfGroups(terminal, flags, async (client) => {
    const params = { rbac_group_id: await findGroup(client, name) };
    return client.rbac_groups.members.list({ params, query });
  });
  printPage(terminal, flags, page, {
    titles: ["ID", "E-MAIL", "SINCE"],
    row: ({ user_id: id, email, created_at: since }) => [
      id,
      escapeControls(email),
      formatDate(since),
    ],
    none: "This group has no members.",
  });
}

export async function roles(
  terminal: Terminal,
  role: string | undefined,
  flags: PageFlags,
): Promise<void> {
  const query = { limit: flags.limit, page: flags.page };
  if (role === undefined) return listRoles(terminal, flags);
  const page = await askOfGroups(terminal, flags, async (client) => {
    const params = { rbac_role_id: await findRole(client, role) };
    return client.rbac_roles.permissions.list({ params, query });
  });
  printPage(terminal, flags, page, {
    titles: ["ACTION"],
    row: ({ action }) => [action],
    none: "This role holds nothing.",
  });
}

async function listRoles(terminal: Terminal, flags: PageFlags): Promise<void> {
  const query = { limit: flags.limit, page: flags.page };
  const page = await askOfGroups(terminal, flags, (client) => client.rbac_roles.list({ query }));
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "KIND"],
    row: ({ id, display_name: name, source }) => [
      id,
      escapeControls(name),
      source.type === "built_in" ? "built in" : "custom",
    ],
    none: "There are no roles.",
  });
}
