// Statements about the occurrences of schedules and about runs.
import type { OrganizationType } from "../../../kernel/context.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import { deploymentColumns, type DeploymentRow, type Owner } from "../queries.ts";

/** Deployments whose next occurrence has come, of all workspaces, those that have waited longest first. */
export async function listDue(on: Queryable, now: Date, rows: number): Promise<string[]> {
  const due = await on.query<{ id: string }>(
    preparedAs(
      "deployments_due",
      sql`select deployment_id as id from deployment_occurrences
        where missed is null and nominal_at <= ${now}
        order by nominal_at, deployment_id limit ${rows}`,
    ),
  );
  return due.map(({ id }) => id);
}

export interface DueDeployment extends DeploymentRow, Owner {
  organizationId: string;
  organizationType: OrganizationType;
  workspaceId: string;
  isWorkspaceArchived: boolean;
  nominalAt: Date;
}

/** Undefined where another process fires it just now, or has. */
export async function lockDue(tx: Tx, id: string, now: Date): Promise<DueDeployment | undefined> {
  const [row] = await tx.query<DueDeployment>(
    preparedAs(
      "deployments_lock_due",
      sql`select ${deploymentColumns}, row.organization_id as "organizationId",
          organization.type as "organizationType", row.workspace_id as "workspaceId",
          workspace.archived_at is not null as "isWorkspaceArchived",
          row.credential_id as "credentialId", row.user_id as "userId",
          row.service_account_id as "serviceAccountId", row.key_maker_id as "keyMakerId",
          occurrence.nominal_at as "nominalAt"
        from deployments as row
        join organizations as organization on organization.id = row.organization_id
        join workspaces as workspace on workspace.id = row.workspace_id
        join deployment_occurrences as occurrence
          on occurrence.deployment_id = row.id and occurrence.missed is null
        where row.id = ${id} and occurrence.nominal_at <= ${now}
        for no key update of row, occurrence skip locked`,
    ),
  );
  return row;
}

/** Of a deployment that is locked. */
export async function findNext(tx: Tx, id: string): Promise<Date | undefined> {
  const [row] = await tx.query<{ nominalAt: Date }>(sql`
    select nominal_at as "nominalAt" from deployment_occurrences
    where deployment_id = ${id} and missed is null`);
  return row?.nominalAt;
}

export async function deleteNext(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    delete from deployment_occurrences where deployment_id = ${id} and missed is null`);
}

/** Where a clock ran back the moment may stand there as missed. */
export async function insertNext(tx: Tx, id: string, nominalAt: Date): Promise<void> {
  await tx.query(sql`
    insert into deployment_occurrences (deployment_id, nominal_at) values (${id}, ${nominalAt})
    on conflict (deployment_id, nominal_at) do update set missed = null, missed_until = null`);
}

export interface MissedRow {
  firstAt: Date;
  until: Date;
  count: number;
}

/** The newest stay. */
export async function insertMissed(
  tx: Tx,
  id: string,
  { firstAt, until, count, kept }: MissedRow & { kept: number },
): Promise<void> {
  await tx.query(sql`
    insert into deployment_occurrences (deployment_id, nominal_at, missed, missed_until)
    values (${id}, ${firstAt}, ${count}, ${until})
    on conflict (deployment_id, nominal_at) do nothing`);
  await tx.query(sql`
    delete from deployment_occurrences where deployment_id = ${id} and missed is not null
      and nominal_at < (
        select nominal_at from deployment_occurrences
        where deployment_id = ${id} and missed is not null
        order by nominal_at desc offset ${kept - 1} limit 1)`);
}

export function listMissed(on: Queryable, id: string, rows: number): Promise<MissedRow[]> {
  return on.query<MissedRow>(sql`
    select nominal_at as "firstAt", missed_until as until, missed as count
    from deployment_occurrences where deployment_id = ${id} and missed is not null
    order by nominal_at desc limit ${rows}`);
}

export interface RunRow {
  id: string;
  deploymentId: string;
  agentId: string;
  agentVersion: number;
  sessionId: string | null;
  errorType: string | null;
  errorMessage: string | null;
  /** Null where it was begun by hand. */
  scheduledAt: Date | null;
  createdAt: Date;
}

const runColumns = sql`id, deployment_id as "deploymentId", agent_id as "agentId",
  agent_version as "agentVersion", session_id as "sessionId", error_type as "errorType",
  error_message as "errorMessage", scheduled_at as "scheduledAt", created_at as "createdAt"`;

export async function insertRun(
  tx: Tx,
  workspaceId: string,
  row: RunRow & { organizationId: string },
): Promise<void> {
  await tx.query(sql`
    insert into deployment_runs (id, organization_id, workspace_id, deployment_id, agent_id,
      agent_version, session_id, error_type, error_message, scheduled_at, created_at)
    values (${row.id}, ${row.organizationId}, ${workspaceId}, ${row.deploymentId}, ${row.agentId},
      ${row.agentVersion}, ${row.sessionId}, ${row.errorType}, ${row.errorMessage},
      ${row.scheduledAt}, ${row.createdAt})`);
}

export async function isRun(tx: Tx, id: string, scheduledAt: Date): Promise<boolean> {
  const [row] = await tx.query<{ id: string }>(sql`
    select id from deployment_runs where deployment_id = ${id} and scheduled_at = ${scheduledAt}`);
  return row !== undefined;
}

export async function findRun(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<RunRow | undefined> {
  const [row] = await on.query<RunRow>(sql`
    select ${runColumns} from deployment_runs
    where workspace_id = ${workspaceId} and id = ${id}`);
  return row;
}

export interface RunFilter {
  deploymentId: string | null;
  hasError: boolean | null;
  isScheduled: boolean | null;
  createdAt: { gt: Date | null; gte: Date | null; lt: Date | null; lte: Date | null };
  /** Older than this one. */
  before: string | null;
  rows: number;
}

export function listRuns(
  on: Queryable,
  workspaceId: string,
  { deploymentId, hasError, isScheduled, createdAt, before, rows }: RunFilter,
): Promise<RunRow[]> {
  const { gt, gte, lt, lte } = createdAt;
  return on.query<RunRow>(sql`
    select ${runColumns} from deployment_runs
    where workspace_id = ${workspaceId}
      and (${deploymentId}::text is null or deployment_id = ${deploymentId})
      and (${hasError}::boolean is null or (error_type is not null) = ${hasError})
      and (${isScheduled}::boolean is null or (scheduled_at is not null) = ${isScheduled})
      and (${gt}::timestamptz is null or created_at > ${gt})
      and (${gte}::timestamptz is null or created_at >= ${gte})
      and (${lt}::timestamptz is null or created_at < ${lt})
      and (${lte}::timestamptz is null or created_at <= ${lte})
      and (${before}::text is null or id < ${before})
    order by id desc limit ${rows}`);
}
