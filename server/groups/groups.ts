// Creates, renames and deletes groups: for the API and for groups that an identity provider pushes.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as keys from "../keys/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";

export interface NewGroup {
  name: string;
  source: queries.SourceType;
  /** The identity provider's id of the group. */
  externalId?: string | null;
}

export const cleanGroupName = (name: string) => cleanName("name", name, limits.nameCharactersMax);

export const groupNotFound = (id: string) =>
  notFound("RBAC group", id, { code: "rbac_group_not_found" });

/** Locked until the transaction ends. */
export async function lockGroup(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<queries.GroupRow> {
  const group = await queries.lockGroup(tx, organizationId, id);
  if (group === undefined) throw groupNotFound(id);
  return group;
}

export async function createGroup(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  organizationId: string,
  { name, source, externalId = null }: NewGroup,
): Promise<queries.GroupRow> {
  const count = await queries.countGroups(tx, organizationId);
  if (count >= limits.groupsPerOrganizationMax)
    throw invalid(
      `The organization has ${count} groups, the most there may be. Delete some first.`,
    );
  const at = world.clock.now();
  const group = {
    id: world.ids.next("rbac_group_"),
    name: cleanGroupName(name),
    source_type: source,
    external_id: externalId,
    created_at: at,
    updated_at: at,
  };
  await queries.insertGroup(tx, organizationId, group);
  const details = { name: group.name, source_type: source };
  await recordGroupEvent(tx, world, actor, organizationId, "created", group, details);
  return group;
}

/** A field that is absent keeps its value, and so does `updated_at` where nothing changes. */
export async function renameGroup(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  organizationId: string,
  group: queries.GroupRow,
  change: { name?: string; externalId?: string | null },
): Promise<queries.GroupRow> {
  const name = change.name === undefined ? group.name : cleanGroupName(change.name);
  const externalId = change.externalId === undefined ? group.external_id : change.externalId;
  if (name === group.name && externalId === group.external_id) return group;
  const updatedAt = world.clock.now();
  await queries.updateGroup(tx, organizationId, group.id, { name, externalId, updatedAt });
  if (name !== group.name)
    await recordGroupEvent(tx, world, actor, organizationId, "renamed", group, {
      name,
      name_before: group.name,
    });
  return { ...group, name, external_id: externalId, updated_at: updatedAt };
}

/** Its members lose at once what the group gave them. */
export async function deleteGroup(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  organizationId: string,
  group: queries.GroupRow,
): Promise<void> {
  const members = await queries.countMembers(tx, organizationId, group.id);
  await queries.deleteGroup(tx, organizationId, group.id);
  await keys.verdictsOf(world).revoke(tx);
  const details = { name: group.name, source_type: group.source_type, members };
  await recordGroupEvent(tx, world, actor, organizationId, "deleted", group, details);
}

export function recordGroupEvent(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  organizationId: string,
  verb: string,
  { id }: Pick<queries.GroupRow, "id">,
  details: Record<string, unknown>,
): Promise<void> {
  const target = { type: "rbac_group", id };
  return audit.record(tx, world, actor, {
    organizationId,
    action: `rbac_group.${verb}`,
    target,
    details,
  });
}
