// Statements about the rules of an organization and about whom it mails its alerts to.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import type { AlertKind } from "../limits.ts";

export interface RuleRow {
  kind: AlertKind;
  is_on: boolean;
  percents: number[] | null;
  percent: number | null;
  minutes: number | null;
  requests_min: number | null;
  failures_min: number | null;
}

/** Of two changes the second knows what the first did. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    select id from organizations where id = ${organizationId} for no key update`);
}

/** Those that were changed. */
export function listRules(on: Queryable, organizationId: string): Promise<RuleRow[]> {
  return on.query<RuleRow>(sql`
    select kind, is_on, percents, percent, minutes, requests_min, failures_min
    from alert_rules where organization_id = ${organizationId}`);
}

export async function setRule(
  tx: Tx,
  organizationId: string,
  rule: RuleRow,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into alert_rules (organization_id, kind, is_on, percents, percent, minutes, requests_min,
      failures_min, updated_at)
    values (${organizationId}, ${rule.kind}, ${rule.is_on}, ${rule.percents}::integer[],
      ${rule.percent}, ${rule.minutes}, ${rule.requests_min}, ${rule.failures_min}, ${at})
    on conflict (organization_id, kind) do update set is_on = excluded.is_on,
      percents = excluded.percents, percent = excluded.percent, minutes = excluded.minutes,
      requests_min = excluded.requests_min, failures_min = excluded.failures_min,
      updated_at = excluded.updated_at`);
}

/** Whose the installation is. */
export async function findFirstOrganization(on: Queryable): Promise<string | undefined> {
  const [row] = await on.query<{ id: string }>(
    sql`select id from organizations order by id limit 1`,
  );
  return row?.id;
}

export interface SettingsRow {
  mails_administrators: boolean;
  mail_to: string[];
  mail_failed_at: Date | null;
  mail_error: string | null;
}

export async function findSettings(
  on: Queryable,
  organizationId: string,
): Promise<SettingsRow | undefined> {
  const [row] = await on.query<SettingsRow>(sql`
    select mails_administrators, mail_to, mail_failed_at, mail_error
    from alert_settings where organization_id = ${organizationId}`);
  return row;
}

export async function setSettings(
  tx: Tx,
  organizationId: string,
  row: Pick<SettingsRow, "mails_administrators" | "mail_to">,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into alert_settings (organization_id, mails_administrators, mail_to, updated_at)
    values (${organizationId}, ${row.mails_administrators}, ${row.mail_to}, ${at})
    on conflict (organization_id) do update set
      mails_administrators = excluded.mails_administrators, mail_to = excluded.mail_to,
      updated_at = excluded.updated_at`);
}

/** Of an organization that set nothing, too. */
export async function noteMailFailure(
  tx: Tx,
  organizationId: string,
  { error, at }: { error: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into alert_settings (organization_id, mails_administrators, mail_to, mail_failed_at,
      mail_error, updated_at)
    values (${organizationId}, true, '{}', ${at}, ${error}, ${at})
    on conflict (organization_id) do update set
      mail_failed_at = excluded.mail_failed_at, mail_error = excluded.mail_error`);
}

export interface Recipients {
  organizationId: string;
  addresses: string[];
}

/** Owners and administrators, and the addresses that were named, without repetition. */
export function listRecipients(
  on: Queryable,
  organizationIds: readonly string[],
  administratorsMax: number,
): Promise<Recipients[]> {
  return on.query<Recipients>(sql`
    select asked.id as "organizationId", array(
        select email from (
          select administrator.email
          from unnest(array['primary_owner', 'owner', 'admin']) as wanted (role)
            cross join lateral (
              select email from users
              where users.organization_id = asked.id and users.role = wanted.role
              order by id limit ${administratorsMax}) as administrator
          where coalesce(mails_administrators, true)
          union select unnest(coalesce(mail_to, '{}'))
        ) as found (email) order by email
      ) as addresses
    from unnest(${organizationIds}::text[]) as asked (id)
      left join alert_settings as settings on settings.organization_id = asked.id`);
}
