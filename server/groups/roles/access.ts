// What a person has by the roles of their groups.
import type { World } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { part } from "../../../kernel/work/parts.ts";
import * as keys from "../../keys/module.ts";
import { actionOf, allModels, modelOf } from "./actions.ts";
import { builtInRole } from "./built-in.ts";
import * as queries from "./queries.ts";

export interface Access {
  permissions: readonly string[];
  /** The models they may use; undefined for every one. */
  models: ReadonlySet<string> | undefined;
}

/** Rule GRP12. */
export async function accessOfMember(
  from: Queryable,
  organizationId: string,
  userId: string,
): Promise<Access> {
  const roleIds = await queries.listRoleIdsOf(from, organizationId, userId);
  const actions = await actionsOfRoles(from, organizationId, roleIds);
  return accessOf([...actions.values()].flat());
}

interface Models {
  models: ReadonlySet<string> | undefined;
}

/** By organization and person. Forgotten together with keys: every change of roles ends verdicts. */
export const personModelsPart = part("models of people", {
  needs: [keys.verdictsPart],
  make: (world: World) =>
    keys.verdictsOf(world).makeCache((_, person) => findModels(world.db, person)),
});

/** Rule GRP16, for work in a person's name after the request: by their present roles. Undefined: every model. */
export async function modelsOfPerson(
  world: World,
  organizationId: string,
  userId: string,
): Promise<ReadonlySet<string> | undefined> {
  return (await personModelsPart.of(world)(`${organizationId} ${userId}`))?.models;
}

async function findModels(from: Queryable, person: string): Promise<Models> {
  const [organizationId = "", userId = ""] = person.split(" ");
  const isManaged = await queries.isManaged(from, organizationId, userId);
  const access = isManaged ? await accessOfMember(from, organizationId, userId) : undefined;
  return { models: access?.models };
}

/** The actions of each role, built-in ones too. */
export async function actionsOfRoles(
  from: Queryable,
  organizationId: string,
  roleIds: readonly string[],
): Promise<Map<string, string[]>> {
  const actions = new Map<string, string[]>();
  const customIds: string[] = [];
  for (const id of roleIds) {
    const builtIn = builtInRole(id);
    if (builtIn === undefined) customIds.push(id);
    else actions.set(id, [...builtIn.actions]);
  }
  if (customIds.length === 0) return actions;
  for (const row of await queries.listActionsOf(from, organizationId, customIds))
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
