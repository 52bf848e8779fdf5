// Statements about the e-mail domains that organizations claim.
import type { Queries, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface DomainRow {
  domain: string;
  proof: string;
  created_at: Date;
  checked_at: Date | null;
  verified_at: Date | null;
  verified_by: "dns" | "operator" | null;
}

const columns = sql`domain, proof, created_at, checked_at, verified_at, verified_by`;

export function listDomains(
  queries: Queries,
  organizationId: string,
  rows: number,
): Promise<DomainRow[]> {
  return queries.query<DomainRow>(sql`
    select ${columns} from email_domains
    where organization_id = ${organizationId}
    order by domain
    limit ${rows}`);
}

export async function findDomain(
  queries: Queries,
  organizationId: string,
  domain: string,
): Promise<DomainRow | undefined> {
  const [row] = await queries.query<DomainRow>(sql`
    select ${columns} from email_domains
    where organization_id = ${organizationId} and domain = ${domain}`);
  return row;
}

/** Whoever claims one waits for others who do: their number has a limit. */
export async function lockDomains(tx: Tx, organizationId: string): Promise<number> {
  await tx.query(sql`select id from organizations where id = ${organizationId} for update`);
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from email_domains where organization_id = ${organizationId}`);
  return row?.count ?? 0;
}

export async function insertDomain(
  tx: Tx,
  organizationId: string,
  { domain, proof, at }: { domain: string; proof: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into email_domains (organization_id, domain, proof, created_at)
    values (${organizationId}, ${domain}, ${proof}, ${at})
    on conflict do nothing`);
}

/** `by` null: looked, and not found. */
export async function setChecked(
  tx: Tx,
  organizationId: string,
  domain: string,
  { at, by }: { at: Date; by: "dns" | "operator" | null },
): Promise<void> {
  await tx.query(sql`
    update email_domains
    set checked_at = ${at}, verified_by = ${by},
        verified_at = case when ${by}::text is null then null else ${at}::timestamptz end
    where organization_id = ${organizationId} and domain = ${domain} and verified_at is null`);
}

export async function deleteDomain(
  tx: Tx,
  organizationId: string,
  domain: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from email_domains
    where organization_id = ${organizationId} and domain = ${domain}
    returning domain`);
  return rows.length > 0;
}
