// Statements of kept conversations.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import { holdsNode } from "../../usage/module.ts";
import { threadLimits } from "./limits.ts";

/** Whose a thread is: another organization's or workspace's is not there. */
export interface Owner {
  organizationId: string;
  workspaceId: string;
}

export interface FoundTurn {
  threadId: string;
  /** Of this turn, and how many there are: a turn that was continued is not the last. */
  position: number;
  turns: number;
  bytes: number;
  isUnderWay: boolean;
}

/** In words of `thread`: a process that lives awaits the next answer. */
const underWay = sql`(
  thread.answering_id is not null
  and thread.claimed_at > clock_timestamp() - ${threadLimits.claimMsMax} * interval '1 millisecond'
  and ${holdsNode(sql`thread.node`, sql`thread.node_epoch`)}
)`;

export async function findTurn(
  on: Queryable,
  { organizationId, workspaceId }: Owner,
  messageId: string,
  now: Date,
): Promise<FoundTurn | undefined> {
  const [row] = await on.query<{
    id: string;
    position: number;
    turns: number;
    bytes: number;
    under_way: boolean;
  }>(
    preparedAs(
      "thread_find",
      sql`
        select thread.id, turn.position, thread.turns, thread.bytes, ${underWay} as under_way
        from message_thread_turns as turn join message_threads as thread on thread.id = turn.thread_id
        where turn.message_id = ${messageId} and turn.position is not null
          and thread.organization_id = ${organizationId} and thread.workspace_id = ${workspaceId}
          and thread.expires_at > ${now}`,
    ),
  );
  if (row === undefined) return undefined;
  const { id: threadId, under_way: isUnderWay, ...rest } = row;
  return { ...rest, threadId, isUnderWay };
}

/** All turns up to this one, the first one first. */
export const readTurns = (
  on: Queryable,
  { organizationId, workspaceId }: Owner,
  { threadId, position }: FoundTurn,
): Promise<{ messageId: string; content: string }[]> =>
  on.query(
    preparedAs(
      "thread_read",
      sql`
        select turn.message_id as "messageId", turn.content
        from message_thread_turns as turn join message_threads as thread on thread.id = turn.thread_id
        where thread.id = ${threadId} and turn.position <= ${position}::integer
          and thread.organization_id = ${organizationId} and thread.workspace_id = ${workspaceId}
        order by turn.position`,
    ),
  );

export interface Claim {
  threadId: string;
  /** The id that the answer will have. */
  messageId: string;
  lease: Lease;
}

/** False where another request was faster, or the thread has gone. */
export async function claimThread(
  on: Queryable,
  { organizationId, workspaceId }: Owner,
  { threadId, messageId, lease }: Claim,
  { position, now }: { position: number; now: Date },
): Promise<boolean> {
  const claimed = await on.query(
    preparedAs(
      "thread_claim",
      sql`
        update message_threads as thread
        set answering_id = ${messageId}, node = ${lease.id}, node_epoch = ${lease.epoch},
          claimed_at = clock_timestamp()
        where thread.id = ${threadId} and thread.turns = ${position}::integer
          and thread.organization_id = ${organizationId} and thread.workspace_id = ${workspaceId}
          and thread.expires_at > ${now} and not ${underWay}
        returning thread.id`,
    ),
  );
  return claimed.length > 0;
}

export async function releaseThread(
  on: Queryable,
  { organizationId, workspaceId }: Owner,
  { threadId, messageId }: Claim,
): Promise<void> {
  await on.query(
    preparedAs(
      "thread_release",
      sql`
        update message_threads
        set answering_id = null, node = null, node_epoch = null, claimed_at = null
        where id = ${threadId} and answering_id = ${messageId}
          and organization_id = ${organizationId} and workspace_id = ${workspaceId}`,
    ),
  );
}

/** A thread without turns, under way: nobody can name it yet. */
export async function insertThread(
  on: Queryable,
  { organizationId, workspaceId }: Owner,
  { threadId, messageId, lease }: Claim,
  expiresAt: Date,
): Promise<void> {
  await on.query(
    preparedAs(
      "thread_insert",
      sql`
        insert into message_threads (
          id, organization_id, workspace_id, bytes, answering_id, node, node_epoch, claimed_at, expires_at
        )
        values (
          ${threadId}, ${organizationId}, ${workspaceId}, 0, ${messageId}, ${lease.id}, ${lease.epoch},
          clock_timestamp(), ${expiresAt}
        )`,
    ),
  );
}

/** Not one of the thread's turns yet. */
export async function insertTurn(
  on: Queryable,
  { organizationId, workspaceId }: Owner,
  { threadId, messageId }: Claim,
  content: string,
): Promise<void> {
  await on.query(
    preparedAs(
      "thread_turn",
      sql`
        insert into message_thread_turns (message_id, thread_id, content)
        select ${messageId}, id, ${content}
        from message_threads
        where id = ${threadId} and organization_id = ${organizationId} and workspace_id = ${workspaceId}`,
    ),
  );
}

/** The turn becomes the thread's last. Nothing happens where this process was taken for dead and another went on. */
export const advanceStatement = (
  { organizationId, workspaceId }: Owner,
  { threadId, messageId }: Claim,
  { bytes, expiresAt }: { bytes: number; expiresAt: Date },
): Statement =>
  preparedAs(
    "thread_advance",
    sql`
      with thread as (
        update message_threads
        set turns = turns + 1, bytes = bytes + ${bytes}::bigint, expires_at = ${expiresAt},
          answering_id = null, node = null, node_epoch = null, claimed_at = null
        where id = ${threadId} and answering_id = ${messageId}
          and organization_id = ${organizationId} and workspace_id = ${workspaceId}
        returning turns
      )
      update message_thread_turns set position = thread.turns
      from thread
      where message_id = ${messageId}`,
  );

/** Gives how many threads it deleted, with their turns. */
export async function deleteExpired(on: Queryable, now: Date, rowsMax: number): Promise<number> {
  const gone = await on.query<{ id: string }>(sql`
    delete from message_threads
    where id in (
      select id from message_threads
      where expires_at <= ${now}
      order by expires_at
      limit ${rowsMax}
      for update skip locked
    )
    returning id`);
  return gone.length;
}
