// Rules OPS4 and TRF1, over HTTP: what the overview counts, over several servers on one database, and across restarts.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type Clock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { schedules } from "../../server/traffic/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { askAt, hours, makeKey, me, minutes, sentenceOf, until } from "./support.ts";

/** The wall clock is set, so that no minute ends unasked; waits and leases go on as usual. */
const wall = makeManualClock(new Date("2026-11-20T12:00:30Z"));
const clock: Clock = { ...systemClock, now: () => wall.now() };

let house: House;
before(async () => {
  house = await openHouse({ clock });
});
after(() => house[Symbol.asyncDispose]());
// What the test before it counted is of another hour.
beforeEach(() => wall.advance(minutes(60)));

const overviewAt = async (url: string, { cookie }: Pick<Tenant, "cookie">) =>
  (await askAt(url, "GET", "/console/api/overview", { cookie })).body;
const overview = (tenant: Tenant) => overviewAt(house.url, tenant);

/** Requests over the API, some of which fail. */
async function request(url: string, tenant: Tenant, times: number, failing = 0): Promise<void> {
  const key = tenant.admin_api_key;
  for (let at = 0; at < times; at++) {
    const path = at < failing ? "/v1/organizations/api_keys/none" : me;
    assert.equal((await askAt(url, "GET", path, { key })).status, at < failing ? 404 : 200);
  }
}

const counted = (url: string, tenant: Tenant, requests: number) =>
  until(async () => {
    const seen = (await overviewAt(url, tenant)).requests;
    assert.ok(seen.last_hour <= requests, `${seen.last_hour} are more than there were`);
    return seen.last_hour === requests && seen;
  }, `${requests} requests to be counted`);

test("[OPS4] the overview counts only the caller's own organization", async () => {
  const { platform, other } = house.organizations;
  // As many as the page of keys shows as active: access tokens too.
  const { cookie } = platform;
  const keys = await house.ask("GET", "/console/api/keys?status[]=active", { cookie });
  const [mine, theirs] = [await overview(platform), await overview(other)];
  assert.equal(mine.keys.active, keys.body.data.length);
  assert.deepEqual([mine.members, mine.workspaces], [1, 1]);
  await makeKey(house, other);
  await makeKey(house, other);
  await house.ask("GET", "/v1/organizations/api_keys/none", { key: other.admin_api_key });
  await counted(house.url, other, theirs.requests.last_hour + 1);
  const [mineNow, theirsNow] = [await overview(platform), await overview(other)];
  assert.equal(theirsNow.keys.active, theirs.keys.active + 2);
  assert.equal(mineNow.keys.active, mine.keys.active);
  assert.equal(theirsNow.requests.errors_last_hour, theirs.requests.errors_last_hour + 1);
  assert.equal(mineNow.requests.errors_last_hour, mine.requests.errors_last_hour);
  // What the console asks, such as this overview, is no request of the API.
  assert.equal(mineNow.requests.last_hour, mine.requests.last_hour);
  assert.equal(theirsNow.requests.last_hour, theirs.requests.last_hour + 1);
  assert.equal(mineNow.requests.by_minute.length, 60);
  const { id } = await makeKey(house, other);
  assert.ok(!JSON.stringify(await overview(platform)).includes(id));
});

test("[OPS4] whoever is not signed in sees none", async () => {
  assert.equal((await house.ask("GET", "/console/api/overview")).status, 401);
  const key = house.organizations.platform.admin_api_key;
  const answer = await house.ask("GET", "/console/api/overview", { key });
  assert.match(sentenceOf(answer, 403), /console/);
});

test("[TRF1] two servers on one database: each tells the requests of both, minute by minute", async () => {
  const { platform, other } = house.organizations;
  await using neighbour = await house.openSecondServer();
  await request(house.url, platform, 3, 1);
  await request(neighbour.url, platform, 4, 2);
  wall.advance(minutes(1));
  await request(neighbour.url, platform, 2);
  await request(neighbour.url, other, 1);
  for (const { url } of [house, neighbour]) {
    const { errors_last_hour, by_minute } = await counted(url, platform, 9);
    assert.equal(errors_last_hour, 3);
    assert.deepEqual([by_minute.length, by_minute.slice(-2)], [60, [7, 2]]);
    await counted(url, other, 1);
  }
  wall.advance(minutes(59));
  await counted(house.url, platform, 2);
  wall.advance(minutes(1));
  await counted(house.url, platform, 0);
});

test("[TRF1] a server that stops adds what it has counted, and the next one tells it", async () => {
  const { platform } = house.organizations;
  {
    await using first = await house.openSecondServer();
    await request(first.url, platform, 5, 2);
  }
  await using second = await house.openSecondServer();
  const { requests } = await overviewAt(second.url, platform);
  assert.deepEqual([requests.last_hour, requests.errors_last_hour], [5, 2]);
  await request(second.url, platform, 1);
  await counted(second.url, platform, 6);
});

test("[TRF1] what could not be added is added when the database takes it again", async () => {
  const { platform } = house.organizations;
  const { db } = house.world;
  const rename = (from: string, to: string) =>
    db.tx((tx) => tx.query({ text: `alter table ${from} rename to ${to}`, values: [] }));
  await rename("request_minutes", "elsewhere");
  try {
    await request(house.url, platform, 2, 1);
    const isSaid = async () =>
      house.log.some(
        ({ message }) => message === "writing down requests failed, and is tried again",
      );
    await until(isSaid, "a failure");
    await request(house.url, platform, 3);
  } finally {
    await rename("elsewhere", "request_minutes");
  }
  assert.equal((await counted(house.url, platform, 5)).errors_last_hour, 1);
});

test("[TRF1] after a day the numbers are swept", async () => {
  const { platform } = house.organizations;
  const [schedule] = schedules;
  assert.deepEqual(schedule?.timing, { everyMs: hours(1) });
  const left = async () => {
    const { db } = house.world;
    const job = schedule?.job(wall.now()) ?? assert.fail("no schedule");
    await db.tx((tx) => enqueue(tx, house.world, job));
    const jobs = sql`select id from jobs where kind = ${job.kind}`;
    await until(async () => (await db.query(jobs)).length === 0, "the sweep");
    const rows = await db.query<{ requests: number }>(sql`
      select requests from request_minutes
      where organization_id = ${platform.organization_id} order by minute`);
    return rows.map(({ requests }) => requests);
  };
  await request(house.url, platform, 7);
  await counted(house.url, platform, 7);
  // The minute ends with the last of its 60 seconds, half of which have gone.
  wall.advance(hours(24) - minutes(1));
  assert.equal((await left()).at(-1), 7);
  wall.advance(minutes(1));
  assert.deepEqual(await left(), []);
});
