// Statements about deployments.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

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

/** Of a table that is called `row`. */
export const deploymentColumns = sql`row.id, row.name, row.description, row.agent_id as "agentId",
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
    select ${deploymentColumns} from deployments as row
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
    select ${deploymentColumns} from deployments as row
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
    select ${deploymentColumns} from deployments as row
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
