// A session as its clients see it.
import type { Context } from "../../kernel/context.ts";
import { presentConfig } from "../agents/module.ts";
import type { ListedSession, OutcomeRow, UsageSums } from "./queries.ts";
import type { SessionResource } from "./resources/schema.ts";
import { listCostNano } from "./time/cost.ts";
import type { Budget, OutcomeEvaluation, Session, SessionUsage } from "./schema.ts";

export function presentSession(
  row: ListedSession,
  resources: readonly SessionResource[],
  context: Pick<Context, "dialect" | "clock" | "sections">,
): Session {
  const { dialect, clock } = context;
  const now = clock.now();
  return {
    id: row.id,
    type: "session",
    status: row.status,
    title: row.title,
    agent: presentConfig(row.agent, dialect),
    environment_id: row.environmentId,
    deployment_id: row.deploymentId,
    vault_ids: row.vaultIds,
    resources: [...resources],
    metadata: row.metadata,
    budget: presentBudget(row.budgetNano),
    usage: presentUsage(row.usage, {
      activeMs: row.activeMs,
      costNano: listCostNano(context, row),
    }),
    stats: statsOf(row, now),
    outcome_evaluations: row.outcomes.map(presentOutcome),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    archived_at: row.archivedAt?.toISOString() ?? null,
  };
}

export function statsOf(
  {
    activeMs,
    createdAt,
    archivedAt,
  }: { activeMs: number; createdAt: Date; archivedAt: Date | null },
  now: Date,
) {
  const untilMs = (archivedAt ?? now).getTime();
  return {
    active_seconds: activeMs / 1000,
    duration_seconds: Math.max(0, untilMs - createdAt.getTime()) / 1000,
  };
}

/** Whole cents, never fewer than were spent. */
export const nanoPerCent = 10_000_000;
const centsOf = (nano: number): string => String(Math.ceil(nano / nanoPerCent));

export const presentBudget = (nano: number | null): Budget | null =>
  nano === null
    ? null
    : { type: "limit", max_list_cost: { amount: centsOf(nano), currency: "USD" } };

export const presentUsage = (
  sums: UsageSums,
  { activeMs, costNano }: { activeMs: number; costNano: number },
): SessionUsage => ({
  input_tokens: sums.inputTokens,
  output_tokens: sums.outputTokens,
  cache_read_input_tokens: sums.cacheReadTokens,
  cache_creation: {
    ephemeral_5m_input_tokens: sums.cacheWrite5mTokens,
    ephemeral_1h_input_tokens: sums.cacheWrite1hTokens,
  },
  server_tool_use: {
    web_search_requests: sums.webSearchRequests,
    web_fetch_requests: sums.webFetchRequests,
  },
  list_cost: { amount: centsOf(costNano), currency: "USD" },
  active_seconds: activeMs / 1000,
});

export const presentOutcome = (row: OutcomeRow): OutcomeEvaluation => ({
  type: "outcome_evaluation",
  outcome_id: row.id,
  description: row.description,
  iteration: row.iteration,
  result: row.result,
  explanation: row.explanation,
  completed_at: row.completedAt === null ? null : new Date(row.completedAt).toISOString(),
});
