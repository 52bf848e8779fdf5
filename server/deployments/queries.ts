// Statements about deployments, their occurrences and their runs.
import type { OrganizationType } from "../../kernel/context.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../kernel/sql/statement.ts";

type Json = { type: string } & Record<string, unknown>;

export interface DeploymentRow {
  id: string;
  name: string;
  description: string | null;
  agentId: string;
  agentVersion: number;
  environmentId: string;
  initialEvents: Json[];
  resources: Json[];
  /** Encrypted, by the position of its repository. */
  tokens: string | null;
  vaultIds: string[];
  cron: string | null;
  timeZone: string | null;
  budgetNano: number | null;
  metadata: Record<string, string>;
  /** `manual`, or the type of an error; null where it is not paused. */
  pausedBy: string | null;
  lastRunAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

/** In whose name its scheduled sessions work. */
export interface Owner {
  credentialId: string;
  userId: string | null;
  serviceAccountId: string | null;
  keyMakerId: string | null;
}

const columns = sql`row.id, row.name, row.description, row.agent_id as "agentId",
  row.agent_version as "agentVersion", row.environment_id as "environmentId",
  row.initial_events as "initialEvents", row.resources, row.tokens, row.vault_ids as "vaultIds",
  row.cron, row.time_zone as "timeZone", row.budget_nano as "budgetNano", row.metadata,
  row.paused_by as "pausedBy", row.last_run_at as "lastRunAt", row.created_at as "createdAt",
  row.updated_at as "updatedAt", row.archived_at as "archivedAt"`;

export async function findDeployment(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<DeploymentRow | undefined> {
  const [row] = await on.query<DeploymentRow>(sql`
    select ${columns} from deployments as row
    where row.workspace_id = ${workspaceId} and row.id = ${id}`);
  return row;
}

/** Until the end of the transaction it is neither changed nor fired by another one. */
export async function lockDeployment(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<DeploymentRow | undefined> {
  const [row] = await tx.query<DeploymentRow>(sql`
    select ${columns} from deployments as row
    where row.workspace_id = ${workspaceId} and row.id = ${id} for no key update`);
  return row;
}

export interface DeploymentFilter {
  agentId: string | null;
  isPaused: boolean | null;
  includesArchived: boolean;
  from: Date | null;
  to: Date | null;
  /** Older than this one. */
  before: string | null;
  rows: number;
}

export function listDeployments(
  on: Queryable,
  workspaceId: string,
  { agentId, isPaused, includesArchived, from, to, before, rows }: DeploymentFilter,
): Promise<DeploymentRow[]> {
  return on.query<DeploymentRow>(sql`
    select ${columns} from deployments as row
    where row.workspace_id = ${workspaceId}
      and (${agentId}::text is null or row.agent_id = ${agentId})
      and (${isPaused}::boolean is null or (row.paused_by is not null) = ${isPaused})
      and (${includesArchived} or row.archived_at is null)
      and (${from}::timestamptz is null or row.created_at >= ${from})
      and (${to}::timestamptz is null or row.created_at <= ${to})
      and (${before}::text is null or row.id < ${before})
    order by row.id desc limit ${rows}`);
}

/** Two that make the last one that is allowed: the second waits, and counts. */
export async function countOpen(tx: Tx, workspaceId: string): Promise<number> {
  await tx.query(sql`select id from workspaces where id = ${workspaceId} for no key update`);
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::integer as count from deployments
    where workspace_id = ${workspaceId} and archived_at is null`);
  return row?.count ?? 0;
}

export async function insertDeployment(
  tx: Tx,
  workspaceId: string,
  row: DeploymentRow & Owner & { organizationId: string },
): Promise<void> {
  await tx.query(sql`
    insert into deployments (id, organization_id, workspace_id, name, description, agent_id,
      agent_version, environment_id, initial_events, resources, tokens, vault_ids, cron, time_zone,
      budget_nano, metadata, credential_id, user_id, service_account_id, key_maker_id, created_at,
      updated_at)
    values (${row.id}, ${row.organizationId}, ${workspaceId}, ${row.name}, ${row.description},
      ${row.agentId}, ${row.agentVersion}, ${row.environmentId},
      ${JSON.stringify(row.initialEvents)}, ${JSON.stringify(row.resources)}, ${row.tokens},
      ${row.vaultIds}, ${row.cron}, ${row.timeZone}, ${row.budgetNano},
      ${JSON.stringify(row.metadata)}, ${row.credentialId}, ${row.userId},
      ${row.serviceAccountId}, ${row.keyMakerId}, ${row.createdAt}, ${row.updatedAt})`);
}

export async function setDeployment(
  tx: Tx,
  workspaceId: string,
  row: DeploymentRow & Owner,
): Promise<void> {
  await tx.query(sql`
    update deployments set name = ${row.name}, description = ${row.description},
      agent_id = ${row.agentId}, agent_version = ${row.agentVersion},
      environment_id = ${row.environmentId},
      initial_events = ${JSON.stringify(row.initialEvents)},
      resources = ${JSON.stringify(row.resources)}, tokens = ${row.tokens},
      vault_ids = ${row.vaultIds}, cron = ${row.cron}, time_zone = ${row.timeZone},
      budget_nano = ${row.budgetNano}, metadata = ${JSON.stringify(row.metadata)},
      credential_id = ${row.credentialId}, user_id = ${row.userId},
      service_account_id = ${row.serviceAccountId}, key_maker_id = ${row.keyMakerId},
      updated_at = ${row.updatedAt}
    where workspace_id = ${workspaceId} and id = ${row.id}`);
}

export async function setState(
  tx: Tx,
  workspaceId: string,
  row: Pick<DeploymentRow, "id" | "pausedBy" | "lastRunAt" | "updatedAt" | "archivedAt">,
): Promise<void> {
  await tx.query(sql`
    update deployments set paused_by = ${row.pausedBy}, last_run_at = ${row.lastRunAt},
      updated_at = ${row.updatedAt}, archived_at = ${row.archivedAt}
    where workspace_id = ${workspaceId} and id = ${row.id}`);
}

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
      sql`select ${columns}, row.organization_id as "organizationId",
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
