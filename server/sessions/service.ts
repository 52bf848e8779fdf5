// Makes, shows, lists, changes, archives and deletes sessions.
import { isDeepStrictEqual } from "node:util";
import { conflict, invalid } from "../../kernel/base/failure.ts";
import { patchedMetadata } from "../../kernel/base/metadata.ts";
import type { Context } from "../../kernel/context.ts";
import { makeCursors, pageSize, toBidirectionalPage } from "../../kernel/http/pages.ts";
import { append, deleteStream } from "../../kernel/log/log.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { completeConfig, presentConfig } from "../agents/module.ts";
import { actorOf } from "../audit/module.ts";
import { stopWork } from "../environments/module.ts";
import { workspaceOf } from "../workspaces/module.ts";
import { expectRunnable } from "./model/pinned-agent.ts";
import { newEventId, visible } from "./events/drafts.ts";
import { sandboxesChannel, sessionsChannel } from "./events/channel.ts";
import { expectSession, lockOpenSession, lockSession } from "./named-session.ts";
import { recordChange } from "./events/webhooks.ts";
import { presentBudget, presentSession } from "./present.ts";
import * as queries from "./queries.ts";
import { listResources } from "./resources/queries.ts";
import { listThreadFacts, listThreadIds } from "./threads/queries.ts";
import { leaveTasks } from "./servers/left-tasks.ts";
import { terminate } from "./threads/terminate.ts";
import { listCostNano } from "./time/cost.ts";
import { settleTime } from "./time/settle.ts";
import { setDue } from "./events/queries.ts";
import { presentResource } from "./resources/service.ts";
import type { BudgetInput, CreateSession, Session, SessionQuery, UpdateSession } from "./schema.ts";
import { beginSession, nanoOf } from "./begin/begin.ts";

export async function createSession(context: Context, body: CreateSession): Promise<Session> {
  return context.db.tx(async (tx) => {
    const id = await beginSession(tx, context, body, { by: actorOf(context) });
    return present(context, await expectSession(context, id, tx), tx);
  });
}

export async function retrieveSession(context: Context, id: string): Promise<Session> {
  return present(context, await expectSession(context, id));
}

async function present(
  context: Context,
  row: queries.ListedSession,
  on: Pick<Tx, "query"> = context.db,
): Promise<Session> {
  const resources = await listResources(on, [row.id]);
  return presentSession(row, resources.map(presentResource), context);
}

export async function listSessions(context: Context, query: SessionQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  if (query.agent_version !== undefined && query.agent_id === undefined)
    throw invalid("agent_version: needs agent_id beside it.");
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const order = query.order ?? "desc";
  const list = `sessions ${order}`;
  const cursor = cursors.read(list, workspaceId, query.page) as Cursor | undefined;
  const [direction, beyond] = cursor ?? ["next", null];
  const back = direction === "prev";
  const rows = await queries.listSessions(db, workspaceId, {
    ...filterOf(query),
    beyond,
    isAscending: (order === "asc") !== back,
    rows: size + 1,
  });
  const page = toBidirectionalPage(
    rows,
    { size, back, isFirst: cursor === undefined },
    ({ id }, to) => cursors.write(list, workspaceId, [to, id]),
  );
  const ids = page.data.map(({ id }) => id);
  const resources = Map.groupBy(await listResources(db, ids), ({ sessionId }) => sessionId);
  return {
    ...page,
    data: page.data.map((row) =>
      presentSession(row, (resources.get(row.id) ?? []).map(presentResource), context),
    ),
  };
}

type Cursor = ["next" | "prev", string];

function filterOf(query: SessionQuery) {
  const { gt, gte, lt, lte } = query.created_at ?? {};
  const dateOf = (time: string | undefined) => (time === undefined ? null : new Date(time));
  return {
    agentId: query.agent_id ?? null,
    agentVersion: query.agent_version ?? null,
    deploymentId: query.deployment_id ?? null,
    memoryStoreId: query.memory_store_id ?? null,
    vaultId: query.vault_id ?? null,
    statuses: query.statuses ?? null,
    // Only what is archived is terminated: who asks for one asks for the other.
    includesArchived: query.include_archived ?? query.statuses?.includes("terminated") ?? false,
    createdAt: { gt: dateOf(gt), gte: dateOf(gte), lt: dateOf(lt), lte: dateOf(lte) },
  };
}

/** What is not named stays, and nothing is told where nothing changes. */
export async function updateSession(
  context: Context,
  id: string,
  body: UpdateSession,
): Promise<Session> {
  const { db, clock, ids, hints } = context;
  if (body.vault_ids !== undefined)
    throw invalid("vault_ids: are said when a session is made, and stay as they are.");
  return db.tx(async (tx) => {
    const row = await lockOpenSession(tx, context, id);
    const next = {
      title: body.title === undefined ? row.title : body.title,
      metadata: patchedMetadata(row.metadata, body.metadata),
      budgetNano: await changedBudget(tx, context, row, body.budget),
      agent: await agentOf(tx, context, row, body.agent),
    };
    const changed = changedFields(row, next);
    if (changed.length === 0) return present(context, await expectSession(context, id, tx), tx);
    const at = clock.now();
    await queries.setSession(tx, workspaceOf(context), id, { ...next, updatedAt: at });
    const event = { type: "session.updated", ...Object.fromEntries(changed) };
    await append(tx, context, row.threadId, [visible(newEventId(ids), event, at)]);
    // What a budget had stopped may go on.
    if (next.budgetNano !== row.budgetNano) await setDue(tx, id);
    tx.afterCommit(() => hints.send(sessionsChannel, id));
    await recordChange(tx, context, "updated", id);
    return present(context, await expectSession(context, id, tx), tx);
  });
}

async function agentOf(
  tx: Tx,
  context: Context,
  { agent, status, environmentType }: queries.SessionRow,
  given: UpdateSession["agent"],
): Promise<queries.PinnedAgent> {
  if (given === undefined) return agent;
  if (status !== "idle")
    throw invalid(
      "agent: tools and servers change only while the session is idle; interrupt it, or wait.",
      { code: "session_running" },
    );
  const scope = { actor: context, on: tx, agentId: agent.id };
  const config = await completeConfig(scope, given, agent.config);
  await expectRunnable(context, config, environmentType);
  return { ...agent, config };
}

function changedFields(
  row: queries.SessionRow,
  next: Pick<queries.SessionChange, "title" | "metadata" | "budgetNano" | "agent">,
): [string, unknown][] {
  const fields: [string, unknown, boolean][] = [
    ["title", next.title, next.title === row.title],
    ["metadata", next.metadata, isDeepStrictEqual(next.metadata, row.metadata)],
    ["budget", presentBudget(next.budgetNano), next.budgetNano === row.budgetNano],
    ["agent", presentConfig(next.agent, "2026-10-21"), isDeepStrictEqual(next.agent, row.agent)],
  ];
  return fields.flatMap(([name, value, isSame]) => (isSame ? [] : [[name, value]]));
}

/** What runs is stopped. A second time it changes nothing. */
export async function archiveSession(context: Context, id: string): Promise<Session> {
  const { db, clock, hints } = context;
  return db.tx(async (tx) => {
    const row = await lockSession(tx, context, id);
    if (row.archivedAt === null) {
      tx.afterCommit(() => {
        hints.send(sessionsChannel, id);
        hints.send(sandboxesChannel, id);
      });
      const at = clock.now();
      if (row.status !== "terminated") await terminate(tx, context, row, at);
      await queries.setArchived(tx, id, at);
      await stopWork(tx, id);
      await recordChange(tx, context, "archived", id);
    }
    return present(context, await expectSession(context, id, tx), tx);
  });
}

/** Its events go with it: who streams them is told that it is gone. */
export async function deleteSession(context: Context, id: string) {
  await context.db.tx(async (tx) => {
    const row = await lockSession(tx, context, id);
    if (row.status === "running")
      throw conflict(`The session ${id} is running: interrupt it first, or archive it.`, {
        code: "session_running",
      });
    await stopWork(tx, id);
    await settleTime(tx, context, row);
    tx.afterCommit(() => context.hints.send(sandboxesChannel, id));
    if (row.status !== "terminated")
      for (const thread of await listThreadFacts(tx, id))
        await leaveTasks(tx, context, row, thread);
    for (const threadId of await listThreadIds(tx, id)) await deleteStream(tx, context, threadId);
    await queries.deleteSession(tx, workspaceOf(context), id);
    await recordChange(tx, context, "deleted", id);
  });
  return { id, type: "session_deleted" as const };
}

/** What is not named stays; null takes it away. */
async function changedBudget(
  tx: Tx,
  context: Context,
  { id, budgetNano }: queries.SessionRow,
  given: BudgetInput | null | undefined,
): Promise<number | null> {
  if (given === undefined) return budgetNano;
  if (given === null) return null;
  if (budgetNano === null)
    throw invalid("budget: a session gets one when it is made, and none later.");
  const nano = nanoOf(given);
  const costNano = listCostNano(context, await expectSession(context, id, tx));
  if (nano <= costNano)
    throw invalid(
      `budget.max_list_cost: must be more than the session has cost: ${presentBudget(costNano)?.max_list_cost.amount} cents.`,
    );
  return nano;
}
