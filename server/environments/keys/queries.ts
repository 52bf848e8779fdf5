// Statements about the keys of environments.
import type { OrganizationType } from "../../../kernel/context.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";

export interface KeyRow {
  id: string;
  environmentId: string;
  name: string | null;
  hint: string;
  createdBy: string;
  createdAt: Date;
  revokedAt: Date | null;
}

const columns = sql`id, environment_id as "environmentId", name, hint, created_by as "createdBy",
  created_at as "createdAt", revoked_at as "revokedAt"`;

/** Whose a secret is, revoked or not. */
export interface KnownEnvironmentKey {
  id: string;
  name: string | null;
  organizationId: string;
  organizationType: OrganizationType;
  workspaceId: string;
  environmentId: string;
  revokedAt: Date | null;
}

export async function findBySecret(
  on: Queryable,
  secretSha256: Buffer,
): Promise<KnownEnvironmentKey | undefined> {
  const [row] = await on.query<KnownEnvironmentKey>(
    preparedAs(
      "environment_keys_find_by_secret",
      sql`
        select k.id, k.name, k.organization_id as "organizationId", o.type as "organizationType",
          k.workspace_id as "workspaceId", k.environment_id as "environmentId",
          k.revoked_at as "revokedAt"
        from environment_keys k join organizations o on o.id = k.organization_id
        where k.secret_sha256 = ${secretSha256}`,
    ),
  );
  return row;
}

export function listKeys(
  on: Queryable,
  workspaceId: string,
  environmentId: string,
  { before, rows }: { before: string | null; rows: number },
): Promise<KeyRow[]> {
  return on.query<KeyRow>(sql`
    select ${columns} from environment_keys
    where workspace_id = ${workspaceId} and environment_id = ${environmentId}
      and (${before}::text is null or id < ${before})
    order by id desc limit ${rows}`);
}

export async function countKeys(
  tx: Tx,
  workspaceId: string,
  environmentId: string,
): Promise<number> {
  const [row] = await tx.query<{ keys: number }>(sql`
    select count(*)::int as keys from environment_keys
    where workspace_id = ${workspaceId} and environment_id = ${environmentId}
      and revoked_at is null`);
  return row?.keys ?? 0;
}

export async function insertKey(
  tx: Tx,
  workspaceId: string,
  key: KeyRow & { organizationId: string; secretSha256: Buffer },
): Promise<void> {
  await tx.query(sql`
    insert into environment_keys (id, organization_id, workspace_id, environment_id, name,
      secret_sha256, hint, created_by, created_at)
    values (${key.id}, ${key.organizationId}, ${workspaceId}, ${key.environmentId}, ${key.name},
      ${key.secretSha256}, ${key.hint}, ${key.createdBy}, ${key.createdAt})`);
}

export async function findKey(
  on: Queryable,
  workspaceId: string,
  environmentId: string,
  id: string,
): Promise<KeyRow | undefined> {
  const [row] = await on.query<KeyRow>(sql`
    select ${columns} from environment_keys
    where workspace_id = ${workspaceId} and environment_id = ${environmentId} and id = ${id}`);
  return row;
}

export async function setRevoked(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await tx.query(sql`
    update environment_keys set revoked_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id}`);
}
