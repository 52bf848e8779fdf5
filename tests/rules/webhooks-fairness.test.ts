// Rule WHK19: receivers that are silent delay deliveries of their own organization alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { emit } from "../../server/webhooks/module.ts";
import { initialize } from "../../server/organization-setup.ts";
import { openHouse, type Tenant } from "../house.ts";
import { localNetwork } from "./federation-house.ts";
import { until } from "./support.ts";
import { failed, openReceiver, webhooksOf } from "./webhooks-house.ts";

test("[WHK19] forty events for a silent receiver do not hold up another organization's", async () => {
  await using slow = await openReceiver();
  await using quick = await openReceiver();
  await using house = await openHouse({ sections: localNetwork });
  const { platform, other } = house.organizations;
  const hooks = webhooksOf(() => house);
  const happen = (tenant: Tenant, count: number) =>
    house.world.db.tx(async (tx) => {
      for (let each = 0; each < count; each++)
        await emit(tx, house.world, {
          organizationId: tenant.organization_id,
          type: failed,
          data: { id: `ekey_${each}` },
        });
    });
  const silent: (() => void)[] = [];
  slow.answers((response) => silent.push(() => response.writeHead(200).end()));
  const { id: stuck } = await hooks.make(platform, slow.url);
  const { id } = await hooks.make(other, quick.url);
  await happen(platform, 40);
  await until(() => Promise.resolve(slow.received.length >= 8), "the silent receiver to be asked");
  await happen(other, 20);
  await until(() => Promise.resolve(quick.received.length === 20), "the others", 30_000);
  // None of those before has ended: what came behind them has not waited for them.
  const [row] = await house.world.db.query<{ tried: number }>(sql`
    select count(*)::integer as tried from webhook_deliveries
    where endpoint_id = ${stuck} and attempts > 0`);
  assert.deepEqual([row?.tried, slow.received.length], [0, 8]);
  slow.answers(200);
  for (const answer of silent) answer();
  await until(
    async () => (await house.world.db.query(sql`select id from jobs`)).length === 0,
    "all",
  );
  for (const [tenant, endpoint] of [
    [platform, stuck],
    [other, id],
  ] as const)
    await hooks.remove(tenant, endpoint);
});

test("[WHK19] eight organizations with silent receivers leave room for the next one", async () => {
  await using slow = await openReceiver();
  await using quick = await openReceiver();
  await using house = await openHouse({ sections: localNetwork });
  const hooks = webhooksOf(() => house);
  const silent: (() => void)[] = [];
  slow.answers((response) => silent.push(() => response.writeHead(200).end()));
  const happen = (tenant: Pick<Tenant, "organization_id">, count: number) =>
    house.world.db.tx(async (tx) => {
      for (let each = 0; each < count; each++)
        await emit(tx, house.world, {
          organizationId: tenant.organization_id,
          type: failed,
          data: { id: `ekey_${each}` },
        });
    });
  const all: [Tenant, string][] = [];
  for (let at = 0; at < 8; at++) {
    const type = "platform" as const;
    const names = { organization: `silent ${at}`, type, email: `silent-${at}@silent.example` };
    const made = await initialize(house.world, names);
    const tenant = { ...made, cookie: await house.signIn(made) };
    all.push([tenant, (await hooks.make(tenant, slow.url)).id]);
  }
  // One after the other: the first of them have as much as they may.
  for (const [at, [tenant]] of all.entries()) {
    const before = slow.received.length;
    await happen(tenant, 20);
    const said = `the silent receiver of ${at} to be asked`;
    await until(() => Promise.resolve(slow.received.length > before), said);
  }
  const { other } = house.organizations;
  all.push([other, (await hooks.make(other, quick.url)).id]);
  const startedMs = performance.now();
  await happen(other, 1);
  await until(() => Promise.resolve(quick.received.length === 1), "the next one");
  // A silent receiver is given up after ten seconds, which would make room, too.
  assert.ok(performance.now() - startedMs < 4_000);
  assert.ok(silent.length < 64, "not all slots are taken");
  slow.answers(200);
  for (const answer of silent) answer();
  await until(
    async () => (await house.world.db.query(sql`select id from jobs`)).length === 0,
    "all",
    30_000,
  );
  for (const [tenant, endpoint] of all) await hooks.remove(tenant, endpoint);
});
