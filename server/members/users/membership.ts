// Who belongs to an organization: how people join, change and leave, whichever caller asks for it.
import { Failure, invalid, notFound } from "../../../kernel/base/failure.ts";
import { cleanName } from "../../../kernel/base/name.ts";
import type { World } from "../../../kernel/context.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import * as groups from "../../groups/module.ts";
import * as identity from "../../identity/module.ts";
import * as keys from "../../keys/module.ts";
import * as tokens from "../../tokens/module.ts";
import * as queries from "./queries.ts";
import { countPending, endInvite, findPendingFor, type InviteRow } from "../invites/queries.ts";
import type { Role } from "./roles.ts";
import { expireDueInvites, returnSeat, takeSeat } from "../seats/allocation.ts";
import { membersMaxOf } from "../settings.ts";

/** The address as lists and invites compare it: lower case, without the part after a plus. */
export const plainEmail = (email: string) =>
  identity.emailKey(email).replace(/^([^+@]+)\+[^@]*@/, "$1@");

export interface NewMember {
  email: string;
  name: string;
  role: Role;
  /** The id of a former member who is the same person, or one that a provider has used already. */
  id?: string;
}

/**
 * Rule USR26: a person provisioned by an identity provider. Takes the lock of the membership and a seat,
 * or what a pending invite to the same address holds; returns the new member's id. Refused like an invite where no
 * seat is free or the organization is full.
 */
export async function provisionUser(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  organizationId: string,
  member: NewMember,
): Promise<string> {
  await queries.lockMembership(tx, organizationId);
  await expireDueInvites(tx, organizationId, world.clock.now());
  const invite = await findPendingFor(tx, organizationId, {
    emailKey: identity.emailKey(member.email),
    emailPlain: plainEmail(member.email),
  });
  if (invite === undefined) await expectBelowMemberLimit(tx, world, organizationId);
  const seatTierId = invite?.seat_tier_id ?? (await takeSeat(tx, organizationId));
  const added = { ...member, passwordHash: null, seatTierId };
  const id = await addMember(tx, world, () => actor, organizationId, added);
  if (invite !== undefined) await becomeMember(tx, world, actor, invite, id);
  return id;
}

/** The invite is fulfilled; its seat and its groups become the member's. */
export async function becomeMember(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  invite: InviteRow,
  userId: string,
): Promise<void> {
  const { id, organization_id: organizationId, email, rbac_group_ids: groupIds } = invite;
  const end = { status: "accepted", acceptedAt: world.clock.now() } as const;
  await endInvite(tx, organizationId, id, end);
  await groups.joinGroups(tx, world, actor, { organizationId, userId, groupIds });
  await audit.record(tx, world, actor, {
    organizationId,
    action: "invite.accepted",
    target: { type: "invite", id },
    details: { email, user_id: userId },
  });
}

/** With a seat that is already taken. Under the lock. */
export async function addMember(
  tx: Tx,
  world: World,
  actorOf: (id: string) => audit.AuditActor,
  organizationId: string,
  member: NewMember & { passwordHash: string | null; seatTierId: string | null },
): Promise<string> {
  const { seatTierId, ...user } = member;
  if (user.id !== undefined) await queries.deleteFormer(tx, organizationId, user.id);
  const id = await identity.createUser(tx, world, actorOf, organizationId, user);
  if (seatTierId !== null) await queries.setSeat(tx, organizationId, id, seatTierId);
  return id;
}

/** Rule USR19. */
export async function expectBelowMemberLimit(
  tx: Tx,
  world: World,
  organizationId: string,
): Promise<void> {
  const most = membersMaxOf(world);
  const members = await queries.countMembers(tx, organizationId);
  if (members + (await countPending(tx, organizationId)) < most) return;
  throw invalid(
    `The organization has ${most} members and pending invites, the most there may be. Remove or withdraw some first.`,
    { code: "org_member_limit_exceeded" },
  );
}

/** Rules USR7 and USR8: the caller has checked that it is allowed; the primary owner stays. */
export async function removeUser(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  organizationId: string,
  userId: string,
): Promise<void> {
  await queries.lockMembership(tx, organizationId);
  const member = await memberOr404(tx, organizationId, userId);
  if (await queries.isOnlyMember(tx, organizationId, userId))
    throw invalid(
      `${member.name} is the only member of the organization. Add another one before you remove this one.`,
      { code: "cannot_remove_last_member" },
    );
  if (member.role === "primary_owner")
    throw invalid(
      `${member.name} is the primary owner, who cannot be removed. Transfer the ownership first.`,
    );
  await tokens.endTokensOfUser(tx, world, organizationId, userId);
  await returnSeat(tx, organizationId, member.seat_tier_id);
  await queries.moveToFormer(tx, organizationId, userId, world.clock.now());
  const { email, name, role } = member;
  const target = { type: "user", id: userId };
  const details = { email, name, role };
  await audit.record(tx, world, actor, { organizationId, action: "user.removed", target, details });
}

/** Rule USR9: the caller has checked that it is allowed. There is always exactly one primary owner. */
export async function setRole(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  organizationId: string,
  { userId, role }: { userId: string; role: Role },
): Promise<void> {
  await queries.lockMembership(tx, organizationId);
  const member = await memberOr404(tx, organizationId, userId);
  if (member.role === role) return;
  if (member.role === "primary_owner" || role === "primary_owner")
    throw invalid("role: there is exactly one primary owner; the console transfers the ownership.");
  await queries.setRole(tx, organizationId, userId, role);
  await keys.verdictsOf(world).revoke(tx);
  await audit.record(tx, world, actor, {
    organizationId,
    action: "user.role_changed",
    target: { type: "user", id: userId },
    details: { role, role_before: member.role },
  });
}

/** Rule USR3: another organization's member is as unknown as one that never existed. */
export async function memberOr404(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<queries.MemberRow> {
  const row = await queries.findMember(from, organizationId, id);
  if (row === undefined) throw notFound("member", id);
  return row;
}

/** Rule USR10: the state that was checked has changed. The caller may look again and try again. */
export const concurrentChange = (what: string) =>
  new Failure(
    "conflict_error",
    `${what} was changed at the same moment. Look again, then repeat.`,
    {
      code: "concurrent_membership_change",
    },
  );

export const cleanPersonName = (name: string) =>
  cleanName("name", name, identity.identityLimits.personNameCharactersMax);
