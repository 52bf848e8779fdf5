// Statements about refused connections, and about the sessions whose sandboxes tried them.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import type { EnvironmentConfig } from "../../environments/module.ts";
import type { RefusalReason } from "../../sandboxes/module.ts";
import { refusalLimits } from "./limits.ts";

export interface CountedRefusal {
  sessionId: string;
  host: string;
  port: number;
  reason: RefusalReason;
  count: number;
  firstAt: Date;
  lastAt: Date;
}

/** Each of them at most once; those of sessions that are deleted are passed by. */
export async function countRefusals(tx: Tx, refusals: readonly CountedRefusal[]): Promise<void> {
  await tx.query(sql`
    insert into refused_connections (workspace_id, environment_id, session_id, host, port, reason,
      count, first_at, last_at)
    select session.workspace_id, session.environment_id, session.id,
      case when given.has_room then given.host else '*' end as given_host,
      case when given.has_room then given.port else 0 end as given_port,
      given.reason, sum(given.count), min(given.first_at), max(given.last_at)
    from (
      select new.session_id, new.host, new.port, new.reason, new.count, new.first_at, new.last_at,
        kept.session_id is not null
          or row_number() over (
              partition by new.session_id, kept.session_id is null order by new.first_at, new.host
            ) + (select count(*) from refused_connections as held
              where held.session_id = new.session_id and held.host <> '*')
            <= ${refusalLimits.keptMax} as has_room
      from unnest(${refusals.map(({ sessionId }) => sessionId)}::text[],
          ${refusals.map(({ host }) => host)}::text[],
          ${refusals.map(({ port }) => port)}::integer[],
          ${refusals.map(({ reason }) => reason)}::text[],
          ${refusals.map(({ count }) => count)}::bigint[],
          ${refusals.map(({ firstAt }) => firstAt)}::timestamptz[],
          ${refusals.map(({ lastAt }) => lastAt)}::timestamptz[])
        as new (session_id, host, port, reason, count, first_at, last_at)
      left join refused_connections as kept on kept.session_id = new.session_id
        and kept.host = new.host and kept.port = new.port and kept.reason = new.reason
    ) as given
    join sessions as session on session.id = given.session_id
    group by session.id, given_host, given_port, given.reason
    on conflict (session_id, host, port, reason) do update
      set count = refused_connections.count + excluded.count,
        last_at = greatest(refused_connections.last_at, excluded.last_at)`);
}

export type RefusalRow = Omit<CountedRefusal, "sessionId">;
const columns = sql`host, port, reason, count::float8 as count, first_at as "firstAt",
  last_at as "lastAt"`;

export function listOfSession(
  on: Queryable,
  workspaceId: string,
  sessionId: string,
): Promise<RefusalRow[]> {
  return on.query<RefusalRow>(sql`
    select ${columns} from refused_connections
    where workspace_id = ${workspaceId} and session_id = ${sessionId}
    order by last_at desc, host, port, reason`);
}

/** Those of all its sessions together. */
export function listOfEnvironment(
  on: Queryable,
  workspaceId: string,
  environmentId: string,
): Promise<RefusalRow[]> {
  return on.query<RefusalRow>(sql`
    select host, port, reason, sum(count)::float8 as count, min(first_at) as "firstAt",
      max(last_at) as "lastAt"
    from refused_connections
    where workspace_id = ${workspaceId} and environment_id = ${environmentId}
    group by host, port, reason
    order by max(last_at) desc, host, port, reason limit ${refusalLimits.listedMax}`);
}

/** Its environment as it is now, or as it was last where that is deleted, and the MCP servers of its agents. */
export async function findSessionNetwork(
  on: Queryable,
  sessionId: string,
): Promise<{ config: EnvironmentConfig | null; servers: { url: string }[] } | undefined> {
  const [row] = await on.query<{
    config: EnvironmentConfig | null;
    servers: { url: string }[];
  }>(sql`
    select coalesce(environment.config,
        (select config from session_sandboxes where session_id = session.id)) as config, coalesce((
        select json_agg(json_build_object('url', server ->> 'url'))
        from (
          select session.agent union all
          select agent from session_threads where session_id = session.id and agent is not null
        ) as of_session (agent), json_array_elements(of_session.agent -> 'config' -> 'mcp_servers') as server
      ), '[]') as servers
    from sessions as session
    left join environments as environment on environment.id = session.environment_id
      and environment.workspace_id = session.workspace_id
    where session.id = ${sessionId}`);
  return row;
}
