// Creates, shows, lists, changes, pauses, unpauses and archives deployments.
import { isDeepStrictEqual } from "node:util";
import { invalid } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import { nextCron, parseCron } from "../../kernel/cron/cron.ts";
import { withoutTold } from "../../kernel/http/input/told-fields.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { actorOf } from "../audit/module.ts";
import { workspaceOf } from "../workspaces/module.ts";
import { recordChange } from "./changes.ts";
import { changedContent, newContent } from "./content.ts";
import { limits } from "./limits.ts";
import { expectDeployment, lockDeployment, lockOpenDeployment } from "./named-deployment.ts";
import { presentDeployment } from "./present.ts";
import * as queries from "./queries.ts";
import { deleteNext, findNext, insertNext, listMissed as listMissedRows } from "./runs/queries.ts";
import type {
  CreateDeployment,
  Deployment,
  DeploymentQuery,
  MissedOccurrences,
  UpdateDeployment,
} from "./schema.ts";

export async function createDeployment(
  context: Context,
  body: CreateDeployment,
): Promise<Deployment> {
  const { db, ids, clock, who } = context;
  const workspaceId = workspaceOf(context);
  return db.tx(async (tx) => {
    const [id, at] = [ids.next("depl_"), clock.now()];
    const row: queries.DeploymentRow = {
      id,
      ...(await newContent(tx, context, id, body)),
      pausedBy: null,
      lastRunAt: null,
      createdAt: at,
      updatedAt: at,
      archivedAt: null,
    };
    const count = await queries.countOpen(tx, workspaceId);
    if (count >= limits.deploymentsPerWorkspace)
      throw invalid(
        `This workspace has ${count} deployments, and may have ${limits.deploymentsPerWorkspace}: archive one.`,
        { code: "deployment_limit_exceeded" },
      );
    const { organizationId } = who;
    const owner = ownerOf(context);
    await queries.insertDeployment(tx, workspaceId, { ...row, ...owner, organizationId });
    await setNext(tx, row, at);
    await recordEvent(tx, context, "created", row);
    return presentDeployment(row, context);
  });
}

/** Who says what a deployment does, in their name it works. */
const ownerOf = ({ who }: Context): queries.Owner => ({
  credentialId: who.credentialId,
  userId: who.userId,
  serviceAccountId: who.serviceAccountId ?? null,
  keyMakerId: who.keyMakerId ?? null,
});

export const retrieveDeployment = async (context: Context, id: string): Promise<Deployment> =>
  presentDeployment(await expectDeployment(context, id), context);

export async function listDeployments(context: Context, query: DeploymentQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const { status, include_archived: includesArchived = false } = query;
  if (status !== undefined && includesArchived)
    throw invalid(
      "status, include_archived: give one of them, not both; what is archived has no other status.",
    );
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("deployments", workspaceId, query.page) as string | undefined;
  const { gte, lte } = query.created_at ?? {};
  const rows = await queries.listDeployments(db, workspaceId, {
    agentId: query.agent_id ?? null,
    isPaused: status === undefined ? null : status === "paused",
    includesArchived,
    from: gte === undefined ? null : new Date(gte),
    to: lte === undefined ? null : new Date(lte),
    before: before ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, ({ id }) => cursors.write("deployments", workspaceId, id));
  return { ...page, data: page.data.map((row) => presentDeployment(row, context)) };
}

/** What is not named stays, and so does `updated_at` where nothing changes. */
export async function updateDeployment(
  context: Context,
  id: string,
  body: UpdateDeployment,
): Promise<Deployment> {
  const { db, clock } = context;
  return db.tx(async (tx) => {
    const row = await lockOpenDeployment(tx, context, id);
    const { status, paused_reason: reason, ...given } = withoutTold(id, body);
    const shown = presentDeployment(row, context);
    if (status !== undefined && status !== shown.status)
      throw invalid(
        `status: is not set by an update; use POST …/${id}/pause, …/unpause or …/archive.`,
      );
    if (reason !== undefined && !isDeepStrictEqual(reason, shown.paused_reason))
      throw invalid(`paused_reason: is not set by an update; use POST …/${id}/pause or …/unpause.`);
    const changed = await changedContent(tx, context, row, given);
    if (isDeepStrictEqual(changed, row)) return shown;
    const next = { ...changed, updatedAt: later(row, clock.now()) };
    await queries.setDeployment(tx, workspaceOf(context), { ...next, ...ownerOf(context) });
    if (next.cron !== row.cron || next.timeZone !== row.timeZone)
      await setNext(tx, next, clock.now());
    await recordEvent(tx, context, "updated", next, { changed: changedFields(row, changed) });
    return presentDeployment(next, context);
  });
}

/** Fields that the API calls otherwise than a row does. */
const apiNames: Partial<Record<keyof queries.DeploymentRow, string>> = {
  agentId: "agent",
  agentVersion: "agent",
  environmentId: "environment_id",
  initialEvents: "initial_events",
  tokens: "resources",
  vaultIds: "vault_ids",
  cron: "schedule",
  timeZone: "schedule",
  budgetNano: "budget",
};

function changedFields(before: queries.DeploymentRow, after: queries.DeploymentRow): string[] {
  const fields = (Object.keys(after) as (keyof queries.DeploymentRow)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  return [...new Set(fields.map((field) => apiNames[field] ?? field))];
}

/** A second time it changes nothing. */
export const pauseDeployment = (context: Context, id: string): Promise<Deployment> =>
  setPaused(context, id, { isOpen: (row) => row.pausedBy === null, pausedBy: "manual" });

/** It goes on with the next occurrence: what passed meanwhile does not run. */
export const unpauseDeployment = (context: Context, id: string): Promise<Deployment> =>
  setPaused(context, id, { isOpen: (row) => row.pausedBy !== null, pausedBy: null });

async function setPaused(
  context: Context,
  id: string,
  {
    isOpen,
    pausedBy,
  }: { isOpen: (row: queries.DeploymentRow) => boolean; pausedBy: "manual" | null },
): Promise<Deployment> {
  const { db, clock } = context;
  return db.tx(async (tx) => {
    const row = await lockOpenDeployment(tx, context, id);
    if (!isOpen(row)) return presentDeployment(row, context);
    const next = { ...row, pausedBy, updatedAt: later(row, clock.now()) };
    await queries.setState(tx, workspaceOf(context), next);
    await setNext(tx, next, clock.now());
    const details = pausedBy === null ? {} : { reason: pausedBy };
    await recordEvent(tx, context, pausedBy === null ? "unpaused" : "paused", next, details);
    return presentDeployment(next, context);
  });
}

/** For good; a second time it changes nothing. */
export async function archiveDeployment(context: Context, id: string): Promise<Deployment> {
  const { db, clock } = context;
  return db.tx(async (tx) => {
    const row = await lockDeployment(tx, context, id);
    if (row.archivedAt !== null) return presentDeployment(row, context);
    const at = later(row, clock.now());
    const next = { ...row, updatedAt: at, archivedAt: at };
    await queries.setState(tx, workspaceOf(context), next);
    await setNext(tx, next, at);
    await recordEvent(tx, context, "archived", next);
    return presentDeployment(next, context);
  });
}

export async function listMissed(context: Context, id: string): Promise<MissedOccurrences> {
  await expectDeployment(context, id);
  const rows = await listMissedRows(context.db, id, limits.missedKeptMax);
  return {
    data: rows.map(({ firstAt, until, count }) => ({
      first_at: firstAt.toISOString(),
      until: until.toISOString(),
      count,
      is_more: count === limits.missedCountedMax,
    })),
  };
}

/** Writes its next occurrence where its schedule is in force; one that is due already stays, and fires. */
async function setNext(tx: Tx, row: queries.DeploymentRow, now: Date): Promise<void> {
  const { id, cron, timeZone, pausedBy, archivedAt } = row;
  const isInForce = pausedBy === null && archivedAt === null;
  const pending = await findNext(tx, id);
  if (isInForce && cron !== null && pending !== undefined && pending <= now) return;
  if (pending !== undefined) await deleteNext(tx, id);
  if (!isInForce || cron === null || timeZone === null) return;
  const next = nextCron(parseCron(cron), timeZone, now);
  if (next !== undefined) await insertNext(tx, id, next);
}

/** Another process may have a clock that runs ahead of this one's. */
const later = ({ updatedAt }: queries.DeploymentRow, now: Date) =>
  now < updatedAt ? updatedAt : now;

const recordEvent = (
  tx: Tx,
  context: Context,
  verb: "created" | "updated" | "paused" | "unpaused" | "archived",
  { id, name }: queries.DeploymentRow,
  more: Record<string, unknown> = {},
) =>
  recordChange(tx, context, actorOf(context), {
    event: `deployment.${verb}`,
    id,
    told: [`deployment.${verb}`],
    details: { name, ...more },
  });
