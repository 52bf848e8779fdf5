// People as the identity provider reads them.
import { notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { schemasOf } from "./documents.ts";
import { readFilter } from "../filter.ts";
import { fieldOf } from "../patch-operations.ts";
import { listWindowOf, readPage } from "../pages.ts";
import { listGroupsOf, type MembershipRow } from "../groups/queries-memberships.ts";
import { andFilter } from "../queries-filter.ts";
import * as queries from "./queries.ts";
import { isObject, type Json, type ListQuery, type ResourceQuery } from "../schema.ts";
import { isWanted, listResponse, selectAttributes } from "../wire.ts";

/** Rules SCM25 and SCM26. */
export async function listUsers(context: Context, query: ListQuery) {
  const { db, who } = context;
  const { organizationId } = who;
  const filter = andFilter(readFilter(query.filter), queries.userColumns);
  const window = listWindowOf(query);
  const list = {
    key: `${organizationId}\nusers\n${query.filter ?? ""}`,
    count: () => queries.countUsers(db, organizationId, filter),
    at: (skip: number) => queries.userAt(db, organizationId, { filter, skip }),
    from: (from: string, rows: number) =>
      queries.listUsers(db, organizationId, { from, filter, rows }),
  };
  const { rows, total } = await readPage(context, list, window);
  const ids = rows.map(({ id }) => id);
  const groups = isWanted("groups", query) ? await listGroupsOf(db, organizationId, ids) : [];
  const byUser = Map.groupBy(groups, (group) => group.user_id);
  const resources = rows.map((row) =>
    selectAttributes(toUser(context, row, byUser.get(row.id) ?? []), query),
  );
  return listResponse(resources, { total, startIndex: window.startIndex });
}

/** Rule SCM14: another organization's person is as unknown as one that never existed. */
export async function getUser(context: Context, id: string, query: ResourceQuery) {
  const { db, who } = context;
  const row = await queries.findUser(db, who.organizationId, id);
  if (row === undefined) throw notFound("user", id);
  const groups = await listGroupsOf(db, who.organizationId, [id]);
  return selectAttributes(toUser(context, row, groups), query);
}

export interface Meta {
  resourceType: string;
  created: string;
  lastModified: string;
  location: string;
}

/** The provider's attributes, and where it sent none, Plinth's. */
export function toUser(
  { publicUrl }: Pick<Context, "publicUrl">,
  row: queries.UserRow,
  groups: readonly MembershipRow[],
): Json & { meta: Meta } {
  const { document } = row;
  const attribute = (name: string) => fieldOf(document, name);
  const name = attribute("name");
  return {
    schemas: schemasOf(document),
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    userName: row.user_name,
    displayName: row.display_name,
    name: isObject(name) ? name : { formatted: row.display_name },
    emails: [{ value: row.email, type: "work", primary: true }],
    roles: [{ value: row.role, primary: true }],
    ...document,
    active: row.active,
    groups: groups.map((group) => ({
      value: group.id,
      display: group.name,
      $ref: `${publicUrl}/scim/v2/Groups/${group.id}`,
    })),
    meta: {
      resourceType: "User",
      created: row.created_at.toISOString(),
      lastModified: row.updated_at.toISOString(),
      location: `${publicUrl}/scim/v2/Users/${row.id}`,
    },
  };
}
