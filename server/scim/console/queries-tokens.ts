// Statements about the tokens of identity providers.
import type { OrganizationType } from "../../../kernel/context.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";

export interface VerifiedRow {
  id: string;
  organization_id: string;
  organization_type: OrganizationType;
  provider: string | null;
  name: string;
}

/** Across tenants: the secret alone says which one. */
export async function findBySecret(
  queries: Queryable,
  sha256: Buffer,
): Promise<VerifiedRow | undefined> {
  const [row] = await queries.query<VerifiedRow>(
    preparedAs(
      "scim.find_by_secret",
      sql`
        select t.id, t.organization_id, o.type as organization_type, p.name as provider, t.name
        from scim_tokens t
        join organizations o on o.id = t.organization_id
        left join identity_providers p on p.organization_id = t.organization_id
        where t.secret_sha256 = ${sha256}`,
    ),
  );
  return row;
}

export interface TokenRow {
  id: string;
  name: string;
  hint: string;
  created_at: Date;
  created_by: string;
  created_by_name: string | null;
  last_used_at: Date | null;
}

export function listTokens(
  queries: Queryable,
  organizationId: string,
  rows: number,
): Promise<TokenRow[]> {
  return queries.query<TokenRow>(sql`
    select t.id, t.name, t.hint, t.created_at, t.created_by, u.name as created_by_name,
           t.last_used_at
    from scim_tokens t left join users u on u.id = t.created_by
    where t.organization_id = ${organizationId}
    order by t.id desc
    limit ${rows}`);
}

/** A concurrent creation waits, because the number of tokens is limited. */
export async function lockTokens(tx: Tx, organizationId: string): Promise<number> {
  await tx.query(sql`select id from organizations where id = ${organizationId} for update`);
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from scim_tokens where organization_id = ${organizationId}`);
  return row?.count ?? 0;
}

export async function insertToken(
  tx: Tx,
  organizationId: string,
  token: {
    id: string;
    name: string;
    secretSha256: Buffer;
    hint: string;
    createdBy: string;
    createdAt: Date;
  },
): Promise<void> {
  await tx.query(sql`
    insert into scim_tokens
      (id, organization_id, name, secret_sha256, hint, created_by, created_at)
    values (${token.id}, ${organizationId}, ${token.name}, ${token.secretSha256}, ${token.hint},
            ${token.createdBy}, ${token.createdAt})`);
}

export async function deleteToken(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`
    delete from scim_tokens where organization_id = ${organizationId} and id = ${id}
    returning name`);
  return row?.name;
}

/** Each token with its last use. */
export async function touchTokens(tx: Tx, uses: ReadonlyMap<string, Date>): Promise<void> {
  await tx.query(sql`
    update scim_tokens t set last_used_at = greatest(t.last_used_at, u.at)
    from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::timestamptz[]) as u (id, at)
    where t.id = u.id`);
}
