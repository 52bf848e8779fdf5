// Jobs and events per second of the kernel, against plain SQL that writes the same rows in the same run.
// Prints ratios: 1.00 means as fast as the bare statements. Run: node bench/jobs.ts
import { systemClock } from "../kernel/base/clock.ts";
import { makeIds } from "../kernel/base/ids.ts";
import { silentLogger } from "../kernel/base/logger.ts";
import { systemRandom } from "../kernel/base/random.ts";
import { enqueueAll } from "../kernel/jobs/jobs.ts";
import { startJobRunner } from "../kernel/jobs/job-runner.ts";
import { append } from "../kernel/log/log.ts";
import { type Database, openPool } from "../kernel/sql/database.ts";
import { preparedAs, sql } from "../kernel/sql/statement.ts";
import { testDatabase } from "../tests/postgres.ts";

const jobs = 10_000;
const batch = 50;
const events = 20_000;
const eventsPerAppend = 10;
const rounds = 3;

const ids = makeIds(systemClock, systemRandom);
const hints = { send: () => {}, listen: () => () => {}, close: async () => {} };
const world = { clock: systemClock, random: systemRandom, ids, hints, logger: silentLogger };
const payload = { note: "x".repeat(200) };

/** Insert by 50, then claim 50 and delete 50 until nothing is left: no leases, retries or keys. */
async function plainJobs(db: Database): Promise<void> {
  for (let n = 0; n < jobs; n += batch) {
    const rows = Array.from({ length: batch }, () => ids.next("job_"));
    await db.tx((tx) =>
      tx.query(
        preparedAs(
          "plain_insert",
          sql`insert into plain_jobs (id, payload, state)
            select id, ${JSON.stringify(payload)}::json, 'ready' from unnest(${rows}::text[]) as id`,
        ),
      ),
    );
  }
  for (;;) {
    const claimed = await db.query<{ id: string }>(
      preparedAs(
        "plain_claim",
        sql`update plain_jobs set state = 'running' where id in (
            select id from plain_jobs where state = 'ready' order by id limit ${batch}
            for update skip locked) returning id, payload`,
      ),
    );
    if (claimed.length === 0) return;
    const done = claimed.map((row) => row.id);
    await db.query(
      preparedAs("plain_delete", sql`delete from plain_jobs where id = any(${done}::text[])`),
    );
  }
}

async function kernelJobs(db: Database): Promise<void> {
  for (let n = 0; n < jobs; n += batch) {
    const put = Array.from({ length: batch }, () => ({ kind: "bench", payload }));
    await db.tx((tx) => enqueueAll(tx, world, put));
  }
  const done = Promise.withResolvers<void>();
  let left = jobs;
  const run = async () => {
    left -= 1;
    if (left === 0) done.resolve();
  };
  const kinds = [{ kind: "bench", concurrency: batch, run }];
  const runner = startJobRunner({ ...world, db, owner: "bench", kinds, context: {} });
  await done.promise;
  await runner.drain();
}

async function plainEvents(db: Database): Promise<void> {
  for (let position = 0; position < events; position += eventsPerAppend) {
    const rows = Array.from({ length: eventsPerAppend }, () => JSON.stringify(payload));
    await db.tx((tx) =>
      tx.query(
        preparedAs(
          "plain_events",
          sql`insert into plain_events (stream, position, type, data, at)
            select 'bench', ${position}::bigint + number, 't', data, now()
            from unnest(${rows}::json[]) with ordinality as event (data, number)`,
        ),
      ),
    );
  }
}

async function kernelEvents(db: Database, stream: string): Promise<void> {
  const some = Array.from({ length: eventsPerAppend }, () => ({ type: "t", data: payload }));
  for (let n = 0; n < events; n += eventsPerAppend) {
    await db.tx((tx) => append(tx, world, stream, some));
  }
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (count / (performance.now() - startMs)) * 1000;
}

const median = (values: number[]) =>
  values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

await using test = await testDatabase();
await using db = Object.assign(
  openPool({ connection: test.connection, connectionsMax: 4, logger: silentLogger }),
  { [Symbol.asyncDispose]: () => db.close() },
);
await db.query(
  sql`create table plain_jobs (id text collate "C" primary key, payload json, state text)`,
);
await db.query(sql`create index on plain_jobs (id) where state = 'ready'`);
await db.query(sql`create table plain_events (stream text collate "C", position bigint, type text,
  data json, at timestamptz, primary key (stream, position))`);

const rates = {
  plainJobs: [] as number[],
  jobs: [] as number[],
  plainEvents: [] as number[],
  events: [] as number[],
};
for (let round = 0; round < rounds; round++) {
  rates.plainJobs.push(await perSecond(jobs, () => plainJobs(db)));
  rates.jobs.push(await perSecond(jobs, () => kernelJobs(db)));
  rates.plainEvents.push(await perSecond(events, () => plainEvents(db)));
  rates.events.push(await perSecond(events, () => kernelEvents(db, `bench ${round}`)));
  await db.query(sql`truncate plain_events`);
}
const [plainJobRate, jobRate, plainEventRate, eventRate] = [
  median(rates.plainJobs),
  median(rates.jobs),
  median(rates.plainEvents),
  median(rates.events),
];
const line = (what: string, ours: number, plain: number) =>
  console.log(
    `${what}: ${Math.round(ours)}/s, plain SQL ${Math.round(plain)}/s, ratio ${(ours / plain).toFixed(2)}`,
  );
line("jobs, put in, claimed and completed by 50", jobRate, plainJobRate);
line("events, appended by 10", eventRate, plainEventRate);
