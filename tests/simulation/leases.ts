// Processes that hold leased rows, work on them in transactions long and short, are held up, cut off and killed.
import assert from "node:assert/strict";
import { silentLogger } from "../../kernel/base/logger.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { hold, type Held, type Holder } from "../../kernel/work/hold.ts";
import { leasable, LeaseLost, type Lease } from "../../kernel/work/lease.ts";
import { leaseLimits } from "../../kernel/work/limits.ts";
import { type TimedDatabase, timedDatabase } from "../kernel/timed-database.ts";
import { makeScheduler, type Process, type Scheduler } from "./scheduler.ts";

export interface LeasesResult {
  trace: string;
  claims: number;
  /** Signals that were aborted because the lease was lost or had lapsed. */
  lost: number;
  /** Writes that stayed open for longer than a lease. */
  longWrites: number;
  kills: number;
}

type Task = { visits: number } & Lease;

interface Simulation {
  timed: TimedDatabase;
  scheduler: Scheduler;
  holders: Map<Process, Holder<Task>>;
  /** What each process works on, as far as it was not told to stop. */
  working: Set<{ process: Process; held: Held<Task> }>;
  /** Two processes that worked on one task, both awake. */
  doubled: string[];
  result: Omit<LeasesResult, "trace">;
}

const tasks = leasable("tasks");
const [processNames, taskCount, visitsMax, heldMax] = [["p1", "p2", "p3"], 8, 6, 3];
const longMs = leaseLimits.leaseMs * 1.6;
const restStepsMax = 20_000;

export interface LeasesOptions {
  steps: number;
  /** Of a statement; and whether processes are held up. */
  faultChance: number;
  isStarved: boolean;
}

export async function simulateLeases(
  seed: number,
  { steps, faultChance, isStarved }: LeasesOptions,
  show?: (line: string) => void,
): Promise<LeasesResult> {
  await using timed = await timedDatabase(40);
  await prepare(timed);
  const simulation: Simulation = {
    timed,
    scheduler: makeScheduler(timed, seed, show),
    holders: new Map(),
    working: new Set(),
    doubled: [],
    result: { claims: 0, lost: 0, longWrites: 0, kills: 0 },
  };
  const { scheduler, result } = simulation;
  try {
    await revive(simulation);
    for (let step = 0; step < steps; step++) {
      await scheduler.step(faultChance);
      if (isStarved && scheduler.random.fraction() < 0.01) starve(scheduler);
      if (faultChance > 0 && scheduler.random.fraction() < 0.004) stopOne(simulation);
      await revive(simulation);
    }
    await comeToRest(simulation);
    await check(simulation);
    return { trace: scheduler.traceHash(), ...result };
  } finally {
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
  }
}

async function prepare({ observer }: TimedDatabase): Promise<void> {
  await observer.query(sql`create table tasks (
    id text primary key, visits int not null default 0,
    lease_owner text, lease_epoch bigint not null default 0, lease_until timestamptz)`);
  await observer.query(sql`create table writes (
    at bigint generated always as identity, task text not null, epoch bigint not null)`);
  await observer.query(sql`insert into tasks (id)
    select 'task_' || n from generate_series(1, ${taskCount}::int) as n`);
}

/** For about as long as a lease a process stands still, or goes on and hears nothing of the database. */
function starve({ processes, random, putToSleep, cutOff }: Scheduler): void {
  const process = processes[Math.floor(random.fraction() * processes.length)];
  const ms = Math.floor(leaseLimits.leaseMs * (0.4 + 1.2 * random.fraction()));
  if (process === undefined) return;
  if (random.fraction() < 0.5) putToSleep(process, ms);
  else cutOff(process, ms);
}

function stopOne({ scheduler, holders }: Simulation): void {
  const [process] = scheduler.processes;
  const holder = process && holders.get(process);
  if (process === undefined || holder === undefined) return;
  void holder.stop().then(() => scheduler.kill(process));
}

async function revive(simulation: Simulation): Promise<void> {
  const { scheduler, result } = simulation;
  for (const base of processNames) {
    if (scheduler.processes.some(({ name }) => name.startsWith(`${base}-`))) continue;
    startProcess(simulation, await scheduler.start(`${base}-${result.kills++}`));
  }
}

function startProcess(simulation: Simulation, process: Process): void {
  const { db, name: owner } = process;
  const holder = hold<Task>(
    { ...process, logger: silentLogger },
    {
      name: "task",
      leasable: tasks,
      times: { ...leaseLimits, pollMs: 1_000 },
      claim: async ({ take }) => {
        const limit = heldMax - holder.held.size;
        if (limit <= 0) return;
        await take(() =>
          tasks.claim<Task>(db, {
            owner,
            where: sql`row.visits < ${visitsMax}::int`,
            orderBy: sql`row.visits, row.id`,
            limit,
            returning: sql`row.visits`,
          }),
        );
      },
      on: (held) => begin(simulation, process, held),
    },
  );
  simulation.holders.set(process, holder);
  holder.start();
}

function begin(simulation: Simulation, process: Process, held: Held<Task>): void {
  const { scheduler, working, result } = simulation;
  result.claims += 1;
  for (const other of working)
    if (
      other.held.lease.id === held.lease.id &&
      other.process.alive &&
      !scheduler.isAsleep(other.process)
    )
      simulation.doubled.push(`${process.name} and ${other.process.name}: ${held.lease.id}`);
  const entry = { process, held };
  working.add(entry);
  held.signal.addEventListener("abort", () => {
    working.delete(entry);
    if (/is lost|has lapsed/.test(String(held.signal.reason))) result.lost += 1;
  });
  // Another may have the task while it is not known here whether the commit that let go of it came through.
  void work(simulation, process, held)
    .finally(() => working.delete(entry))
    .then(() => letGo(process, held));
}

/** A few writes. */
async function work(simulation: Simulation, process: Process, held: Held<Task>): Promise<void> {
  const { clock, random, db } = process;
  const { signal, lease } = held;
  const writes = 1 + Math.floor(random.fraction() * 4);
  for (let write = 0; write < writes && !signal.aborted; write++) {
    await clock.sleep(random.fraction() * 4_000, signal);
    const openMs = random.fraction() < 0.3 ? longMs * random.fraction() : 0;
    try {
      await db.tx(async (tx) => {
        await held.fence(tx);
        await clock.sleep(openMs);
        await tx.query(sql`insert into writes (task, epoch) values (${lease.id}, ${lease.epoch})`);
        if (openMs > leaseLimits.leaseMs) simulation.result.longWrites += 1;
      });
    } catch (error) {
      if (error instanceof LeaseLost) return;
    }
  }
}

/** By a statement of its own; another try where it is not known how that ended. */
async function letGo({ db, clock }: Process, held: Held<Task>): Promise<void> {
  const { id, owner, epoch } = held.lease;
  while (!held.signal.aborted) {
    try {
      return await db.tx(async (tx) => {
        const done = await tx.query(sql`
          update tasks set visits = visits + 1, lease_owner = null, lease_until = null
          where id = ${id} and lease_owner = ${owner} and lease_epoch = ${epoch}::bigint
            and lease_until > clock_timestamp()
          returning id`);
        if (done.length === 0) return;
        held.lockedBy(tx);
        tx.afterCommit(() => held.end());
      });
    } catch {
      await clock.sleep(100);
    }
  }
}

/** Everybody is killed once more; then no faults happen until every task was visited often enough. */
async function comeToRest(simulation: Simulation): Promise<void> {
  const { scheduler, timed } = simulation;
  for (let step = 1; step <= restStepsMax; step++) {
    await scheduler.step(0);
    await revive(simulation);
    if (step % 50 !== 0) continue;
    await scheduler.settle();
    const [left] = await timed.observer.query<{ count: number }>(
      sql`select count(*) from tasks where visits < ${visitsMax}::int`,
    );
    if (left?.count === 0) return;
  }
  assert.fail("a task was left behind: the simulation did not come to rest");
}

async function check({ timed, doubled }: Simulation): Promise<void> {
  assert.deepEqual(doubled, [], "no two processes work on one task");
  const late = await timed.observer.query(sql`
    select task from (select task, epoch, lag(epoch) over (partition by task order by at) as before
      from writes) as write where epoch < before`);
  assert.deepEqual(late, [], "once a later holder has written, an earlier one does not");
}
