// Rule ORG9: one organization's flood of changes leaves the database to the others.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { auditTenant } from "./audit-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const many = 200;
const inviteFrom = (tenant: Tenant, at: number) =>
  house.ask("POST", "/v1/organizations/invites", {
    key: tenant.admin_api_key,
    body: { email: `guest-${at}@flood.example`, role: "user" },
  });

/** Connections that wait for a row which another one holds. */
const lockWaits = async () => {
  const [row] = await house.world.db.query<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return row?.count ?? 0;
};

test("[ORG9] two hundred changes at once are all made, and few connections wait for each other", async () => {
  const flooding = await auditTenant(house, "a flood");
  const quiet = await auditTenant(house, "a quiet one");
  const flood = { isOver: false };
  let [waits, asked] = [0, 0];
  const answers = Promise.all(
    Array.from({ length: many }, (_, at) => inviteFrom(flooding, at)),
  ).finally(() => (flood.isOver = true));
  while (!flood.isOver) {
    const { status } = await house.ask("GET", "/v1/organizations/me", { cookie: quiet.cookie });
    assert.equal(status, 200);
    asked += 1;
    waits = Math.max(waits, await lockWaits());
  }
  const statuses = (await answers).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.ok(asked > 3, "the flood was over before anybody else could ask");
  assert.ok(waits <= 4, `${waits} connections wait for rows of one organization`);
});
