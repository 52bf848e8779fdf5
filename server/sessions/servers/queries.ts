// Statements about what MCP servers want back along with the answers to what they asked.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

interface CallPlace {
  sessionId: string;
  threadId: string;
  callId: string;
}

/** Null: nothing of this call is kept any more. */
export async function saveQuestionState(
  tx: Tx,
  { sessionId, threadId, callId }: CallPlace,
  sealed: string | null,
): Promise<void> {
  await tx.query(
    sealed === null
      ? sql`delete from session_question_states where session_id = ${sessionId} and call_id = ${callId}`
      : sql`insert into session_question_states (call_id, session_id, thread_id, request_state)
          values (${callId}, ${sessionId}, ${threadId}, ${sealed})
          on conflict (call_id) do update set request_state = excluded.request_state`,
  );
}

export async function findQuestionState(
  on: Queryable,
  sessionId: string,
  callId: string,
): Promise<string | null> {
  const [row] = await on.query<{ state: string }>(sql`
    select request_state as state from session_question_states
    where session_id = ${sessionId} and call_id = ${callId}`);
  return row?.state ?? null;
}

/** Of a thread that has ended. */
export async function deleteQuestionStates(
  tx: Tx,
  { sessionId, threadId }: Omit<CallPlace, "callId">,
): Promise<void> {
  await tx.query(sql`
    delete from session_question_states where session_id = ${sessionId} and thread_id = ${threadId}`);
}
