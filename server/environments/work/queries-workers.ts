// Statements about workers: the tokens that they work with, who has polled, and how the queue stands.
import type { OrganizationType } from "../../../kernel/context.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import { limits } from "./limits.ts";
import type { WorkState } from "./schema.ts";

export async function insertToken(
  tx: Tx,
  workId: string,
  { epoch, secretSha256 }: { epoch: number; secretSha256: Buffer },
): Promise<void> {
  await tx.query(sql`
    insert into environment_work_tokens (work_id, epoch, secret_sha256)
    values (${workId}, ${epoch}, ${secretSha256})`);
}

/** What a token of a worker is for. */
export interface KnownWorkToken {
  organizationId: string;
  organizationType: OrganizationType;
  workspaceId: string;
  environmentId: string;
  workId: string;
  sessionId: string | null;
  epoch: number;
  /** Of the last time at which the work was handed out. */
  lastEpoch: number;
  holderEpoch: number | null;
  state: WorkState;
  stores: { id: string; access: "read_only" | "read_write" }[];
}

export async function findToken(
  on: Queryable,
  secretSha256: Buffer,
): Promise<KnownWorkToken | undefined> {
  const [row] = await on.query<KnownWorkToken>(
    preparedAs(
      "environment_work_token",
      sql`
        select work.organization_id as "organizationId", organization.type as "organizationType",
          work.workspace_id as "workspaceId", work.environment_id as "environmentId",
          work.id as "workId", work.session_id as "sessionId", token.epoch,
          work.epoch as "lastEpoch", work.holder_epoch as "holderEpoch", work.state,
          (select coalesce(json_agg(json_build_object('id', shown ->> 'memory_store_id',
              'access', shown ->> 'access')), '[]')
            from session_resources
            where session_id = work.session_id and type = 'memory_store') as stores
        from environment_work_tokens as token
        join environment_work as work on work.id = token.work_id
        join organizations as organization on organization.id = work.organization_id
        where token.secret_sha256 = ${secretSha256}`,
    ),
  );
  return row;
}

/** Not with every poll: a worker polls every second. */
export async function notePoll(
  on: Queryable,
  environmentId: string,
  workerId: string,
): Promise<void> {
  await on.query(
    preparedAs(
      "environment_workers_note",
      sql`
        insert into environment_workers as known (environment_id, worker_id, polled_at)
        select id, ${workerId}, statement_timestamp() from environments where id = ${environmentId}
        on conflict (environment_id, worker_id) do update set polled_at = excluded.polled_at
        where known.polled_at < excluded.polled_at - ${limits.notedSeconds}::integer * interval '1 second'`,
    ),
  );
}

export interface QueueStatsRow {
  depth: number;
  pending: number;
  oldestQueuedAt: Date | null;
  workersPolling: number;
}

export async function queueStats(on: Queryable, environmentId: string): Promise<QueueStatsRow> {
  const [row] = await on.query<QueueStatsRow>(sql`
    select count(*) filter (where handed_out_at is null)::int as depth,
      count(*) filter (where handed_out_at is not null)::int as pending,
      min(created_at) as "oldestQueuedAt",
      (select count(*)::int from environment_workers
        where environment_id = ${environmentId}
          and polled_at >= statement_timestamp() - ${limits.pollingSeconds}::integer * interval '1 second'
      ) as "workersPolling"
    from environment_work where environment_id = ${environmentId} and state = 'queued'`);
  if (row === undefined) throw new Error("a count has a row");
  return row;
}
