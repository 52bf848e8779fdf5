// Which workspaces a caller administers, and how far: all of the organization's, or those named by a person's roles.
import { forbidden, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { workspaceUsePermissions } from "../usable-workspace.ts";
import { findWorkspace, type WorkspaceRow } from "../queries.ts";
import { listWorkspacesOfPerson, listRoles } from "./queries.ts";
import type { WorkspaceRole } from "../schema.ts";

/** People need the permission; for a credential of no person the permission of the route decides. */
export const mayManageWorkspaces = ({ who }: Pick<Context, "who">): boolean =>
  who.userId === null || who.permissions.has("workspaces:write");

/** In enterprise organizations a permission comes from a custom role, and covers all workspaces. */
const hasForAll = ({ who }: Pick<Context, "who">, permission: string): boolean =>
  who.userId === null ||
  (who.permissions.has(permission) &&
    (who.organizationType === "enterprise" || who.permissions.has("workspaces:write")));

/** The person's roles, by workspace. */
async function rolesOf(
  { who }: Context,
  on: Queryable,
): Promise<ReadonlyMap<string, WorkspaceRole>> {
  const rows = await listRoles(on, who.organizationId, who.userId ?? "");
  return new Map(rows.map(({ workspace_id, role }) => [workspace_id, role]));
}

/** Rule GRP12: a role in a workspace gives managed members nothing but access to it. */
const givingRoles = async (
  context: Context,
  on: Queryable,
): Promise<ReadonlyMap<string, WorkspaceRole>> =>
  context.who.isManaged === true ? new Map() : rolesOf(context, on);

/** Rule WSP10: the ids of the workspaces that the caller may see; null for all of the organization. */
export async function visibleWorkspaceIds(
  context: Context,
  on: Queryable = context.db,
): Promise<readonly string[] | null> {
  if (mayManageWorkspaces(context) || hasForAll(context, "workspaces:read")) return null;
  const home = await homeOf(context, on);
  const roles = await rolesOf(context, on);
  return [...(home === undefined ? [] : [home]), ...roles.keys()];
}

/** The default workspace, if the caller may work in workspaces at all. */
async function homeOf({ who }: Context, on: Queryable): Promise<string | undefined> {
  const { permissions, organizationId } = who;
  const works = workspaceUsePermissions.some((permission) => permissions.has(permission));
  if (!works && !permissions.has("workspaces:read")) return undefined;
  return (await findWorkspace(on, organizationId, null))?.id;
}

/** Rule WSP10. A workspace that the caller may not see is absent. */
export async function expectVisibleWorkspace(
  context: Context,
  id: string,
  on: Queryable = context.db,
): Promise<WorkspaceRow> {
  const row = await findWorkspace(on, context.who.organizationId, id);
  const known = row === undefined ? [] : await visibleWorkspaceIds(context, on);
  if (row === undefined || (known !== null && !known.includes(id))) throw notFound("workspace", id);
  return row;
}

/** Rule WSP11: for callers above workspaces, and administrators of this one. */
export async function expectMayManageMembers(
  context: Context,
  id: string,
  on: Queryable = context.db,
): Promise<WorkspaceRow> {
  const row = await expectVisibleWorkspace(context, id, on);
  if (
    !mayManageWorkspaces(context) &&
    (await givingRoles(context, on)).get(id) !== "workspace_admin"
  )
    throw forbidden(
      `Members of the workspace ${id} are managed by administrators of the organization and by people with the role workspace_admin there.`,
    );
  return row;
}

/** Changing a workspace itself is left to callers above workspaces. */
export function expectMayManageWorkspaces(context: Context): void {
  if (!mayManageWorkspaces(context))
    throw forbidden(
      "Workspaces are made, changed and archived by administrators of the organization: ask one of them.",
    );
}

/** Rule WSP12. */
export interface KeyReach {
  /** Workspaces where the caller manages every key. */
  allKeysIn: readonly string[];
  /** Workspaces where the caller manages only the keys that they made themself. */
  ownKeysIn: readonly string[];
}

/** Undefined: keys of all workspaces, and those of the organization. */
export async function keyReachOf(
  context: Context,
  act: "read" | "write",
  on: Queryable = context.db,
): Promise<KeyReach | undefined> {
  const permission = `api_keys:${act}`;
  if (hasForAll(context, permission)) return undefined;
  const roles = await givingRoles(context, on);
  const having = (...wanted: WorkspaceRole[]) =>
    [...roles].filter(([, role]) => wanted.includes(role)).map(([id]) => id);
  const isDeveloper = context.who.permissions.has(permission);
  const home = isDeveloper ? await homeOf(context, on) : undefined;
  return {
    allKeysIn: [
      ...(home === undefined ? [] : [home]),
      ...having("workspace_admin", "workspace_developer"),
    ],
    ownKeysIn: having("workspace_restricted_developer"),
  };
}

/** Rule WSP13: the workspaces where the person's role shows usage and spend. */
export async function usageReachOf(context: Context): Promise<readonly string[]> {
  if (context.who.userId === null) return [];
  const roles = await givingRoles(context, context.db);
  return [...roles]
    .filter(([, role]) => role === "workspace_admin" || role === "workspace_billing")
    .map(([id]) => id);
}

/** What a person is shown of workspaces: where they may work, and which permissions their roles there add. */
export async function workspaceAccessOf(context: Context) {
  const { organizationId, userId } = context.who;
  const above = mayManageWorkspaces(context);
  const person = { userId: userId ?? "", isAdministrator: above };
  const rows = await listWorkspacesOfPerson(context.db, organizationId, person);
  const reach = await keyReachOf(context, "write");
  const makesKeysIn = (id: string) =>
    reach === undefined || reach.allKeysIn.includes(id) || reach.ownKeysIn.includes(id);
  const isUsable = ({ is_default, role }: (typeof rows)[number]) =>
    is_default || above || role !== "workspace_billing";
  const keys = rows.some(({ id }) => makesKeysIn(id)) ? ["api_keys:read", "api_keys:write"] : [];
  const isMember = context.who.isManaged !== true && rows.some(({ role }) => role !== null);
  const member = isMember ? ["workspaces:read"] : [];
  return {
    usable: rows.filter(isUsable).map((row) => ({ ...row, makes_keys: makesKeysIn(row.id) })),
    permissions: [...keys, ...member],
  };
}
