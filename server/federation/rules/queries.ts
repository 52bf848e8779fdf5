// Statements about rules and the workspaces they are enabled for.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { ChangeStamps } from "../accounts/queries.ts";
import type { Match } from "../schema.ts";

export interface RuleRow extends ChangeStamps {
  id: string;
  organization_id: string;
  name: string;
  description: string | null;
  issuer_id: string;
  issuer_name: string;
  match: Match;
  service_account_id: string;
  service_account_name: string;
  account_role: "developer" | "admin";
  account_archived: boolean;
  scopes: string[];
  token_lifetime_seconds: number;
  applies_to_all_workspaces: boolean;
  /** Newest last. */
  workspace_ids: string[];
}

const columns: Statement = sql`
  r.id, r.organization_id, r.name, r.description, r.issuer_id, i.name as issuer_name, r.match,
  r.service_account_id, a.name as service_account_name, a.organization_role as account_role,
  a.archived_at is not null as account_archived, r.scopes, r.token_lifetime_seconds,
  r.applies_to_all_workspaces, r.created_at, r.created_by, r.updated_at, r.updated_by,
  r.archived_at, r.archived_by,
  array(select w.workspace_id from federation_rule_workspaces w
        where w.rule_id = r.id order by w.workspace_id) as workspace_ids`;
const tables: Statement = sql`
  federation_rules r
  join federation_issuers i on i.id = r.issuer_id
  join service_accounts a on a.id = r.service_account_id`;

export interface RuleFields {
  name: string;
  description: string | null;
  match: Match;
  service_account_id: string;
  scopes: readonly string[];
  token_lifetime_seconds: number;
  applies_to_all_workspaces: boolean;
}

interface Act {
  at: Date;
  by: string | null;
}

/** False when an unarchived one has that name. */
export async function insertRule(
  tx: Tx,
  organizationId: string,
  rule: RuleFields & Act & { id: string; issuer_id: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into federation_rules
      (id, organization_id, name, description, issuer_id, match, service_account_id, scopes,
       token_lifetime_seconds, applies_to_all_workspaces, created_at, created_by, updated_at,
       updated_by)
    values
      (${rule.id}, ${organizationId}, ${rule.name}, ${rule.description}, ${rule.issuer_id},
       ${JSON.stringify(rule.match)}::jsonb, ${rule.service_account_id}, ${rule.scopes},
       ${rule.token_lifetime_seconds}, ${rule.applies_to_all_workspaces}, ${rule.at}, ${rule.by},
       ${rule.at}, ${rule.by})
    on conflict (organization_id, name) where archived_at is null do nothing
    returning id`);
  return rows.length > 0;
}

export async function findRule(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<RuleRow | undefined> {
  const [row] = await queries.query<RuleRow>(sql`
    select ${columns} from ${tables}
    where r.organization_id = ${organizationId} and r.id = ${id}`);
  return row;
}

export async function lockRule(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<RuleRow | undefined> {
  await tx.query(sql`
    select id from federation_rules
    where organization_id = ${organizationId} and id = ${id}
    for update`);
  return findRule(tx, organizationId, id);
}

/** Another unarchived one, which has that name already. */
export async function isRuleNameTaken(
  tx: Tx,
  organizationId: string,
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select id from federation_rules
    where organization_id = ${organizationId} and name = ${name} and id <> ${id}
      and archived_at is null`);
  return rows.length > 0;
}

export async function countRules(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from federation_rules
    where organization_id = ${organizationId} and archived_at is null`);
  return row?.count ?? 0;
}

export interface RuleWindow {
  after: string | null;
  issuerId: string | null;
  withArchived: boolean;
  rows: number;
}

export function listRules(
  queries: Queryable,
  organizationId: string,
  { after, issuerId, withArchived, rows }: RuleWindow,
): Promise<RuleRow[]> {
  return queries.query<RuleRow>(sql`
    select ${columns} from ${tables}
    where r.organization_id = ${organizationId}
      and (${after}::text is null or r.id < ${after})
      and (${issuerId}::text is null or r.issuer_id = ${issuerId})
      and (${withArchived} or r.archived_at is null)
    order by r.id desc
    limit ${rows}`);
}

export async function updateRule(
  tx: Tx,
  organizationId: string,
  id: string,
  rule: RuleFields & Act,
): Promise<void> {
  await tx.query(sql`
    update federation_rules
    set name = ${rule.name}, description = ${rule.description},
        match = ${JSON.stringify(rule.match)}::jsonb,
        service_account_id = ${rule.service_account_id}, scopes = ${rule.scopes},
        token_lifetime_seconds = ${rule.token_lifetime_seconds},
        applies_to_all_workspaces = ${rule.applies_to_all_workspaces},
        updated_at = ${rule.at}, updated_by = ${rule.by}
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function archiveRule(
  tx: Tx,
  organizationId: string,
  id: string,
  { at, by }: Act,
): Promise<void> {
  await tx.query(sql`
    update federation_rules
    set archived_at = ${at}, archived_by = ${by}, updated_at = ${at}, updated_by = ${by}
    where organization_id = ${organizationId} and id = ${id}`);
  await tx.query(sql`
    delete from federation_rule_workspaces
    where organization_id = ${organizationId} and rule_id = ${id}`);
}

export interface RuleWorkspaceRow {
  workspace_id: string;
  workspace_name: string;
  created_at: Date;
  created_by: string | null;
}

export function listWorkspaces(
  queries: Queryable,
  organizationId: string,
  ruleId: string,
  { after, rows }: { after: string | null; rows: number },
): Promise<RuleWorkspaceRow[]> {
  return queries.query<RuleWorkspaceRow>(sql`
    select e.workspace_id, w.name as workspace_name, e.created_at, e.created_by
    from federation_rule_workspaces e join workspaces w on w.id = e.workspace_id
    where e.organization_id = ${organizationId} and e.rule_id = ${ruleId}
      and (${after}::text is null or e.workspace_id > ${after})
    order by e.workspace_id
    limit ${rows}`);
}

/** False where it was enabled already. */
export async function enableWorkspace(
  tx: Tx,
  organizationId: string,
  { ruleId, workspaceId, at, by }: Act & { ruleId: string; workspaceId: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into federation_rule_workspaces
      (organization_id, rule_id, workspace_id, created_at, created_by)
    values (${organizationId}, ${ruleId}, ${workspaceId}, ${at}, ${by})
    on conflict (rule_id, workspace_id) do nothing
    returning workspace_id`);
  return rows.length > 0;
}

export async function disableWorkspace(
  tx: Tx,
  organizationId: string,
  ruleId: string,
  workspaceId: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from federation_rule_workspaces
    where organization_id = ${organizationId} and rule_id = ${ruleId}
      and workspace_id = ${workspaceId}
    returning workspace_id`);
  return rows.length > 0;
}

export interface RefusalRow {
  id: string;
  at: Date;
  address: string;
  reason: string;
  sentence: string;
  subject: string | null;
}

export function listRefusals(
  queries: Queryable,
  organizationId: string,
  ruleId: string,
  rows: number,
): Promise<RefusalRow[]> {
  return queries.query<RefusalRow>(sql`
    select id, at, address, reason, sentence, subject
    from token_refusals
    where organization_id = ${organizationId} and rule_id = ${ruleId}
    order by id desc
    limit ${rows}`);
}

/** Rule, issuer and account, locked until the token is made; undefined where one is archived. */
export async function lockLiveRuleAndAccount(
  tx: Tx,
  organizationId: string,
  ruleId: string,
  accountId: string,
): Promise<"developer" | "admin" | undefined> {
  const [row] = await tx.query<{ organization_role: "developer" | "admin" }>(sql`
    select a.organization_role
    from ${tables}
    where r.organization_id = ${organizationId} and r.id = ${ruleId} and a.id = ${accountId}
      and r.archived_at is null and i.archived_at is null and a.archived_at is null
    for share of r, i, a`);
  return row?.organization_role;
}
