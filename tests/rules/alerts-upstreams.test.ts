// Rules ALT4 and ALT5: upstreams that only fail, and queues that stand still.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
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
  await db.query(sql`delete from upstream_minutes`);
});
const { lookAt, firing, shown, setRule, attempt, ask } = alertsOf(() => house);
const down = (tenant = platform) => firing(tenant, "upstream_down");

/** From the first minute to the last, one attempt in each. */
async function fail(first: number, last: number, tenant = platform): Promise<void> {
  for (let number = first; number <= last; number++)
    await attempt(tenant, minute(number), "failed");
}

test("[ALT4] an upstream that has only failed for the rule's minutes is down", async () => {
  await fail(0, 5);
  await lookAt(minute(4, 59));
  assert.deepEqual(await down(), []);
  await lookAt(minute(5));
  const [alert] = await down();
  assert.deepEqual(alert?.subject, { type: "upstream", id: "far", name: "far" });
  assert.deepEqual([alert?.value, alert?.threshold], [5, 5]);
  assert.equal(alert?.summary, "The upstream far answers nothing: 5 requests failed.");
  assert.deepEqual(await down(other), []);
});

test("[ALT4] fewer failures than the rule's number, or an answer among them, are none", async () => {
  await fail(0, 3);
  await lookAt(minute(5));
  assert.deepEqual(await down(), [], "four failures");
  await attempt(platform, minute(2), "answered");
  await fail(4, 8);
  await lookAt(minute(7));
  assert.deepEqual(await down(), [], "it answered five minutes ago");
  await lookAt(minute(8));
  assert.equal((await down()).length, 1);
});

test("[ALT4] many failures at once are no outage before the time is over", async () => {
  await attempt(platform, minute(0), "failed", 1000);
  await lookAt(minute(0, 59));
  await lookAt(minute(4));
  assert.deepEqual(await down(), []);
});

test("[ALT8] a single answer ends no outage while failures go on", async () => {
  await fail(0, 5);
  await lookAt(minute(5));
  const [alert] = await down();
  await attempt(platform, minute(6), "answered");
  await lookAt(minute(6, 30));
  await fail(7, 12);
  await lookAt(minute(11));
  await lookAt(minute(13));
  assert.deepEqual(
    (await down()).map(({ id }) => id),
    [alert?.id],
  );
});

test("[ALT8] an upstream that answers again is well after the rule's minutes", async () => {
  await fail(0, 5);
  await lookAt(minute(5));
  await attempt(platform, minute(6), "answered");
  await lookAt(minute(6, 30));
  await lookAt(minute(11, 29));
  assert.equal((await down()).length, 1);
  await lookAt(minute(11, 30));
  assert.deepEqual(await down(), []);
  assert.equal((await shown(platform))[0]?.resolution, "well");
});

test("[ALT4] an upstream that is asked no more stays down, and for no longer than an hour", async () => {
  await fail(0, 5);
  await lookAt(minute(5));
  await lookAt(minute(20));
  await lookAt(minute(64));
  assert.equal((await down()).length, 1);
  await lookAt(minute(65));
  assert.deepEqual(await down(), []);
  assert.equal((await shown(platform))[0]?.resolution, "silent");
});

test("[ALT4] the organization's own numbers hold for it alone", async () => {
  await setRule(platform, "upstream_down", { minutes: 2, failures_min: 2 });
  for (const tenant of [platform, other]) await fail(0, 2, tenant);
  await lookAt(minute(2));
  assert.equal((await down()).length, 1);
  assert.deepEqual(await down(other), []);
});

test("[ALT4] the longest window fires too", async () => {
  await setRule(platform, "upstream_down", { minutes: 60, failures_min: 2 });
  await fail(0, 60);
  await lookAt(minute(59, 59));
  assert.deepEqual(await down(), []);
  await lookAt(minute(60));
  assert.equal((await down()).length, 1);
});

const backlog = (tenant = platform) => firing(tenant, "job_backlog");

/** A job that no process of the house runs. */
const putJob = (ready: string) =>
  house.world.db.query(sql`
    insert into jobs (id, kind, payload, priority, state, run_at, attempts_max, created_at)
    values ('job_old', 'tests.none', '{}', 0, 'ready', statement_timestamp() - ${ready}::interval, 1,
      statement_timestamp())`);
const takeJob = () => house.world.db.query(sql`delete from jobs where id = 'job_old'`);

test("[ALT5] a job that was ready for the rule's minutes is told to the first organization", async () => {
  const now = house.world.clock.now();
  try {
    await putJob("9 minutes 30 seconds");
    await lookAt(now);
    assert.deepEqual(await backlog(), []);
    await takeJob();
    await putJob("10 minutes");
    await lookAt(now);
    const [alert] = await backlog();
    assert.equal(alert?.subject.type, "jobs");
    assert.deepEqual([alert?.value, alert?.threshold], [10, 10]);
    assert.deepEqual(await backlog(other), []);
  } finally {
    await takeJob();
  }
  await lookAt(new Date(now.getTime() + 60_000));
  await lookAt(new Date(now.getTime() + 11 * 60_000));
  assert.deepEqual(await backlog(), []);
});

test("[ALT5] a batch that nothing is taken of is told, and one whose rest is at work is not", async () => {
  const { db, clock } = house.world;
  const now = clock.now();
  const old = new Date(now.getTime() - 10 * 60_000);
  const { organization_id, workspace_id } = platform;
  await db.query(sql`
    insert into batches (id, organization_id, workspace_id, credential_id, betas, state, requests,
      body_bytes, chunks_left, created_at, expires_at, served_at)
    values ('msgbatch_old', ${organization_id}, ${workspace_id}, 'key', '{}', 'in_progress', 1, 1, 1,
      ${old}, ${new Date(now.getTime() + 3_600_000)}, ${old})`);
  const chunk = (until: string) =>
    db.query(sql`
      insert into batch_chunks (id, batch_id, first_index, start, custom_ids, lengths, lease_owner,
        lease_until)
      values ('chunk_old', 'msgbatch_old', 0, 0, '{a}', '{1}', 'tests',
        statement_timestamp() + ${until}::interval)
      on conflict (id) do update set lease_until = excluded.lease_until`);
  try {
    await chunk("1 hour");
    await lookAt(now);
    assert.deepEqual(await backlog(), []);
    await db.query(sql`
      update batches set chunks_left = 0 where id = 'msgbatch_old'`);
    await chunk("-1 second");
    await lookAt(now);
    assert.equal((await backlog())[0]?.subject.type, "batches");
  } finally {
    await db.query(sql`delete from batches where id = 'msgbatch_old'`);
  }
});

test("[ALT5] the rule is the first organization's, and absent elsewhere", async () => {
  assert.equal((await ask(platform, "GET", "alert_rules/job_backlog")).status, 200);
  for (const method of ["GET", "POST"]) {
    const body = method === "POST" ? {} : undefined;
    const answer = await ask(other, method, "alert_rules/job_backlog", body);
    assert.equal(answer.status, 404);
  }
  const kinds = async (tenant: Tenant) =>
    (await ask(tenant, "GET", "alert_rules")).body.data.map(({ kind }: { kind: string }) => kind);
  assert.ok((await kinds(platform)).includes("job_backlog"));
  assert.ok(!(await kinds(other)).includes("job_backlog"));
});
