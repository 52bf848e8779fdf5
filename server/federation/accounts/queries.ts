// Statements about service accounts and their memberships in workspaces.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { WorkspaceRole } from "./schema.ts";

export interface ChangeStamps {
  created_at: Date;
  created_by: string | null;
  updated_at: Date;
  updated_by: string | null;
  archived_at: Date | null;
  archived_by: string | null;
}

export interface AccountRow extends ChangeStamps {
  id: string;
  name: string;
  description: string | null;
  organization_role: "developer" | "admin";
}

const columns: Statement = sql`
  id, name, description, organization_role, created_at, created_by, updated_at, updated_by,
  archived_at, archived_by`;

/** False when an unarchived one has that name. */
export async function insertAccount(
  tx: Tx,
  organizationId: string,
  account: Pick<AccountRow, "id" | "name" | "description" | "organization_role"> & {
    at: Date;
    by: string | null;
  },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into service_accounts
      (id, organization_id, name, description, organization_role, created_at, created_by,
       updated_at, updated_by)
    values (${account.id}, ${organizationId}, ${account.name}, ${account.description},
            ${account.organization_role}, ${account.at}, ${account.by}, ${account.at},
            ${account.by})
    on conflict (organization_id, name) where archived_at is null do nothing
    returning id`);
  return rows.length > 0;
}

export async function findAccount(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<AccountRow | undefined> {
  const [row] = await queries.query<AccountRow>(sql`
    select ${columns} from service_accounts
    where organization_id = ${organizationId} and id = ${id}`);
  return row;
}

/** Locked: changes of it, and rules for it, come one after the other. */
export async function lockAccount(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<AccountRow | undefined> {
  const [row] = await tx.query<AccountRow>(sql`
    select ${columns} from service_accounts
    where organization_id = ${organizationId} and id = ${id}
    for update`);
  return row;
}

export async function countAccounts(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from service_accounts
    where organization_id = ${organizationId} and archived_at is null`);
  return row?.count ?? 0;
}

export function listAccounts(
  queries: Queryable,
  organizationId: string,
  { after, withArchived, rows }: { after: string | null; withArchived: boolean; rows: number },
): Promise<AccountRow[]> {
  return queries.query<AccountRow>(sql`
    select ${columns} from service_accounts
    where organization_id = ${organizationId}
      and (${after}::text is null or id < ${after})
      and (${withArchived} or archived_at is null)
    order by id desc
    limit ${rows}`);
}

export async function updateAccount(
  tx: Tx,
  organizationId: string,
  id: string,
  change: Pick<AccountRow, "description" | "organization_role"> & { at: Date; by: string | null },
): Promise<void> {
  await tx.query(sql`
    update service_accounts
    set description = ${change.description}, organization_role = ${change.organization_role},
        updated_at = ${change.at}, updated_by = ${change.by}
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function archiveAccount(
  tx: Tx,
  organizationId: string,
  id: string,
  { at, by }: { at: Date; by: string | null },
): Promise<void> {
  await tx.query(sql`
    update service_accounts
    set archived_at = ${at}, archived_by = ${by}, updated_at = ${at}, updated_by = ${by}
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function findLiveRuleOf(
  tx: Tx,
  organizationId: string,
  accountId: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`
    select name from federation_rules
    where organization_id = ${organizationId} and service_account_id = ${accountId}
      and archived_at is null
    order by id
    limit 1`);
  return row?.name;
}

export interface MembershipRow {
  service_account_id: string;
  workspace_id: string;
  workspace_role: WorkspaceRole;
  created_by: string | null;
}

const membership: Statement = sql`
  m.service_account_id, m.workspace_id, m.workspace_role, m.created_by`;

export async function findMembership(
  queries: Queryable,
  organizationId: string,
  accountId: string,
  workspaceId: string,
): Promise<MembershipRow | undefined> {
  const [row] = await queries.query<MembershipRow>(sql`
    select ${membership} from service_account_workspaces m
    where m.organization_id = ${organizationId} and m.service_account_id = ${accountId}
      and m.workspace_id = ${workspaceId}`);
  return row;
}

export async function upsertMembership(
  tx: Tx,
  organizationId: string,
  row: MembershipRow & { at: Date },
): Promise<MembershipRow | undefined> {
  const [kept] = await tx.query<MembershipRow>(sql`
    insert into service_account_workspaces as m
      (organization_id, service_account_id, workspace_id, workspace_role, created_at, created_by)
    values (${organizationId}, ${row.service_account_id}, ${row.workspace_id},
            ${row.workspace_role}, ${row.at}, ${row.created_by})
    on conflict (service_account_id, workspace_id)
      do update set workspace_role = excluded.workspace_role
    returning ${membership}`);
  return kept;
}

export async function deleteMembership(
  tx: Tx,
  organizationId: string,
  accountId: string,
  workspaceId: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from service_account_workspaces
    where organization_id = ${organizationId} and service_account_id = ${accountId}
      and workspace_id = ${workspaceId}
    returning workspace_id`);
  return rows.length > 0;
}

export function listWorkspacesOf(
  queries: Queryable,
  organizationId: string,
  accountId: string,
  { after, rows }: { after: string | null; rows: number },
): Promise<MembershipRow[]> {
  return queries.query<MembershipRow>(sql`
    select ${membership} from service_account_workspaces m
    where m.organization_id = ${organizationId} and m.service_account_id = ${accountId}
      and (${after}::text is null or m.workspace_id < ${after})
    order by m.workspace_id desc
    limit ${rows}`);
}

export function listAccountsOf(
  queries: Queryable,
  organizationId: string,
  workspaceId: string,
  { after, rows }: { after: string | null; rows: number },
): Promise<MembershipRow[]> {
  return queries.query<MembershipRow>(sql`
    select ${membership}
    from service_account_workspaces m
    join service_accounts a on a.id = m.service_account_id
    where m.organization_id = ${organizationId} and m.workspace_id = ${workspaceId}
      and a.archived_at is null
      and (${after}::text is null or m.service_account_id < ${after})
    order by m.service_account_id desc
    limit ${rows}`);
}
