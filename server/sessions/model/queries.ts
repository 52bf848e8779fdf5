// Statements about sessions as their models see them, and about what these use.
import type { OrganizationType } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { givenRows } from "../../../kernel/sql/rows/given-rows.ts";
import { preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { Settlement } from "../../usage/module.ts";
import type { WebUse } from "../../web_tools/module.ts";
import { limits } from "../limits.ts";
import { usageColumns, type PinnedAgent, type UsageSums } from "../queries.ts";
import { sinceActive } from "../time/queries.ts";
import type { ThreadFacts } from "../threads/queries.ts";

/** In whose name a session works. */
export interface SessionOwner {
  organizationId: string;
  organizationType: OrganizationType;
  workspaceId: string;
  credentialId: string;
  userId: string | null;
  serviceAccountId: string | null;
  keyMakerId: string | null;
}

/** A session as it is worked on. */
export interface WorkedSession extends SessionOwner {
  id: string;
  threadId: string;
  agent: PinnedAgent;
  environmentId: string;
  environmentType: "cloud" | "self_hosted";
  deploymentId: string | null;
  vaultIds: string[];
  budgetNano: number | null;
  usage: UsageSums;
  activeMs: number;
  timeNano: number;
  isActive: boolean;
  /** What it ran for beside `activeMs`, and when this was so by the monotonic clock of the process that works on it. */
  unsettledMs: number;
  readMs?: number;
  /** Memory stores and repositories, which are named when it begins. */
  resources: Record<string, unknown>[];
  /** Those that have not ended, its own first. */
  threads: ThreadFacts[];
}

/** In the order of their ids as given; undefined where one is gone. */
export async function loadSessions(
  on: Queryable,
  ids: readonly string[],
): Promise<(WorkedSession | undefined)[]> {
  const rows = await on.query<WorkedSession>(
    preparedAs(
      "sessions_load",
      sql`select row.id, row.thread_id as "threadId", row.agent,
          row.environment_id as "environmentId", row.environment_type as "environmentType",
          row.deployment_id as "deploymentId", row.vault_ids as "vaultIds", row.budget_nano as "budgetNano",
          row.organization_id as "organizationId", organization.type as "organizationType",
          row.workspace_id as "workspaceId", row.credential_id as "credentialId",
          row.user_id as "userId", row.service_account_id as "serviceAccountId",
          row.key_maker_id as "keyMakerId",
          row.active_ms as "activeMs", row.active_since is not null as "isActive", ${sinceActive("row")} as "unsettledMs",
          row.time_nano as "timeNano",
          (select row_to_json(used) from (
            select ${usageColumns} from session_usage where session_id = row.id) as used) as usage,
          (select coalesce(json_agg(each.shown), '[]') from (
            select shown from session_resources
            where session_id = row.id and type <> 'file' order by id) as each) as resources,
          (select coalesce(json_agg(each), '[]') from (
            select id, parent_id as "parentId", agent, agent_name as "agentName"
            from session_threads where session_id = row.id and archived_at is null
            order by parent_id is not null, id) as each) as threads
        from sessions as row
        join organizations as organization on organization.id = row.organization_id
        join ${givenRows("asked", { id: ["text", ids] })} on asked.id = row.id`,
    ),
  );
  return ids.map((id) => rows.find((row) => row.id === id));
}

/** As the sums of a session are shown before they are read again. */
export function sumUp(usage: UsageSums, { counts, listAmountNano }: Settlement): void {
  usage.inputTokens += counts.input;
  usage.outputTokens += counts.output;
  usage.cacheWrite5mTokens += counts.cacheWrite5m;
  usage.cacheWrite1hTokens += counts.cacheWrite1h;
  usage.cacheReadTokens += counts.cacheRead;
  usage.listAmountNano += listAmountNano;
}

/** To what the models of a thread have used: once for each call, however often its settlement is written. */
export const addUsage = (
  threadId: string,
  hopId: string,
  { counts, listAmountNano }: Settlement,
): Statement =>
  preparedAs(
    "session_usage_add",
    sql`
  update session_usage set
    input_tokens = input_tokens + ${counts.input}::bigint,
    output_tokens = output_tokens + ${counts.output}::bigint,
    cache_write_5m_tokens = cache_write_5m_tokens + ${counts.cacheWrite5m}::bigint,
    cache_write_1h_tokens = cache_write_1h_tokens + ${counts.cacheWrite1h}::bigint,
    cache_read_tokens = cache_read_tokens + ${counts.cacheRead}::bigint,
    list_amount_nano = list_amount_nano + ${listAmountNano}::bigint,
    counted = (${hopId}::text || counted)[1:${limits.countedCallsMax}::integer]
  where thread_id = ${threadId} and not ${hopId} = any(counted)`,
  );

/** The same of a search or a page of the web. */
export function sumUpWebUse(usage: UsageSums, { name, listAmountNano }: WebUse): void {
  if (name === "web_search") usage.webSearchRequests += 1;
  else usage.webFetchRequests += 1;
  usage.listAmountNano += listAmountNano;
}

export const addWebUse = (threadId: string, hopId: string, use: WebUse): Statement =>
  preparedAs(
    "session_usage_add_web",
    sql`
  update session_usage set
    web_search_requests = web_search_requests + ${use.name === "web_search" ? 1 : 0}::bigint,
    web_fetch_requests = web_fetch_requests + ${use.name === "web_fetch" ? 1 : 0}::bigint,
    list_amount_nano = list_amount_nano + ${use.listAmountNano}::bigint,
    counted = (${hopId}::text || counted)[1:${limits.countedCallsMax}::integer]
  where thread_id = ${threadId} and not ${hopId} = any(counted)`,
  );
