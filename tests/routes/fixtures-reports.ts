// What the derived tests need to know of the routes of reports.
import { insertSettledAttempts, nodeOf } from "../../server/usage/module.ts";
import { hopOf } from "../flat-hop.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Math.floor(Date.now() / dayMs) * dayMs - days * dayMs);

let made = 0;

/** Two attempts on two models, two days ago. */
const attemptsIn = async ({ world, organizationId }: Tenant) => {
  const node = nodeOf(world);
  await node.acquire();
  for (const model of ["one", "two"]) {
    const hop = hopOf({
      id: `hop_of_reports_${++made}`,
      requestId: "req_1",
      organizationId,
      workspaceId: "wrkspc_1",
      credentialId: "apikey_1",
      userId: null,
      model,
      upstream: "simulator",
      reserveNano: 1,
      at: daysAgo(2),
      kind: "batch",
    });
    const counts = { input: made, output: 1, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
    const settlement = {
      outcome: "served" as const,
      counts,
      amountNano: made,
      listAmountNano: made,
    };
    const settled = { hop, settlement: { ...settlement, estimated: false } };
    await world.db.tx(async (tx) => (await insertSettledAttempts(tx, node, [settled]))());
  }
};

const from = `starting_at=${daysAgo(3).toISOString()}`;
const by = `group_by[]=model&${from}&ending_at=${daysAgo(0).toISOString()}`;

export const reportFixtures: Readonly<Record<string, Fixture>> = {
  "analytics.usage": { items: attemptsIn, query: by },
  "analytics.cost": { items: attemptsIn, query: by },
  "console.analytics.usage": { items: attemptsIn, query: by },
  "console.analytics.cost": { items: attemptsIn, query: by },
  "usage_report.messages": { items: attemptsIn, query: from },
  "cost_report.list": { items: attemptsIn, query: from },
};
