// Statements about issuers and their keys.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { ChangeStamps } from "../accounts/queries.ts";
import type { KeySource } from "../schema.ts";

export type Jwk = Record<string, unknown>;

export interface IssuerRow extends ChangeStamps {
  id: string;
  organization_id: string;
  name: string;
  issuer_url: string;
  jwks: KeySource;
  check_jti: boolean;
  max_jwt_lifetime_seconds: number;
  keys: Jwk[] | null;
  asked_at: Date | null;
  fetched_at: Date | null;
  consecutive_failures: number;
  last_failure: string | null;
  next_poll_at: Date | null;
  polling_disabled_at: Date | null;
  source_version: number;
}

const columns: Statement = sql`
  id, organization_id, name, issuer_url, jwks, check_jti, max_jwt_lifetime_seconds, keys, asked_at,
  fetched_at, consecutive_failures, last_failure, next_poll_at, polling_disabled_at,
  source_version, created_at, created_by, updated_at, updated_by, archived_at, archived_by`;

export interface NewIssuer {
  id: string;
  name: string;
  issuerUrl: string;
  jwks: KeySource;
  checkJti: boolean;
  maxLifetime: number;
  keys: readonly Jwk[] | null;
  nextPollAt: Date | null;
  at: Date;
  by: string | null;
}

/** False when an unarchived one has that name. */
export async function insertIssuer(
  tx: Tx,
  organizationId: string,
  issuer: NewIssuer,
): Promise<boolean> {
  const keys = issuer.keys === null ? null : JSON.stringify(issuer.keys);
  const rows = await tx.query(sql`
    insert into federation_issuers
      (id, organization_id, name, issuer_url, jwks, check_jti, max_jwt_lifetime_seconds, keys,
       next_poll_at, created_at, created_by, updated_at, updated_by)
    values
      (${issuer.id}, ${organizationId}, ${issuer.name}, ${issuer.issuerUrl},
       ${JSON.stringify(issuer.jwks)}::jsonb, ${issuer.checkJti}, ${issuer.maxLifetime},
       ${keys}::jsonb, ${issuer.nextPollAt}, ${issuer.at}, ${issuer.by}, ${issuer.at},
       ${issuer.by})
    on conflict (organization_id, name) where archived_at is null do nothing
    returning id`);
  return rows.length > 0;
}

export async function findIssuer(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<IssuerRow | undefined> {
  const [row] = await queries.query<IssuerRow>(sql`
    select ${columns} from federation_issuers
    where organization_id = ${organizationId} and id = ${id}`);
  return row;
}

export async function lockIssuer(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<IssuerRow | undefined> {
  const [row] = await tx.query<IssuerRow>(sql`
    select ${columns} from federation_issuers
    where organization_id = ${organizationId} and id = ${id}
    for update`);
  return row;
}

/** Another unarchived one, which has that name already. */
export async function isIssuerNameTaken(
  tx: Tx,
  organizationId: string,
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select id from federation_issuers
    where organization_id = ${organizationId} and name = ${name} and id <> ${id}
      and archived_at is null`);
  return rows.length > 0;
}

export async function countIssuers(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from federation_issuers
    where organization_id = ${organizationId} and archived_at is null`);
  return row?.count ?? 0;
}

export function listIssuers(
  queries: Queryable,
  organizationId: string,
  { after, withArchived, rows }: { after: string | null; withArchived: boolean; rows: number },
): Promise<IssuerRow[]> {
  return queries.query<IssuerRow>(sql`
    select ${columns} from federation_issuers
    where organization_id = ${organizationId}
      and (${after}::text is null or id < ${after})
      and (${withArchived} or archived_at is null)
    order by id desc
    limit ${rows}`);
}

export type IssuerChange = Pick<
  IssuerRow,
  | "name"
  | "issuer_url"
  | "jwks"
  | "check_jti"
  | "max_jwt_lifetime_seconds"
  | "keys"
  | "fetched_at"
  | "asked_at"
  | "consecutive_failures"
  | "last_failure"
  | "next_poll_at"
  | "polling_disabled_at"
  | "source_version"
>;

export async function updateIssuer(
  tx: Tx,
  organizationId: string,
  id: string,
  row: IssuerChange & { at: Date; by: string | null },
): Promise<void> {
  const keys = row.keys === null ? null : JSON.stringify(row.keys);
  await tx.query(sql`
    update federation_issuers
    set name = ${row.name}, issuer_url = ${row.issuer_url},
        jwks = ${JSON.stringify(row.jwks)}::jsonb, check_jti = ${row.check_jti},
        max_jwt_lifetime_seconds = ${row.max_jwt_lifetime_seconds}, keys = ${keys}::jsonb,
        fetched_at = ${row.fetched_at}, asked_at = ${row.asked_at},
        consecutive_failures = ${row.consecutive_failures}, last_failure = ${row.last_failure},
        next_poll_at = ${row.next_poll_at}, polling_disabled_at = ${row.polling_disabled_at},
        source_version = ${row.source_version}, updated_at = ${row.at}, updated_by = ${row.by}
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function archiveIssuer(
  tx: Tx,
  organizationId: string,
  id: string,
  { at, by }: { at: Date; by: string | null },
): Promise<void> {
  await tx.query(sql`
    update federation_issuers
    set archived_at = ${at}, archived_by = ${by}, updated_at = ${at}, updated_by = ${by},
        next_poll_at = null
    where organization_id = ${organizationId} and id = ${id}`);
}

/** Rule FED5: claims the fetch for this process; the others must wait for a while. */
export async function claimFetch(
  tx: Tx,
  organizationId: string,
  id: string,
  { at, askedBefore }: { at: Date; askedBefore: Date },
): Promise<IssuerRow | undefined> {
  const [row] = await tx.query<IssuerRow>(sql`
    update federation_issuers set asked_at = ${at}
    where organization_id = ${organizationId} and id = ${id} and archived_at is null
      and (asked_at is null or asked_at <= ${askedBefore})
    returning ${columns}`);
  return row;
}

/** Changes nothing where another process has fetched since. */
export async function endPause(
  tx: Tx,
  organizationId: string,
  id: string,
  askedAt: Date,
): Promise<void> {
  await tx.query(sql`
    update federation_issuers set asked_at = null
    where organization_id = ${organizationId} and id = ${id} and asked_at = ${askedAt}`);
}

/** Rule FED4, across organizations: each is postponed first, so that no other process takes it as well. */
export function claimDue(
  tx: Tx,
  { now, again, rows }: { now: Date; again: Date; rows: number },
): Promise<IssuerRow[]> {
  return tx.query<IssuerRow>(sql`
    update federation_issuers set next_poll_at = ${again}
    where id in
      (select id from federation_issuers
       where next_poll_at <= ${now}
       order by next_poll_at
       limit ${rows}
       for update skip locked)
    returning ${columns}`);
}

/** Changes nothing where the source of the keys has changed since. */
export async function storeKeys(
  tx: Tx,
  organizationId: string,
  { id, source_version }: Pick<IssuerRow, "id" | "source_version">,
  { keys, at, nextPollAt }: { keys: readonly Jwk[]; at: Date; nextPollAt: Date },
): Promise<void> {
  await tx.query(sql`
    update federation_issuers
    set keys = ${JSON.stringify(keys)}::jsonb, fetched_at = ${at}, consecutive_failures = 0,
        last_failure = null, next_poll_at = ${nextPollAt}
    where organization_id = ${organizationId} and id = ${id}
      and source_version = ${source_version} and archived_at is null
      and polling_disabled_at is null`);
}

export async function noteFailure(
  tx: Tx,
  organizationId: string,
  { id, source_version }: Pick<IssuerRow, "id" | "source_version">,
  failure: { why: string; failures: number; nextPollAt: Date | null; disabledAt: Date | null },
): Promise<void> {
  await tx.query(sql`
    update federation_issuers
    set consecutive_failures = ${failure.failures}, last_failure = ${failure.why},
        next_poll_at = ${failure.nextPollAt}, polling_disabled_at = ${failure.disabledAt}
    where organization_id = ${organizationId} and id = ${id}
      and source_version = ${source_version} and archived_at is null
      and polling_disabled_at is null`);
}

/** Unarchived rules of the issuer. */
export function listLiveRules(
  queries: Queryable,
  organizationId: string,
  issuerId: string,
): Promise<{ id: string; name: string; scopes: string[]; match: unknown }[]> {
  return queries.query(sql`
    select id, name, scopes, match from federation_rules
    where organization_id = ${organizationId} and issuer_id = ${issuerId}
      and archived_at is null
    order by id
    limit 1000`);
}

/** False when the jti was used before. */
export async function insertJti(
  tx: Tx,
  issuerId: string,
  { sha256, expiresAt }: { sha256: Buffer; expiresAt: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into federation_jtis (issuer_id, jti_sha256, expires_at)
    values (${issuerId}, ${sha256}, ${expiresAt})
    on conflict (issuer_id, jti_sha256) do nothing
    returning issuer_id`);
  return rows.length > 0;
}

export async function hasJti(
  queries: Queryable,
  issuerId: string,
  sha256: Buffer,
): Promise<boolean> {
  const rows = await queries.query(sql`
    select 1 as one from federation_jtis
    where issuer_id = ${issuerId} and jti_sha256 = ${sha256}`);
  return rows.length > 0;
}

export async function deleteEndedJtis(tx: Tx, before: Date, rows: number): Promise<void> {
  await tx.query(sql`
    delete from federation_jtis where (issuer_id, jti_sha256) in
      (select issuer_id, jti_sha256 from federation_jtis where expires_at < ${before}
       order by expires_at limit ${rows})`);
}
