// Groups and their members, as the API and the console ask for them.
import assert from "node:assert/strict";
import { notFound } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { actorOf } from "../audit/module.ts";
import * as groups from "./groups.ts";
import { limits } from "./limits.ts";
import * as members from "./members.ts";
import { ownerGroupsOf, ownersOnlyRefusal } from "./roles/owner-access.ts";
import * as roleQueries from "./roles/queries.ts";
import * as queries from "./queries.ts";
import type {
  ConsoleGroup,
  CreateGroup,
  Group,
  GroupMember,
  PageQuery,
  UpdateGroup,
} from "./schema.ts";

export const pageRule = { itemsMax: limits.pageItemsMax, beyond: "refuse" } as const;

export async function createGroup(context: Context, { name }: CreateGroup): Promise<Group> {
  const { db, who } = context;
  const input = { name, source: "direct" } as const;
  const row = await db.tx((tx) =>
    groups.createGroup(tx, context, actorOf(context), who.organizationId, input),
  );
  return toGroup(row, []);
}

export async function listGroups(context: Context, query: PageQuery) {
  const { db, secrets, who } = context;
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const after = cursors.read("rbac groups", organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit, pageRule);
  const rows = await queries.listGroups(db, organizationId, {
    after: after ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, ({ id }) =>
    cursors.write("rbac groups", organizationId, id),
  );
  return { ...page, data: await presentAll(context, page.data) };
}

export async function retrieveGroup(context: Context, id: string): Promise<Group> {
  return presentGroup(context, await expectGroup(context, id));
}

export async function retrieveConsoleGroup(context: Context, id: string): Promise<ConsoleGroup> {
  const group = await expectGroup(context, id);
  const controller = await members.controllerOf(context.db, context.who.organizationId, [group]);
  const controlled_by = controller && (controller.control.provider ?? "the identity provider");
  return { ...(await presentGroup(context, group)), controlled_by: controlled_by ?? null };
}

/** Rule GRP7. A group that gives owner access may be renamed: that gives no person anything. */
export async function updateGroup(
  context: Context,
  id: string,
  { name }: UpdateGroup,
): Promise<Group> {
  const { db, who } = context;
  const { organizationId } = who;
  const row = await db.tx(async (tx) => {
    const group = await groups.lockGroup(tx, organizationId, id);
    await members.expectUncontrolled(tx, organizationId, [group]);
    const change = name == null ? {} : { name };
    return groups.renameGroup(tx, context, actorOf(context), organizationId, group, change);
  });
  return presentGroup(context, row);
}

export async function deleteGroup(context: Context, id: string) {
  const { db, who } = context;
  await db.tx(async (tx) => {
    const group = await lockOwn(tx, context, id);
    await groups.deleteGroup(tx, context, actorOf(context), who.organizationId, group);
  });
  return { id, type: "rbac_group_deleted" as const };
}

export async function listMembers(context: Context, id: string, query: PageQuery) {
  const { db, secrets, who } = context;
  const { organizationId } = who;
  await expectGroup(context, id);
  const cursors = makeCursors(secrets);
  const list = `rbac group members ${id}`;
  const after = cursors.read(list, organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit, pageRule);
  const rows = await queries.listMembers(db, organizationId, id, {
    after: after ?? null,
    rows: size + 1,
  });
  return toCursorPage(rows, size, (last) => cursors.write(list, organizationId, last.user_id));
}

export async function listApiMembers(context: Context, id: string, query: PageQuery) {
  const page = await listMembers(context, id, query);
  return { ...page, data: page.data.map((row) => toMember(id, row)) };
}

export async function listConsoleMembers(context: Context, id: string, query: PageQuery) {
  const page = await listMembers(context, id, query);
  return {
    ...page,
    data: page.data.map((row) => ({ ...toMember(id, row), name: row.name, role: row.role })),
  };
}

/** Adding a member a second time changes nothing. */
export async function addMember(
  context: Context,
  id: string,
  userId: string,
): Promise<GroupMember> {
  const { db, who } = context;
  const { organizationId } = who;
  return db.tx(async (tx) => {
    const group = await lockOwn(tx, context, id);
    const change = { organizationId, group, userIds: [userId] };
    await members.addMembers(tx, context, actorOf(context), change);
    const row = await queries.findMember(tx, organizationId, id, userId);
    assert(row !== undefined, `the member ${userId} was not added to ${id}`);
    return toMember(id, row);
  });
}

export async function removeMember(context: Context, id: string, userId: string) {
  const { db, who } = context;
  await db.tx(async (tx) => {
    const group = await lockOwn(tx, context, id);
    const change = { organizationId: who.organizationId, group, userIds: [userId] };
    const removed = await members.removeMembers(tx, context, actorOf(context), change);
    if (removed.length === 0) throw notFound(`member of the group ${id}`, userId);
  });
  return { type: "rbac_group_member_deleted" as const, rbac_group_id: id, user_id: userId };
}

export async function expectGroup(
  { db, who }: Pick<Context, "db" | "who">,
  id: string,
): Promise<queries.GroupRow> {
  const group = await queries.findGroup(db, who.organizationId, id);
  if (group === undefined) throw groups.groupNotFound(id);
  return group;
}

/** Rules GRP7 to GRP9. A group whose members this caller may change. */
async function lockOwn(tx: Tx, context: Context, id: string): Promise<queries.GroupRow> {
  const { organizationId } = context.who;
  const group = await groups.lockGroup(tx, organizationId, id);
  await members.expectUncontrolled(tx, organizationId, [group]);
  if (isOwner(context)) return group;
  const [ofOwners] = await ownerGroupsOf(tx, context, organizationId, [group]);
  if (ofOwners !== undefined) throw ownersOnlyRefusal(ofOwners);
  return group;
}

/** A person in the console who could create such a role themself. */
const isOwner = ({ who }: Context) => who.kind === "console" && who.permissions.has("roles:write");

export async function presentGroup(context: Context, row: queries.GroupRow): Promise<Group> {
  const roles = await readRoles(context, [row.id]);
  return toGroup(row, roles && (roles.get(row.id) ?? []));
}

async function presentAll(context: Context, rows: readonly queries.GroupRow[]): Promise<Group[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const roles = await readRoles(context, ids);
  return rows.map((row) => toGroup(row, roles && (roles.get(row.id) ?? [])));
}

/** Rule GRP5. Beside the groups: where the roles cannot be read in time, the groups are shown without them. */
async function readRoles(
  { db, who, logger }: Context,
  ids: readonly string[],
): Promise<Map<string, string[]> | null> {
  try {
    const rows = await db.tx((tx) => roleQueries.listRolesOfGroups(tx, who.organizationId, ids), {
      statementMsMax: limits.rolesReadMsMax,
    });
    const byGroup = new Map<string, string[]>();
    for (const { group_id, role_id } of rows)
      byGroup.set(group_id, [...(byGroup.get(group_id) ?? []), role_id]);
    return byGroup;
  } catch (error) {
    logger.warn({ error: String(error) }, "the roles of groups could not be read");
    return null;
  }
}

const toGroup = (row: queries.GroupRow, roles: string[] | null): Group => ({
  id: row.id,
  type: "rbac_group",
  name: row.name,
  source_type: row.source_type,
  roles,
  role_ids: roles,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const toMember = (groupId: string, row: queries.MemberRow): GroupMember => ({
  type: "rbac_group_member",
  rbac_group_id: groupId,
  user_id: row.user_id,
  email: row.email,
  created_at: row.created_at.toISOString(),
});
