// Statements about alerts: what fires, what has fired, and what is said of it.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { givenRows } from "../../kernel/sql/rows/given-rows.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import type { AlertKind } from "./limits.ts";

export type SubjectType = "organization" | "workspace" | "user" | "upstream" | "jobs" | "batches";
export type Resolution = "well" | "rule_off" | "silent";

export interface NewAlert {
  id: string;
  organizationId: string;
  kind: AlertKind;
  subjectType: SubjectType;
  /** Of a workspace, a person or an upstream; else empty. */
  subjectId: string;
  /** Of a spend limit; else empty. */
  period: "" | "daily" | "weekly" | "monthly";
  /** Of a spend limit the percent; else 0. */
  level: number;
  value: number;
  threshold: number;
  firingSince: Date;
}

export interface AlertRow extends NewAlert {
  subjectName: string | null;
  resolvedAt: Date | null;
  resolution: Resolution | null;
}

export interface FiringAlert extends NewAlert {
  wellSince: Date | null;
  isOn: boolean;
  /** As the organization has set them. */
  minutes: number | null;
}

const columns: Statement = sql`alert.id, alert.organization_id as "organizationId", alert.kind,
  alert.subject_type as "subjectType", alert.subject_id as "subjectId", alert.period, alert.level,
  alert.value, alert.threshold, alert.firing_since as "firingSince"`;

const rows: Statement = sql`${columns}, alert.resolved_at as "resolvedAt", alert.resolution,
  case alert.subject_type
    when 'workspace' then (select name from workspaces where workspaces.id = alert.subject_id)
    when 'user' then (
      select coalesce(nullif(name, ''), email) from users where users.id = alert.subject_id)
  end as "subjectName"`;

/** Of two looks at one time the second finds nothing to do. */
const lookLock = 7_204_118_061;

export async function lockLook(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ isFree: boolean }>(
    sql`select pg_try_advisory_xact_lock(${lookLock}) as "isFree"`,
  );
  return row?.isFree === true;
}

/** Of all organizations. */
export function selectFiring(tx: Tx): Promise<FiringAlert[]> {
  return tx.query<FiringAlert>(sql`
    select ${columns}, alert.well_since as "wellSince", coalesce(rule.is_on, true) as "isOn",
      rule.minutes
    from alerts as alert left join alert_rules as rule
      on rule.organization_id = alert.organization_id and rule.kind = alert.kind
    where alert.resolved_at is null`);
}

/** Answers those that did not fire already. */
export function insertAlerts(tx: Tx, alerts: readonly NewAlert[]): Promise<{ id: string }[]> {
  const column = <K extends keyof NewAlert>(key: K) => alerts.map((alert) => alert[key]);
  return tx.query<{ id: string }>(sql`
    insert into alerts (id, organization_id, kind, subject_type, subject_id, period, level, value,
      threshold, firing_since)
    select id, organization_id, kind, subject_type, subject_id, period, level, value, threshold,
      firing_since
    from ${givenRows("opened", {
      id: ["text", column("id")],
      organization_id: ["text", column("organizationId")],
      kind: ["text", column("kind")],
      subject_type: ["text", column("subjectType")],
      subject_id: ["text", column("subjectId")],
      period: ["text", column("period")],
      level: ["integer", column("level")],
      value: ["double precision", column("value")],
      threshold: ["double precision", column("threshold")],
      firing_since: ["timestamptz", column("firingSince")],
    })}
    on conflict (organization_id, kind, subject_type, subject_id, period, level)
      where resolved_at is null do nothing
    returning id`);
}

export type AlertChange = Pick<FiringAlert, "id" | "value" | "threshold" | "wellSince">;

export async function updateFiring(tx: Tx, alerts: readonly AlertChange[]): Promise<void> {
  const column = <K extends keyof AlertChange>(key: K) => alerts.map((alert) => alert[key]);
  await tx.query(sql`
    update alerts set value = seen.value, threshold = seen.threshold, well_since = seen.well_since
    from ${givenRows("seen", {
      id: ["text", column("id")],
      value: ["double precision", column("value")],
      threshold: ["double precision", column("threshold")],
      well_since: ["timestamptz", column("wellSince")],
    })}
    where alerts.id = seen.id and alerts.resolved_at is null`);
}

/** Answers those that still fired. */
export function resolveAlerts(
  tx: Tx,
  alerts: readonly { id: string; resolution: Resolution }[],
  at: Date,
): Promise<{ id: string }[]> {
  return tx.query<{ id: string }>(sql`
    update alerts set resolved_at = ${at}, resolution = over.resolution, well_since = null
    from ${givenRows("over", {
      id: ["text", alerts.map(({ id }) => id)],
      resolution: ["text", alerts.map(({ resolution }) => resolution)],
    })}
    where alerts.id = over.id and alerts.resolved_at is null
    returning alerts.id`);
}

export interface AlertFilter {
  /** The workspaces whose alerts are shown; null for all. */
  workspaceIds: readonly string[] | null;
}

const isShown = ({ workspaceIds }: AlertFilter): Statement =>
  workspaceIds === null
    ? sql`true`
    : sql`(alert.subject_type <> 'workspace' or alert.subject_id = any(${workspaceIds}::text[]))`;

const states = {
  firing: sql`alert.resolved_at is null`,
  resolved: sql`alert.resolved_at is not null`,
  all: sql`true`,
};

export function listAlerts(
  on: Queryable,
  organizationId: string,
  filter: AlertFilter & { state: keyof typeof states },
  { before, rows: most }: { before: string | null; rows: number },
): Promise<AlertRow[]> {
  return on.query<AlertRow>(sql`
    select ${rows} from alerts as alert
    where alert.organization_id = ${organizationId} and ${states[filter.state]} and ${isShown(filter)}
      and (${before}::text is null or alert.id < ${before})
    order by alert.id desc limit ${most}`);
}

export async function findAlert(
  on: Queryable,
  organizationId: string,
  id: string,
  filter: AlertFilter,
): Promise<AlertRow | undefined> {
  const [row] = await on.query<AlertRow>(sql`
    select ${rows} from alerts as alert
    where alert.organization_id = ${organizationId} and alert.id = ${id} and ${isShown(filter)}`);
  return row;
}

/** For a mail, in the order in which they began. */
export function findAlerts(
  on: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<AlertRow[]> {
  return on.query<AlertRow>(sql`
    select ${rows} from alerts as alert
    where alert.organization_id = ${organizationId} and alert.id = any(${ids}::text[])
    order by alert.id`);
}

export async function deleteOldAlerts(tx: Tx, before: Date, most: number): Promise<void> {
  await tx.query(sql`
    delete from alerts where id in (
      select id from alerts where resolved_at < ${before} order by resolved_at limit ${most})`);
}

export async function deleteOldRefusals(tx: Tx, before: Date, most: number): Promise<void> {
  await tx.query(sql`
    delete from spend_refusals where (organization_id, holder_id, period_key) in (
      select organization_id, holder_id, period_key from spend_refusals
      where refused_at < ${before} order by refused_at limit ${most})`);
}
