// Members over the API: list, read, change the role of, remove, sign out.
import { forbidden, invalid } from "../../../kernel/base/failure.ts";
import type { Context, Dialect } from "../../../kernel/context.ts";
import { idWindow, toIdPage } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { managedByProvider, providerControlOf } from "../../identity_provider/module.ts";
import * as workspaces from "../../workspaces/module.ts";
import {
  concurrentChange,
  memberOr404,
  plainEmail,
  removeUser as removeMember,
  setRole,
} from "./membership.ts";
import * as queries from "./queries.ts";
import {
  assignableRoles,
  expectGroupsWrite,
  isProtected,
  assignableByManaged,
  fromWireRole,
  toWireRole,
  type Role,
} from "./roles.ts";
import { limits } from "../limits.ts";
import type { UpdateUser, User, UserQuery } from "../schema.ts";

export const toUser = (row: queries.MemberRow, dialect: Dialect): User => ({
  id: row.id,
  type: "user",
  email: row.email,
  name: row.name,
  role: toWireRole(row.role, dialect),
  added_at: row.added_at.toISOString(),
});

/** Rules USR1 and USR2. */
export async function listUsers({ db, dialect, who }: Context, query: UserQuery) {
  const window = idWindow(query, { itemsMax: limits.pageItemsMax, beyond: "refuse" });
  const walk = { after: window.after ?? null, before: window.before ?? null, rows: window.rows };
  const cursor = walk.after ?? walk.before;
  if (cursor !== null && !(await workspaces.isKnownPerson(db, who.organizationId, cursor)))
    throw invalid(
      `${walk.after === null ? "before_id" : "after_id"}: is not the id of a member of this list.`,
    );
  const filter = {
    emailPlain: query.email === undefined ? null : plainEmail(query.email),
    roles: query.roles === undefined ? null : [...new Set(query.roles.map(fromWireRole))],
  };
  const rows = await queries.listMembers(db, who.organizationId, filter, walk);
  return toIdPage(
    rows.map((row) => toUser(row, dialect)),
    window,
  );
}

export async function retrieveUser({ db, dialect, who }: Context, id: string): Promise<User> {
  return toUser(await memberOr404(db, who.organizationId, id), dialect);
}

/** Rules USR5, USR6 and USR11. */
export async function updateUser(context: Context, id: string, body: UpdateUser): Promise<User> {
  const { db, dialect, who } = context;
  const { organizationId } = who;
  const role = fromWireRole(body.role);
  expectAssignable(context, role, assignableBy(context));
  expectNotOneself(context, id);
  return db.tx(async (tx) => {
    expectUnprotected(await hold(tx, organizationId, id), "Change the role in the console.");
    const { controlsRoles, provider } = await providerControlOf(tx, organizationId);
    if (controlsRoles) throw managedByProvider(provider, "The role of members");
    await setRole(tx, context, audit.actorOf(context), organizationId, { userId: id, role });
    return toUser(await memberOr404(tx, organizationId, id), dialect);
  });
}

/** Rules USR5 and USR31. */
export const assignableBy = ({ who }: Context): readonly Role[] =>
  who.isManaged === true
    ? assignableByManaged(who.permissions)
    : assignableRoles[who.organizationType];

/** Rule USR31: a member must not take a role that they may give to others. Owners may step down. */
export function expectNotOneself(context: Context, id: string): void {
  if (!mayChange(context, id))
    throw forbidden("Nobody changes their own role: ask somebody who stands above you.");
}

export const mayChange = ({ who }: Context, id: string): boolean =>
  id !== who.userId || (who.isManaged !== true && who.permissions.has("identity_provider:write"));

export function expectAssignable(context: Context, role: Role, assignable: readonly Role[]): void {
  const { dialect, who } = context;
  const word = (each: Role) => toWireRole(each, dialect);
  if (assignable.length === 0)
    throw forbidden("role: your role gives no roles to others; ask an administrator.");
  if (!assignable.includes(role))
    throw invalid(
      `role: ${word(role)} cannot be given here; give one of ${assignable.map(word).join(", ")}.${
        isProtected(role) ? " Administrators and owners are made in the console." : ""
      }`,
    );
  // To a managed member the role gives nothing new.
  if (role === "managed" && who.isManaged !== true)
    expectGroupsWrite(context, "role: giving the role managed");
}

export async function deleteUser(context: Context, id: string) {
  const { organizationId } = context.who;
  if (context.who.isManaged === true) expectNotOneself(context, id);
  await context.db.tx(async (tx) => {
    const member = await hold(tx, organizationId, id);
    if (!(await queries.isOnlyMember(tx, organizationId, id)))
      expectUnprotected(member, "Remove them in the console.");
    const { controlsRemoval, provider } = await providerControlOf(tx, organizationId);
    if (controlsRemoval) throw managedByProvider(provider, "Who is a member");
    await removeMember(tx, context, audit.actorOf(context), organizationId, id);
  });
  return { id, type: "user_deleted" as const };
}

/** Rule USR10: the member as checked, read again under the membership's lock. */
async function hold(tx: Tx, organizationId: string, id: string): Promise<queries.MemberRow> {
  const before = await memberOr404(tx, organizationId, id);
  await queries.lockMembership(tx, organizationId);
  const member = await queries.findMember(tx, organizationId, id);
  if (member === undefined || member.role !== before.role)
    throw concurrentChange(`The member ${id}`);
  return member;
}

/** Rule USR6. */
function expectUnprotected({ name, role }: queries.MemberRow, remedy: string): void {
  if (isProtected(role))
    throw invalid(`${name} is ${role}, whom the API does not change. ${remedy}`);
}
