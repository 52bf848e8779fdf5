// Invites: made, listed, withdrawn. Accepting one is in acceptance.ts.
import { forbidden, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context, Dialect } from "../../../kernel/context.ts";
import { idWindow, toIdPage } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { isMailSet } from "../../mail/module.ts";
import * as audit from "../../audit/module.ts";
import * as groups from "../../groups/module.ts";
import * as identity from "../../identity/module.ts";
import * as identityProvider from "../../identity_provider/module.ts";
import { makeInviteLink } from "./links.ts";
import { enqueueInviteMail } from "./mail.ts";
import {
  expectBelowMemberLimit,
  concurrentChange,
  memberOr404,
  plainEmail,
} from "../users/membership.ts";
import { findMemberByPlainEmail, lockMembership } from "../users/queries.ts";
import * as queries from "./queries.ts";
import {
  expectGroupsWrite,
  outranks,
  fromWireRole,
  toWireRole,
  effectiveRole,
  type Role,
} from "../users/roles.ts";
import type { CreateInvite, Invite, InviteQuery } from "./schema.ts";
import { limits } from "../limits.ts";
import { expireDueInvites, returnSeat, takeSeat } from "../seats/allocation.ts";
import { assignableBy, expectAssignable } from "../users/service.ts";

export const toInvite = (row: queries.InviteRow, dialect: Dialect): Invite => ({
  id: row.id,
  type: "invite",
  email: row.email,
  role: toWireRole(row.role, dialect),
  status: row.status === "deleted" && dialect === "2023-06-01" ? "withdrawn" : row.status,
  invited_at: row.invited_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  accepted_at: row.accepted_at?.toISOString() ?? null,
  rbac_group_ids: row.rbac_group_ids,
});

/** Rule USR33. */
async function inviterName(tx: Tx, { who }: Context): Promise<string | null> {
  if (who.userId === null) return null;
  return (await identity.userOrThrow(tx, who.organizationId, who.userId)).name;
}

export async function createApiInvite(context: Context, input: CreateInvite): Promise<Invite> {
  const assignable = assignableBy(context);
  const { row } = await createInvite(context, input, assignable, { wantsLink: false });
  return toInvite(row, context.dialect);
}

/** Rules USR12 to USR19. With mail set up the link is sent; in the console it is shown as well. */
export async function createInvite(
  context: Context,
  input: CreateInvite,
  assignable: readonly Role[],
  { wantsLink }: { wantsLink: boolean },
): Promise<{ row: queries.InviteRow; link: string | null }> {
  const { db, clock, who } = context;
  const { organizationId } = who;
  const role = fromWireRole(input.role);
  const groupIds = [...new Set(input.rbac_group_ids)];
  expectAssignable(context, role, assignable);
  expectGroupsAllowed(context, groupIds);
  return db.tx(async (tx) => {
    await expectOpen(tx, organizationId);
    await lockMembership(tx, organizationId);
    const invitedAt = clock.now();
    await expireDueInvites(tx, organizationId, invitedAt);
    await expectInvitable(tx, organizationId, input.email);
    await expectBelowMemberLimit(tx, context, organizationId);
    await groups.expectGroups(tx, context, organizationId, groupIds);
    const id = context.ids.next("invite_");
    await queries.insertInvite(tx, organizationId, {
      id,
      email: input.email.trim(),
      emailKey: identity.emailKey(input.email),
      role,
      groupIds,
      invitedAt,
      expiresAt: new Date(invitedAt.getTime() + limits.inviteMs),
      invitedByName: await inviterName(tx, context),
      seatTierId: await takeSeat(tx, organizationId),
    });
    const details = { email: input.email, role, rbac_group_ids: groupIds };
    await recordInviteEvent(tx, context, id, "invite.created", details);
    const isSent = isMailSet(context);
    const made =
      isSent || wantsLink ? await makeInviteLink(tx, context, organizationId, id) : undefined;
    if (made !== undefined && isSent)
      await enqueueInviteMail(tx, context, organizationId, id, made);
    const row = await inviteOr404(tx, organizationId, id);
    return { row, link: made?.link ?? null };
  });
}

/** Rule USR14. */
function expectGroupsAllowed({ who }: Context, ids: readonly string[]): void {
  if (ids.length === 0) return;
  if (who.organizationType !== "enterprise")
    throw invalid("rbac_group_ids: only enterprise organizations have groups; leave it out.");
  expectGroupsWrite({ who }, "rbac_group_ids: naming groups");
}

/** Rule USR11. */
async function expectOpen(tx: Tx, organizationId: string): Promise<void> {
  const { provisioning, provider } = await identityProvider.providerControlOf(tx, organizationId);
  if (provisioning !== "none")
    throw identityProvider.managedByProvider(provider, "Who joins this organization");
}

/** Rule USR13. */
async function expectInvitable(tx: Tx, organizationId: string, email: string): Promise<void> {
  await identityProvider.expectInvitable(tx, organizationId, email);
  const plain = plainEmail(email);
  const member = await findMemberByPlainEmail(tx, organizationId, plain);
  if (member !== undefined)
    throw invalid(`email: ${member.email} is a member already: ${member.id}.`, {
      code: "already_member",
    });
  const pending = await queries.findPendingByPlainEmail(tx, organizationId, plain);
  if (pending !== undefined)
    throw invalid(
      `email: the invite ${pending.id} to this address is pending. Withdraw it first to change its role.`,
      { code: "invite_already_exists" },
    );
}

/** Rule USR15. */
export async function listInvites(context: Context, query: InviteQuery) {
  const { db, dialect, who } = context;
  const { organizationId } = who;
  await expireOverdueInvites(context);
  const window = idWindow(query, { itemsMax: limits.pageItemsMax, beyond: "refuse" });
  const walk = { after: window.after ?? null, before: window.before ?? null, rows: window.rows };
  const cursor = walk.after ?? walk.before;
  if (cursor !== null && (await queries.findInvite(db, organizationId, cursor)) === undefined)
    throw invalid(
      `${walk.after === null ? "before_id" : "after_id"}: is not the id of an invite of this list.`,
    );
  const rows = await queries.listInvites(db, organizationId, filterOf(query), walk);
  return toIdPage(
    rows.map((row) => toInvite(row, dialect)),
    window,
  );
}

export const filterOf = ({
  email,
  roles,
  statuses,
}: Pick<InviteQuery, "email" | "roles" | "statuses">): queries.InviteFilter => ({
  emailPlain: email === undefined ? null : plainEmail(email),
  roles: roles === undefined ? null : [...new Set(roles.map(fromWireRole))],
  statuses: [...new Set(statuses ?? (["pending", "accepted", "expired"] as const))],
});

export async function retrieveInvite(context: Context, id: string): Promise<Invite> {
  await expireOverdueInvites(context);
  return toInvite(await inviteOr404(context.db, context.who.organizationId, id), context.dialect);
}

/** Rules USR16 and USR18: withdrawn, with its seat given back. */
export async function deleteInvite(context: Context, id: string) {
  const { organizationId } = context.who;
  await context.db.tx(async (tx) => {
    const before = await inviteOr404(tx, organizationId, id);
    const invite = await lockInvite(tx, context, id);
    await expectOutranksInvite(tx, context, invite.role);
    if (before.status === "pending" && invite.status === "accepted")
      throw concurrentChange(`The invite ${id}`);
    expectPending(context, invite);
    await queries.endInvite(tx, organizationId, id, { status: "deleted", acceptedAt: null });
    await returnSeat(tx, organizationId, invite.seat_tier_id);
    await recordInviteEvent(tx, context, id, "invite.withdrawn", {
      email: invite.email,
      role: invite.role,
    });
  });
  return { id, type: "invite_deleted" as const };
}

/** The invite under the membership's lock, once overdue ones have expired. */
export async function lockInvite(
  tx: Tx,
  { clock, who }: Context,
  id: string,
): Promise<queries.InviteRow> {
  await lockMembership(tx, who.organizationId);
  await expireDueInvites(tx, who.organizationId, clock.now());
  return inviteOr404(tx, who.organizationId, id);
}

/** Rule USR32: inviting takes the same rank as giving the role. A key stands for the organization itself. */
export async function expectOutranksInvite(
  tx: Tx,
  { dialect, who }: Context,
  role: Role,
): Promise<void> {
  if (who.userId === null) return;
  const viewer = await memberOr404(tx, who.organizationId, who.userId);
  if (outranks(effectiveRole(viewer.role, who.permissions), role)) return;
  throw forbidden(
    `The invite gives the role ${toWireRole(role, dialect)}, and you are ${toWireRole(viewer.role, dialect)}: somebody who stands above that may do this.`,
  );
}

export function expectPending({ dialect }: Context, { id, status }: queries.InviteRow): void {
  if (status === "pending") return;
  const ended = {
    accepted: "was accepted: remove the member instead",
    expired: "has expired: make a new one",
    deleted: `was ${dialect === "2023-06-01" ? "withdrawn" : "deleted"}: make a new one`,
  };
  throw invalid(`The invite ${id} ${ended[status]}.`);
}

/** Rule USR17: no reader sees an invite as pending once it has expired. */
export async function expireOverdueInvites({ db, clock, who }: Context): Promise<void> {
  const now = clock.now();
  if (!(await queries.hasDue(db, who.organizationId, now))) return;
  await db.tx(async (tx) => {
    await lockMembership(tx, who.organizationId);
    await expireDueInvites(tx, who.organizationId, now);
  });
}

export async function inviteOr404(
  from: Tx | Context["db"],
  organizationId: string,
  id: string,
): Promise<queries.InviteRow> {
  const row = await queries.findInvite(from, organizationId, id);
  if (row === undefined) throw notFound("invite", id);
  return row;
}

export const recordInviteEvent = (
  tx: Tx,
  context: Context,
  id: string,
  action: string,
  details: Record<string, unknown>,
) =>
  audit.recordByCaller(tx, context, {
    action,
    target: { type: "invite", id },
    details,
  });
