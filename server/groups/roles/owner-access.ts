// Groups whose roles give what otherwise only owners may do: no program adds members to one.
import { invalid } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { grantsOwnerAccess } from "./actions.ts";
import { limits } from "../limits.ts";
import type { GroupRow } from "../queries.ts";
import * as queries from "./queries.ts";
import { actionsOfRoles } from "./access.ts";

/** Rule GRP9. Those of the groups that give owner access; a Failure when that cannot be read in time. */
export async function ownerGroupsOf(
  tx: Tx,
  { logger }: World,
  organizationId: string,
  groups: readonly GroupRow[],
): Promise<GroupRow[]> {
  if (groups.length === 0) return [];
  const byGroup = await inTime(tx, () => rolesOf(tx, organizationId, groups)).catch(
    (error: unknown) => {
      logger.warn({ error: String(error) }, "whether groups give owner access is not known");
      throw unconfirmed(groups, error);
    },
  );
  return groups.filter(({ id }) => byGroup.get(id) === true);
}

/** A failure loses the transaction: the caller changes nothing. */
async function inTime<T>(tx: Tx, read: () => Promise<T>): Promise<T> {
  const before = await queries.setStatementTimeout(tx, limits.rolesReadMsMax);
  const result = await read();
  await queries.setStatementTimeout(tx, before);
  return result;
}

async function rolesOf(
  tx: Tx,
  organizationId: string,
  groups: readonly GroupRow[],
): Promise<Map<string, boolean>> {
  const ids = groups.map(({ id }) => id);
  const held = await queries.listRolesOfGroups(tx, organizationId, ids);
  const roleIds = [...new Set(held.map(({ role_id }) => role_id))];
  const actions = await actionsOfRoles(tx, organizationId, roleIds);
  const ofOwners = new Set(roleIds.filter((id) => grantsOwnerAccess(actions.get(id) ?? [])));
  return new Map(
    ids.map((id) => [
      id,
      held.some(({ group_id, role_id }) => group_id === id && ofOwners.has(role_id)),
    ]),
  );
}

export const ownersOnlyRefusal = ({ id, name }: Pick<GroupRow, "id" | "name">) =>
  invalid(
    `The group ${name} (${id}) has a role that gives owner access: an owner adds and removes its members and deletes it, in the console.`,
    { code: "rbac_group_grants_owner_access" },
  );

const unconfirmed = (groups: readonly GroupRow[], cause: unknown) =>
  invalid(
    `Whether the ${groups.length === 1 ? `group ${groups[0]?.id}` : "groups"} give owner access could not be found out, so nothing was changed. Have an owner make the change in the console.`,
    { code: "rbac_group_owner_access_unconfirmed", cause },
  );
