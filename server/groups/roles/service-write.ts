// Creates, changes and deletes roles and gives them to groups, in the console alone.
import { conflict, invalid } from "../../../kernel/base/failure.ts";
import { cleanName } from "../../../kernel/base/name.ts";
import type { Context } from "../../../kernel/context.ts";
import { brokenConstraint, type Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import * as keys from "../../keys/module.ts";
import { actionOf, isBlanket } from "./actions.ts";
import { builtInRole } from "./built-in.ts";
import { lockGroup, recordGroupEvent } from "../groups.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import { fromCustomRow, actionsOfRole, roleNotFound, toConsoleRole } from "./service.ts";
import type { ConsoleRole, CreateRole, Group, SetGroupRoles, UpdateRole } from "../schema.ts";
import { presentGroup } from "../service.ts";

export async function createRole(context: Context, input: CreateRole): Promise<ConsoleRole> {
  const { db, ids, clock, who } = context;
  const { organizationId } = who;
  const held = cleanActions(input.actions);
  const at = clock.now();
  const role = {
    id: ids.next("rbac_role_"),
    name: cleanRoleName(input.display_name),
    description: input.description?.trim() ?? "",
    created_at: at,
    updated_at: at,
  };
  await db.tx(async (tx) => {
    const count = await queries.countRoles(tx, organizationId);
    if (count >= limits.rolesPerOrganizationMax)
      throw invalid(`The organization has ${count} roles, the most there may be. Delete some.`);
    await expectNameFree(role.name, () => queries.insertRole(tx, organizationId, role));
    await queries.setActions(tx, organizationId, role.id, held);
    await recordRoleEvent(tx, context, "created", role.id, { name: role.name, actions: held });
  });
  return toConsoleRole(fromCustomRow(role), held);
}

/** What the role gives holds at once, for every member who has it. */
export async function updateRole(
  context: Context,
  id: string,
  input: UpdateRole,
): Promise<ConsoleRole> {
  const { db, clock, who } = context;
  const { organizationId } = who;
  const given = input.actions && cleanActions(input.actions);
  return db.tx(async (tx) => {
    const before = await lockCustom(tx, organizationId, id);
    const heldBefore = await actionsOfRole(tx, organizationId, id);
    const held = given ?? heldBefore;
    const next = {
      ...before,
      name: input.display_name === undefined ? before.name : cleanRoleName(input.display_name),
      description: input.description?.trim() ?? before.description,
      updated_at: clock.now(),
    };
    const isSame =
      next.name === before.name &&
      next.description === before.description &&
      held.join() === heldBefore.join();
    if (isSame) return toConsoleRole(fromCustomRow(before), held);
    await expectNameFree(next.name, () => queries.updateRole(tx, organizationId, next));
    await queries.setActions(tx, organizationId, id, held);
    await keys.verdictsOf(context).revoke(tx);
    await recordRoleEvent(tx, context, "changed", id, {
      name: next.name,
      ...(next.name !== before.name && { name_before: before.name }),
      ...(next.description !== before.description && {
        description: next.description,
        description_before: before.description,
      }),
      ...(held.join() !== heldBefore.join() && { actions: held, actions_before: heldBefore }),
    });
    return toConsoleRole(fromCustomRow(next), held);
  });
}

/** Rule GRP14: not while a group has it, so that no member loses access as a side effect. */
export async function deleteRole(context: Context, id: string) {
  const { db, who } = context;
  const { organizationId } = who;
  await db.tx(async (tx) => {
    const role = await lockCustom(tx, organizationId, id);
    const [holder] = await queries.listHolders(tx, organizationId, id, 1);
    if (holder !== undefined)
      throw invalid(
        `The role ${role.name} is held by the group ${holder.name}, and perhaps by others: take it from them first.`,
      );
    const held = await actionsOfRole(tx, organizationId, id);
    await queries.deleteRole(tx, organizationId, id);
    await recordRoleEvent(tx, context, "deleted", id, { name: role.name, actions: held });
  });
  return { id, type: "rbac_role_deleted" as const };
}

/** Rule GRP13. Groups of the identity provider too: Plinth alone decides which roles they have. */
export async function setGroupRoles(
  context: Context,
  groupId: string,
  { role_ids }: SetGroupRoles,
): Promise<Group> {
  const { db, who } = context;
  const { organizationId } = who;
  const roleIds = [...new Set(role_ids)].sort();
  const group = await db.tx(async (tx) => {
    const row = await lockGroup(tx, organizationId, groupId);
    const custom = roleIds.filter((id) => builtInRole(id) === undefined);
    const there = await queries.shareRoles(tx, organizationId, custom);
    const missing = custom.find((id) => !there.includes(id));
    if (missing !== undefined) throw roleNotFound(missing);
    const held = await queries.listRolesOfGroups(tx, organizationId, [groupId]);
    const before = held.map(({ role_id }) => role_id).sort();
    if (before.join() === roleIds.join()) return row;
    await queries.deleteGroupRoles(tx, organizationId, groupId, roleIds);
    await queries.insertGroupRoles(tx, organizationId, groupId, roleIds);
    await keys.verdictsOf(context).revoke(tx);
    const details = { name: row.name, role_ids: roleIds, role_ids_before: before };
    const actor = audit.actorOf(context);
    await recordGroupEvent(tx, context, actor, organizationId, "roles_changed", row, details);
    return row;
  });
  return presentGroup(context, group);
}

const cleanRoleName = (name: string) => cleanName("display_name", name, limits.nameCharactersMax);

/** Rules GRP10 and GRP11: known ones, and none that a blanket beside it covers. */
function cleanActions(wanted: readonly string[]): string[] {
  for (const action of wanted) {
    if (actionOf(action) === undefined)
      throw invalid(`actions: ${JSON.stringify(action)} is no action of a role.`);
  }
  for (const variant of ["capability", "model_access"] as const) {
    const ofVariant = wanted.filter((action) => actionOf(action)?.variant === variant);
    const blanket = ofVariant.find((action) => isBlanket(action));
    const other = ofVariant.find((action) => action !== blanket);
    if (blanket !== undefined && other !== undefined)
      throw invalid(
        `actions: ${blanket} covers its whole variant, and ${other} is another of it: leave one out.`,
      );
  }
  return [...wanted].sort();
}

async function expectNameFree(name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (brokenConstraint(error) !== "rbac_roles_name") throw error;
    throw conflict(`display_name: another role is called ${name}; choose another name.`);
  }
}

async function lockCustom(tx: Tx, organizationId: string, id: string): Promise<queries.RoleRow> {
  if (builtInRole(id) !== undefined)
    throw invalid(`The role ${id} is built in: nobody changes or deletes it. Make a custom one.`);
  const row = await queries.lockRole(tx, organizationId, id);
  if (row === undefined) throw roleNotFound(id);
  return row;
}

function recordRoleEvent(
  tx: Tx,
  context: Context,
  verb: string,
  id: string,
  details: Record<string, unknown>,
): Promise<void> {
  return audit.recordByCaller(tx, context, {
    action: `rbac_role.${verb}`,
    target: { type: "rbac_role", id },
    details,
  });
}
