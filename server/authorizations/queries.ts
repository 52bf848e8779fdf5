// Statements about authorizations. A secret or a code is looked up before the organization is known.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { TokenResource } from "../tokens/module.ts";

export interface AuthorizationRow {
  id: string;
  client_id: string;
  scopes: string[];
  workspace_id: string | null;
  resource: TokenResource | null;
  interval_seconds: number | null;
  polled_at: Date | null;
  code_challenge: string | null;
  redirect_uri: string | null;
  address: string;
  user_agent: string;
  created_at: Date;
  expires_at: Date;
  opened_by: string | null;
  organization_id: string | null;
  user_id: string | null;
  decision: "granted" | "denied" | null;
  used_at: Date | null;
  family_id: string | null;
}

const columns = sql`
  id, client_id, scopes, workspace_id, resource, interval_seconds, polled_at, code_challenge,
  redirect_uri, address, user_agent, created_at, expires_at, opened_by, organization_id, user_id,
  decision, used_at, family_id`;

export interface NewDevice {
  id: string;
  clientId: string;
  scopes: readonly string[];
  workspaceId: string | null;
  userCode: string;
  deviceSha256: Buffer;
  intervalSeconds: number;
  address: string;
  userAgent: string;
  at: Date;
  expiresAt: Date;
}

/** False when the user code exists already: codes are short. */
export async function insertDevice(tx: Tx, row: NewDevice): Promise<boolean> {
  const made = await tx.query(sql`
    insert into authorizations
      (id, client_id, scopes, workspace_id, user_code, device_sha256, interval_seconds, address,
       user_agent, created_at, expires_at)
    values (${row.id}, ${row.clientId}, ${row.scopes}, ${row.workspaceId}, ${row.userCode},
            ${row.deviceSha256}, ${row.intervalSeconds}, ${row.address}, ${row.userAgent}, ${row.at},
            ${row.expiresAt})
    on conflict (user_code) do nothing
    returning id`);
  return made.length === 1;
}

export interface NewCode {
  id: string;
  clientId: string;
  scopes: readonly string[];
  workspaceId: string | null;
  resource: TokenResource | null;
  codeSha256: Buffer;
  codeChallenge: string;
  redirectUri: string;
  address: string;
  userAgent: string;
  at: Date;
  expiresAt: Date;
  openedBy: string;
  userId: string;
}

export async function insertCode(tx: Tx, organizationId: string, row: NewCode): Promise<void> {
  await tx.query(sql`
    insert into authorizations
      (id, client_id, scopes, workspace_id, resource, code_sha256, code_challenge, redirect_uri,
       address, user_agent, created_at, expires_at, opened_by, organization_id, user_id, decision,
       decided_at)
    values (${row.id}, ${row.clientId}, ${row.scopes}, ${row.workspaceId}, ${row.resource},
            ${row.codeSha256}, ${row.codeChallenge}, ${row.redirectUri}, ${row.address},
            ${row.userAgent}, ${row.at}, ${row.expiresAt}, ${row.openedBy}, ${organizationId},
            ${row.userId}, 'granted', ${row.at})`);
}

export async function lockDevice(
  tx: Tx,
  deviceSha256: Buffer,
): Promise<AuthorizationRow | undefined> {
  const [row] = await tx.query<AuthorizationRow>(sql`
    select ${columns} from authorizations where device_sha256 = ${deviceSha256} for update`);
  return row;
}

export async function lockCode(tx: Tx, codeSha256: Buffer): Promise<AuthorizationRow | undefined> {
  const [row] = await tx.query<AuthorizationRow>(sql`
    select ${columns} from authorizations where code_sha256 = ${codeSha256} for update`);
  return row;
}

export async function lockUserCode(
  tx: Tx,
  userCode: string,
): Promise<AuthorizationRow | undefined> {
  const [row] = await tx.query<AuthorizationRow>(sql`
    select ${columns} from authorizations where user_code = ${userCode} for update`);
  return row;
}

export async function notePoll(tx: Tx, id: string, at: Date, seconds: number): Promise<void> {
  await tx.query(sql`
    update authorizations set polled_at = ${at}, interval_seconds = ${seconds} where id = ${id}`);
}

export async function noteOpened(tx: Tx, id: string, signInId: string): Promise<void> {
  await tx.query(sql`update authorizations set opened_by = ${signInId} where id = ${id}`);
}

export async function decide(
  tx: Tx,
  organizationId: string,
  id: string,
  row: { userId: string; decision: "granted" | "denied"; scopes: readonly string[]; at: Date },
): Promise<void> {
  await tx.query(sql`
    update authorizations
    set organization_id = ${organizationId}, user_id = ${row.userId}, decision = ${row.decision},
        scopes = ${row.scopes}, decided_at = ${row.at}
    where id = ${id}`);
}

export async function noteUsed(tx: Tx, id: string, at: Date, familyId: string): Promise<void> {
  await tx.query(sql`
    update authorizations set used_at = ${at}, family_id = ${familyId} where id = ${id}`);
}

/** Kept for an hour longer: a code that is used twice must be recognized. */
export async function deleteOld(tx: Tx, before: Date): Promise<void> {
  await tx.query(sql`delete from authorizations where expires_at < ${before}`);
  await tx.query(sql`delete from authorization_failures where at < ${before}`);
}

export async function insertFailure(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx.query(sql`
    insert into authorization_failures (user_id, at) values (${userId}, ${at})`);
}

export async function countFailures(queries: Queryable, userId: string, since: Date) {
  const [row] = await queries.query<{ count: number; oldest: Date | null }>(sql`
    select count(*) as count, min(at) as oldest
    from authorization_failures where user_id = ${userId} and at > ${since}`);
  return { count: row?.count ?? 0, oldest: row?.oldest ?? null };
}
