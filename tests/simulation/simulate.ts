// The workload of the simulation and what must hold after any faults: see the list in `check`.
import assert from "node:assert/strict";
import { silentLogger } from "../../kernel/base/logger.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import type { JobKind, JobRun } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { startJobRunner, type JobRunner } from "../../kernel/jobs/job-runner.ts";
import { append, head } from "../../kernel/log/log.ts";
import { subscribe } from "../../kernel/log/subscribe.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { type TimedDatabase, timedDatabase } from "../kernel/timed-database.ts";
import { makeScheduler, type Process, type Scheduler } from "./scheduler.ts";

export interface Result {
  trace: string;
  kills: number;
  requests: number;
  paid: number;
  attempts: number;
  ticks: number;
  events: number;
}

const everyMs = 7_000;
const streams = ["payments", "shared"];
const restStepsMax = 12_000;

const tables = [
  sql`create table asked (id text primary key)`,
  sql`create table attempts (request text not null)`,
  sql`create table paid (request text not null)`,
  sql`create table touches (key text not null, n bigint not null)`,
  sql`create table touched (key text not null, n bigint)`,
  sql`create table ticked (schedule text not null, nominal_at timestamptz not null)`,
];

interface Simulation {
  timed: TimedDatabase;
  scheduler: Scheduler;
  /** What each subscriber has seen; a new process goes on after the last of them. */
  seen: Map<string, number[]>;
  runners: Map<Process, JobRunner>;
  producing: boolean;
  kills: number;
}

const kinds: JobKind<Process>[] = [
  {
    kind: "pay",
    run: async (process, { job, finish }: JobRun<{ request: string }>) => {
      const { request } = job.payload;
      await process.db.query(sql`insert into attempts (request) values (${request})`);
      if (process.random.fraction() < 0.15) throw new Error("the provider said no");
      await process.db.tx(async (tx) => {
        await finish(tx);
        await tx.query(sql`insert into paid (request) values (${request})`);
        await append(tx, process, "payments", [{ type: "paid", data: { request } }]);
      });
    },
  },
  {
    kind: "write",
    // Several fenced transactions; the runner completes it.
    run: async (process, { job, fence }) => {
      for (let n = 0; n < 3; n++) {
        await process.db.tx(async (tx) => {
          await fence(tx);
          const data = { attempt: job.attempt, n };
          await append(tx, process, job.id, [{ type: "written", data }]);
        });
      }
    },
  },
  {
    kind: "touch",
    concurrency: 2,
    run: async (process, { finish, job }: JobRun<{ key: string }>) => {
      await process.db.tx(async (tx) => {
        await finish(tx);
        await tx.query(sql`insert into touched
          select ${job.payload.key}::text, max(n) from touches where key = ${job.payload.key}`);
      });
    },
  },
  {
    kind: "tick",
    run: async (process, { finish, job }: JobRun<{ schedule: string; at: string }>) => {
      const { schedule, at } = job.payload;
      await process.db.tx(async (tx) => {
        await finish(tx);
        await tx.query(sql`insert into ticked values (${schedule}, ${at}::timestamptz)`);
      });
    },
  },
];

const tick = (schedule: string) => (at: Date) => ({
  kind: "tick",
  payload: { schedule, at: at.toISOString() },
  attemptsMax: 1_000,
});

const schedules: Schedule[] = [
  { name: "each", timing: { everyMs }, missed: "each", job: tick("each") },
  { name: "once", timing: { cron: "* * * * *", timeZone: "Asia/Kathmandu" }, job: tick("once") },
];

async function startProcess(simulation: Simulation, name: string): Promise<void> {
  const { scheduler, seen, runners } = simulation;
  const process = await scheduler.start(name);
  const options = { ...process, owner: name, logger: silentLogger, context: process };
  runners.set(process, startJobRunner({ ...options, kinds, schedules }));
  void produce(simulation, process);
  for (const stream of streams) void follow(process, stream, seen);
}

async function follow(process: Process, stream: string, seen: Map<string, number[]>) {
  const { signal } = new AbortController();
  // One follower per stream and name of a process without its number, so it survives its process.
  const follower = `${process.name.split("-")[0]} ${stream}`;
  const positions = seen.get(follower) ?? [];
  seen.set(follower, positions);
  for await (const event of subscribe({ ...process, signal }, stream, positions.at(-1) ?? 0)) {
    positions.push(event.position);
  }
}

async function produce(simulation: Simulation, process: Process): Promise<void> {
  const { clock, random, db, ids } = process;
  while (await clock.sleep(200 + random.fraction() * 800)) {
    if (!simulation.producing) return;
    const doomed = random.fraction() < 0.2;
    const which = random.fraction();
    await db
      .tx(async (tx) => {
        if (which < 0.4) await request(tx, process, ids.next("req_"));
        else if (which < 0.6) {
          await enqueue(tx, process, { kind: "write", payload: {}, attemptsMax: 1_000 });
        } else if (which < 0.8) {
          const key = random.fraction() < 0.5 ? "a" : "b";
          await tx.query(sql`insert into touches
            select ${key}::text, coalesce(max(n), 0) + 1 from touches where key = ${key}`);
          const job = { kind: "touch", key, payload: { key }, attemptsMax: 1_000 };
          await enqueue(tx, process, job);
        } else {
          const at = random.fraction() < 0.3 ? { expectedPosition: await head(tx, "shared") } : {};
          const events = [1, 2].map((n) => ({ type: "said", data: { n } }));
          await append(tx, process, "shared", events, at);
        }
        if (doomed) throw new Error("rolled back on purpose");
      })
      .catch(() => {});
  }

  async function request(tx: Parameters<typeof enqueue>[0], world: Process, id: string) {
    await tx.query(sql`insert into asked (id) values (${id})`);
    const payload = { request: id };
    await enqueue(tx, world, { kind: "pay", payload, attemptsMax: 1_000 });
  }
}

export async function simulate(
  seed: number,
  steps: number,
  show?: (line: string) => void,
): Promise<Result> {
  await using timed = await timedDatabase(40);
  for (const table of tables) await timed.observer.query(table);
  const simulation: Simulation = {
    timed,
    scheduler: makeScheduler(timed, seed, show),
    seen: new Map(),
    runners: new Map(),
    producing: true,
    kills: 0,
  };
  const { scheduler } = simulation;
  for (const base of ["p1", "p2", "p3"]) await startProcess(simulation, `${base}-0`);
  for (let step = 0; step < steps; step++) {
    await scheduler.step(0.012);
    if (scheduler.random.fraction() < 0.002) {
      // When it stops, it gives back what it holds; its followers and its producer go with it.
      const process = scheduler.processes[0];
      if (process !== undefined) void simulation.runners.get(process)?.stop();
    }
    await revive(simulation);
  }
  simulation.producing = false;
  try {
    await comeToRest(simulation);
    return await check(simulation);
  } finally {
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
  }
}

async function revive(simulation: Simulation): Promise<void> {
  for (const base of ["p1", "p2", "p3"]) {
    const { processes } = simulation.scheduler;
    if (processes.some((process) => process.name.startsWith(`${base}-`))) continue;
    simulation.kills += 1;
    await startProcess(simulation, `${base}-${simulation.kills}`);
  }
}

async function comeToRest(simulation: Simulation): Promise<void> {
  const { scheduler, timed } = simulation;
  for (const process of scheduler.processes.slice()) scheduler.kill(process);
  await scheduler.settle();
  await revive(simulation);
  for (let step = 1; step <= restStepsMax; step++) {
    await scheduler.step(0);
    if (step % 50 !== 0) continue;
    await scheduler.settle();
    const left = await number(timed.observer, `select count(*) from jobs where kind <> 'tick'`);
    if (left === 0 && (await caughtUp(simulation))) return;
  }
  assert.fail("a job or an event was lost: the simulation did not come to rest");
}

async function caughtUp({ timed, seen }: Simulation): Promise<boolean> {
  for (const [follower, positions] of seen) {
    const stream = follower.split(" ")[1] ?? "";
    if ((positions.at(-1) ?? 0) < (await head(timed.observer, stream))) return false;
  }
  return true;
}

async function check({ timed: { observer }, scheduler, seen, kills }: Simulation): Promise<Result> {
  const none = async (what: string, text: string) =>
    assert.deepEqual(await observer.query({ text, values: [] }), [], what);

  await none(
    "each committed request is paid exactly once, after at least one attempt",
    `select r.id from asked r where (select count(*) from paid where request = r.id) <> 1
      or not exists (select from attempts where request = r.id)`,
  );
  await none(
    "nothing is done for a request that was rolled back",
    `select request from attempts where request not in (select id from asked)`,
  );
  await none(
    "positions have no gap and no double, and the head is the last",
    `select s.stream from log_streams s left join log_events e using (stream)
      group by s.stream, s.position
      having count(*) <> s.position or min(e.position) <> 1 or max(e.position) <> s.position`,
  );
  await none(
    "once a later runner has written, an earlier one does not",
    `select stream from (select stream, (data->>'attempt')::int as attempt,
        lag((data->>'attempt')::int) over (partition by stream order by position) as before
      from log_events where type = 'written') as written where attempt < before`,
  );
  await none(
    "the last touch of each key was seen by a job",
    `select key from touches group by key
      having max(n) > coalesce((select max(n) from touched t where t.key = touches.key), 0)`,
  );
  const fired = `(select schedule, nominal_at from ticked union all
    select payload->>'schedule', (payload->>'at')::timestamptz from jobs where kind = 'tick')`;
  await none(
    "no occurrence fires twice",
    `select 1 from ${fired} as fired group by schedule, nominal_at having count(*) > 1`,
  );
  await none(
    "no occurrence is lost",
    `select 1 from ${fired} as fired where schedule = 'each'
      having count(*) <> 1 + extract(epoch from max(nominal_at) - min(nominal_at)) * 1000 / ${everyMs}`,
  );
  for (const [follower, positions] of seen) {
    const all = Array.from({ length: positions.length }, (_, i) => i + 1);
    assert.deepEqual(positions, all, `${follower}: each event once and in order`);
  }
  return {
    trace: scheduler.traceHash(),
    kills,
    requests: await number(observer, "select count(*) from asked"),
    paid: await number(observer, "select count(*) from paid"),
    attempts: await number(observer, "select count(*) from attempts"),
    ticks: await number(observer, "select count(*) from ticked"),
    events: await number(observer, "select count(*) from log_events"),
  };
}

async function number(on: Queryable, text: string): Promise<number> {
  const [row] = await on.query<{ count: number }>({ text, values: [] });
  return row?.count ?? 0;
}
