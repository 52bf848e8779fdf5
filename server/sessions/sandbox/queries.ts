// Statements about where sessions have their workspaces, and which process has their sandboxes.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import type { EnvironmentConfig } from "../../environments/module.ts";
import { leasable, type Lease, type LeaseTimes } from "../../../kernel/work/lease.ts";

export const sandboxLeases = leasable("session_sandboxes", { idColumn: "session_id" });

export interface ClaimedSandbox {
  /** The session was deleted: its workspace is to go. */
  isGone: boolean;
}

export interface PlacedWorkspace {
  hostId: string;
  seenAt: Date | null;
  /** Null where the environment was gone before a sandbox was started. */
  config: EnvironmentConfig | null;
}

/** Where the workspace lies: here, unless it lies on another host already. Undefined where the session is gone. */
export async function placeWorkspace(
  on: Queryable,
  sessionId: string,
  hostId: string,
): Promise<PlacedWorkspace | undefined> {
  const [row] = await on.query<PlacedWorkspace>(
    preparedAs(
      "session_sandboxes_place",
      sql`insert into session_sandboxes as row (session_id, host_id, config)
        select session.id, ${hostId}, environment.config
          from sessions as session left join environments as environment on environment.id = session.environment_id
          where session.id = ${sessionId}
        on conflict (session_id) do update set config = coalesce(excluded.config, row.config)
        returning host_id as "hostId", config,
          (select seen_at from sandbox_hosts where id = row.host_id) as "seenAt"`,
    ),
  );
  return row;
}

export async function hasWorkspace(on: Queryable, sessionId: string): Promise<boolean> {
  const rows = await on.query(
    sql`select 1 as there from session_sandboxes where session_id = ${sessionId}`,
  );
  return rows.length > 0;
}

export function takeSandbox(
  on: Queryable,
  sessionId: string,
  { owner, hostId, leaseMs }: { owner: string; hostId: string } & Pick<LeaseTimes, "leaseMs">,
): Promise<(ClaimedSandbox & Lease)[]> {
  return sandboxLeases.claim<ClaimedSandbox>(on, {
    name: "session_sandboxes_take",
    owner,
    leaseMs,
    where: sql`row.session_id = ${sessionId} and row.host_id = ${hostId}`,
    orderBy: sql`row.session_id`,
    limit: 1,
    returning: sql`false as "isGone"`,
  });
}

export function takeGone(
  on: Queryable,
  {
    owner,
    hostId,
    leaseMs,
    most,
  }: { owner: string; hostId: string; most: number } & Pick<LeaseTimes, "leaseMs">,
): Promise<(ClaimedSandbox & Lease)[]> {
  return sandboxLeases.claim<ClaimedSandbox>(on, {
    name: "session_sandboxes_take_gone",
    owner,
    leaseMs,
    where: sql`row.host_id = ${hostId}
      and not exists (select from sessions where sessions.id = row.session_id)`,
    orderBy: sql`row.session_id`,
    limit: most,
    returning: sql`true as "isGone"`,
  });
}

export async function forgetWorkspaces(
  on: Queryable,
  sessionIds: readonly string[],
): Promise<void> {
  await on.query(sql`delete from session_sandboxes where session_id = any(${sessionIds}::text[])`);
}

/** Those of the sessions that are there. */
export async function existingSessions(
  on: Queryable,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await on.query<{ id: string }>(
    sql`select id from sessions where id = any(${ids}::text[])`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** By the database's clock, as leases are. */
export async function tellHostSeen(on: Queryable, hostId: string): Promise<void> {
  await on.query(
    preparedAs(
      "sandbox_hosts_seen",
      sql`insert into sandbox_hosts (id, seen_at) values (${hostId}, statement_timestamp())
        on conflict (id) do update set seen_at = excluded.seen_at`,
    ),
  );
}
