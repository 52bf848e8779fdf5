// Groups as the identity provider pushes them, and reads them.
import { notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { json, noContent } from "../../../kernel/http/output/reply.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as house from "../../groups/module.ts";
import { readFilter } from "../filter.ts";
import { expectGroupsSwitchedOn } from "../switched-on.ts";
import { readGroup, readGroupOperations, type GroupChange } from "./changes.ts";
import { readOperations } from "../patch-operations.ts";
import { listWindowOf, readPage } from "../pages.ts";
import { andFilter } from "../queries-filter.ts";
import * as queries from "./queries.ts";
import * as memberships from "./queries-memberships.ts";
import { limits } from "../limits.ts";
import { schemas, type ListQuery, type ResourceQuery } from "../schema.ts";
import { providerActor } from "../console/tokens.ts";
import { isWanted, listResponse, notUnique, scimInvalid, selectAttributes } from "../wire.ts";

/** Rules SCM25, SCM26 and SCM30: as many groups as their members fit on a page, one at least. */
export async function listGroups(context: Context, query: ListQuery) {
  const { db, who } = context;
  const { organizationId } = who;
  const filter = andFilter(readFilter(query.filter), queries.groupColumns);
  const window = listWindowOf(query);
  const list = {
    key: `${organizationId}\ngroups\n${query.filter ?? ""}`,
    count: () => queries.countGroups(db, organizationId, filter),
    at: (skip: number) => queries.groupAt(db, organizationId, { filter, skip }),
    from: (from: string, rows: number) =>
      queries.listGroups(db, organizationId, { from, filter, rows }),
  };
  const page = await readPage(context, list, window);
  const withMembers = isWanted("members", query);
  const rows = withMembers ? await thatFit(context, page.rows) : page.rows;
  const members = withMembers ? await membersOf(context, rows) : new Map();
  const resources = rows.map((row) =>
    selectAttributes(toGroup(context, row, members.get(row.id) ?? []), query),
  );
  return listResponse(resources, { total: page.total, startIndex: window.startIndex });
}

async function thatFit({ db, who }: Context, rows: readonly queries.GroupRow[]) {
  const ids = rows.map(({ id }) => id);
  const counts = new Map(
    (await memberships.countMembers(db, who.organizationId, ids)).map((row) => [
      row.group_id,
      row.count,
    ]),
  );
  let sum = 0;
  return rows.filter(({ id }, index) => {
    sum += counts.get(id) ?? 0;
    return index === 0 || sum <= limits.membersPerPageMax;
  });
}

/** Members by group. */
async function membersOf({ db, who }: Context, rows: readonly queries.GroupRow[]) {
  const ids = rows.map(({ id }) => id);
  const found = await memberships.listMembers(db, who.organizationId, ids, limits.membersReadMax);
  return Map.groupBy(found, (member) => member.group_id);
}

/** Rule SCM14. */
export async function getGroup(context: Context, id: string, query: ResourceQuery) {
  const row = await queries.findGroup(context.db, context.who.organizationId, id);
  if (row === undefined) throw notFound("group", id);
  const members = isWanted("members", query) ? await membersOf(context, [row]) : new Map();
  return selectAttributes(toGroup(context, row, members.get(id) ?? []), query);
}

export async function createGroup(context: Context, body: unknown) {
  const { db, who } = context;
  const change = readGroup(body);
  const { name, externalId = null } = change;
  if (name === undefined) throw scimInvalid("invalidValue", "displayName: is missing.");
  const row = await db.tx(async (tx) => {
    await expectGroupsSwitchedOn(tx, context);
    await queries.lockProvider(tx, who.organizationId);
    await expectNoTwin(tx, context, { name, externalId, except: null });
    const actor = providerActor(context);
    const group = { name, source: "scim", externalId } as const;
    const made = await house.createGroup(tx, context, actor, who.organizationId, group);
    await changeMembers(tx, context, made, change);
    return made;
  });
  const members = await membersOf(context, [row]);
  const group = toGroup(context, row, members.get(row.id) ?? []);
  return json(group, { location: group.meta.location }, 201);
}

export async function replaceGroup(
  context: Context,
  id: string,
  { body, query }: { body: unknown; query: ResourceQuery },
) {
  await changeGroup(context, id, readGroup(body));
  return getGroup(context, id, query);
}

/** Without a body: a group may have a hundred thousand members; a provider that wants them reads the group. */
export async function patchGroup(context: Context, id: string, body: unknown) {
  await changeGroup(context, id, readGroupOperations(readOperations(body)));
  return noContent();
}

async function changeGroup(context: Context, id: string, change: GroupChange): Promise<void> {
  const { db, who } = context;
  await db.tx(async (tx) => {
    await expectGroupsSwitchedOn(tx, context);
    const before = await lockedOr404(tx, context, id);
    const name = change.name ?? before.name;
    const externalId = change.externalId === undefined ? before.external_id : change.externalId;
    if (name !== before.name || externalId !== before.external_id)
      await expectNoTwin(tx, context, { name, externalId, except: id });
    const actor = providerActor(context);
    const renamed = { name, externalId };
    const group = await house.renameGroup(tx, context, actor, who.organizationId, before, renamed);
    await changeMembers(tx, context, group, change);
  });
}

export async function deleteGroup(context: Context, id: string) {
  const { db, who } = context;
  await db.tx(async (tx) => {
    await expectGroupsSwitchedOn(tx, context);
    const group = await lockedOr404(tx, context, id);
    await house.deleteGroup(tx, context, providerActor(context), who.organizationId, group);
  });
  return noContent();
}

/** A group made in Plinth is as absent as another organization's. */
async function lockedOr404(tx: Tx, { who }: Context, id: string): Promise<house.GroupRow> {
  if ((await queries.findGroup(tx, who.organizationId, id)) === undefined)
    throw notFound("group", id);
  return house.lockGroup(tx, who.organizationId, id);
}

/** Rule SCM31. */
async function expectNoTwin(
  tx: Tx,
  { who }: Context,
  group: { name: string; externalId: string | null; except: string | null },
): Promise<void> {
  const twin = await queries.findDuplicateGroup(tx, who.organizationId, group);
  if (twin !== undefined)
    throw notUnique(
      `displayName: the group ${twin.id} is ${JSON.stringify(twin.name)} already; change that one.`,
    );
}

/** Rule SCM29. All members that the provider names are kept; Plinth's group holds the active ones. */
async function changeMembers(
  tx: Tx,
  context: Context,
  group: house.GroupRow,
  change: GroupChange,
): Promise<void> {
  const { organizationId } = context.who;
  const actor = providerActor(context);
  const added = await memberships.listKnown(tx, organizationId, [...change.add]);
  const known = new Set(added.map(({ id }) => id));
  const stranger = [...change.add].find((id) => !known.has(id));
  if (stranger !== undefined)
    throw scimInvalid(
      "invalidValue",
      `members: there is no user ${JSON.stringify(stranger.slice(0, 80))}.`,
    );
  const gone = change.replacesMembers
    ? await memberships.listOthers(tx, organizationId, { groupId: group.id, except: [...known] })
    : [...change.remove];
  const facts = { organizationId, group };
  if (gone.length > 0) {
    await memberships.deleteMembers(tx, organizationId, group.id, gone);
    await house.removeMembers(tx, context, actor, { ...facts, userIds: gone });
  }
  if (added.length > 0) {
    await memberships.insertMembers(tx, organizationId, group.id, [...known]);
    const userIds = added.filter(({ active }) => active).map(({ id }) => id);
    await house.addMembers(tx, context, actor, { ...facts, userIds });
  }
}

function toGroup(
  { publicUrl }: Pick<Context, "publicUrl">,
  row: queries.GroupRow,
  members: readonly memberships.MemberRow[],
) {
  return {
    schemas: [schemas.group],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.name,
    members: members.map((member) => ({
      value: member.user_id,
      display: member.display_name,
      type: "User",
      $ref: `${publicUrl}/scim/v2/Users/${member.user_id}`,
    })),
    meta: {
      resourceType: "Group",
      created: row.created_at.toISOString(),
      lastModified: row.updated_at.toISOString(),
      location: `${publicUrl}/scim/v2/Groups/${row.id}`,
    },
  };
}
