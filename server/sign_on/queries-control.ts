// Statements about what an identity provider controls, and whose e-mail domain is whose.
import type { Queries } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface ProviderRow {
  name: string;
  provisioning: "none" | "jit" | "scim";
  controls_roles: boolean;
  controls_groups: boolean;
  updated_at: Date;
}

export async function findProvider(
  queries: Queries,
  organizationId: string,
): Promise<ProviderRow | undefined> {
  const [row] = await queries.query<ProviderRow>(sql`
    select name, provisioning, controls_roles, controls_groups, updated_at
    from identity_providers
    where organization_id = ${organizationId}`);
  return row;
}

/** Across organizations: whoever signs in has not said yet which one is meant. */
export async function findCapture(
  queries: Queries,
  domain: string,
): Promise<{ organization_id: string; domain: string } | undefined> {
  const [row] = await queries.query<{ organization_id: string; domain: string }>(sql`
    select organization_id, domain
    from email_domains
    where domain = ${domain} and verified_at is not null`);
  return row;
}

export function listDomainNames(
  queries: Queries,
  organizationId: string,
): Promise<{ domain: string; is_verified: boolean }[]> {
  return queries.query<{ domain: string; is_verified: boolean }>(sql`
    select domain, verified_at is not null as is_verified
    from email_domains
    where organization_id = ${organizationId}
    order by domain
    limit 1000`);
}

export async function findInviteRule(queries: Queries, organizationId: string): Promise<boolean> {
  const [row] = await queries.query<{ invites_own_domains: boolean }>(sql`
    select invites_own_domains from organizations where id = ${organizationId}`);
  return row?.invites_own_domains ?? false;
}
