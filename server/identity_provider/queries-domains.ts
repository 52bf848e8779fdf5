// Statements about the e-mail domains that organizations claim.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface DomainRow {
  id: string;
  domain: string;
  proof: string;
  created_at: Date;
  checked_at: Date | null;
  verified_at: Date | null;
  verified_by: "dns" | "operator" | null;
}

const columns = sql`id, domain, proof, created_at, checked_at, verified_at, verified_by`;

export function listDomains(
  queries: Queryable,
  organizationId: string,
  rows: number,
): Promise<DomainRow[]> {
  return queries.query<DomainRow>(sql`
    select ${columns} from email_domains
    where organization_id = ${organizationId}
    order by domain
    limit ${rows}`);
}

export async function findClaim(
  queries: Queryable,
  organizationId: string,
  domain: string,
): Promise<DomainRow | undefined> {
  const [row] = await queries.query<DomainRow>(sql`
    select ${columns} from email_domains
    where organization_id = ${organizationId} and domain = ${domain}`);
  return row;
}

export async function findDomain(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<DomainRow | undefined> {
  const [row] = await queries.query<DomainRow>(sql`
    select ${columns} from email_domains
    where organization_id = ${organizationId} and id = ${id}`);
  return row;
}

/** Concurrent claims wait for each other, because their number is limited. */
export async function lockDomains(tx: Tx, organizationId: string): Promise<number> {
  await tx.query(sql`select id from organizations where id = ${organizationId} for update`);
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from email_domains where organization_id = ${organizationId}`);
  return row?.count ?? 0;
}

export async function insertDomain(
  tx: Tx,
  organizationId: string,
  { id, domain, proof, at }: { id: string; domain: string; proof: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into email_domains (id, organization_id, domain, proof, created_at)
    values (${id}, ${organizationId}, ${domain}, ${proof}, ${at})
    on conflict do nothing`);
}

/** `by` null: looked up, and not found. */
export async function setChecked(
  tx: Tx,
  organizationId: string,
  id: string,
  { at, by }: { at: Date; by: "dns" | "operator" | null },
): Promise<void> {
  await tx.query(sql`
    update email_domains
    set checked_at = ${at}, verified_by = ${by},
        verified_at = case when ${by}::text is null then null else ${at}::timestamptz end
    where organization_id = ${organizationId} and id = ${id} and verified_at is null`);
}

export async function deleteDomain(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ domain: string }>(sql`
    delete from email_domains
    where organization_id = ${organizationId} and id = ${id}
    returning domain`);
  return row?.domain;
}
