// Deployments and runs as their clients see them.
import type { Context } from "../../kernel/context.ts";
import { nextCrons, parseCron } from "../../kernel/cron/cron.ts";
import { presentBudget } from "../sessions/module.ts";
import { limits } from "./limits.ts";
import type { DeploymentRow } from "./queries.ts";
import type { RunRow } from "./runs/queries.ts";
import type { Deployment, DeploymentRun } from "./schema.ts";

type Shown = Pick<Context, "dialect" | "clock">;

/** An error is named with this ending, but in the older version of the API. */
const errorName = (type: string, { dialect }: Pick<Context, "dialect">): string =>
  dialect === "2023-06-01" ? type.replace(/_error$/, "") : type;

export function presentDeployment(row: DeploymentRow, context: Shown): Deployment {
  const isArchived = row.archivedAt !== null;
  const { pausedBy } = row;
  return {
    id: row.id,
    type: "deployment",
    name: row.name,
    description: row.description,
    agent: { id: row.agentId, type: "agent", version: row.agentVersion },
    environment_id: row.environmentId,
    initial_events: row.initialEvents,
    resources: row.resources,
    vault_ids: row.vaultIds,
    schedule: scheduleOf(row, context),
    status: isArchived
      ? context.dialect === "2023-06-01"
        ? "archived"
        : "active"
      : pausedBy === null
        ? "active"
        : "paused",
    paused_reason:
      isArchived || pausedBy === null
        ? null
        : pausedBy === "manual"
          ? { type: "manual" }
          : { type: "error", error: { type: errorName(pausedBy, context) } },
    budget: presentBudget(row.budgetNano),
    metadata: row.metadata,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    archived_at: row.archivedAt?.toISOString() ?? null,
  };
}

function scheduleOf(row: DeploymentRow, { clock }: Shown): Deployment["schedule"] {
  const { cron, timeZone, lastRunAt, archivedAt } = row;
  if (cron === null || timeZone === null) return null;
  const upcoming =
    archivedAt === null
      ? nextCrons(parseCron(cron), timeZone, clock.now(), limits.upcomingMax)
      : [];
  return {
    type: "cron",
    expression: cron,
    timezone: timeZone,
    last_run_at: lastRunAt?.toISOString() ?? null,
    upcoming_runs_at: upcoming.map((at) => at.toISOString()),
  };
}

export function presentRun(row: RunRow, context: Pick<Context, "dialect">): DeploymentRun {
  const { scheduledAt, errorType, errorMessage } = row;
  return {
    id: row.id,
    type: "deployment_run",
    deployment_id: row.deploymentId,
    agent: { id: row.agentId, type: "agent", version: row.agentVersion },
    session_id: row.sessionId,
    error:
      errorType === null
        ? null
        : { type: errorName(errorType, context), message: errorMessage ?? "" },
    trigger_context:
      scheduledAt === null
        ? { type: "manual" }
        : { type: "schedule", scheduled_at: scheduledAt.toISOString() },
    created_at: row.createdAt.toISOString(),
  };
}
