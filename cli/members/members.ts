// `plinth members list`, `show`, `role`, `sign-out` and `remove`.
import type { Client } from "../../contract/client.ts";
import type { User } from "../../contract/types.ts";
import { askAsAdmin, noteMore, type PageFlags } from "../administration.ts";
import { confirm } from "../confirm.ts";
import type { Flags, YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import type { Role } from "./roles.ts";
import { listTable } from "../table.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";

export interface MemberListFlags extends PageFlags {
  email?: string;
  role?: Role;
}

export async function list(terminal: Terminal, flags: MemberListFlags): Promise<void> {
  const { limit, after: after_id, email, role } = flags;
  const query = { limit, after_id, email, ...(role !== undefined && { roles: [role] }) };
  const page = await askAsAdmin(terminal, flags, (client) => client.users.list({ query }));
  if (page.data.length === 0 && flags.json !== true) terminal.note("There are no such members.\n");
  else printResult(terminal, flags, page, () => listTable(terminal, titles, page.data.map(row)));
  noteMore(terminal, flags, page);
}

const titles = ["ID", "E-MAIL", "NAME", "ROLE", "SINCE"];

const row = ({ id, email, name, role, added_at: since }: User): string[] => [
  id,
  escapeControls(email),
  escapeControls(name),
  role,
  formatDate(since),
];

/** A member by id or by e-mail address. */
export async function findMember(client: Client, text: string): Promise<string> {
  if (!text.includes("@")) return text;
  const { data } = await client.users.list({ query: { email: text, limit: 2 } });
  const [found] = data;
  if (found !== undefined) return found.id;
  throw new CliError(
    `No member has the e-mail address ${JSON.stringify(text)}: plinth members list shows who there is.`,
    exitCodes.usage,
  );
}

export async function show(terminal: Terminal, who: string, flags: Flags): Promise<void> {
  const found = await askAsAdmin(terminal, flags, async (client) =>
    client.users.retrieve({ params: { user_id: await findMember(client, who) } }),
  );
  printResult(terminal, flags, found, () =>
    detailsTable([
      ["id", found.id],
      ["e-mail", escapeControls(found.email)],
      ["name", escapeControls(found.name)],
      ["role", found.role],
      ["since", found.added_at],
    ]),
  );
}

export async function setRole(
  terminal: Terminal,
  who: string,
  role: Role,
  flags: Flags,
): Promise<void> {
  const changed = await askAsAdmin(terminal, flags, async (client) =>
    client.users.update({ params: { user_id: await findMember(client, who) }, body: { role } }),
  );
  printResult(terminal, flags, changed, () => `${escapeControls(changed.email)} is ${role}\n`);
}

export async function signOut(terminal: Terminal, who: string, flags: Flags): Promise<void> {
  const done = await askAsAdmin(terminal, flags, async (client) =>
    client.users.sign_out({ params: { user_id: await findMember(client, who) } }),
  );
  printResult(terminal, flags, done, () => `signed out ${who}\n`);
}

export async function remove(terminal: Terminal, who: string, flags: YesFlags): Promise<void> {
  const user_id = await askAsAdmin(terminal, flags, (client) => findMember(client, who));
  if (flags.yes !== true) {
    terminal.note("Their sign-ins and tokens end at once; keys that they made live on.\n");
    await confirm(terminal, `Remove ${who}?`, "The member stays.");
  }
  const removed = await askAsAdmin(terminal, flags, (client) =>
    client.users.delete({ params: { user_id } }),
  );
  printResult(terminal, flags, removed, () => `removed ${who}\n`);
}
