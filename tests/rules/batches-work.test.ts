// Rules BAT12 and BAT15 where several things happen at once: what one process does with batches that come and go.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { unavailable } from "../../kernel/base/failure.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import { watchSlowness } from "../slowness.ts";
import { type BatchHouse, filesOf, items, openBatchHouse, params, same } from "./batches-house.ts";
import { seconds, until } from "./support.ts";

let b: BatchHouse;
before(async () => {
  b = await openBatchHouse();
});
after(() => b[Symbol.asyncDispose]());

/** The next answer to a statement of this name stays on its way until it is let go. */
function delay(name: string) {
  const { db } = b.house.world;
  const { query } = db;
  const [came, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  db.query = async <Row extends object>(statement: Statement): Promise<Row[]> => {
    const rows = await query<Row>(statement);
    if (statement.name !== name) return rows;
    db.query = query;
    came.resolve();
    await go.promise;
    return rows;
  };
  return { came: came.promise, go: go.resolve };
}

test("[BAT15] a batch that comes while it is asked what became of others is not taken for one that has ended", async () => {
  using slowness = watchSlowness();
  const { id: slow } = await b.create(items("[[tokens 4]] [[rate 2]]"));
  const states = delay("batches_states");
  await states.came;
  const begunMs = performance.now();
  const { id } = await b.create(items("[[tokens 3]] [[rate 4]]"));
  await new Promise((resolve) => setTimeout(resolve, 200));
  states.go();
  await b.ended(id);
  const ms = performance.now() - begunMs;
  assert.ok(
    ms < seconds(4) * slowness.factor(),
    `${Math.round(ms)} ms: its lease had to run out first`,
  );
  await b.ended(slow);
});

/** The next transaction with a statement of this name fails like this: at its end, or after it was committed. */
function fail(name: string, error: Error, { isCommitted = false } = {}): void {
  const { db } = b.house.world;
  const { tx } = db;
  db.tx = async (work) => {
    let isIt = false;
    const result = await tx(async (inside) => {
      const query: typeof inside.query = (statement) => {
        isIt ||= statement.name === name;
        return inside.query(statement);
      };
      const worked = await work({ ...inside, query });
      if (isIt) db.tx = tx;
      if (isIt && !isCommitted) throw error;
      return worked;
    });
    if (isIt) throw error;
    return result;
  };
}

const batches = () =>
  b.house.world.db.query<{ id: string }>(sql`select id from batches order by id`);
const requestFiles = () => filesOf(b.house).filter((path) => /requests$|unfinished/.test(path));

test("[BAT4] a body whose batch cannot be written is not kept", async () => {
  await b.idle();
  const before = await batches();
  fail("batches_insert_chunks", new Error("no batches today"));
  const answer = await b.post(items("Hello"));
  assert.equal(answer.status, 500);
  assert.deepEqual(await batches(), before);
  assert.deepEqual(requestFiles(), []);
  assert.match(JSON.stringify(b.house.expectErrors()), /no batches today/);
});

test("[BAT4] [BAT12] where nobody knows whether it was written, the batch that is there has its requests", async () => {
  const before = await batches();
  const lost = unavailable("The database went away.", 1, { code: "commit_outcome_unknown" });
  fail("batches_insert_chunks", lost, { isCommitted: true });
  const answer = await b.post(items("Hello"));
  assert.equal(answer.status, 503);
  b.house.expectErrors();
  const made = (await batches()).filter(({ id }) => !before.some((one) => one.id === id));
  assert.equal(made.length, 1);
  const { request_counts } = await b.ended(made[0]?.id ?? "");
  assert.equal(request_counts.succeeded, 1);
});

const warnings = () =>
  b.house.log.filter((line) => /could not be written yet/.test(JSON.stringify(line))).length;

test("[BAT12] results whose write failed, or may have, are written once", async () => {
  const requests = same(40, "[[tokens 4]] [[rate 10]]");
  for (const isCommitted of [false, true]) {
    const warned = warnings();
    const paid = await b.charged(b.platform.workspace_id);
    const { id } = await b.create(requests);
    const lost = unavailable("The database went away.", 1, { code: "commit_outcome_unknown" });
    fail("batches_insert_results", lost, { isCommitted });
    const { request_counts } = await b.ended(id);
    assert.equal(request_counts.succeeded, 40);
    assert.equal((await b.results(id)).size, 40);
    const rows = (await b.charged(b.platform.workspace_id)).length - paid.length;
    assert.equal(rows, 40, "an item was charged twice, or not at all");
    assert.equal(warnings(), warned + 1, "no write failed");
  }
});

test("[BAT12] a batch that lost the process that worked on it is taken by another", async () => {
  const { db } = b.house.world;
  const { id } = await b.create(same(60, "[[tokens 4]] [[rate 4]]"));
  await until(async () => (await b.retrieve(id)).request_counts.succeeded > 0, "the first results");
  // As if another had taken all of it for dead: what this one still writes must not count.
  await db.query(sql`update batch_chunks set lease_epoch = lease_epoch + 1, lease_owner = 'another',
    lease_until = clock_timestamp() + interval '2500 milliseconds' where batch_id = ${id}`);
  const { succeeded } = (await b.retrieve(id)).request_counts;
  const stolenMs = performance.now();
  await until(async () => performance.now() > stolenMs + 1_500, "more answers");
  assert.equal((await b.retrieve(id)).request_counts.succeeded, succeeded);
  const { request_counts } = await b.ended(id);
  assert.equal(request_counts.succeeded, 60);
  const results = await b.results(id);
  assert.equal(results.size, 60);
  const [row] = await db.query<Record<string, number>>(sql`
    select count(*)::int as rows from batch_results where batch_id = ${id}`);
  assert.deepEqual(row, { rows: 60 });
});

/** A model of the simulator at an upstream of its own. */
async function modelAt(name: string): Promise<string> {
  const { cookie } = b.platform;
  const at = { cookie, body: { name, kind: "simulator" } };
  assert.equal((await b.house.ask("POST", "/console/api/upstreams", at)).status, 200);
  const model = { cookie, body: { id: `model-at-${name}`, upstream: name } };
  assert.equal((await b.house.ask("POST", "/console/api/models", model)).status, 200);
  return model.body.id;
}

test("[BAT15] batches whose upstream takes nothing for an hour hold up nobody else, whatever they weigh", async () => {
  using slowness = watchSlowness();
  const model = await modelAt("closed");
  const heavy = `[[fail status=429 retry_after=3600]] ${"long ".repeat(220_000)}`;
  const params = { model, max_tokens: 10, messages: [{ role: "user", content: heavy }] };
  const waiting: string[] = [];
  for (let batch = 0; batch < 3; batch++) {
    const heavies = same(30, "").map((item) => ({ ...item, params }));
    waiting.push((await b.create(heavies)).id);
  }
  await until(async () => {
    const { body } = await b.house.ask("GET", "/console/api/upstreams/health", {
      cookie: b.platform.cookie,
    });
    return JSON.stringify(body).includes("status 429");
  }, "the upstream to have said that it is too much");
  const begunMs = performance.now();
  const { id } = await b.create(same(10, "Hello"));
  await b.ended(id);
  const ms = performance.now() - begunMs;
  assert.ok(
    ms < seconds(5) * slowness.factor(),
    `${Math.round(ms)} ms behind batches that wait for an hour`,
  );
  // And is worked off as fast as if they were not there: a chunk each time that it is looked would be 15 seconds.
  const many = await b.create(same(1_500, "Hello"));
  const manyMs = performance.now();
  await b.ended(many.id);
  const tookMs = performance.now() - manyMs;
  const told = `${Math.round(tookMs)} ms, ${slowness.factor().toFixed(1)} times as slow as an idle machine`;
  assert.ok(tookMs < seconds(8) * slowness.factor(), `it waits to be looked at: ${told}`);
  for (const batch of waiting) {
    await b.cancel(batch);
    const { request_counts } = await b.ended(batch);
    assert.equal(request_counts.canceled, 30);
  }
});

test("[BAT12] while results cannot be written, no more of them is held than fits", async () => {
  const { db } = b.house.world;
  const { tx } = db;
  const go = Promise.withResolvers<void>();
  const answered = async () => {
    const { cookie } = b.platform;
    const { body } = await b.house.ask("GET", "/console/api/upstreams/health", { cookie });
    const simulator = body.data.find(({ name }: { name: string }) => name === "simulator");
    return simulator.lately.answered as number;
  };
  const before = await answered();
  const long = { model: "sim-large", max_tokens: 60_000 };
  const made = await b.create(
    same(400, "").map((item) => ({ ...item, params: params("[[tokens 60000]]", long) })),
  );
  db.tx = async (...asked) => {
    await go.promise;
    return tx(...asked);
  };
  // 32 MiB of lines of 300 KB each, and those that were under way then.
  let [last, since] = [-1, performance.now()];
  await until(async () => {
    const now = (await answered()) - before;
    if (now !== last) [last, since] = [now, performance.now()];
    return last > 0 && performance.now() - since > 1_000;
  }, "nothing more to begin");
  db.tx = tx;
  go.resolve();
  assert.ok(last < 250, `${last} answers of 300 KB were held`);
  await b.ended(made.id);
});

test("[BAT12] what could be neither written nor held is worked off when the database is back", async () => {
  const { db } = b.house.world;
  const { tx, query } = db;
  const { id } = await b.create(items("Hello", "[[tokens 3]] [[rate 6]]"));
  const away = () => {
    throw unavailable("The database is away.", 1, { code: "database_away" });
  };
  db.tx = async () => away();
  db.query = async <Row extends object>(statement: Statement): Promise<Row[]> =>
    statement.name === "batch_chunks_renew" ? away() : query<Row>(statement);
  await until(async () => {
    const [row] = await query<{ epoch: number }>(sql`
      select lease_epoch as epoch from batch_chunks where batch_id = ${id}`);
    return (row?.epoch ?? 0) > 1;
  }, "its lease to run out, and to be taken anew");
  Object.assign(db, { tx, query });
  const { request_counts } = await b.ended(id);
  assert.equal(request_counts.succeeded, 2);
});
