// The hot statements of deployments: what every process asks each second, what a firing reads, and the lists.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import * as deployments from "../../server/deployments/queries.ts";
import * as runs from "../../server/deployments/runs/queries.ts";

const at = new Date("2026-01-01T00:00:00Z");
const anyTime = { gt: null, gte: null, lt: null, lte: null };

export const deploymentStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "deployments: what is due": (on) => runs.listDue(on, at, 100),
  "deployments: the lock of a firing": (on) => runs.lockDue(on as Tx, "deployment", at),
  "deployments: whether an occurrence has run": (on) => runs.isRun(on as Tx, "deployment", at),
  "deployments: the list": (on) =>
    deployments.listDeployments(on, "workspace", {
      agentId: null,
      isPaused: null,
      includesArchived: false,
      from: null,
      to: null,
      before: null,
      rows: 21,
    }),
  "deployments: runs of one": (on) =>
    runs.listRuns(on, "workspace", {
      deploymentId: "deployment",
      hasError: null,
      isScheduled: null,
      createdAt: anyTime,
      before: null,
      rows: 21,
    }),
};
