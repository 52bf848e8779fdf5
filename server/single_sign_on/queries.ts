// Statements about connections to identity providers.
import type { OrganizationType } from "../../kernel/context.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { RoleRule, TestReport } from "./schema.ts";

export interface ConnectionRow {
  organization_id: string;
  organization_name: string;
  organization_type: OrganizationType;
  required: boolean;
  issuer: string;
  client_id: string;
  client_secret: string;
  scopes: string[];
  email_claim: string;
  name_claim: string;
  groups_claim: string | null;
  trusts_emails: boolean;
  role_rules: RoleRule[];
  enabled: boolean;
  version: string;
  tested_at: Date | null;
  test_passed: boolean | null;
  test_report: TestReport | null;
  created_at: Date;
  updated_at: Date;
}

export async function findConnection(
  queries: Queryable,
  organizationId: string,
): Promise<ConnectionRow | undefined> {
  const [row] = await queries.query<ConnectionRow>(sql`
    select c.organization_id, o.name as organization_name, o.type as organization_type,
           o.single_sign_on_required as required, c.issuer, c.client_id, c.client_secret, c.scopes,
           c.email_claim, c.name_claim, c.groups_claim, c.trusts_emails, c.role_rules, c.enabled,
           c.version, c.tested_at, c.test_passed, c.test_report,
           c.created_at, c.updated_at
    from sign_on_connections c join organizations o on o.id = c.organization_id
    where c.organization_id = ${organizationId}`);
  return row;
}

/** Two owners at once: one after the other. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`select id from organizations where id = ${organizationId} for update`);
}

export type NewConnection = Pick<
  ConnectionRow,
  | "issuer"
  | "client_id"
  | "client_secret"
  | "scopes"
  | "email_claim"
  | "name_claim"
  | "groups_claim"
  | "trusts_emails"
  | "role_rules"
  | "version"
>;

/** Changed settings are untested: knowledge of the old ones is dropped where the provider changes. */
export async function putConnection(
  tx: Tx,
  organizationId: string,
  connection: NewConnection,
  { at, keepsTest }: { at: Date; keepsTest: boolean },
): Promise<void> {
  const { role_rules: rules } = connection;
  await tx.query(sql`
    insert into sign_on_connections
      (organization_id, issuer, client_id, client_secret, scopes, email_claim, name_claim,
       groups_claim, trusts_emails, role_rules, enabled, version, created_at,
       updated_at)
    values (${organizationId}, ${connection.issuer}, ${connection.client_id},
            ${connection.client_secret}, ${connection.scopes}, ${connection.email_claim},
            ${connection.name_claim}, ${connection.groups_claim}, ${connection.trusts_emails},
            ${JSON.stringify(rules)}::jsonb, false,
            ${connection.version}, ${at}, ${at})
    on conflict (organization_id) do update
    set issuer = excluded.issuer, client_id = excluded.client_id,
        client_secret = excluded.client_secret, scopes = excluded.scopes,
        email_claim = excluded.email_claim, name_claim = excluded.name_claim,
        groups_claim = excluded.groups_claim, trusts_emails = excluded.trusts_emails, role_rules = excluded.role_rules,
        version = excluded.version, updated_at = excluded.updated_at,
        tested_at = case when ${keepsTest} then sign_on_connections.tested_at end,
        test_passed = case when ${keepsTest} then sign_on_connections.test_passed end,
        test_report = case when ${keepsTest} then sign_on_connections.test_report end`);
}

/** False when the settings have changed since the test began. */
export async function setTest(
  tx: Tx,
  organizationId: string,
  version: string,
  { at, report }: { at: Date; report: TestReport },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update sign_on_connections
    set tested_at = ${at}, test_passed = ${report.passed},
        test_report = ${JSON.stringify(report)}::jsonb
    where organization_id = ${organizationId} and version = ${version}
    returning organization_id`);
  return rows.length > 0;
}

export async function setEnabled(tx: Tx, organizationId: string, isOn: boolean): Promise<void> {
  await tx.query(sql`
    update sign_on_connections set enabled = ${isOn} where organization_id = ${organizationId}`);
}

export async function setRequired(tx: Tx, organizationId: string, isOn: boolean): Promise<void> {
  await tx.query(sql`
    update organizations set single_sign_on_required = ${isOn} where id = ${organizationId}`);
}

export async function deleteConnection(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`delete from sign_on_connections where organization_id = ${organizationId}`);
}

/** Ends the sign-ins made by a way that is closed now; returns their ids. */
export async function endLocalSignIns(tx: Tx, organizationId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    delete from sign_ins s using users u
    where s.organization_id = ${organizationId} and u.id = s.user_id
      and s.method <> 'single_sign_on'
      and not (u.role = 'primary_owner' or (u.role = 'owner' and u.break_glass))
    returning s.id`);
  return rows.map(({ id }) => id);
}
