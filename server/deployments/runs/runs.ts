// A run: a session that a deployment begins, or why it began none.
import { Failure, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Actor, Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { actorOf, type AuditActor } from "../../audit/module.ts";
import { findEnvironment } from "../../environments/module.ts";
import { beginSession, presentBudget } from "../../sessions/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { recordChange } from "../changes.ts";
import { wholeResources } from "../content.ts";
import { lockOpenDeployment } from "../named-deployment.ts";
import { presentRun } from "../present.ts";
import type { DeploymentRow } from "../queries.ts";
import * as queries from "./queries.ts";
import type { DeploymentRun, RunQuery } from "../schema.ts";

/** Why no session began, in the words of the newer version of the API. */
export interface Refusal {
  type: string;
  message: string;
}

interface Trigger {
  /** Null where it is begun by hand. */
  scheduledAt: Date | null;
  by: AuditActor;
  /** It is known that no session begins. */
  refusal?: Refusal | undefined;
}

/** Throws where the session is refused: then nothing of the transaction may stay. */
export async function addRun(
  tx: Tx,
  actor: Actor,
  deployment: DeploymentRow,
  { scheduledAt, by, refusal }: Trigger,
): Promise<queries.RunRow> {
  const { ids, clock, who } = actor;
  const sessionId = refusal === undefined ? await begin(tx, actor, deployment, by) : null;
  const row: queries.RunRow = {
    id: ids.next("drun_"),
    deploymentId: deployment.id,
    agentId: deployment.agentId,
    agentVersion: deployment.agentVersion,
    sessionId,
    errorType: refusal?.type ?? null,
    errorMessage: refusal?.message ?? null,
    scheduledAt,
    createdAt: clock.now(),
  };
  const { organizationId } = who;
  await queries.insertRun(tx, workspaceOf(actor), { ...row, organizationId });
  const verb = sessionId === null ? "failed" : "started";
  await recordChange(tx, actor, by, {
    event: `deployment_run.${verb}`,
    id: row.id,
    told: [
      "deployment_run.started",
      `deployment_run.${sessionId === null ? "failed" : "succeeded"}`,
    ],
    details: {
      deployment_id: deployment.id,
      ...(scheduledAt !== null && { scheduled_at: scheduledAt.toISOString() }),
      ...(sessionId === null ? { error: row.errorType } : { session_id: sessionId }),
    },
  });
  return row;
}

async function begin(
  tx: Tx,
  actor: Actor,
  deployment: DeploymentRow,
  by: AuditActor,
): Promise<string> {
  const { id, environmentId, initialEvents, resources, vaultIds, agentId: agent } = deployment;
  const environment = await findEnvironment(tx, workspaceOf(actor), environmentId);
  if (environment === undefined)
    throw notFound("environment", environmentId, { code: "environment_not_found" });
  if (environment.config.type === "self_hosted" && resources.length > 0)
    throw invalid(
      `resources: the environment ${environmentId} is self-hosted, and a deployment gives no resources there. Take them away, or name a cloud environment.`,
      { code: "self_hosted_resources_unsupported" },
    );
  const budget = presentBudget(deployment.budgetNano);
  const body = {
    agent: { type: "agent" as const, id: agent, version: deployment.agentVersion },
    environment_id: environmentId,
    title: deployment.name,
    // What was judged by their shapes when the deployment was made.
    initial_events: initialEvents,
    resources: wholeResources(actor, deployment),
    vault_ids: vaultIds,
    budget,
  } as unknown as Parameters<typeof beginSession>[2];
  return beginSession(tx, actor, body, { by, deploymentId: id });
}

const typesByCode: Readonly<Record<string, string>> = {
  environment_archived: "environment_archived_error",
  environment_not_found: "environment_not_found_error",
  agent_archived: "agent_archived_error",
  skill_not_found: "skill_not_found_error",
  memory_store_archived: "memory_store_archived_error",
  memory_store_not_found: "session_resource_not_found_error",
  self_hosted_resources_unsupported: "self_hosted_resources_unsupported_error",
  vault_not_found: "vault_not_found_error",
  vault_archived: "vault_archived_error",
  mcp_egress_blocked: "mcp_egress_blocked_error",
};

/** Undefined where the server itself is at fault, or away: then it is not said of the deployment. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Failure) || error.status >= 500 || error.status === 408) return undefined;
  const { type, message, options } = error;
  const byCode = typesByCode[options.code ?? ""];
  if (byCode !== undefined) return { type: byCode, message };
  if (type === "rate_limit_error") return { type: "session_rate_limited_error", message };
  // Agents and environments are told by their codes: what else a session names is a file.
  if (type === "not_found_error") return { type: "file_not_found_error", message };
  return { type: "session_creation_rejected_error", message };
}

/** By hand: also while it is paused, and what goes wrong pauses nothing. */
export async function runDeployment(context: Context, id: string): Promise<DeploymentRun> {
  const { db } = context;
  const by = actorOf(context);
  /** What is refused before is the request, and what is refused then is the session. */
  let isBeginning = false;
  const attempt = (refusal?: Refusal) =>
    db.tx(async (tx) => {
      isBeginning = false;
      const row = await lockOpenDeployment(tx, context, id);
      isBeginning = refusal === undefined;
      return addRun(tx, context, row, { scheduledAt: null, by, refusal });
    });
  try {
    return presentRun(await attempt(), context);
  } catch (error) {
    const refusal = isBeginning ? refusalOf(error) : undefined;
    if (refusal === undefined) throw error;
    return presentRun(await attempt(refusal), context);
  }
}

export async function retrieveRun(context: Context, id: string): Promise<DeploymentRun> {
  const row = await queries.findRun(context.db, workspaceOf(context), id);
  if (row === undefined) throw notFound("deployment run", id);
  return presentRun(row, context);
}

export async function listRuns(context: Context, query: RunQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("deployment runs", workspaceId, query.page) as string | undefined;
  const { gt, gte, lt, lte } = query.created_at ?? {};
  const dateOf = (time: string | undefined) => (time === undefined ? null : new Date(time));
  const rows = await queries.listRuns(db, workspaceId, {
    deploymentId: query.deployment_id ?? null,
    hasError: query.has_error ?? null,
    isScheduled: query.trigger_type === undefined ? null : query.trigger_type === "schedule",
    createdAt: { gt: dateOf(gt), gte: dateOf(gte), lt: dateOf(lt), lte: dateOf(lte) },
    before: before ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, ({ id }) =>
    cursors.write("deployment runs", workspaceId, id),
  );
  return { ...page, data: page.data.map((row) => presentRun(row, context)) };
}
