// Statements about sessions and what is counted of them.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../kernel/sql/statement.ts";
import type { AgentConfig } from "../agents/module.ts";
import type { ThreadState } from "./conversation/state.ts";
import { sinceActive } from "./time/queries.ts";

export type Status = ThreadState["status"];

/** The agent as a session has it. */
export interface PinnedAgent {
  id: string;
  version: number;
  config: AgentConfig;
}

export interface UsageSums {
  inputTokens: number;
  outputTokens: number;
  cacheWrite5mTokens: number;
  cacheWrite1hTokens: number;
  cacheReadTokens: number;
  webSearchRequests: number;
  webFetchRequests: number;
  listAmountNano: number;
}

export interface OutcomeRow {
  id: string;
  description: string;
  iteration: number;
  result: string;
  explanation: string | null;
  completedAt: string | null;
}

export interface SessionRow {
  id: string;
  agent: PinnedAgent;
  environmentId: string;
  environmentType: "cloud" | "self_hosted";
  deploymentId: string | null;
  threadId: string;
  /** In the order in which they were named. */
  vaultIds: string[];
  title: string | null;
  metadata: Record<string, string>;
  budgetNano: number | null;
  status: Status;
  /** Milliseconds in which it ran, the time since it runs now among them. */
  activeMs: number;
  /** What its time has cost, but for the last so many milliseconds. */
  timeNano: number;
  unsettledMs: number;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

export interface ListedSession extends SessionRow {
  usage: UsageSums;
  outcomes: OutcomeRow[];
}

/** A session that runs and whose process is gone is taken up again by the next process that looks. */
const status: Statement = sql`case when row.status = 'running' and row.lease_until < statement_timestamp()
  then 'rescheduling' else row.status end`;

const columns: Statement = sql`row.id, row.agent, row.environment_id as "environmentId",
  row.environment_type as "environmentType", row.deployment_id as "deploymentId",
  row.thread_id as "threadId", row.vault_ids as "vaultIds", row.title, row.metadata, row.budget_nano as "budgetNano",
  ${status} as status, row.active_ms + ${sinceActive("row")} as "activeMs",
  row.time_nano as "timeNano", ${sinceActive("row")} as "unsettledMs",
  row.created_at as "createdAt", row.updated_at as "updatedAt", row.archived_at as "archivedAt"`;

export const usageColumns = sql`
  coalesce(sum(input_tokens), 0)::bigint as "inputTokens",
  coalesce(sum(output_tokens), 0)::bigint as "outputTokens",
  coalesce(sum(cache_write_5m_tokens), 0)::bigint as "cacheWrite5mTokens",
  coalesce(sum(cache_write_1h_tokens), 0)::bigint as "cacheWrite1hTokens",
  coalesce(sum(cache_read_tokens), 0)::bigint as "cacheReadTokens",
  coalesce(sum(web_search_requests), 0)::bigint as "webSearchRequests",
  coalesce(sum(web_fetch_requests), 0)::bigint as "webFetchRequests",
  coalesce(sum(list_amount_nano), 0)::bigint as "listAmountNano"`;

const listed: Statement = sql`${columns},
  (select row_to_json(used) from (
    select ${usageColumns} from session_usage where session_id = row.id) as used) as usage,
  (select coalesce(json_agg(outcome), '[]') from (
    select id, description, iteration, result, explanation, completed_at as "completedAt"
    from session_outcomes where session_id = row.id order by id) as outcome) as outcomes`;

export async function findSession(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<ListedSession | undefined> {
  const [row] = await on.query<ListedSession>(
    preparedAs(
      "sessions_find",
      sql`select ${listed} from sessions as row
        where row.workspace_id = ${workspaceId} and row.id = ${id}`,
    ),
  );
  return row;
}

export interface LockedSession extends SessionRow {
  organizationId: string;
  workspaceId: string;
}

/** Until the end of the transaction nothing is added to its log by anybody else. */
export async function lockSession(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<LockedSession | undefined> {
  const [row] = await tx.query<LockedSession>(
    preparedAs(
      "sessions_lock",
      sql`select ${columns}, row.organization_id as "organizationId",
          row.workspace_id as "workspaceId"
        from sessions as row
        where row.workspace_id = ${workspaceId} and row.id = ${id} for no key update`,
    ),
  );
  return row;
}

export interface SessionFilter {
  agentId: string | null;
  agentVersion: number | null;
  deploymentId: string | null;
  memoryStoreId: string | null;
  vaultId: string | null;
  statuses: readonly string[] | null;
  includesArchived: boolean;
  createdAt: { gt: Date | null; gte: Date | null; lt: Date | null; lte: Date | null };
  /** Behind this one, in the direction of the walk. */
  beyond: string | null;
  /** Towards newer ones. */
  isAscending: boolean;
  rows: number;
}

export function listSessions(
  on: Queryable,
  workspaceId: string,
  filter: SessionFilter,
): Promise<ListedSession[]> {
  const { agentId, agentVersion, deploymentId, memoryStoreId, vaultId } = filter;
  const { statuses, createdAt, beyond } = filter;
  const { gt, gte, lt, lte } = createdAt;
  const comes = filter.isAscending ? sql`row.id > ${beyond}` : sql`row.id < ${beyond}`;
  const order = filter.isAscending ? sql`row.id` : sql`row.id desc`;
  return on.query<ListedSession>(sql`
    select ${listed} from sessions as row
    where row.workspace_id = ${workspaceId}
      and (${filter.includesArchived} or row.archived_at is null)
      and (${beyond}::text is null or ${comes})
      and (${agentId}::text is null or row.agent_id = ${agentId})
      and (${agentVersion}::integer is null or row.agent_version = ${agentVersion})
      and (${deploymentId}::text is null or row.deployment_id = ${deploymentId})
      and (${memoryStoreId}::text is null or row.memory_store_ids @> array[${memoryStoreId}::text])
      and (${vaultId}::text is null or row.vault_ids @> array[${vaultId}::text])
      and (${statuses}::text[] is null or ${status} = any(${statuses}::text[]))
      and (${gt}::timestamptz is null or row.created_at > ${gt})
      and (${gte}::timestamptz is null or row.created_at >= ${gte})
      and (${lt}::timestamptz is null or row.created_at < ${lt})
      and (${lte}::timestamptz is null or row.created_at <= ${lte})
    order by ${order} limit ${filter.rows}`);
}

export interface NewSession {
  id: string;
  organizationId: string;
  agent: PinnedAgent;
  environmentId: string;
  environmentType: string;
  deploymentId: string | null;
  threadId: string;
  title: string | null;
  metadata: Record<string, string>;
  vaultIds: readonly string[];
  memoryStoreIds: readonly string[];
  budgetNano: number | null;
  credentialId: string;
  userId: string | null;
  serviceAccountId: string | null;
  keyMakerId: string | null;
  createdAt: Date;
}

export async function insertSession(tx: Tx, workspaceId: string, row: NewSession): Promise<void> {
  const { agent } = row;
  await tx.query(sql`
    insert into sessions (id, organization_id, workspace_id, agent_id, agent_version, agent,
      environment_id, environment_type, deployment_id, thread_id, title, metadata,
      vault_ids, memory_store_ids, budget_nano, credential_id, user_id, service_account_id, key_maker_id,
      status, created_at, updated_at, served_at)
    values (${row.id}, ${row.organizationId}, ${workspaceId}, ${agent.id}, ${agent.version},
      ${JSON.stringify(agent)}, ${row.environmentId}, ${row.environmentType}, ${row.deploymentId},
      ${row.threadId}, ${row.title}, ${JSON.stringify(row.metadata)}, ${row.vaultIds},
      ${row.memoryStoreIds},
      ${row.budgetNano}, ${row.credentialId}, ${row.userId}, ${row.serviceAccountId},
      ${row.keyMakerId}, 'idle', ${row.createdAt}, ${row.createdAt}, 'epoch')`);
  await tx.query(sql`
    insert into session_threads (id, session_id, agent_name, status, created_at, updated_at)
    values (${row.threadId}, ${row.id}, ${agent.config.name}, 'idle', ${row.createdAt},
      ${row.createdAt})`);
  await tx.query(sql`
    insert into session_usage (thread_id, session_id) values (${row.threadId}, ${row.id})`);
}

export interface SessionChange {
  title: string | null;
  metadata: Record<string, string>;
  budgetNano: number | null;
  agent: PinnedAgent;
  updatedAt: Date;
}

export async function setSession(
  tx: Tx,
  workspaceId: string,
  id: string,
  { title, metadata, budgetNano, agent, updatedAt }: SessionChange,
): Promise<void> {
  await tx.query(sql`
    update sessions set title = ${title}, metadata = ${JSON.stringify(metadata)},
      budget_nano = ${budgetNano}, agent = ${JSON.stringify(agent)}, updated_at = ${updatedAt}
    where workspace_id = ${workspaceId} and id = ${id}`);
}

export async function setArchived(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(sql`
    update sessions set archived_at = ${at}, updated_at = greatest(updated_at, ${at})
    where id = ${id}`);
  await tx.query(sql`
    update session_threads set archived_at = coalesce(archived_at, ${at}),
      updated_at = greatest(updated_at, ${at})
    where session_id = ${id}`);
}

export async function deleteSession(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.query(sql`delete from sessions where workspace_id = ${workspaceId} and id = ${id}`);
}
