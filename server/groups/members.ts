// Who is in a group: changed for the API, for invites, and for groups that an identity provider pushes.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import type { AuditActor } from "../audit/module.ts";
import * as keys from "../keys/module.ts";
import * as identityProvider from "../identity_provider/module.ts";
import { groupNotFound, recordGroupEvent } from "./groups.ts";
import { ownerGroupsOf, ownersOnlyRefusal } from "./roles/owner-access.ts";
import * as queries from "./queries.ts";

/** The identity provider where one of these groups is changed; undefined where SCIM no longer reaches them. */
export async function controllerOf(
  from: Queryable,
  organizationId: string,
  groups: readonly queries.GroupRow[],
): Promise<{ control: identityProvider.ProviderControl; group: queries.GroupRow } | undefined> {
  const group = groups.find(({ source_type }) => source_type === "scim");
  if (group === undefined) return undefined;
  const control = await identityProvider.providerControlOf(from, organizationId);
  return control.provisioning === "scim" ? { control, group } : undefined;
}

/** Rule GRP7: what the identity provider pushed is changed there. */
export async function expectUncontrolled(
  tx: Tx,
  organizationId: string,
  groups: readonly queries.GroupRow[],
): Promise<void> {
  const controller = await controllerOf(tx, organizationId, groups);
  if (controller === undefined) return;
  const { control, group } = controller;
  if (control.controlsGroups)
    throw identityProvider.managedByProvider(control.provider, `The group ${group.name}`);
  throw invalid(
    `The group ${group.name} came from the identity provider ${control.provider ?? "of the organization"}: let it push groups, on the console's page SCIM, and change it there. Here it is changed once SCIM is switched off.`,
  );
}

/** Rules GRP7 to GRP9, for invites: all groups exist, and a program may add people to them. */
export async function expectGroups(
  tx: Tx,
  world: World,
  organizationId: string,
  ids: readonly string[],
): Promise<queries.GroupRow[]> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return [];
  const groups = await queries.shareGroups(tx, organizationId, wanted);
  const missing = wanted.find((id) => groups.every((group) => group.id !== id));
  if (missing !== undefined) throw groupNotFound(missing);
  await expectUncontrolled(tx, organizationId, groups);
  const [ofOwners] = await ownerGroupsOf(tx, world, organizationId, groups);
  if (ofOwners !== undefined) throw ownersOnlyRefusal(ofOwners);
  return groups;
}

/**
 * Rule GRP10. A new member joins the groups that the invite names. A group that was deleted, or gives owner access by
 * now, is left out. Returns the ids of the groups joined.
 */
export async function joinGroups(
  tx: Tx,
  world: World,
  actor: AuditActor,
  { organizationId, userId, groupIds }: GroupsToJoin,
): Promise<string[]> {
  const there = await queries.shareGroups(tx, organizationId, [...new Set(groupIds)]);
  const ofOwners = await ownerGroupsOf(tx, world, organizationId, there);
  const joined: string[] = [];
  for (const group of there.filter((row) => !ofOwners.includes(row))) {
    const added = await addMembers(tx, world, actor, { organizationId, group, userIds: [userId] });
    if (added.length > 0) joined.push(group.id);
  }
  return joined;
}

export interface GroupsToJoin {
  organizationId: string;
  userId: string;
  groupIds: readonly string[];
}

interface Change {
  organizationId: string;
  group: queries.GroupRow;
  userIds: readonly string[];
}

/** What the group gives holds at once. Returns the ids of the new members. */
export async function addMembers(
  tx: Tx,
  world: World,
  actor: AuditActor,
  { organizationId, group, userIds }: Change,
): Promise<string[]> {
  const wanted = [...new Set(userIds)];
  const people = await queries.sharePeople(tx, organizationId, wanted);
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  const missing = wanted.find((id) => !emails.has(id));
  if (missing !== undefined) throw notFound("member", missing);
  const at = world.clock.now();
  const added = await queries.insertMembers(tx, organizationId, group.id, { userIds: wanted, at });
  for (const id of added)
    await recordGroupEvent(tx, world, actor, organizationId, "member_added", group, {
      name: group.name,
      user_id: id,
      email: emails.get(id),
    });
  if (added.length > 0) await keys.verdictsOf(world).revoke(tx);
  return added;
}

/** What the group gave is lost at once. Returns the ids of those who were members. */
export async function removeMembers(
  tx: Tx,
  world: World,
  actor: AuditActor,
  { organizationId, group, userIds }: Change,
): Promise<string[]> {
  const removed = await queries.deleteMembers(tx, organizationId, group.id, userIds);
  for (const id of removed)
    await recordGroupEvent(tx, world, actor, organizationId, "member_removed", group, {
      name: group.name,
      user_id: id,
    });
  if (removed.length > 0) await keys.verdictsOf(world).revoke(tx);
  return removed;
}

/** For a person who leaves or is deactivated, which has an event of its own. Returns the ids of the groups. */
export async function leaveAllGroups(
  tx: Tx,
  world: World,
  organizationId: string,
  userId: string,
): Promise<string[]> {
  const left = await queries.deleteMemberships(tx, organizationId, userId);
  if (left.length > 0) await keys.verdictsOf(world).revoke(tx);
  return left;
}
