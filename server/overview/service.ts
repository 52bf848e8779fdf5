// The overview: what an operator asks every day, in one answer.
import { statfs } from "node:fs/promises";
import type { Context } from "../../kernel/context.ts";
import { postJournal } from "../usage/module.ts";
import { visibleWorkspaceIds } from "../workspaces/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import {
  waitingKinds,
  type Overview,
  type OverviewQuery,
  type Waiting,
  type WaitingKind,
} from "./schema.ts";
import { spendOf, topOf } from "./spend.ts";
import { requestsOf, upstreamsOf } from "./traffic.ts";

/** Rules OVR1 to OVR6. What the caller may not read is not asked for. */
export async function overview(context: Context, query: OverviewQuery): Promise<Overview> {
  const { clock, who } = context;
  const may = (permission: string) => who.permissions.has(permission);
  const workspaceIds = await visibleWorkspaceIds(context);
  const seesUsage = may("usage:read");
  await postJournal(context);
  return {
    type: "overview",
    at: clock.now().toISOString(),
    requests: await requestsOf(context),
    spend: may("limits:read") ? await spendOf(context, workspaceIds) : null,
    upstreams: seesUsage ? await upstreamsOf(context) : null,
    top: seesUsage ? await topOf(context, query.period ?? "yesterday") : null,
    under_way: await underWayOf(context, workspaceIds),
    waiting: await waitingOf(context, workspaceIds),
    storage: workspaceIds === null && may("workspaces:read") ? await storageOf(context) : null,
  };
}

/** People by what they may use; a credential of no person sees as much as it sees of workspaces. */
const mayUse = ({ who }: Context, permission: string): boolean =>
  who.permissions.has(permission) ||
  (who.userId === null && who.permissions.has("workspaces:read"));

async function underWayOf(
  context: Context,
  workspaceIds: queries.Ids,
): Promise<Overview["under_way"]> {
  const { db, who } = context;
  const batches = mayUse(context, "batches:use")
    ? await queries.listOpenBatches(db, who.organizationId, workspaceIds)
    : [];
  const sessions = mayUse(context, "sessions:use")
    ? await queries.listRunningSessions(db, who.organizationId, workspaceIds)
    : [];
  return {
    batches: batches.map(({ workspaceId, workspaceName, ...counts }) => ({
      workspace_id: workspaceId,
      workspace_name: workspaceName,
      ...counts,
    })),
    sessions: sessions.map(({ workspaceId, workspaceName, ...counts }) => ({
      workspace_id: workspaceId,
      workspace_name: workspaceName,
      ...counts,
    })),
  };
}

const ofUse: Partial<Record<WaitingKind, string>> = {
  session: "sessions:use",
  deployment: "deployments:use",
  credential: "vaults:use",
};
const ofAdministration: Partial<Record<WaitingKind, string>> = {
  webhook: "webhooks:read",
  invite: "members:read",
  spend_request: "limits:write",
};

function maySee(context: Context, kind: WaitingKind): boolean {
  const use = ofUse[kind];
  if (use !== undefined) return mayUse(context, use);
  return context.who.permissions.has(ofAdministration[kind] ?? "");
}

async function waitingOf(context: Context, workspaceIds: queries.Ids): Promise<Waiting[]> {
  const { db, clock, who } = context;
  const now = clock.now();
  const rows = await queries.listWaiting(db, who.organizationId, {
    kinds: waitingKinds.filter((kind) => maySee(context, kind)),
    workspaceIds,
    invitesUntil: new Date(now.getTime() + limits.inviteEndsSoonMs),
    now,
    rows: limits.shownMax,
  });
  return waitingKinds.flatMap((kind) => {
    const found = rows.filter((row) => row.kind === kind);
    const [first] = found;
    if (first === undefined) return [];
    const items = found.map(({ id, name, workspaceId, count, since }) => ({
      id,
      name,
      workspace_id: workspaceId,
      count,
      since: since.toISOString(),
    }));
    return [{ kind, count: first.total, items }];
  });
}

async function storageOf({ db, who, dataDirectory }: Context): Promise<Overview["storage"]> {
  const stored = await queries.readStorage(db, who.organizationId);
  const { bavail, blocks, bsize } = await statfs(dataDirectory);
  const { files = 0, skills = 0, memory = 0, batches = 0 } = stored ?? {};
  return { files, skills, memory, batches, disk_free: bavail * bsize, disk_size: blocks * bsize };
}
