// Statements of the processes that work on sessions.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import { leasable, type Lease } from "../../../kernel/work/lease.ts";
import { limits } from "../limits.ts";
import { unworked } from "../time/queries.ts";

/** One that runs tells by this since when no process has it. */
const givenBackAt = sql`case when row.active_since is not null then clock_timestamp() end`;

export const sessionLeases = leasable("sessions", { givenBackAt });

export interface ClaimedSession {
  threadId: string;
  organizationId: string;
  /** Since when it has had something to do. */
  dueAt: Date;
}

/**
 * Those that are due, of the workspaces that were served longest ago, one of each before another of any. Of a workspace
 * whose sessions are being worked on, these say when it was served: those that wait have not been.
 */
export async function claimSessions(
  on: Queryable,
  owner: string,
  { leaseMs, most, sandboxes }: { leaseMs: number; most: number; sandboxes: OwnSandboxes },
): Promise<(ClaimedSession & Lease)[]> {
  return sessionLeases.take<ClaimedSession>(on, {
    name: "sessions_claim",
    owner,
    leaseMs,
    picked: sql`
      select row.id from sessions as row
      join (
        select id, is_free, row_number() over (partition by workspace_id, is_free order by due_at, id) as turn,
          max(served_at) over (partition by workspace_id) as served
        from (
          select id, workspace_id, due_at, served_at,
            lease_until is null or lease_until < statement_timestamp() as is_free
          from sessions where due_at <= statement_timestamp() and not exists (${sandboxElsewhere(sandboxes)})
        ) as wanted
      ) as due on due.id = row.id
      where due.is_free and row.due_at <= statement_timestamp()
        and (row.lease_until is null or row.lease_until < statement_timestamp())
      order by due.turn, due.served, row.due_at, row.id
      limit ${most}
      for no key update of row skip locked`,
    set: sql`served_at = statement_timestamp(), active_since = row.active_since + ${unworked("row")}`,
    also: sql`threads as (
      update session_threads as thread set active_since = thread.active_since + ${unworked("thread")}
      from (select row.id, row.lease_until from picked join sessions as row on row.id = picked.id
        offset 0 -- the sessions first, whatever the planner thinks of threads
      ) as row
      where thread.session_id = row.id and thread.active_since is not null)`,
    returning: sql`row.thread_id as "threadId", row.organization_id as "organizationId",
      row.due_at as "dueAt"`,
  });
}

/** Which sandboxes are this process's, and where its workspaces lie. */
export interface OwnSandboxes {
  hostId: string;
  owner: string;
}

/** A session is worked on where its files are, as long as that machine lives, and best where its sandbox runs. */
const sandboxElsewhere = ({ hostId, owner }: OwnSandboxes) => sql`
  select from session_sandboxes as sandbox where sandbox.session_id = sessions.id and case
    when sandbox.host_id <> ${hostId} then exists (
      select from sandbox_hosts as host where host.id = sandbox.host_id
        and host.seen_at > statement_timestamp() - ${limits.hostGoneMs} * interval '1 ms')
    else sandbox.lease_owner <> ${owner} and sandbox.lease_until > statement_timestamp()
      and sessions.due_at > statement_timestamp() - ${limits.sandboxStaysMs} * interval '1 ms' end`;

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
