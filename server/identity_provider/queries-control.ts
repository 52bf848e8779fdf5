// Statements about what an identity provider controls, and which organization an e-mail domain belongs to.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface ProviderRow {
  name: string;
  provisioning: "none" | "jit" | "scim";
  controls_roles: boolean;
  controls_groups: boolean;
  default_role: string;
  updated_at: Date;
}

export interface ProviderInForce extends ProviderRow {
  /** Whether people sign in by the provider now. */
  signs_in: boolean;
}

export async function findProvider(
  queries: Queryable,
  organizationId: string,
): Promise<ProviderInForce | undefined> {
  const [row] = await queries.query<ProviderInForce>(sql`
    select p.name, p.provisioning, p.controls_roles, p.controls_groups, p.default_role, p.updated_at,
           coalesce(c.enabled, false) as signs_in
    from identity_providers p
    left join sign_on_connections c on c.organization_id = p.organization_id
    where p.organization_id = ${organizationId}`);
  return row;
}

export async function saveProvider(
  tx: Tx,
  organizationId: string,
  row: ProviderRow,
): Promise<void> {
  await tx.query(sql`
    insert into identity_providers
      (organization_id, name, provisioning, controls_roles, controls_groups, default_role, updated_at)
    values (${organizationId}, ${row.name}, ${row.provisioning}, ${row.controls_roles},
            ${row.controls_groups}, ${row.default_role}, ${row.updated_at})
    on conflict (organization_id) do update
    set name = excluded.name, provisioning = excluded.provisioning,
        controls_roles = excluded.controls_roles, controls_groups = excluded.controls_groups,
        default_role = excluded.default_role, updated_at = excluded.updated_at`);
}

/** Across organizations: a person who signs in has not named one yet. */
export async function findCapture(
  queries: Queryable,
  domain: string,
): Promise<{ organization_id: string; domain: string } | undefined> {
  const [row] = await queries.query<{ organization_id: string; domain: string }>(sql`
    select organization_id, domain
    from email_domains
    where domain = ${domain} and verified_at is not null`);
  return row;
}

export function listDomainNames(
  queries: Queryable,
  organizationId: string,
): Promise<{ domain: string; is_verified: boolean }[]> {
  return queries.query<{ domain: string; is_verified: boolean }>(sql`
    select domain, verified_at is not null as is_verified
    from email_domains
    where organization_id = ${organizationId}
    order by domain
    limit 1000`);
}

export async function findInviteRule(queries: Queryable, organizationId: string): Promise<boolean> {
  const [row] = await queries.query<{ invites_own_domains: boolean }>(sql`
    select invites_own_domains from organizations where id = ${organizationId}`);
  return row?.invites_own_domains ?? false;
}

export async function setInviteRule(
  tx: Tx,
  organizationId: string,
  ownDomains: boolean,
): Promise<void> {
  await tx.query(sql`
    update organizations set invites_own_domains = ${ownDomains} where id = ${organizationId}`);
}

/** Two owners who change the settings come one after the other. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`select id from organizations where id = ${organizationId} for update`);
}
