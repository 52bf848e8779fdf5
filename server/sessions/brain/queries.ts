// Statements of the processes that work on sessions.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import { leasable, type Lease } from "../../../kernel/work/lease.ts";
import type { PinnedAgent, SessionOwner } from "../queries.ts";

export const sessionLeases = leasable("sessions");

export interface ClaimedSession {
  threadId: string;
  organizationId: string;
}

/** Those that are due, of the workspaces that were served longest ago, one of each before another of any. */
export async function claimSessions(
  on: Queryable,
  owner: string,
  { leaseMs, most }: { leaseMs: number; most: number },
): Promise<(ClaimedSession & Lease)[]> {
  return sessionLeases.take<ClaimedSession>(on, {
    name: "sessions_claim",
    owner,
    leaseMs,
    picked: sql`
      select row.id from sessions as row
      join (
        select id, row_number() over (partition by workspace_id order by due_at, id) as turn,
          max(served_at) over (partition by workspace_id) as served
        from sessions
        where due_at <= statement_timestamp()
          and (lease_until is null or lease_until < statement_timestamp())
      ) as due on due.id = row.id
      where row.due_at <= statement_timestamp()
        and (row.lease_until is null or row.lease_until < statement_timestamp())
      order by due.turn, due.served, row.due_at, row.id
      limit ${most}
      for no key update of row skip locked`,
    set: sql`served_at = statement_timestamp()`,
    returning: sql`row.thread_id as "threadId", row.organization_id as "organizationId"`,
  });
}

/** A session as it is worked on. */
export interface WorkedSession extends SessionOwner {
  id: string;
  threadId: string;
  agent: PinnedAgent;
  environmentId: string;
  environmentType: "cloud" | "self_hosted";
  deploymentId: string | null;
  budgetNano: number | null;
  listAmountNano: number;
  resources: Record<string, unknown>[];
}

export async function loadSession(on: Queryable, id: string): Promise<WorkedSession | undefined> {
  const [row] = await on.query<WorkedSession>(
    preparedAs(
      "sessions_load",
      sql`select row.id, row.thread_id as "threadId", row.agent,
          row.environment_id as "environmentId", row.environment_type as "environmentType",
          row.deployment_id as "deploymentId", row.budget_nano as "budgetNano",
          row.organization_id as "organizationId", organization.type as "organizationType",
          row.workspace_id as "workspaceId", row.credential_id as "credentialId",
          row.user_id as "userId", row.service_account_id as "serviceAccountId",
          row.key_maker_id as "keyMakerId",
          (select coalesce(sum(list_amount_nano), 0)::bigint from session_usage
            where session_id = row.id) as "listAmountNano",
          (select coalesce(json_agg(shown order by id), '[]') from session_resources
            where session_id = row.id and type = 'memory_store') as resources
        from sessions as row
        join organizations as organization on organization.id = row.organization_id
        where row.id = ${id}`,
    ),
  );
  return row;
}

/** What people may change while the session is worked on. */
export type SessionChanges = Pick<WorkedSession, "agent" | "budgetNano" | "listAmountNano">;

/** Since when these have had something to do. */
export function listDue(
  on: Queryable,
  ids: readonly string[],
): Promise<{ id: string; dueAt: Date }[]> {
  return on.query<{ id: string; dueAt: Date }>(
    preparedAs(
      "sessions_listen",
      sql`select id, due_at as "dueAt" from sessions
        where id = any(${ids}::text[]) and due_at is not null`,
    ),
  );
}
