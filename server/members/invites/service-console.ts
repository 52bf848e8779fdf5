// Invites in the console: with their links, and with the state of their mail.
import { invalid } from "../../../kernel/base/failure.ts";
import type { Context, Dialect } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { isMailSet } from "../../mail/module.ts";
import { rolesFor } from "../service-console.ts";
import { memberOr404 } from "../users/membership.ts";
import type { ConsoleInvite, ConsoleInviteQuery, CreateInvite } from "./schema.ts";
import {
  createInvite,
  expectPending,
  expectOutranksInvite,
  filterOf,
  expireOverdueInvites,
  lockInvite,
  inviteOr404,
  recordInviteEvent,
  toInvite,
} from "./service.ts";
import { makeInviteLink } from "./links.ts";
import { enqueueInviteMail } from "./mail.ts";
import * as queries from "./queries.ts";

const toConsoleInvite = (row: queries.InviteRow, dialect: Dialect): ConsoleInvite => ({
  ...toInvite(row, dialect),
  invited_by_name: row.invited_by_name,
  has_link: row.has_link,
  mail:
    row.mail_status === null || row.mail_at === null
      ? null
      : { status: row.mail_status, error: row.mail_error, at: row.mail_at.toISOString() },
});

export async function listConsoleInvites(context: Context, query: ConsoleInviteQuery) {
  const { db, dialect, secrets, who } = context;
  await expireOverdueInvites(context);
  const cursors = makeCursors(secrets);
  const after = cursors.read("invites", who.organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit);
  const walk = { after: after ?? null, before: null, rows: size + 1 };
  const rows = await queries.listInvites(db, who.organizationId, filterOf(query), walk);
  return toCursorPage(
    rows.map((row) => toConsoleInvite(row, dialect)),
    size,
    (last) => cursors.write("invites", who.organizationId, last.id),
  );
}

export async function createConsoleInvite(context: Context, input: CreateInvite) {
  const { db, dialect, who } = context;
  const viewer = await memberOr404(db, who.organizationId, who.userId ?? "");
  const assignable = rolesFor(context, viewer.role);
  const { row, link } = await createInvite(context, input, assignable, { wantsLink: true });
  return { invite: toConsoleInvite(row, dialect), link: link ?? "" };
}

/** Rule USR22. */
export function renewLink(context: Context, id: string) {
  const { db, dialect, who } = context;
  const { organizationId } = who;
  return db.tx(async (tx) => {
    const invite = await lockInvite(tx, context, id);
    await expectOutranksInvite(tx, context, invite.role);
    expectPending(context, invite);
    const { link } = await makeInviteLink(tx, context, organizationId, id);
    const { email, role } = invite;
    await recordInviteEvent(tx, context, id, "invite.link_made", { email, role });
    const row = await inviteOr404(tx, organizationId, id);
    return { invite: toConsoleInvite(row, dialect), link };
  });
}

/** Rule USR24: with a new link, because the server keeps only the old one's hash. */
export function resendInvite(context: Context, id: string): Promise<ConsoleInvite> {
  const { db, dialect, who } = context;
  const { organizationId } = who;
  return db.tx(async (tx) => {
    const invite = await lockInvite(tx, context, id);
    await expectOutranksInvite(tx, context, invite.role);
    expectPending(context, invite);
    if (!isMailSet(context))
      throw invalid(
        "No mail server is set: copy the link, or name one in the section mail of the settings file.",
      );
    const link = await makeInviteLink(tx, context, organizationId, id);
    await enqueueInviteMail(tx, context, organizationId, id, link);
    const { email, role } = invite;
    await recordInviteEvent(tx, context, id, "invite.sent_again", { email, role });
    return toConsoleInvite(await inviteOr404(tx, organizationId, id), dialect);
  });
}
