// Statements about workspaces.
import type { PageWindow } from "../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";

export interface WorkspaceRow {
  id: string;
  name: string;
  is_default: boolean;
  created_at: Date;
  archived_at: Date | null;
  display_color: string;
  /** Null: unrestricted. */
  allowed_inference_geos: Geo[] | null;
  default_inference_geo: Geo;
  workspace_geo: "us";
  tags: Record<string, string>;
}

export type Geo = "global" | "us";

const columns: Statement = sql`
  w.id, w.name, w.is_default, w.created_at, w.archived_at, w.display_color,
  w.allowed_inference_geos, w.default_inference_geo, w.workspace_geo, w.tags`;

export type WorkspaceFields = Pick<
  WorkspaceRow,
  "name" | "display_color" | "allowed_inference_geos" | "default_inference_geo" | "tags"
>;

export async function insertWorkspace(
  tx: Tx,
  organizationId: string,
  row: WorkspaceFields & { id: string; isDefault: boolean; createdAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into workspaces
      (id, organization_id, name, is_default, created_at, display_color, allowed_inference_geos,
       default_inference_geo, tags)
    values (${row.id}, ${organizationId}, ${row.name}, ${row.isDefault}, ${row.createdAt},
            ${row.display_color}, ${row.allowed_inference_geos}, ${row.default_inference_geo},
            ${JSON.stringify(row.tags)}::jsonb)`);
}

export async function setWorkspace(
  tx: Tx,
  organizationId: string,
  id: string,
  fields: WorkspaceFields,
): Promise<void> {
  await tx.query(sql`
    update workspaces
    set name = ${fields.name}, display_color = ${fields.display_color},
        allowed_inference_geos = ${fields.allowed_inference_geos},
        default_inference_geo = ${fields.default_inference_geo},
        tags = ${JSON.stringify(fields.tags)}::jsonb
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function setArchived(
  tx: Tx,
  organizationId: string,
  id: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update workspaces set archived_at = ${at}
    where organization_id = ${organizationId} and id = ${id}`);
}

/** Locked until the transaction ends: requests that count what an organization has come one at a time. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    select id from organizations where id = ${organizationId} for no key update`);
}

export async function countOpen(tx: Tx, organizationId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from workspaces
    where organization_id = ${organizationId} and archived_at is null`);
  return row?.count ?? 0;
}

export interface WorkspaceFilter {
  /** Only these workspaces; null for all of the organization. */
  ids: readonly string[] | null;
  includesArchived: boolean;
  includesDefault: boolean;
}

export function listPage(
  queries: Queryable,
  organizationId: string,
  filter: WorkspaceFilter,
  walk: PageWindow,
): Promise<WorkspaceRow[]> {
  const order = walk.before === null ? sql`w.id desc` : sql`w.id asc`;
  return queries.query<WorkspaceRow>(sql`
    select ${columns}
    from workspaces w
    where w.organization_id = ${organizationId}
      and (${filter.ids}::text[] is null or w.id = any(${filter.ids}))
      and (${filter.includesArchived} or w.archived_at is null)
      and (${filter.includesDefault} or not w.is_default)
      and (${walk.after}::text is null or w.id < ${walk.after})
      and (${walk.before}::text is null or w.id > ${walk.before})
    order by ${order}
    limit ${walk.rows}`);
}

/** All open workspaces, the default one first. */
export function listWorkspaces(
  queries: Queryable,
  organizationId: string,
): Promise<WorkspaceRow[]> {
  return queries.query<WorkspaceRow>(sql`
    select ${columns}
    from workspaces w
    where w.organization_id = ${organizationId} and w.archived_at is null
    order by w.is_default desc, w.id
    limit 1000`);
}

/** By one index or the other: an organization has many workspaces. */
export const byIdOrDefault = (id: string | null): Statement =>
  id === null ? sql`w.is_default` : sql`w.id = ${id}`;

/** The workspace of that id, or the default one for null. */
export async function findWorkspace(
  queries: Queryable,
  organizationId: string,
  id: string | null,
): Promise<WorkspaceRow | undefined> {
  const [row] = await queries.query<WorkspaceRow>(sql`
    select ${columns}
    from workspaces w
    where w.organization_id = ${organizationId}
      and ${byIdOrDefault(id)}`);
  return row;
}

/** Locked against archiving until the transaction ends. */
export async function shareWorkspace(
  tx: Tx,
  organizationId: string,
  id: string | null,
): Promise<WorkspaceRow | undefined> {
  const [row] = await tx.query<WorkspaceRow>(sql`
    select ${columns}
    from workspaces w
    where w.organization_id = ${organizationId}
      and ${byIdOrDefault(id)}
    for share`);
  return row;
}

/** Locked against every other change until the transaction ends. */
export async function lockWorkspace(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<WorkspaceRow | undefined> {
  const [row] = await tx.query<WorkspaceRow>(sql`
    select ${columns}
    from workspaces w
    where w.organization_id = ${organizationId} and w.id = ${id}
    for no key update`);
  return row;
}
