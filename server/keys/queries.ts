// Statements about keys.
import type { OrganizationType } from "../../kernel/context.ts";
import type { PageWindow } from "../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { joinStatements, preparedAs, sql, type Statement } from "../../kernel/sql/statement.ts";

export type StoredKind = "api" | "admin" | "oauth";
export type StoredStatus = "active" | "inactive" | "archived";

export interface KeyRow {
  id: string;
  organization_id: string;
  workspace_id: string | null;
  workspace_name: string | null;
  kind: StoredKind;
  name: string;
  hint: string;
  scopes: string[];
  status: StoredStatus;
  created_by: string | null;
  created_by_name: string | null;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

const columns: Statement = sql`
  k.id, k.organization_id, k.workspace_id, w.name as workspace_name, k.kind, k.name, k.hint,
  k.scopes, k.status, k.created_by, coalesce(u.name, f.name) as created_by_name, k.created_at, k.expires_at,
  k.last_used_at`;

/** Keys with their makers and workspaces. */
const keysWithNames: Statement = sql`
  keys k
  left join users u on u.id = k.created_by
  left join former_members f on f.id = k.created_by and u.id is null
  left join workspaces w on w.id = k.workspace_id`;

/** Rule KEY16: the keys that a person may see by their roles in workspaces. */
export interface PersonKeyReach {
  /** All keys of these workspaces. */
  allKeysIn: readonly string[];
  /** Of the keys in these workspaces, those that `userId` made. */
  ownKeysIn: readonly string[];
  userId: string;
}

export const within = (reach: PersonKeyReach | null): Statement =>
  reach === null
    ? sql`true`
    : sql`(k.workspace_id = any(${reach.allKeysIn})
           or (k.workspace_id = any(${reach.ownKeysIn}) and k.created_by = ${reach.userId}))`;

/** The hot one: for a credential that this process has not verified yet. */
export async function findBySecret(
  queries: Queryable,
  secretSha256: Buffer,
): Promise<VerifiedKeyRow | undefined> {
  const [row] = await queries.query<VerifiedKeyRow>(
    preparedAs(
      "keys.find_by_secret",
      sql`
        select k.id, k.organization_id, o.type as organization_type, k.workspace_id, k.kind,
               k.name, k.scopes, k.status, k.created_by, k.expires_at
        from keys k
        join organizations o on o.id = k.organization_id
        where k.secret_sha256 = ${secretSha256}`,
    ),
  );
  return row;
}

export interface VerifiedKeyRow {
  id: string;
  organization_id: string;
  organization_type: OrganizationType;
  workspace_id: string | null;
  kind: StoredKind;
  name: string;
  scopes: string[];
  status: StoredStatus;
  created_by: string | null;
  expires_at: Date | null;
}

export async function insertKey(
  tx: Tx,
  organizationId: string,
  key: {
    id: string;
    workspaceId: string | null;
    kind: StoredKind;
    name: string;
    secretSha256: Buffer;
    hint: string;
    scopes: readonly string[];
    createdBy: string | null;
    createdAt: Date;
    expiresAt: Date | null;
  },
): Promise<void> {
  await tx.query(sql`
    insert into keys
      (id, organization_id, workspace_id, kind, name, secret_sha256, hint, scopes, status,
       created_by, created_at, expires_at)
    values
      (${key.id}, ${organizationId}, ${key.workspaceId}, ${key.kind}, ${key.name},
       ${key.secretSha256}, ${key.hint}, ${key.scopes}, 'active', ${key.createdBy},
       ${key.createdAt}, ${key.expiresAt})`);
}

export async function findKey(
  queries: Queryable,
  organizationId: string,
  id: string,
  { kinds, reach }: Pick<KeyFilter, "kinds" | "reach">,
): Promise<KeyRow | undefined> {
  const [row] = await queries.query<KeyRow>(sql`
    select ${columns}
    from ${keysWithNames}
    where k.organization_id = ${organizationId} and k.id = ${id} and k.kind = any(${kinds})
      and ${within(reach)}`);
  return row;
}

export async function findKeyScopes(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<string[]> {
  const [row] = await queries.query<{ scopes: string[] }>(sql`
    select scopes from keys where organization_id = ${organizationId} and id = ${id}`);
  return row?.scopes ?? [];
}

export async function lockKey(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.query(sql`
    select id from keys where organization_id = ${organizationId} and id = ${id} for update`);
}

export async function updateKey(
  tx: Tx,
  organizationId: string,
  id: string,
  change: { name: string; status: StoredStatus },
): Promise<void> {
  await tx.query(sql`
    update keys set name = ${change.name}, status = ${change.status}
    where organization_id = ${organizationId} and id = ${id}`);
}

export interface KeyFilter {
  ids?: readonly string[];
  kinds: readonly StoredKind[];
  /** Any of these, where `expired` is an active key past its expiry. */
  statuses: readonly string[] | null;
  workspaceId: string | null;
  createdBy: string | null;
  /** Neither made nor used since then. */
  unusedSince?: Date | null;
  /** Null: all of the organization. */
  reach: PersonKeyReach | null;
  now: Date;
}

export function listKeys(
  queries: Queryable,
  organizationId: string,
  filter: KeyFilter,
  walk: PageWindow,
): Promise<KeyRow[]> {
  const { ids, workspaceId, createdBy, statuses, unusedSince = null, reach, now } = filter;
  const conditions: Statement[] = [
    sql`k.organization_id = ${organizationId}`,
    sql`k.kind = any(${filter.kinds})`,
    ...(ids === undefined ? [] : [sql`k.id = any(${ids})`]),
    ...(reach === null ? [] : [within(reach)]),
    ...(workspaceId === null ? [] : [sql`k.workspace_id = ${workspaceId}`]),
    ...(createdBy === null ? [] : [sql`k.created_by = ${createdBy}`]),
    ...(statuses === null ? [] : [havingStatus(statuses, now)]),
    ...(unusedSince === null
      ? []
      : [sql`coalesce(k.last_used_at, k.created_at) <= ${unusedSince}`]),
    ...(walk.after === null ? [] : [sql`k.id < ${walk.after}`]),
    ...(walk.before === null ? [] : [sql`k.id > ${walk.before}`]),
  ];
  const order = walk.before === null ? sql`k.id desc` : sql`k.id asc`;
  return queries.query<KeyRow>(sql`
    select ${columns}
    from ${keysWithNames}
    where ${joinStatements(conditions, " and ")}
    order by ${order}
    limit ${walk.rows}`);
}

/** A key stored as active is expired once its expiry has passed. */
function havingStatus(statuses: readonly string[], now: Date): Statement {
  const live = sql`(k.expires_at is null or k.expires_at > ${now})`;
  const kept = [...new Set(statuses.map((one) => (one === "expired" ? "active" : one)))];
  const [active, expired] = [statuses.includes("active"), statuses.includes("expired")];
  // A single status is read in the order of its index.
  const isKept = kept.length === 1 ? sql`k.status = ${kept[0]}` : sql`k.status = any(${kept})`;
  if (active === expired) return isKept;
  const fitting = active ? live : sql`not ${live}`;
  return sql`${isKept} and (k.status <> 'active' or ${fitting})`;
}

/** Counts for the overview. */
export async function countUses(
  queries: Queryable,
  organizationId: string,
  now: Date,
): Promise<{ active: number; used_last_day: number }> {
  const [row] = await queries.query<{ active: number; used_last_day: number }>(sql`
    select count(*) filter (where status = 'active' and (expires_at is null or expires_at > ${now}))
             as active,
           count(*) filter (where last_used_at > ${now}::timestamptz - interval '1 day')
             as used_last_day
    from keys
    where organization_id = ${organizationId}`);
  return row ?? { active: 0, used_last_day: 0 };
}

/** When a key or token that this person made was used last. */
export async function findLastUse(
  queries: Queryable,
  organizationId: string,
  makerId: string,
): Promise<Date | null> {
  const [row] = await queries.query<{ last_used_at: Date | null }>(sql`
    select max(last_used_at) as last_used_at
    from keys
    where organization_id = ${organizationId} and created_by = ${makerId}`);
  return row?.last_used_at ?? null;
}

/** Keys that count towards the limits, of the organization and of one of its workspaces. */
export async function countActive(
  tx: Tx,
  organizationId: string,
  workspaceId: string | null,
  now: Date,
): Promise<{ of_organization: number; of_workspace: number }> {
  const [row] = await tx.query<{ of_organization: number; of_workspace: number }>(sql`
    select count(*) as of_organization,
           count(*) filter (where workspace_id = ${workspaceId}) as of_workspace
    from keys
    where organization_id = ${organizationId} and status = 'active' and kind in ('api', 'admin')
      and (expires_at is null or expires_at > ${now})`);
  return row ?? { of_organization: 0, of_workspace: 0 };
}

/** Archives all keys of a workspace; returns how many there were. */
export async function archiveKeys(
  tx: Tx,
  organizationId: string,
  workspaceId: string,
): Promise<number> {
  const rows = await tx.query(sql`
    update keys set status = 'archived'
    where organization_id = ${organizationId} and workspace_id = ${workspaceId}
      and status <> 'archived'
    returning id`);
  return rows.length;
}

export async function touchKeys(tx: Tx, uses: ReadonlyMap<string, Date>): Promise<void> {
  await tx.query(sql`
    update keys k set last_used_at = greatest(k.last_used_at, used.at)
    from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::timestamptz[]) as used (id, at)
    where k.id = used.id`);
}

export async function raiseRevocations(tx: Tx): Promise<void> {
  await tx.query(sql`update revocations set counter = counter + 1`);
}

export async function readRevocations(queries: Queryable): Promise<number> {
  const [row] = await queries.query<{ counter: number }>(
    preparedAs("keys.read_revocations", sql`select counter from revocations`),
  );
  return row?.counter ?? 0;
}
