// Shows, lists and archives the threads of a session.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { append } from "../../../kernel/log/log.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { presentConfig } from "../../agents/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { presentUsage, statsOf } from "../present.ts";
import { sessionsChannel } from "../events/channel.ts";
import {
  newEventId,
  requiresAction,
  sessionIdle,
  threadStatus,
  visible,
  type EventData,
} from "../events/drafts.ts";
import { listCalls, setCalls, setDue, setThreadStatus } from "../events/queries.ts";
import { tellWebhooks } from "../events/webhooks.ts";
import { leaveTasks } from "../servers/left-tasks.ts";
import { deleteQuestionStates } from "../servers/queries.ts";
import { expectSession, lockSession } from "../named-session.ts";
import type { LockedSession } from "../queries.ts";
import * as queries from "./queries.ts";
import type { SessionThread, ThreadQuery } from "./schema.ts";

export async function listThreads(context: Context, sessionId: string, query: ThreadQuery) {
  const { db, secrets } = context;
  await expectSession(context, sessionId);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const [list, tenant] = [`threads of ${sessionId}`, workspaceOf(context)];
  const after = cursors.read(list, tenant, query.page) as string | undefined;
  const rows = await queries.listThreads(db, sessionId, {
    statuses: query.statuses ?? null,
    after: after ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, ({ id }) => cursors.write(list, tenant, id));
  return { ...page, data: page.data.map((row) => present(context, row)) };
}

export async function retrieveThread(context: Context, sessionId: string, id: string) {
  return present(context, await expectThread(context, sessionId, id));
}

export async function expectThread(
  context: Context,
  sessionId: string,
  id: string,
): Promise<queries.ThreadRow> {
  await expectSession(context, sessionId);
  const row = await queries.findThread(context.db, sessionId, id);
  if (row === undefined) throw notFound("thread", id);
  return row;
}

/**
 * A second time it changes nothing. The thread that waits for this one reads of its end in the session's log, and is
 * given a result by the brain.
 */
export async function archiveThread(context: Context, sessionId: string, id: string) {
  const { db, clock, ids, hints } = context;
  const found = await expectThread(context, sessionId, id);
  if (found.parentId === null)
    throw invalid(
      `The thread ${id} is the session's own; archive the session with POST /v1/sessions/${sessionId}/archive.`,
    );
  await db.tx(async (tx) => {
    const session = await lockSession(tx, context, sessionId);
    const row = await queries.findThread(tx, sessionId, id);
    if (row === undefined) throw notFound("thread", id);
    if (row.archivedAt !== null) return;
    if (row.status !== "idle")
      throw invalid(`The thread ${id} is ${row.status}: interrupt it first.`, {
        code: "thread_running",
      });
    const at = clock.now();
    const ended = visible(newEventId(ids), threadStatus("terminated", row), at);
    await append(tx, context, id, [ended]);
    const own = (await waitingWithout(tx, session, id)).map((data) =>
      visible(newEventId(ids), data, at),
    );
    const events = [ended, ...own];
    await append(tx, context, session.threadId, events);
    await tellWebhooks(tx, context, [{ session, events }]);
    await leaveTasks(tx, context, session, row);
    await setCalls(tx, { sessionId, threadId: id }, []);
    await deleteQuestionStates(tx, { sessionId, threadId: id });
    await setThreadStatus(tx, id, { status: "terminated", at });
    await queries.setArchived(tx, id, at);
    await setDue(tx, sessionId);
    tx.afterCommit(() => hints.send(sessionsChannel, sessionId));
  });
  return present(context, await expectThread(context, sessionId, id));
}

/** An idle session whose calls of this thread wait no more is told to wait for the rest. */
async function waitingWithout(tx: Tx, session: LockedSession, id: string): Promise<EventData[]> {
  const calls = await listCalls(tx, session.id);
  const rest = calls.filter(({ threadId }) => threadId !== id);
  // Where none is left, the thread that waited for this one goes on.
  const isChanged = rest.length > 0 && rest.length < calls.length;
  return isChanged && session.status === "idle" ? [sessionIdle(requiresAction(rest))] : [];
}

function present({ dialect, clock }: Context, row: queries.ThreadRow): SessionThread {
  const { multiagent: _multiagent, ...agent } = presentConfig(row.agent, dialect);
  return {
    id: row.id,
    type: "session_thread",
    session_id: row.sessionId,
    parent_thread_id: row.parentId,
    status: row.status,
    agent,
    workflow_run_id: null,
    stats: statsOf(row, clock.now()),
    usage: presentUsage(row.usage, {
      activeMs: row.activeMs,
      costNano: row.usage.listAmountNano,
    }),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    archived_at: row.archivedAt?.toISOString() ?? null,
  };
}
