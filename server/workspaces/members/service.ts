// Who belongs to a workspace, and with which role.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import { caseless } from "../../../kernel/base/name.ts";
import type { Context } from "../../../kernel/context.ts";
import { idWindow, toIdPage } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { recordByCaller } from "../../audit/module.ts";
import { lockWorkspace, type WorkspaceRow } from "../queries.ts";
import * as queries from "./queries.ts";
import { expectVisibleWorkspace, expectMayManageMembers } from "./reach.ts";
import { limits } from "../limits.ts";
import type { AddMember, MemberQuery, UpdateMember, WorkspaceMember } from "../schema.ts";

export async function listMembers(context: Context, workspaceId: string, query: MemberQuery) {
  return pageOf(context, workspaceId, query, present);
}

/** For the console: with names. */
export async function listNamed(context: Context, workspaceId: string, query: MemberQuery) {
  return pageOf(context, workspaceId, query, (row) => ({
    ...present(row),
    name: row.name,
    email: row.email,
    added_at: row.added_at.toISOString(),
  }));
}

/** Rule WSP18. */
async function pageOf<T>(
  context: Context,
  workspaceId: string,
  query: MemberQuery,
  shown: (row: queries.MemberRow) => T,
) {
  const { db, who } = context;
  const window = idWindow(query, { itemsMax: limits.pageItemsMax, beyond: "refuse" });
  const walk = { after: window.after ?? null, before: window.before ?? null, rows: window.rows };
  await expectVisibleWorkspace(context, workspaceId);
  const cursor = walk.after ?? walk.before;
  if (cursor !== null && !(await queries.isKnownPerson(db, who.organizationId, cursor)))
    throw invalid(
      `${walk.after === null ? "before_id" : "after_id"}: is not the id of a member of the organization.`,
    );
  const rows = await queries.listMembers(db, who.organizationId, workspaceId, walk);
  const page = toIdPage(
    rows.map((row) => ({ id: row.user_id, row })),
    window,
  );
  return { ...page, data: page.data.map(({ row }) => shown(row)) };
}

export async function retrieveMember(
  context: Context,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceMember> {
  await expectVisibleWorkspace(context, workspaceId);
  return present(await expectMember(context, workspaceId, userId));
}

async function expectMember(
  { db, who }: Context,
  workspaceId: string,
  userId: string,
  on: Pick<Tx, "query"> = db,
): Promise<queries.MemberRow> {
  const row = await queries.findMember(on, who.organizationId, workspaceId, userId);
  if (row === undefined) throw notFound("workspace member", userId);
  return row;
}

/** Rules WSP14 and WSP15. */
export async function addMember(
  context: Context,
  workspaceId: string,
  { user_id: userId, workspace_role: role }: AddMember,
): Promise<WorkspaceMember> {
  const { db, clock, who } = context;
  const { organizationId } = who;
  return db.tx(async (tx) => {
    const workspace = await lockManaged(tx, context, workspaceId);
    if (workspace.is_default)
      throw invalid(
        `The workspace ${workspaceId} is the organization's default one: everybody belongs to it, and their role in the organization says what they may do there.`,
      );
    if (!(await queries.sharePerson(tx, organizationId, userId)))
      throw notFound("member of the organization", userId);
    if (await queries.findMember(tx, organizationId, workspaceId, userId))
      throw invalid(
        `user_id: ${userId} is a member of this workspace already; change the role instead.`,
        { code: "already_member" },
      );
    const members = await queries.countMembers(tx, organizationId, workspaceId);
    if (members >= limits.membersPerWorkspaceMax)
      throw invalid(
        `The workspace has ${members} members, the most there may be. Remove somebody first.`,
        { code: "workspace_member_limit_exceeded" },
      );
    await queries.insertMember(tx, organizationId, {
      workspaceId,
      userId,
      role,
      addedAt: clock.now(),
    });
    const row = await expectMember(context, workspaceId, userId, tx);
    await recordMemberEvent(tx, context, "added", row, { workspace_role: role });
    return present(row);
  });
}

export async function updateMember(
  context: Context,
  workspaceId: string,
  userId: string,
  { workspace_role: role }: UpdateMember,
): Promise<WorkspaceMember> {
  return context.db.tx(async (tx) => {
    await lockManaged(tx, context, workspaceId);
    const row = await expectMember(context, workspaceId, userId, tx);
    if (row.role === role) return present(row);
    await queries.setRole(tx, context.who.organizationId, row, role);
    const details = { workspace_role: role, workspace_role_before: row.role };
    await recordMemberEvent(tx, context, "updated", row, details);
    return present({ ...row, role });
  });
}

export async function removeMember(context: Context, workspaceId: string, userId: string) {
  return context.db.tx(async (tx) => {
    await lockManaged(tx, context, workspaceId);
    const row = await expectMember(context, workspaceId, userId, tx);
    await queries.deleteMember(tx, context.who.organizationId, row);
    await recordMemberEvent(tx, context, "removed", row, { workspace_role_before: row.role });
    return {
      type: "workspace_member_deleted" as const,
      user_id: userId,
      workspace_id: workspaceId,
    };
  });
}

async function lockManaged(tx: Tx, context: Context, id: string): Promise<WorkspaceRow> {
  await lockWorkspace(tx, context.who.organizationId, id);
  const workspace = await expectMayManageMembers(context, id, tx);
  if (workspace.archived_at !== null)
    throw invalid(`The workspace ${id} is archived: its members are changed no more.`);
  return workspace;
}

/** People who could be added, by the beginning of the e-mail: for callers who may not read all members. */
export async function listCandidates(context: Context, workspaceId: string, email = "") {
  await expectMayManageMembers(context, workspaceId);
  const from = caseless(email.trim());
  const data = await queries.listCandidates(context.db, context.who.organizationId, {
    workspaceId,
    from,
    to: `${from}\u{10ffff}`,
    rows: limits.candidatesMax,
  });
  return { data };
}

const recordMemberEvent = (
  tx: Tx,
  context: Context,
  verb: string,
  { workspace_id, user_id, name }: queries.MemberRow,
  details: Record<string, unknown>,
): Promise<void> =>
  recordByCaller(tx, context, {
    action: `workspace_member.${verb}`,
    target: { type: "user", id: user_id },
    details: { workspace_id, name, ...details },
  });

const present = ({ user_id, workspace_id, role }: queries.MemberRow): WorkspaceMember => ({
  type: "workspace_member",
  user_id,
  workspace_id,
  workspace_role: role,
});
