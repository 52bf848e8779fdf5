// What the tests of alerts share: looks at a moment of their own, requests that were counted, and what is shown then.
import assert from "node:assert/strict";
import { sql } from "../../kernel/sql/statement.ts";
import { look } from "../../server/alerts/look/look.ts";
import { addAttempts, addRequests } from "../../server/traffic/queries.ts";
import type { Ask, House, Tenant } from "../house.ts";
import { until } from "./support.ts";

/** Whole minutes, so that a test says in which one something was. */
export const start = new Date("2026-11-20T10:00:00Z");
export const minute = (number: number, seconds = 0) =>
  new Date(start.getTime() + number * 60_000 + seconds * 1000);

export interface ShownAlert {
  id: string;
  kind: string;
  state: "firing" | "resolved";
  summary: string;
  subject: { type: string; id: string | null; name: string | null };
  period: string | null;
  value: number;
  threshold: number;
  firing_since: string;
  resolved_at: string | null;
  resolution: string | null;
}

/** From then on the house looks when it is told to. */
export async function stopLooks({ world: { db } }: House): Promise<void> {
  await until(async () => {
    await db.query(sql`delete from schedule_occurrences where schedule = 'alerts.look'`);
    const left = await db.query(sql`
      select from jobs where kind = 'alerts.look'
      union all select from schedule_occurrences where schedule = 'alerts.look'`);
    return left.length === 0;
  }, "looks to end");
}

export function alertsOf(houseOf: () => House) {
  const at = (now: Date) => {
    const { world } = houseOf();
    return { ...world, clock: { ...world.clock, now: () => now } };
  };
  const lookAt = (now: Date) => {
    const world = at(now);
    return world.db.tx((tx) => look(tx, world));
  };
  const ask = (tenant: Ask & { cookie: string }, method: string, path: string, body?: unknown) =>
    houseOf().ask(method, `/console/api/${path}`, {
      cookie: tenant.cookie,
      ...(body !== undefined && { body }),
    });
  const shown = async (tenant: { cookie: string }, query = ""): Promise<ShownAlert[]> => {
    const { status, body } = await ask(tenant, "GET", `alerts?limit=100${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data as ShownAlert[];
  };
  const firing = async (tenant: { cookie: string }, kind: string) =>
    (await shown(tenant, "&state=firing")).filter((alert) => alert.kind === kind);
  const setRule = async (tenant: { cookie: string }, kind: string, body: object) => {
    const answer = await ask(tenant, "POST", `alert_rules/${kind}`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Record<string, unknown>;
  };
  /** Requests of a minute, and how many of them failed. */
  const count = (tenant: Tenant, when: Date, requests: number, failed: number, errors = failed) =>
    houseOf().world.db.tx((tx) =>
      addRequests(tx, [
        {
          organizationId: tenant.organization_id,
          minute: when,
          sum: { requests, errors, failed },
        },
      ]),
    );
  /** Attempts on an upstream in a minute. */
  const attempt = (tenant: Tenant, when: Date, outcome: "answered" | "failed", attempts = 1) => {
    const row = { upstream: "far", outcome, firstMsMax: 0, attempts, lastAt: when };
    return houseOf().world.db.tx((tx) =>
      addAttempts(tx, [
        { organizationId: tenant.organization_id, minute: when, sum: new Map([["", row]]) },
      ]),
    );
  };
  return { at, attempt, lookAt, ask, shown, firing, setRule, count };
}
