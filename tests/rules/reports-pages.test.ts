// Rules REP3 and REP9: pages of one report while the ledger grows and is summed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { advanceSums, ledgerOf, makeLedger, makeNode } from "../../server/usage/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { ask, attemptOf, writeAttempts, readAll, type Query } from "./reports-house.ts";
import { hours, minutes, sentenceOf, until } from "./support.ts";
import { queryPosted } from "../posted.ts";

const clock = makeManualClock(new Date("2028-03-10T12:00:00Z"));
let house: House;
let platform: Tenant;
before(async () => {
  house = await openHouse({ clock });
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const tokens = (input: number) => ({
  counts: { input, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 },
});
const use = (key: string, at: string, input: number) =>
  writeAttempts(house, [
    { tenant: platform, at: new Date(at), hop: { credentialId: key }, settlement: tokens(input) },
  ]);
/**
 * A promise, and the sums that it is about. They wait for every older transaction of the database server, and so for
 * those of tests beside this one.
 */
const advance = async (lateMs?: number) => {
  const patience = { heardMs: 0, ...(lateMs !== undefined && { lateMs }) };
  await advanceSums(house.world, patience);
  const isSummed = async () => {
    await advanceSums(house.world, patience);
    const [row] = await house.world.db.query<{ isSummed: boolean }>(
      sql`select until >= promised as "isSummed" from usage_horizon`,
    );
    return row?.isSummed;
  };
  await until(isSummed, "the sums that were promised");
};

interface Row {
  group: Record<string, string | null>;
  usage: Record<string, number>;
}
const range = { starting_at: "2028-03-01T00:00:00Z", ending_at: "2028-03-11T00:00:00Z" };
const byKey = { ...range, group_by: ["api_key_id"] };
const shown = (rows: readonly Row[]) =>
  rows.map(({ group, usage }) => [group["api_key_id"], usage["total_tokens"]]);

test("[REP3] what is written between two pages counts for none of them", async () => {
  for (let at = 1; at <= 6; at++) await use(`apikey_${at}`, `2028-03-0${at}T10:00:00Z`, at * 100);
  for (const ahead of [false, true]) {
    if (ahead) await advance();
    for (const width of [undefined, "1d"]) {
      const reader = { house, tenant: platform };
      const query: Query = { ...byKey, ...(width !== undefined && { time_bucket_width: width }) };
      const whole = await readAll<Row>(reader, "analytics/usage", { ...query, limit: 1000 });
      const paged = await readAll<Row>(
        reader,
        "analytics/usage",
        { ...query, limit: 2 },
        async (page) => {
          // Late, early, of known keys and of new ones; and what was promised is summed meanwhile.
          await use("apikey_1", `2028-03-0${page + 1}T10:00:00Z`, 1_000_000);
          await use(`apikey_new_${page}`, "2028-03-10T11:59:00Z", 350);
          await use("apikey_6", "2028-03-01T00:00:00Z", 7);
          await advance();
        },
      );
      assert.deepEqual(shown(paged), shown(whole));
      const later = await readAll<Row>(reader, "analytics/usage", { ...query, limit: 1000 });
      assert.notDeepEqual(shown(later), shown(whole));
    }
  }
});

test("[REP3] data_refreshed_at stands still over the pages; a cursor is of one question and lives for an hour", async () => {
  const get = (query: Query, path = "analytics/usage") =>
    ask({ house, tenant: platform }, path, query);
  const first = await get({ ...byKey, limit: 1 });
  const page = first.body.next_page as string;
  clock.advance(minutes(30));
  const second = await get({ ...byKey, limit: 2, page });
  assert.equal(second.body.data_refreshed_at, first.body.data_refreshed_at);
  const others: [Query, string?][] = [
    [{ ...byKey, models: ["sim-large"], page }],
    [{ ...byKey, group_by: ["model"], page }],
    [{ ...byKey, ending_at: "2028-03-10T00:00:00Z", page }],
    [{ ...byKey, page }, "analytics/cost"],
  ];
  for (const [query, path] of others)
    assert.match(sentenceOf(await get(query, path), 400), /^page: /);
  const { other } = house.organizations;
  const stolen = await ask({ house, tenant: other }, "analytics/usage", { ...byKey, page });
  assert.match(sentenceOf(stolen, 400), /^page: is not a cursor/);
  clock.advance(minutes(31));
  assert.match(sentenceOf(await get({ ...byKey, page }), 400), /^page: is more than an hour old/);
});

const count = async () => {
  const [row] = await queryPosted<{ sums: number; late: number }>(
    house.world.db,
    sql`
    select (select count(*) from usage_sums where span = 'hour') as sums,
      (select count(*) from usage_late) as late`,
  );
  return row ?? { sums: 0, late: 0 };
};

test("[REP9] what comes late is kept beside the sums, and joins them when no cursor may count it apart", async () => {
  await advance(0);
  const reader = { house, tenant: platform };
  const query = { ...range, group_by: ["model"] };
  const total = async () =>
    (await readAll<Row>(reader, "analytics/usage", query))[0]?.usage["total_tokens"];
  const before = { ...(await count()), total: (await total()) ?? 0 };
  assert.equal(before.late, 0);
  await use("apikey_1", "2028-03-02T10:00:00Z", 5);
  assert.deepEqual([(await count()).late, await total()], [1, before.total + 5]);
  await advance();
  assert.equal((await count()).late, 1);
  await advance(0);
  assert.deepEqual(
    [await count(), await total()],
    [{ late: 0, sums: before.sums + 1 }, before.total + 5],
  );
});

test("[REP9] nothing is summed before every process has heard of the promise", async () => {
  clock.advance(hours(3));
  await use("apikey_1", "2028-03-10T12:10:00Z", 5);
  const horizon = async () => {
    const [row] = await house.world.db.query<{ until: Date }>(sql`select until from usage_horizon`);
    return row?.until.toISOString();
  };
  const before = await horizon();
  await advanceSums(house.world);
  await advanceSums(house.world);
  assert.equal(await horizon(), before);
  // Somebody who writes, and may not know of it: begun before the barrier, not ended.
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const writing = house.world.db.tx(async (tx) => {
    await tx.query(sql`select pg_current_xact_id()`);
    entered.resolve();
    await leave.promise;
  });
  await entered.promise;
  await advanceSums(house.world, { heardMs: 0 });
  const meanwhile = await horizon();
  leave.resolve();
  await writing;
  assert.equal(meanwhile, before);
  await advance();
  assert.equal(await horizon(), "2028-03-10T14:00:00.000Z");
});

test("[REP9] what a node that was taken for dead settles after all is put right in what is summed", async () => {
  const { world } = house;
  const lost = attemptOf({
    tenant: platform,
    at: new Date("2028-03-03T10:00:00Z"),
    hop: { credentialId: "apikey_lost", reserveNano: 5_000 },
  });
  const node = makeNode(world);
  const ledger = makeLedger(world, node);
  await ledger.open(lost.hop);
  await world.db.query(sql`update ledger_nodes set lease_until = now() - interval '1 hour'
    where id = ${node.lastLease()?.id}`);
  const cost = async () => {
    const query = { ...range, api_key_ids: ["apikey_lost"], group_by: ["context_window"] };
    const { body } = await ask({ house, tenant: platform }, "analytics/cost", query);
    return body.data.map(
      ({ group, cost: each }: { group: Record<string, string>; cost: Record<string, string> }) => [
        group["context_window"],
        each["amount"],
        each["requests"],
      ],
    );
  };
  const rescuer = makeNode(world);
  const stop = rescuer.start();
  while ((await cost()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await stop();
  await advance(0);
  assert.deepEqual(await cost(), [["0-200k", "0.0005", 1]]);
  const counts = { input: 300_000, output: 1, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
  await ledger.close(lost.hop.id, {
    ...lost.settlement,
    counts,
    amountNano: 9_000,
    listAmountNano: 9_000,
  });
  const right = [
    ["200k-1M", "0.0009", 1],
    ["0-200k", "0", 0],
  ];
  assert.deepEqual(await cost(), right);
  await advance(0);
  assert.deepEqual(await cost(), right);
  await ledgerOf(world).drain();
});

test("[REP2] less than an hour, and a bucket that begins now, are reports of nothing", async () => {
  const span = { starting_at: "2028-03-01T05:10:00Z", ending_at: "2028-03-01T05:20:00Z" };
  const now = { starting_at: "2028-03-10T12:00:00Z", ending_at: "2028-03-10T12:00:30Z" };
  for (const query of [span, now])
    for (const path of ["analytics/usage", "analytics/cost"]) {
      const { status, body } = await ask({ house, tenant: platform }, path, query);
      assert.deepEqual([status, body.data], [200, []], path);
    }
});
