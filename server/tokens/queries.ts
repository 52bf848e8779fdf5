// Statements about access tokens.
import type { OrganizationType } from "../../kernel/context.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../kernel/sql/statement.ts";
import type { TokenResource } from "./schema.ts";

/** The token of a secret, with all that its validity depends on at this moment. */
export interface TokenRow {
  id: string;
  organization_id: string;
  organization_type: OrganizationType;
  scopes: string[];
  workspace_id: string | null;
  workspace_archived: boolean;
  expires_at: Date;
  user_id: string | null;
  user_name: string | null;
  user_role: string | null;
  family_revoked: boolean;
  /** What it is for alone; null for the API. */
  resource: TokenResource | null;
  service_account_id: string | null;
  account_name: string | null;
  account_role: "developer" | "admin" | null;
  account_archived: boolean;
  /** The account belongs to the workspace: by a row, or because it is the default one. */
  is_member: boolean;
}

/** The hot one: for a token that this process has not verified yet. */
export async function findBySecret(
  queries: Queryable,
  secretSha256: Buffer,
): Promise<TokenRow | undefined> {
  const [row] = await queries.query<TokenRow>(
    preparedAs(
      "tokens.find_by_secret",
      sql`
        select t.id, t.organization_id, o.type as organization_type, t.scopes, t.workspace_id,
               coalesce(w.archived_at is not null, false) as workspace_archived, t.expires_at,
               t.user_id, u.name as user_name, u.role as user_role,
               coalesce(f.revoked_at is not null, false) as family_revoked, f.resource,
               t.service_account_id, a.name as account_name,
               a.organization_role as account_role,
               coalesce(a.archived_at is not null, false) as account_archived,
               coalesce(w.is_default, false) or m.workspace_id is not null as is_member
        from access_tokens t
        join organizations o on o.id = t.organization_id
        left join users u on u.id = t.user_id
        left join token_families f on f.id = t.family_id
        left join service_accounts a on a.id = t.service_account_id
        left join workspaces w on w.id = t.workspace_id
        left join service_account_workspaces m
          on m.service_account_id = t.service_account_id and m.workspace_id = t.workspace_id
        where t.secret_sha256 = ${secretSha256}`,
    ),
  );
  return row;
}

/** The scopes that a token was granted. */
export async function findScopes(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<string[]> {
  const [row] = await queries.query<{ scopes: string[] }>(sql`
    select scopes from access_tokens where organization_id = ${organizationId} and id = ${id}`);
  return row?.scopes ?? [];
}

export interface NewToken {
  id: string;
  secretSha256: Buffer;
  userId: string | null;
  serviceAccountId: string | null;
  familyId: string | null;
  ruleId: string | null;
  scopes: readonly string[];
  workspaceId: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export async function insertToken(tx: Tx, organizationId: string, token: NewToken): Promise<void> {
  await tx.query(sql`
    insert into access_tokens
      (id, organization_id, secret_sha256, user_id, service_account_id, family_id, rule_id, scopes,
       workspace_id, created_at, expires_at)
    values
      (${token.id}, ${organizationId}, ${token.secretSha256}, ${token.userId},
       ${token.serviceAccountId}, ${token.familyId}, ${token.ruleId}, ${token.scopes},
       ${token.workspaceId}, ${token.createdAt}, ${token.expiresAt})`);
}

export async function deleteTokensOfUser(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<void> {
  await tx.query(sql`
    delete from access_tokens where organization_id = ${organizationId} and user_id = ${userId}`);
}

export async function deleteTokensOfAccount(
  tx: Tx,
  organizationId: string,
  accountId: string,
): Promise<void> {
  await tx.query(sql`
    delete from access_tokens
    where organization_id = ${organizationId} and service_account_id = ${accountId}`);
}

/** Across organizations: tokens that have ended. */
export async function deleteEnded(tx: Tx, before: Date, rows: number): Promise<number> {
  const deleted = await tx.query(sql`
    delete from access_tokens where id in
      (select id from access_tokens where expires_at < ${before} order by expires_at limit ${rows})
    returning id`);
  return deleted.length;
}

export interface TokenRefusalRow {
  id: string;
  at: Date;
  address: string;
  grantType: string;
  organizationId: string | null;
  ruleId: string | null;
  reason: string;
  sentence: string;
  subject: string | null;
}

export async function insertRefusal(tx: Tx, refusal: TokenRefusalRow): Promise<void> {
  await tx.query(sql`
    insert into token_refusals
      (id, at, address, grant_type, organization_id, rule_id, reason, sentence, subject)
    values
      (${refusal.id}, ${refusal.at}, ${refusal.address}, ${refusal.grantType},
       ${refusal.organizationId}, ${refusal.ruleId}, ${refusal.reason}, ${refusal.sentence},
       ${refusal.subject})`);
}

/** Across organizations: the client of a refused request is unknown. */
export async function countRefusals(
  queries: Queryable,
  { address, ruleId, since }: { address: string; ruleId: string | null; since: Date },
): Promise<{ all: number; rule: number; oldest: Date | null }> {
  const [row] = await queries.query<{ all: number; rule: number; oldest: Date | null }>(sql`
    select count(*) as all, count(*) filter (where rule_id = ${ruleId}) as rule, min(at) as oldest
    from token_refusals
    where address = ${address} and at > ${since}`);
  return row ?? { all: 0, rule: 0, oldest: null };
}

export async function deleteRefusals(tx: Tx, before: Date, rows: number): Promise<number> {
  const deleted = await tx.query(sql`
    delete from token_refusals where id in
      (select id from token_refusals where at < ${before} order by at limit ${rows})
    returning id`);
  return deleted.length;
}
