// Rules BAT18, BAT20, BAT21, BAT31 and BAT32, over HTTP: what time does to batches, by a wall clock that is set.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type Clock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { openSegment } from "../../kernel/blob/segments.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { schedules } from "../../server/batches/module.ts";
import {
  type Batch,
  type BatchHouse,
  filesOf,
  type Item,
  items,
  newerVersion,
  olderVersion,
  openBatchHouse,
  params,
  same,
} from "./batches-house.ts";
import { hours, minutes, seconds, sentenceOf, until } from "./support.ts";
import { queryPosted } from "../posted.ts";

const wall = makeManualClock(new Date("2026-11-20T12:00:00Z"));
const days = (count: number) => hours(24 * count);
let b: BatchHouse;
before(async () => {
  /** The wall clock is set; waits and leases go on as usual. */
  const clock: Clock = { ...systemClock, now: () => wall.now() };
  b = await openBatchHouse({
    clock,
    sections: {
      batches: { upstreams: { slow: 2 } },
      models: {
        upstreams: { slow: { kind: "simulator" } },
        models: [{ id: "slow", upstream: "slow" }],
      },
    },
  });
});
after(() => b[Symbol.asyncDispose]());

/** Each test begins a day and more after whatever was before. */
beforeEach(() => wall.advance(days(2)));

const jumpTo = (text: string, ms: number) => wall.jumpTo(new Date(Date.parse(text) + ms));

/** Two of these are under way at a time, for longer than any test. */
const endless = (count: number): Item[] =>
  same(count, "").map(({ custom_id }) => ({
    custom_id,
    params: params("[[tokens 300]] [[rate 1]]", { model: "slow" }),
  }));

/** Whatever would happen has happened: another batch came after it, and has ended. */
async function otherWork(): Promise<void> {
  for (let time = 0; time < 2; time++) await b.ended((await b.create(items("Hello"))).id);
}

const sums = async () => {
  const [row] = await queryPosted<{ count: number; nano: number }>(
    b.house.world.db,
    sql`select count(*)::int as count, coalesce(sum(amount_nano), 0)::bigint as nano from ledger`,
  );
  return row;
};

test("[BAT18] after 24 hours what has no result is expired: not begun, waiting, or under way", async () => {
  const { id, created_at, expires_at } = await b.create([
    { custom_id: "good", params: params("Hello") },
    { custom_id: "wrong", params: {} },
    { custom_id: "again", params: params("[[fail status=500 retry_after=3600]]") },
    ...endless(30),
  ]);
  await until(async () => {
    const { succeeded, errored } = (await b.retrieve(id)).request_counts;
    return succeeded === 1 && errored === 1;
  }, "the first results");
  const paid = await sums();
  jumpTo(created_at, hours(24) - 1);
  await otherWork();
  assert.equal((await b.retrieve(id)).processing_status, "in_progress");
  const spent = (await sums())?.nano;
  wall.advance(1);
  const done = await b.ended(id);
  assert.deepEqual(done.request_counts, {
    processing: 0,
    succeeded: 1,
    errored: 1,
    canceled: 0,
    expired: 31,
  });
  assert.equal(done.ended_at, expires_at);
  assert.equal(done.cancel_initiated_at, null);
  const results = await b.results(id);
  for (const name of ["again", "item-0", "item-1", "item-29"])
    assert.deepEqual(results.get(name), { type: "expired" }, name);
  assert.equal(results.get("good")?.type, "succeeded");
  assert.ok((paid?.count ?? 0) >= 1);
  assert.equal((await sums())?.nano, spent, "what expired was charged");
  assert.match(sentenceOf(await b.cancel(id), 400), /has ended/);
});

test("[BAT18] a batch that is being canceled ends after 24 hours too", async () => {
  const { id, created_at } = await b.create(endless(10));
  const cookie = await b.house.signIn(b.platform);
  await until(async () => (await inUse("slow", cookie)) > 0, "the first attempts");
  await b.cancel(id);
  await until(async () => (await b.retrieve(id)).request_counts.canceled === 8, "the others");
  assert.equal((await b.retrieve(id)).processing_status, "canceling");
  jumpTo(created_at, hours(24));
  const { request_counts: counts } = await b.ended(id);
  assert.deepEqual([counts.canceled, counts.expired, counts.succeeded], [8, 2, 0]);
});

/** Requests that an upstream has under way, as the console shows it. */
async function inUse(name: string, cookie: string): Promise<number> {
  const { body } = await b.house.ask("GET", "/console/api/upstreams/health", { cookie });
  const found = body.data.find((each: { name: string }) => each.name === name);
  return found?.open ?? 0;
}

test("[BAT18] a batch that nobody worked on before its time was over has expired all the same", async () => {
  const { id, created_at } = await b.create(items("Hello"));
  await b.ended(id);
  // As if no process had been there.
  await b.house.world.db.tx(async (tx) => {
    await tx.query(sql`insert into batches (id, organization_id, workspace_id, credential_id,
        user_id, betas, state, requests, body_bytes, chunks_left, created_at, expires_at, served_at)
      select 'msgbatch_late', organization_id, workspace_id, credential_id, user_id, betas,
        'in_progress', 2, 0, 1, created_at, expires_at, served_at from batches where id = ${id}`);
    await tx.query(sql`insert into batch_chunks (id, batch_id, first_index, start, custom_ids, lengths)
      values ('msgbatch_late/000000', 'msgbatch_late', 0, 0, '{a,b}', '{2,2}')`);
    jumpTo(created_at, days(3));
  });
  const { request_counts } = await b.ended("msgbatch_late");
  assert.equal(request_counts.expired, 2);
  assert.deepEqual((await b.results("msgbatch_late")).get("a"), { type: "expired" });
});

/** The sweep, as its schedule has it. */
async function sweep(): Promise<void> {
  const { world } = b.house;
  const job = schedules[0]?.job(world.clock.now()) ?? assert.fail("no schedule");
  await world.db.tx((tx) => enqueue(tx, world, job));
  await b.idle();
}

const rowsOf = async (id: string) => {
  const [row] = await b.house.world.db.query<Record<string, number>>(sql`
    select (select count(*)::int from batches where id = ${id}) as batches,
      (select count(*)::int from batch_chunks where batch_id = ${id}) as chunks,
      (select count(*)::int from batch_results where batch_id = ${id}) as results`);
  return row;
};

const filesIn = (id: string) => filesOf(b.house).filter((path) => path.includes(id));

test("[BAT20] after 29 days the results are gone, and the rest stays", async () => {
  const { id, created_at } = await b.create(items("Hello", "[[fail status=400]]"));
  const before = await b.ended(id);
  jumpTo(created_at, days(29) - 1);
  const young = await b.ended((await b.create(items("Hello"))).id);
  await sweep();
  assert.deepEqual(await b.retrieve(id), before);
  assert.equal((await b.results(id)).size, 2);
  assert.equal((await rowsOf(id))?.["results"], 2);
  wall.advance(1);
  const archived = {
    ...before,
    archived_at: new Date(Date.parse(created_at) + days(29)).toISOString(),
    results_url: null,
  };
  const expectGone = async () => {
    assert.deepEqual(await b.retrieve(id), archived);
    const { body } = await b.call("GET", "?limit=1000");
    const listed = (body.data as Batch[]).find((batch) => batch.id === id);
    assert.deepEqual(listed, archived);
    for (const headers of [olderVersion, newerVersion, { range: "bytes=0-9" }]) {
      const answer = await b.call("GET", `/${id}/results`, { headers });
      assert.match(
        sentenceOf(answer, 404),
        /The results of .* are gone: they are kept for 29 days/,
      );
    }
    // A sign-in does not last so long.
    const cookie = await b.house.signIn(b.platform);
    const { body: browsed } = await b.house.ask("GET", `/console/api/batches/${id}/results`, {
      cookie,
    });
    assert.deepEqual(browsed.data, []);
  };
  // At once, and not only when somebody has swept.
  await expectGone();
  await sweep();
  await expectGone();
  assert.deepEqual(await rowsOf(id), { batches: 1, chunks: 0, results: 0 });
  assert.deepEqual(filesIn(id), []);
  assert.match(sentenceOf(await b.cancel(id), 400), /has ended/);
  assert.equal((await b.results(young.id)).size, 1, "a younger one was swept too");
  assert.equal((await b.remove(id)).status, 200);
  assert.equal((await b.call("GET", `/${id}`)).status, 404);
});

test("[BAT21] a clock that jumps back neither ends a batch nor makes it end before it began", async () => {
  const { id, created_at, expires_at } = await b.create(items("[[tokens 4]] [[rate 4]]", "Hello"));
  const canceled = await b.create(endless(3));
  jumpTo(created_at, -days(400));
  const during = await b.retrieve(id);
  assert.deepEqual([during.created_at, during.expires_at], [created_at, expires_at]);
  const done = await b.ended(id);
  assert.equal(done.request_counts.succeeded, 2);
  assert.equal(done.ended_at, created_at);
  assert.equal((await b.results(id)).size, 2);
  const { cancel_initiated_at } = (await b.cancel(canceled.id)).body as Batch;
  assert.equal(cancel_initiated_at, canceled.created_at);
  jumpTo(expires_at, 0);
  const { ended_at } = await b.ended(canceled.id);
  assert.ok(Date.parse(ended_at ?? "") >= Date.parse(expires_at));
});

test("[BAT21] what a jump passed over stays so when the clock comes back", async () => {
  const { id, created_at } = await b.create(endless(3));
  const kept = await b.ended((await b.create(items("Hello"))).id);
  jumpTo(created_at, days(30));
  const expired = await b.ended(id);
  assert.equal(expired.request_counts.expired, 3);
  assert.equal(expired.results_url, null);
  await sweep();
  const gone = await b.retrieve(kept.id);
  jumpTo(created_at, minutes(1));
  for (const one of [expired, gone]) {
    assert.deepEqual(await b.retrieve(one.id), one);
    assert.equal((await b.call("GET", `/${one.id}/results`)).status, 404);
  }
  // What comes afterwards has its own time.
  const later = await b.ended((await b.create(items("Hello"))).id);
  assert.equal(later.created_at, wall.now().toISOString());
  assert.equal((await b.results(later.id)).size, 1);
});

test("[BAT31] the requests go when a batch has ended, and everything when it is deleted", async () => {
  const { id } = await b.create([...items("Hello", "[[tokens 4]] [[rate 4]]")]);
  await until(async () => (await b.retrieve(id)).request_counts.succeeded === 1, "a result");
  assert.deepEqual(filesIn(id), [
    `objects/batches/${id}/requests`,
    `tails/batches/${id}/results-1~tail`,
  ]);
  await b.ended(id);
  await b.idle();
  assert.deepEqual(filesIn(id), [`objects/batches/${id}/results-1/000000`]);
  assert.deepEqual(await rowsOf(id), { batches: 1, chunks: 0, results: 2 });
  await b.remove(id);
  await b.idle();
  assert.deepEqual(filesIn(id), []);
  assert.deepEqual(await rowsOf(id), { batches: 0, chunks: 0, results: 0 });
});

test("[BAT31] a batch that is deleted the moment it has ended leaves nothing either", async () => {
  for (let time = 0; time < 5; time++) {
    const { id } = await b.create(same(150, "Hello"));
    await b.ended(id);
    await b.remove(id);
    await b.idle();
    assert.deepEqual(filesIn(id), []);
  }
});

test("[BAT32] files of batches that do not exist are swept once they are an hour old", async () => {
  const { blobs, segmentOptions } = b.house.world;
  const known = await b.ended((await b.create(items("Hello"))).id);
  await b.idle();
  const ids = makeIds(wall, b.house.world.random);
  const stray = async () => {
    const id = ids.next("msgbatch_");
    await blobs.put(`batches/${id}/requests`, Buffer.from("{}\n"));
    await blobs.put(`batches/${id}/results-1/000000`, Buffer.from("{}\n"));
    const segment = await openSegment(blobs, `batches/${id}/results-2`, segmentOptions);
    await segment.append(Buffer.from("{}\n"));
    await segment.close();
    return id;
  };
  const old = await stray();
  wall.advance(seconds(1));
  const young = await stray();
  wall.advance(hours(1) - seconds(1));
  await sweep();
  assert.deepEqual(filesIn(old), []);
  assert.equal(filesIn(young).length, 3);
  assert.equal(filesIn(known.id).length, 1);
  assert.equal((await b.results(known.id)).size, 1);
  wall.advance(seconds(1));
  await sweep();
  assert.deepEqual(filesIn(young), []);
});
