// Rules ALT3, ALT7 to ALT9: the share of failed requests, and how an alert begins and ends.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { look } from "../../server/alerts/look/look.ts";
import { trafficPart } from "../../server/traffic/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { alertsOf, minute, stopLooks } from "./alerts-house.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, other } = house.organizations);
  await stopLooks(house);
});
after(() => house?.[Symbol.asyncDispose]());
beforeEach(async () => {
  const { db } = house.world;
  await db.query(sql`delete from alerts`);
  await db.query(sql`delete from alert_rules`);
  await db.query(sql`delete from request_minutes`);
});
const { at, lookAt, firing, shown, setRule, count } = alertsOf(() => house);
const shares = (tenant = platform) => firing(tenant, "error_share");

test("[ALT3] the share fires at its number, and not below", async () => {
  await count(platform, minute(0), 1000, 49);
  await lookAt(minute(0, 59));
  assert.deepEqual(await shares(), []);
  await count(platform, minute(0), 0, 1);
  await lookAt(minute(0, 59));
  const [alert] = await shares();
  assert.equal(alert?.value, 5);
  assert.equal(alert?.threshold, 5);
  assert.equal(alert?.firing_since, minute(0, 59).toISOString());
  assert.match(alert?.summary ?? "", /^5 % of requests failed/);
  assert.deepEqual(await shares(other), []);
});

test("[ALT3] fewer requests than the rule's number say nothing", async () => {
  await count(platform, minute(0), 19, 19);
  await lookAt(minute(0));
  assert.deepEqual(await shares(), []);
  await count(platform, minute(0), 1, 0);
  await lookAt(minute(0));
  assert.equal((await shares()).length, 1);
});

test("[ALT3] what is older than the window, or comes after, does not count", async () => {
  await count(platform, minute(0), 100, 100);
  await count(platform, minute(11), 100, 100);
  await count(platform, minute(5), 30, 0);
  await lookAt(minute(10, 59));
  assert.deepEqual(await shares(), []);
  await lookAt(minute(9, 59));
  assert.equal((await shares()).length, 1, "the minute at the edge counts");
});

test("[ALT3] a mistake of a client is none of the server", async () => {
  await count(platform, minute(0), 100, 0, 100);
  await lookAt(minute(0));
  assert.deepEqual(await shares(), []);
  const key = platform.api_key;
  const ask = (content: string) =>
    house.ask("POST", "/v1/messages", {
      key,
      body: { model: "sim-small", max_tokens: 8, messages: [{ role: "user", content }] },
    });
  assert.equal((await house.ask("POST", "/v1/messages", { key, body: {} })).status, 400);
  const failed = await ask("[[fail status=529]]");
  await trafficPart.of(house.world).flush();
  const [row] = await house.world.db.query<{ errors: number; failed: number }>(sql`
    select sum(errors)::int as errors, sum(failed)::int as failed from request_minutes
    where organization_id = ${platform.organization_id} and minute > ${minute(60)}`);
  assert.deepEqual([failed.status, row], [529, { errors: 2, failed: 1 }]);
});

test("[ALT3] numbers of the organization's own hold for it alone", async () => {
  await setRule(platform, "error_share", { percent: 50, minutes: 2, requests_min: 2 });
  for (const tenant of [platform, other]) await count(tenant, minute(3), 100, 40);
  await count(platform, minute(1), 100, 100);
  await lookAt(minute(3));
  assert.deepEqual(await shares(), []);
  assert.equal((await shares(other)).length, 1);
  await count(platform, minute(3), 20, 20);
  await lookAt(minute(3));
  assert.deepEqual(
    (await shares()).map(({ value, threshold }) => [value, threshold]),
    [[50, 50]],
  );
});

test("[ALT8] an alert is resolved once it was well for its window without a break", async () => {
  await count(platform, minute(0), 100, 100);
  await lookAt(minute(0));
  const [begun] = await shares();
  await lookAt(minute(10));
  assert.equal((await shares()).length, 1, "it is well, and not for long");
  await count(platform, minute(15), 100, 100);
  await lookAt(minute(15));
  await lookAt(minute(25));
  await lookAt(minute(34, 59));
  assert.deepEqual(
    (await shares()).map(({ id }) => id),
    [begun?.id],
    "the break counts",
  );
  await lookAt(minute(35));
  assert.deepEqual(await shares(), []);
  const [ended] = await shown(platform, "&state=resolved");
  assert.equal(ended?.id, begun?.id);
  assert.equal(ended?.resolved_at, minute(35).toISOString());
  assert.equal(ended?.resolution, "well");
});

test("[ALT8] a rule that is switched off ends its alert, and opens none", async () => {
  await count(platform, minute(0), 100, 100);
  await lookAt(minute(0));
  await setRule(platform, "error_share", { enabled: false });
  await lookAt(minute(0, 30));
  const [ended] = await shown(platform);
  assert.deepEqual([ended?.state, ended?.resolution], ["resolved", "rule_off"]);
  await lookAt(minute(1));
  assert.equal((await shown(platform)).length, 1);
});

test("[ALT7] while it fires its value follows, and no other opens", async () => {
  await count(platform, minute(0), 100, 50);
  await lookAt(minute(0));
  await count(platform, minute(0), 0, 30);
  await lookAt(minute(0, 30));
  assert.deepEqual(
    (await shown(platform)).map(({ value }) => value),
    [80],
  );
});

test("[ALT7] of two looks at one time the second does nothing", async () => {
  await count(platform, minute(0), 100, 100);
  const world = at(minute(0));
  await world.db.tx(async (tx) => {
    assert.equal(await look(tx, world), true);
    assert.equal(await lookAt(minute(0)), false);
  });
  assert.equal((await shares()).length, 1);
  await Promise.all(Array.from({ length: 8 }, (_, number) => lookAt(minute(1, number))));
  assert.equal((await shown(platform)).length, 1);
});

test("[ALT9] a look that is cut off leaves nothing, and the next one all of it", async () => {
  await count(platform, minute(0), 100, 100);
  const world = at(minute(0));
  const cut = world.db.tx(async (tx) => {
    await look(tx, world);
    throw new Error("the process died");
  });
  await assert.rejects(cut, /died/);
  assert.deepEqual(await shown(platform), []);
  await lookAt(minute(0));
  assert.equal((await shares()).length, 1);
});
