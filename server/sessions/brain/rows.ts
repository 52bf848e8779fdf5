// The rows beside the logs of a session's threads, changed with them.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as events from "../events/queries.ts";
import type { WorkedSession } from "../model/queries.ts";
import { insertThread } from "../threads/queries.ts";
import type { Draft, SessionDrafts } from "../steps/drafts.ts";
import { sessionStatus } from "../steps/session-status.ts";
import { openCallsOf, waitingCalls } from "../steps/waiting-calls.ts";

export interface Written {
  drafts: SessionDrafts;
  session: WorkedSession;
  /** Nothing is left to be done, but for what is tried again after a pause: the session is given back. */
  isLast: boolean;
  pauseMs: number | undefined;
}

export async function writeRows(
  tx: Tx,
  { clock }: Pick<World, "clock">,
  { drafts, session, isLast, pauseMs }: Written,
): Promise<void> {
  const at = clock.now();
  const { primary, threads } = drafts;
  for (const draft of drafts.all()) await writeThread(tx, session, draft, { at, primary });
  const status = sessionStatus(threads.map(({ state }) => state));
  const isChanged =
    status !== drafts.statusBefore || primary.state.status !== primary.before.status;
  if (!isChanged && !isLast) return;
  await events.setStatus(
    tx,
    { id: session.id, threadId: session.threadId },
    {
      status,
      threadStatus: primary.state.status,
      at,
      due: isLast ? (pauseMs ?? "never") : "as_before",
      isGivenBack: isLast,
    },
  );
}

async function writeThread(
  tx: Tx,
  session: WorkedSession,
  draft: Draft,
  { at, primary }: { at: Date; primary: Draft },
): Promise<void> {
  const { thread, state, before, outcomes } = draft;
  const isNew = draft.from === 0 && draft !== primary;
  if (isNew) await insertThread(tx, session.id, thread.facts, at);
  if (waitingCalls(state) !== before.calls)
    await events.setCalls(
      tx,
      { sessionId: session.id, threadId: thread.id },
      openCallsOf(state, thread.id, session),
    );
  for (const outcome of outcomes.values()) await events.saveOutcome(tx, session.id, outcome);
  if (draft !== primary && (isNew || state.status !== before.status))
    await events.setThreadStatus(tx, thread.id, { status: state.status, at });
}
