// Statements about families of refresh tokens.
import type { OrganizationType } from "../../kernel/context.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { TokenResource } from "./schema.ts";

export interface FamilyRow {
  id: string;
  organization_id: string;
  organization_type: OrganizationType;
  user_id: string;
  user_name: string;
  client_id: string;
  scopes: string[];
  workspace_id: string | null;
  resource: TokenResource | null;
  expires_at: Date;
  revoked_at: Date | null;
}

export interface NewFamily {
  id: string;
  userId: string;
  clientId: string;
  scopes: readonly string[];
  workspaceId: string | null;
  resource: TokenResource | null;
  at: Date;
  expiresAt: Date;
  address: string;
  userAgent: string;
}

export async function insertFamily(
  tx: Tx,
  organizationId: string,
  family: NewFamily,
): Promise<void> {
  await tx.query(sql`
    insert into token_families
      (id, organization_id, user_id, client_id, scopes, workspace_id, resource, created_at,
       last_used_at, expires_at, address, user_agent)
    values
      (${family.id}, ${organizationId}, ${family.userId}, ${family.clientId}, ${family.scopes},
       ${family.workspaceId}, ${family.resource}, ${family.at}, ${family.at}, ${family.expiresAt},
       ${family.address}, ${family.userAgent})`);
}

const familyColumns = sql`
  f.id, f.organization_id, o.type as organization_type, f.user_id, u.name as user_name, f.client_id,
  f.scopes, f.workspace_id, f.resource, f.expires_at, f.revoked_at`;

/** The family of a refresh token: locked, so that its redemptions come one after the other. */
export async function lockFamilyOf(tx: Tx, secretSha256: Buffer): Promise<FamilyRow | undefined> {
  const [row] = await tx.query<FamilyRow>(sql`
    select ${familyColumns}
    from refresh_tokens r
    join token_families f on f.id = r.family_id
    join organizations o on o.id = f.organization_id
    join users u on u.id = f.user_id
    where r.secret_sha256 = ${secretSha256}
    for update of f`);
  return row;
}

/** The same by one of its access tokens. */
export async function lockFamilyOfAccess(
  tx: Tx,
  secretSha256: Buffer,
): Promise<FamilyRow | undefined> {
  const [row] = await tx.query<FamilyRow>(sql`
    select ${familyColumns}
    from access_tokens t
    join token_families f on f.id = t.family_id
    join organizations o on o.id = f.organization_id
    join users u on u.id = f.user_id
    where t.secret_sha256 = ${secretSha256}
    for update of f`);
  return row;
}

export async function lockFamily(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<FamilyRow | undefined> {
  const [row] = await tx.query<FamilyRow>(sql`
    select ${familyColumns}
    from token_families f
    join organizations o on o.id = f.organization_id
    join users u on u.id = f.user_id
    where f.organization_id = ${organizationId} and f.id = ${id}
    for update of f`);
  return row;
}

export interface LiveFamily {
  id: string;
  client_id: string;
  scopes: string[];
  workspace_id: string | null;
  created_at: Date;
  last_used_at: Date;
  address: string;
  user_agent: string;
}

/** Of one person, the newest first; a person has no more than fit on a page. */
export function listFamilies(
  queries: Queryable,
  organizationId: string,
  userId: string,
  { now, rows }: { now: Date; rows: number },
): Promise<LiveFamily[]> {
  return queries.query<LiveFamily>(sql`
    select id, client_id, scopes, workspace_id, created_at, last_used_at, address, user_agent
    from token_families
    where organization_id = ${organizationId} and user_id = ${userId}
      and revoked_at is null and expires_at > ${now}
    order by id desc
    limit ${rows}`);
}

export interface RefreshTokenRow {
  generation: number;
  used_at: Date | null;
}

/** Read under the family's lock. */
export async function findRefresh(
  tx: Tx,
  organizationId: string,
  secretSha256: Buffer,
): Promise<RefreshTokenRow | undefined> {
  const [row] = await tx.query<RefreshTokenRow>(sql`
    select r.generation, r.used_at
    from refresh_tokens r
    where r.organization_id = ${organizationId} and r.secret_sha256 = ${secretSha256}`);
  return row;
}

export async function insertRefresh(
  tx: Tx,
  organizationId: string,
  token: { secretSha256: Buffer; familyId: string; generation: number; at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into refresh_tokens (secret_sha256, organization_id, family_id, generation, created_at)
    values (${token.secretSha256}, ${organizationId}, ${token.familyId}, ${token.generation},
            ${token.at})`);
}

export async function markRefreshTokenUsed(
  tx: Tx,
  organizationId: string,
  secretSha256: Buffer,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update refresh_tokens set used_at = ${at}
    where organization_id = ${organizationId} and secret_sha256 = ${secretSha256}`);
}

export async function touchFamily(
  tx: Tx,
  organizationId: string,
  id: string,
  { at, expiresAt }: { at: Date; expiresAt: Date },
): Promise<void> {
  await tx.query(sql`
    update token_families set last_used_at = ${at}, expires_at = ${expiresAt}
    where organization_id = ${organizationId} and id = ${id}`);
}

/** Its access tokens are deleted at once. */
export async function revokeFamily(
  tx: Tx,
  organizationId: string,
  id: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update token_families set revoked_at = coalesce(revoked_at, ${at})
    where organization_id = ${organizationId} and id = ${id}`);
  await tx.query(sql`
    delete from access_tokens where organization_id = ${organizationId} and family_id = ${id}`);
}

export async function deleteFamiliesOfUser(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<void> {
  await tx.query(sql`
    delete from token_families where organization_id = ${organizationId} and user_id = ${userId}`);
}

/** Across organizations: families that have ended. */
export async function deleteEndedFamilies(tx: Tx, before: Date, rows: number): Promise<number> {
  const deleted = await tx.query(sql`
    delete from token_families where id in
      (select id from token_families where expires_at < ${before}
       order by expires_at limit ${rows})
    returning id`);
  return deleted.length;
}
