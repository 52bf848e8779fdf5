// Statements about sessions that wait for people.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";

export interface WaitingRow {
  id: string;
  title: string | null;
  agentName: string;
  updatedAt: Date;
}

export interface WaitingCallRow {
  sessionId: string;
  threadId: string;
  eventId: string;
  needsConfirmation: boolean;
}

/** A tool of the agent's computer that may run waits for a worker, not for a person. */
const forPeople: Statement = sql`(call.needs_confirmation or call.kind in ('custom', 'question'))`;

/** Newest first, behind one of them. */
export function listWaiting(
  on: Queryable,
  workspaceId: string,
  { before, rows }: { before: string | null; rows: number },
): Promise<WaitingRow[]> {
  return on.query<WaitingRow>(
    preparedAs(
      "sessions_waiting",
      sql`select row.id, row.title, row.agent -> 'config' ->> 'name' as "agentName",
          row.updated_at as "updatedAt"
        from sessions as row
        where row.workspace_id = ${workspaceId} and row.status = 'idle'
          and row.archived_at is null and (${before}::text is null or row.id < ${before})
          and exists (select from session_calls as call
            where call.session_id = row.id and ${forPeople})
        order by row.id desc limit ${rows}`,
    ),
  );
}

/** In the order in which they were made. */
export function listWaitingCalls(
  on: Queryable,
  sessionIds: readonly string[],
  perSession: number,
): Promise<WaitingCallRow[]> {
  return on.query<WaitingCallRow>(
    preparedAs(
      "sessions_waiting_calls",
      sql`select call.session_id as "sessionId", call.thread_id as "threadId",
          call.event_id as "eventId", call.needs_confirmation as "needsConfirmation"
        from unnest(${sessionIds}::text[]) as wanted (id),
          lateral (select call.session_id, call.thread_id, call.event_id, call.needs_confirmation
            from session_calls as call
            where call.session_id = wanted.id and ${forPeople}
            order by call.event_id limit ${perSession}) as call
        order by call.event_id`,
    ),
  );
}
