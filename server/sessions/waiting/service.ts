// Lists the sessions of a workspace that wait for a person, each with the calls that it waits with.
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { findEvent } from "../../../kernel/log/log.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { presentEvent } from "../events/drafts.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import type { WaitingQuery, WaitingSession } from "./schema.ts";

export async function listWaiting(context: Context, query: WaitingQuery) {
  const { db, secrets } = context;
  const tenant = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const list = "sessions that wait";
  const before = cursors.read(list, tenant, query.page) as string | undefined;
  const rows = await queries.listWaiting(db, tenant, { before: before ?? null, rows: size + 1 });
  const page = toCursorPage(rows, size, ({ id }) => cursors.write(list, tenant, id));
  const calls = await queries.listWaitingCalls(
    db,
    page.data.map(({ id }) => id),
    limits.waitingCallsMax + 1,
  );
  const bySession = Map.groupBy(calls, ({ sessionId }) => sessionId);
  return {
    ...page,
    data: await Promise.all(
      page.data.map((row) => present(context, row, bySession.get(row.id) ?? [])),
    ),
  };
}

async function present(
  { db, dialect }: Context,
  { id, title, agentName, updatedAt }: queries.WaitingRow,
  calls: readonly queries.WaitingCallRow[],
): Promise<WaitingSession> {
  const shown = calls.slice(0, limits.waitingCallsMax);
  const events = await Promise.all(
    shown.map(({ threadId, eventId }) => findEvent(db, threadId, eventId)),
  );
  return {
    id,
    title,
    agent_name: agentName,
    updated_at: updatedAt.toISOString(),
    calls: shown.flatMap(({ needsConfirmation }, at) => {
      const event = events[at];
      // The session was deleted meanwhile.
      if (event === undefined) return [];
      const needs = needsConfirmation ? ("confirmation" as const) : ("answer" as const);
      return [{ event: presentEvent(event, dialect), needs }];
    }),
    has_more_calls: calls.length > shown.length,
  };
}
