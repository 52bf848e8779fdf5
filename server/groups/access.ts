// What a person has by the roles of their groups.
import type { Queries } from "../../kernel/sql/database.ts";
import { actionOf, allModels, modelOf } from "./actions.ts";
import { builtInRole } from "./built-in.ts";
import * as queries from "./queries-roles.ts";

export interface Access {
  permissions: readonly string[];
  /** The models they may use; undefined for every one. */
  models: ReadonlySet<string> | undefined;
}

/** Rule GRP12. */
export async function accessOfMember(
  from: Queries,
  organizationId: string,
  userId: string,
): Promise<Access> {
  const roleIds = await queries.listRoleIdsOf(from, organizationId, userId);
  const actions = await actionsOfRoles(from, organizationId, roleIds);
  return accessOf([...actions.values()].flat());
}

/** The actions of each role, of those that are built in too. */
export async function actionsOfRoles(
  from: Queries,
  organizationId: string,
  roleIds: readonly string[],
): Promise<Map<string, string[]>> {
  const actions = new Map<string, string[]>();
  const own: string[] = [];
  for (const id of roleIds) {
    const builtIn = builtInRole(id);
    if (builtIn === undefined) own.push(id);
    else actions.set(id, [...builtIn.actions]);
  }
  if (own.length === 0) return actions;
  for (const row of await queries.listActionsOf(from, organizationId, own))
    actions.set(row.role_id, [...(actions.get(row.role_id) ?? []), row.action]);
  return actions;
}

/** An action that this version does not know gives nothing. */
export function accessOf(held: readonly string[]): Access {
  const permissions = new Set(held.flatMap((action) => actionOf(action)?.permissions ?? []));
  const everyModel = held.includes(allModels);
  return {
    permissions: [...permissions],
    models: everyModel ? undefined : new Set(held.flatMap((action) => modelOf(action) ?? [])),
  };
}
