// Roles as the API and the console read them.
import { notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { actionsOfRoles } from "./access.ts";
import { actions, grantsOwnerAccess, isBlanket } from "./actions.ts";
import { builtInRole, builtInRoles, builtInSince, type BuiltInRole } from "./built-in.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import type { ConsoleRole, PageQuery, Role, RolePermission } from "../schema.ts";
import { pageRule } from "../service.ts";

/** A role as it is shown, built-in or custom. */
type AnyRole = queries.RoleRow & { source: "built_in" | "custom" };

const fromBuiltIn = ({ id, name, description }: BuiltInRole): AnyRole => ({
  id,
  name,
  description,
  created_at: builtInSince,
  updated_at: builtInSince,
  source: "built_in",
});
export const fromCustomRow = (row: queries.RoleRow): AnyRole => ({ ...row, source: "custom" });

/** Built-in roles come first. */
export async function listRoles({ db, secrets, who }: Context, query: PageQuery) {
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const after = cursors.read("rbac roles", organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit, pageRule);
  const index = builtInRoles.findIndex(({ id }) => id === after);
  const isAmongCustom = after !== undefined && index === -1;
  const first = isAmongCustom ? [] : builtInRoles.slice(index + 1).map(fromBuiltIn);
  const custom = await queries.listRoles(db, organizationId, {
    after: isAmongCustom ? after : null,
    rows: size + 1,
  });
  const page = toCursorPage([...first, ...custom.map(fromCustomRow)], size, ({ id }) =>
    cursors.write("rbac roles", organizationId, id),
  );
  return { ...page, data: page.data.map(toRole) };
}

export async function retrieveRole({ db, who }: Context, id: string): Promise<Role> {
  return toRole(await expectRole(db, who.organizationId, id));
}

/** Rule GRP11. The stored rows: a blanket is one row, and stands for the actions that it covers. */
export async function listPermissions({ db, secrets, who }: Context, id: string, query: PageQuery) {
  const { organizationId } = who;
  await expectRole(db, organizationId, id);
  const cursors = makeCursors(secrets);
  const list = `rbac role permissions ${id}`;
  const after = cursors.read(list, organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit, pageRule);
  const held = await actionsOfRole(db, organizationId, id);
  const rest = held.filter((action) => after === undefined || action > after);
  const page = toCursorPage(rest, size, (last) => cursors.write(list, organizationId, last));
  const resource = { type: "organization" as const, organization_id: organizationId };
  const data = page.data.map((action): RolePermission => ({
    type: "rbac_role_permission",
    action,
    resource,
  }));
  return { ...page, data };
}

/** All roles, with their actions. */
export async function listConsoleRoles({ db, who }: Context) {
  const rows = await queries.listRoles(db, who.organizationId, {
    after: null,
    rows: limits.rolesPerOrganizationMax,
  });
  const roles = [...builtInRoles.map(fromBuiltIn), ...rows.map(fromCustomRow)];
  const ids = roles.map(({ id }) => id);
  const held = await actionsOfRoles(db, who.organizationId, ids);
  return { data: roles.map((role) => toConsoleRole(role, held.get(role.id) ?? [])) };
}

export async function listHolders({ db, who }: Context, id: string) {
  await expectRole(db, who.organizationId, id);
  const rows = await queries.listHolders(db, who.organizationId, id, limits.holdersShown + 1);
  return {
    data: rows
      .slice(0, limits.holdersShown)
      .map((row) => ({ ...row, type: "rbac_group" as const })),
    has_more: rows.length > limits.holdersShown,
  };
}

export function listActions() {
  return {
    data: actions.map(({ action, variant, gives, isOwners }) => ({
      type: "rbac_action" as const,
      action,
      variant,
      gives,
      is_blanket: isBlanket(action),
      grants_owner_access: isOwners === true,
    })),
  };
}

async function expectRole(from: Queryable, organizationId: string, id: string): Promise<AnyRole> {
  const builtIn = builtInRole(id);
  if (builtIn !== undefined) return fromBuiltIn(builtIn);
  const row = await queries.findRole(from, organizationId, id);
  if (row === undefined) throw roleNotFound(id);
  return fromCustomRow(row);
}

export const roleNotFound = (id: string) =>
  notFound("RBAC role", id, { code: "rbac_role_not_found" });

export const actionsOfRole = async (
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<string[]> => ((await actionsOfRoles(from, organizationId, [id])).get(id) ?? []).sort();

const toRole = (role: AnyRole): Role => ({
  id: role.id,
  type: "rbac_role",
  display_name: role.name,
  source: { type: role.source },
  created_at: role.created_at.toISOString(),
  updated_at: role.updated_at.toISOString(),
});

export const toConsoleRole = (role: AnyRole, held: readonly string[]): ConsoleRole => ({
  ...toRole(role),
  description: role.description,
  actions: [...held],
  grants_owner_access: grantsOwnerAccess(held),
});
