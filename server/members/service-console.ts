// Members in the console, where the viewer's own role allows more than the API does.
import { forbidden, invalid } from "../../kernel/base/failure.ts";
import { caseless } from "../../kernel/base/name.ts";
import type { Context } from "../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as identity from "../identity/module.ts";
import * as keys from "../keys/module.ts";
import {
  managedByProvider,
  providerControlOf,
  type ProviderControl,
} from "../identity_provider/module.ts";
import type { Member, MemberQuery, Transfer } from "./schema-console.ts";
import { isMailSet } from "../mail/module.ts";
import {
  cleanPersonName,
  concurrentChange,
  memberOr404,
  removeUser,
  setRole,
} from "./users/membership.ts";
import * as queries from "./users/queries.ts";
import { listTiers } from "./seats/queries.ts";
import {
  consoleRoles,
  assignableByManaged,
  outranks,
  fromWireRole,
  toWireRole,
  effectiveRole,
  type Role,
  type WireRole,
} from "./users/roles.ts";
import { limits } from "./limits.ts";
import { expectAssignable, expectNotOneself, mayChange } from "./users/service.ts";

/** Rule USR28: the viewer's role at this moment, not the one at the request's start. */
async function viewerOf(from: Queryable, { who }: Context): Promise<queries.MemberRow> {
  return memberOr404(from, who.organizationId, who.userId ?? "");
}

export async function listMembers(context: Context, query: MemberQuery) {
  const { db, secrets, who } = context;
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const after = cursors.read("members", organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit);
  const roles = query.role === undefined ? null : [fromWireRole(query.role)];
  const rows =
    query.q === undefined
      ? await queries.listMembers(
          db,
          organizationId,
          { emailPlain: null, roles },
          { after: after ?? null, before: null, rows: size + 1 },
        )
      : await searched(db, organizationId, query.q, roles);
  const present = await presenter(context);
  return toCursorPage(rows.map(present), query.q === undefined ? size : rows.length, (last) =>
    cursors.write("members", organizationId, last.id),
  );
}

async function searched(
  from: Queryable,
  organizationId: string,
  q: string,
  roles: readonly Role[] | null,
): Promise<queries.MemberRow[]> {
  const beginning = caseless(q.trim());
  const rows = await queries.searchMembers(from, organizationId, beginning, limits.searchItemsMax);
  return rows.filter(({ role }) => roles === null || roles.includes(role));
}

async function presenter(context: Context): Promise<(row: queries.MemberRow) => Member> {
  const { db, dialect, who } = context;
  const viewer = await viewerOf(db, context);
  const control = await providerControlOf(db, who.organizationId);
  const tiers = new Map(
    (await listTiers(db, who.organizationId)).map(({ id, name }) => [id, name]),
  );
  const words = (roles: readonly Role[]): WireRole[] =>
    roles.map((role) => toWireRole(role, dialect));
  return (row) => ({
    id: row.id,
    type: "member",
    email: row.email,
    name: row.name,
    role: toWireRole(row.role, dialect),
    added_at: row.added_at.toISOString(),
    seat_tier: (row.seat_tier_id !== null && tiers.get(row.seat_tier_id)) || null,
    may: mayOf(context, viewer, row, control, words),
  });
}

function mayOf(
  context: Context,
  viewer: queries.MemberRow,
  member: queries.MemberRow,
  control: ProviderControl,
  words: (roles: readonly Role[]) => WireRole[],
): Member["may"] {
  const { who } = context;
  const isOther = viewer.id !== member.id;
  const stands = effectiveRole(viewer.role, who.permissions);
  const reaches = who.permissions.has("members:write") && outranks(stands, member.role);
  return {
    roles:
      reaches && mayChange(context, member.id) && !control.controlsRoles
        ? words(rolesFor(context, viewer.role))
        : [],
    remove: reaches && isOther && !control.controlsRemoval,
    sign_out: reaches && isOther,
    setup_link:
      isOther && member.role !== "primary_owner" && who.permissions.has("identity_provider:write"),
    receive_ownership: isOther && who.permissions.has("ownership:transfer"),
  };
}

/** Rule USR12: the roles that a viewer of this role may give. */
export const rolesFor = ({ who }: Context, role: Role): readonly Role[] =>
  who.isManaged === true
    ? assignableByManaged(who.permissions)
    : consoleRoles[who.organizationType].filter((other) => outranks(role, other));

export async function readInviteOptions(context: Context) {
  const { db, dialect, who } = context;
  const viewer = await viewerOf(db, context);
  const { provisioning, provider } = await providerControlOf(db, who.organizationId);
  const isClosed = provisioning !== "none";
  const mayInvite = who.permissions.has("members:write") && !isClosed;
  const roles = mayInvite ? rolesFor(context, viewer.role) : [];
  return {
    invite_roles: roles.map((role) => toWireRole(role, dialect)),
    invites_closed: isClosed
      ? managedByProvider(provider, "Who joins this organization").message
      : null,
    mail: isMailSet(context),
  };
}

/** Rules USR12 and USR28. */
export async function changeRole(context: Context, id: string, word: WireRole): Promise<Member> {
  const { db, who } = context;
  const { organizationId } = who;
  const role = fromWireRole(word);
  await db.tx(async (tx) => {
    const { viewer } = await holdBelow(tx, context, id);
    expectNotOneself(context, id);
    expectAssignable(context, role, rolesFor(context, viewer.role));
    const { controlsRoles, provider } = await providerControlOf(tx, organizationId);
    if (controlsRoles) throw managedByProvider(provider, "The role of members");
    await setRole(tx, context, audit.actorOf(context), organizationId, { userId: id, role });
  });
  return showMember(context, id);
}

export async function removeMember(context: Context, id: string) {
  const { db, who } = context;
  if (id === who.userId) throw invalid("You cannot remove yourself: ask another administrator.");
  await db.tx(async (tx) => {
    await holdBelow(tx, context, id);
    const { controlsRemoval, provider } = await providerControlOf(tx, who.organizationId);
    if (controlsRemoval) throw managedByProvider(provider, "Who is a member");
    await removeUser(tx, context, audit.actorOf(context), who.organizationId, id);
  });
  return { id, type: "member_deleted" as const };
}

/** Viewer and member under the membership's lock; refused unless the viewer stands above the member. */
async function holdBelow(tx: Tx, context: Context, id: string) {
  const { organizationId } = context.who;
  const before = await memberOr404(tx, organizationId, id);
  await queries.lockMembership(tx, organizationId);
  const viewer = await viewerOf(tx, context);
  const member = await queries.findMember(tx, organizationId, id);
  if (member === undefined || member.role !== before.role)
    throw concurrentChange(`The member ${id}`);
  if (!outranks(effectiveRole(viewer.role, context.who.permissions), member.role))
    throw forbidden(
      `${member.name} is ${toWireRole(member.role, context.dialect)}, and you are ${toWireRole(viewer.role, context.dialect)}: somebody who stands above them may do this.`,
    );
  return { viewer, member };
}

/** Rule USR29: one becomes primary owner, the other owner, in one transaction. */
export async function transferOwnership(context: Context, input: Transfer): Promise<Member> {
  const { db, who } = context;
  const { organizationId } = who;
  await db.tx(async (tx) => {
    await queries.lockMembership(tx, organizationId);
    const viewer = await viewerOf(tx, context);
    if (viewer.role !== "primary_owner") throw concurrentChange("The ownership");
    const heir = await memberOr404(tx, organizationId, input.user_id);
    if (heir.id === viewer.id) throw invalid("user_id: is you, who have the ownership already.");
    if (identity.emailKey(input.email) !== identity.emailKey(heir.email))
      throw invalid(`email: is not that of ${heir.name}; nothing was changed.`);
    await queries.setRole(tx, organizationId, viewer.id, "owner");
    await queries.setRole(tx, organizationId, heir.id, "primary_owner");
    await keys.verdictsOf(context).revoke(tx);
    await audit.recordByCaller(tx, context, {
      action: "organization.ownership_transferred",
      target: { type: "user", id: heir.id },
      details: { name: heir.name, role_before: heir.role },
    });
  });
  return showMember(context, input.user_id);
}

async function showMember(context: Context, id: string): Promise<Member> {
  const present = await presenter(context);
  return present(await memberOr404(context.db, context.who.organizationId, id));
}

/** Rule USR34. */
export async function retrieveMember(context: Context, id: string) {
  const { db, who } = context;
  const member = await showMember(context, id);
  const seen = await identity.findLastSeen(db, who.organizationId, id);
  const used = await keys.findLastUse(db, who.organizationId, id);
  return {
    ...member,
    last_seen_at: seen?.toISOString() ?? null,
    last_key_use_at: used?.toISOString() ?? null,
  };
}

export async function renameSelf(context: Context, newName: string) {
  const { db, who } = context;
  const { organizationId } = who;
  const name = cleanPersonName(newName);
  await db.tx(async (tx) => {
    const { id, name: before } = await viewerOf(tx, context);
    if (name === before) return;
    await queries.setName(tx, organizationId, id, name);
    await keys.verdictsOf(context).revoke(tx);
    await audit.recordByCaller(tx, context, {
      action: "user.renamed",
      target: { type: "user", id },
      details: { name, name_before: before },
    });
  });
  return { id: who.userId ?? "", name };
}

/** Rule USR8: of members and of former members. Unknown ids are left out. */
export async function listPeople({ db, who }: Context, ids: readonly string[]) {
  const rows = await queries.listPeople(db, who.organizationId, [...new Set(ids)]);
  return {
    data: rows.map(({ id, name, removed_at }) => ({
      id,
      type: "person" as const,
      name,
      removed_at: removed_at?.toISOString() ?? null,
    })),
  };
}
