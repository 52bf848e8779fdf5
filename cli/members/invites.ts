// `plinth invites list`, `create` and `withdraw`.
import type { Invite } from "../../contract/types.ts";
import { askAsAdmin, noteMore, type PageFlags } from "../administration.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { formatDate, printResult } from "../print-result.ts";
import type { Role } from "./roles.ts";
import { listTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";

export interface InviteListFlags extends PageFlags {
  email?: string;
  role?: Role;
  status?: "pending" | "accepted" | "expired";
}

export interface InviteFlags extends Flags {
  role: Role;
}

export async function list(terminal: Terminal, flags: InviteListFlags): Promise<void> {
  const { limit, after: after_id, email, role, status } = flags;
  const query = {
    limit,
    after_id,
    email,
    ...(role !== undefined && { roles: [role] }),
    ...(status !== undefined && { statuses: [status] }),
  };
  const page = await askAsAdmin(terminal, flags, (client) => client.invites.list({ query }));
  if (page.data.length === 0 && flags.json !== true) terminal.note("There are no such invites.\n");
  else printResult(terminal, flags, page, () => listTable(terminal, titles, page.data.map(row)));
  noteMore(terminal, flags, page);
}

const titles = ["ID", "E-MAIL", "ROLE", "STATUS", "INVITED", "EXPIRES"];

const row = (invite: Invite): string[] => [
  invite.id,
  escapeControls(invite.email),
  invite.role,
  invite.status,
  formatDate(invite.invited_at),
  formatDate(invite.expires_at),
];

export async function create(terminal: Terminal, email: string, flags: InviteFlags): Promise<void> {
  const { role } = flags;
  const made = await askAsAdmin(terminal, flags, (client) =>
    client.invites.create({ body: { email, role } }),
  );
  printResult(terminal, flags, made, () => `${made.id}\n`);
  if (flags.json !== true)
    terminal.note(
      `Invited ${escapeControls(made.email)} as ${role}, until ${formatDate(made.expires_at)}.\n`,
    );
}

export async function withdraw(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { invite_id: id };
  const gone = await askAsAdmin(terminal, flags, (client) => client.invites.delete({ params }));
  printResult(terminal, flags, gone, () => `withdrew ${id}\n`);
}
