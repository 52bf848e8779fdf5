// Rules TRF2 and TRF3: how upstreams answered, whatever asked them, told apart by organization.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { schedules, upstreamHealth, upstreamTrafficPart } from "../../server/traffic/module.ts";
import { openHouse, type House } from "../house.ts";
import { batchesPath, params } from "./batches-house.ts";
import { sessionsOf } from "./sessions-house.ts";
import { hours, until } from "./support.ts";

/** Each case has an upstream of its own, and a model of the same name. */
const simulated = ["whole", "streamed", "refusing", "asked", "left", "batch", "session"];
const failing = (status: number) => [{ fail: { status } }];
const scripted = { busy: failing(529), late: failing(504), wrong: failing(400) };

let house: House;
before(async () => {
  const names = [...simulated, ...Object.keys(scripted), "guard", "ruled"];
  const upstreams = Object.fromEntries(names.map((name) => [name, { kind: "simulator" }]));
  for (const [name, scenario] of Object.entries(scripted))
    upstreams[name] = Object.assign({}, upstreams[name], { scenario });
  const rules = [{ category: "cyber", on: "input", pattern: "keylogger" }];
  const models = names.map((id) => ({
    id,
    upstream: id,
    ...(id === "asked" && { guard: "guard" }),
    ...(id === "ruled" && { classifiers: rules }),
  }));
  house = await openHouse({ sections: { models: { upstreams, models } } });
});
after(() => house[Symbol.asyncDispose]());

const sessions = sessionsOf(() => house);
const platform = () => house.organizations.platform;
const message = (model: string, content = "Hello", fields: object = {}) =>
  house.ask("POST", "/v1/messages", {
    key: platform().api_key,
    body: { model, max_tokens: 60, messages: [{ role: "user", content }], ...fields },
  });

async function healthOf(organizationId: string) {
  const { world } = house;
  await upstreamTrafficPart.of(world).flush();
  const now = world.clock.now().getTime();
  const within = { from: new Date(now - hours(1)), until: new Date(now + hours(1)) };
  return upstreamHealth(world.db, organizationId, within);
}

const upstream = async (name: string) => {
  const all = await healthOf(platform().organization_id);
  return all.find((health) => health.upstream === name);
};

/** Once that many attempts are counted. */
const counted = (name: string, attempts: number) =>
  until(async () => {
    const health = await upstream(name);
    return health !== undefined && health.answered + health.failed === attempts && health;
  }, `${attempts} attempts on ${name}`);

const numbersOf = async (name: string, attempts = 1) => {
  const { answered, failed } = await counted(name, attempts);
  return { answered, failed };
};

test("[TRF2] an answer, a refusal and an error of the request's own are answered", async () => {
  await message("whole");
  assert.deepEqual(await numbersOf("whole"), { answered: 1, failed: 0 });
  await message("refusing", "[[refuse category=cyber]] Hello");
  assert.deepEqual(await numbersOf("refusing"), { answered: 1, failed: 0 });
  assert.equal((await message("wrong")).status, 400);
  assert.deepEqual(await numbersOf("wrong"), { answered: 1, failed: 0 });
  const { lastAnsweredAt, lastFailedAt } = await counted("whole", 1);
  assert.ok(lastAnsweredAt !== null && lastAnsweredAt <= house.world.clock.now());
  assert.equal(lastFailedAt, null);
});

test("[TRF2] an upstream that is busy or late has failed", async () => {
  assert.equal((await message("busy")).status, 529);
  await message("busy", "Hello", { stream: true });
  assert.deepEqual(await numbersOf("busy", 2), { answered: 0, failed: 2 });
  await message("late");
  const { failed, lastAnsweredAt, lastFailedAt } = await counted("late", 1);
  assert.deepEqual([failed, lastAnsweredAt], [1, null]);
  assert.ok(lastFailedAt !== null);
});

test("[TRF2] a guard counts for its own upstream; what a classifier kept back asked nothing", async () => {
  await message("asked");
  assert.deepEqual(await numbersOf("asked"), { answered: 1, failed: 0 });
  assert.deepEqual(await numbersOf("guard"), { answered: 1, failed: 0 });
  const refused = await message("ruled", "Write a keylogger");
  assert.equal(refused.body.stop_reason, "refusal");
  await message("ruled");
  assert.deepEqual(await numbersOf("ruled"), { answered: 1, failed: 0 });
});

test("[TRF2] what its client did not wait for is neither", async () => {
  const gone = new AbortController();
  const answer = await fetch(`${house.url}/v1/messages`, {
    method: "POST",
    signal: gone.signal,
    headers: { "x-api-key": platform().api_key, "content-type": "application/json" },
    body: JSON.stringify({
      stream: true,
      ...params("[[tokens 900]] [[rate 200]] Hello"),
      model: "left",
    }),
  });
  await answer.body?.getReader().read();
  gone.abort();
  const id = answer.headers.get("request-id");
  await until(async () => {
    const rows = await house.world.db.query(sql`select id from requests where id = ${id}`);
    return rows.length === 1;
  }, "the request in the log");
  await message("left");
  assert.deepEqual(await numbersOf("left"), { answered: 1, failed: 0 });
});

test("[TRF2] items of batches and turns of sessions count", async () => {
  const requests = ["one", "two"].map((custom_id) => ({
    custom_id,
    params: { ...params(custom_id), model: "batch" },
  }));
  const made = await house.ask("POST", batchesPath, {
    key: platform().api_key,
    body: { requests },
  });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  assert.deepEqual(await numbersOf("batch", 2), { answered: 2, failed: 0 });
  const { id } = await sessions.make({ model: "session" });
  await sessions.send(id, { type: "user.message", content: [{ type: "text", text: "Hello" }] });
  assert.deepEqual(await numbersOf("session"), { answered: 1, failed: 0 });
});

test("[TRF3] a stream has a time until its first word, a whole answer has none", async () => {
  await message("streamed", "[[tokens 20]] Hello");
  const whole = await counted("streamed", 1);
  assert.deepEqual([whole.firstMsMedian, whole.firstMs95], [null, null]);
  await message("streamed", "[[tokens 20]] Hello", { stream: true });
  const { answered, firstMsMedian, firstMs95 } = await counted("streamed", 2);
  assert.equal(answered, 2);
  assert.ok(firstMsMedian !== null && firstMsMedian > 0, `${firstMsMedian} ms`);
  assert.ok(firstMs95 !== null && firstMs95 >= firstMsMedian, `${firstMs95} ms`);
});

test("[TRF3] median and 95th percentile lie within their steps, over processes and minutes", async () => {
  const attempt = (firstMs: number) => ({
    upstream: "steps",
    askedMs: 1_000,
    firstMs: 1_000 + firstMs,
    outcome: "served",
    why: null,
  });
  await using neighbour = await house.openSecondServer();
  const organization = "org_of_steps";
  const worlds = [house.world, neighbour.world];
  for (const [at, world] of worlds.entries()) {
    const part = upstreamTrafficPart.of(world);
    for (let count = 0; count < 45; count++) part.count(organization, [attempt(220 + at)]);
    for (let count = 0; count < 5; count++) part.count(organization, [attempt(2_500)]);
    part.count(organization, [{ ...attempt(9_000), outcome: "failed", why: "broken_off" }]);
    await part.flush();
  }
  const all = await healthOf(organization);
  assert.deepEqual(
    all.map((health) => [health.upstream, health.answered, health.failed]),
    [["steps", 100, 2]],
  );
  assert.deepEqual([all[0]?.firstMsMedian, all[0]?.firstMs95], [256, 2_500]);
  assert.equal(await upstream("steps"), undefined, "of another organization");
});

test("[TRF3] beyond the last step a time still has one", async () => {
  const slow = { upstream: "slow", askedMs: 0, firstMs: 9e6, outcome: "served", why: null };
  upstreamTrafficPart.of(house.world).count("org_of_slow", [slow]);
  const [health] = await healthOf("org_of_slow");
  assert.ok(Number(health?.firstMsMedian) > 60_000);
});

test("[TRF2] after a day the sums are swept", async () => {
  const { db, clock } = house.world;
  const { other } = house.organizations;
  const [schedule] = schedules;
  const old = new Date(clock.now().getTime() - hours(24) - 60_000);
  const young = new Date(clock.now().getTime() - hours(24) + 60_000);
  for (const minute of [old, young])
    await db.query(sql`
      insert into upstream_minutes
        (organization_id, minute, upstream, outcome, first_ms_max, attempts, last_at)
      values (${other.organization_id}, ${minute}, 'old', 'answered', 0, 1, ${minute})`);
  const job = schedule?.job(clock.now()) ?? assert.fail("no schedule");
  await db.tx((tx) => enqueue(tx, house.world, job));
  const left = sql`select minute from upstream_minutes 
    where organization_id = ${other.organization_id}`;
  await until(async () => (await db.query(left)).length === 1, "the sweep");
  assert.deepEqual(await db.query(left), [{ minute: young }]);
});
