// Memory stores on processes that are killed, cut off and put to sleep at any statement, and what becomes of them.
import assert from "node:assert/strict";
import { Failure } from "../../kernel/base/failure.ts";
import { type Logger, silentLogger } from "../../kernel/base/logger.ts";
import type { Context } from "../../kernel/context.ts";
import { startJobRunner } from "../../kernel/jobs/job-runner.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { kinds } from "../../server/memory/module.ts";
import { type TimedDatabase, timedDatabase } from "../kernel/timed-database.ts";
import { nextAct, type Attempt } from "./memory-acts.ts";
import { checkAttempts, type Kept } from "./memory-attempts.ts";
import { checkMemory } from "./memory-check.ts";
import { contextOf } from "./caller.ts";
import { addOrganization, worldOf } from "./memory-world.ts";
import { makeScheduler, type Process, type Scheduler } from "./scheduler.ts";

export interface MemoryResult extends Kept {
  trace: string;
  kills: number;
}

export interface Simulation {
  timed: TimedDatabase;
  scheduler: Scheduler;
  /** All that was asked, in the order in which it was asked. */
  attempts: Attempt[];
  acting: boolean;
  kills: number;
  /** What processes complained of, beside connections that were lost. */
  complaints: string[];
}

const processNames = ["p1", "p2", "p3"];
/** One that all write to, and one for each process: a writer that waits for a lock tries little. */
const shared = "wrkspc_shared";
const workspaceOf = (base: string) => `wrkspc_${base}`;
const clients = 18;
/** Where a write may be torn: between its statements, and above all around its commit. */
const torn = /^memory_(remove_heads|write_group)$/;
const faultChance = (label: string) =>
  label === "commit" ? 0.15 : torn.test(label) ? 0.05 : 0.004;
/** A process that lives on after one does not know how its statement ended. */
const faults = [
  "killed before",
  "killed after",
  "cut before",
  ...Array.from({ length: 4 }, () => "cut after" as const),
] as const;
const sleepChance = 0.006;
const checkedEverySteps = 150;
const restStepsMax = 10_000;

export async function simulateMemory(
  seed: number,
  steps: number,
  show?: (line: string) => void,
): Promise<MemoryResult> {
  await using timed = await timedDatabase(60);
  await addOrganization(timed.observer, [shared, ...processNames.map(workspaceOf)]);
  const simulation: Simulation = {
    timed,
    scheduler: makeScheduler(timed, seed, show, { faults }),
    attempts: [],
    acting: true,
    kills: 0,
    complaints: [],
  };
  const { scheduler, attempts, complaints } = simulation;
  try {
    await revive(simulation);
    for (let step = 0; step < steps; step++) {
      await scheduler.step(faultChance);
      if (scheduler.random.fraction() < sleepChance) sleepSome(scheduler);
      await revive(simulation);
      // What is committed holds together at any moment.
      if (step % checkedEverySteps === 0)
        await timed.observer.tx((tx) => checkMemory(tx, { swept: true, remains: true }), {
          isolation: "repeatable read",
        });
    }
    await comeToRest(simulation);
    assert.deepEqual(complaints, []);
    const found = await checkMemory(timed.observer, { swept: true });
    const kept = checkAttempts(attempts, found);
    return { trace: scheduler.traceHash(), kills: simulation.kills, ...kept };
  } finally {
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
  }
}

function sleepSome({ processes, random, putToSleep }: Scheduler): void {
  const process = processes[Math.floor(random.fraction() * processes.length)];
  if (process !== undefined) putToSleep(process, 2_000 + random.fraction() * 10_000);
}

async function revive(simulation: Simulation): Promise<void> {
  const { scheduler } = simulation;
  for (const base of processNames) {
    if (scheduler.processes.some(({ name }) => name.startsWith(`${base}-`))) continue;
    const process = await scheduler.start(`${base}-${simulation.kills}`);
    simulation.kills += 1;
    work(simulation, process);
  }
}

/** A process of the server, and who asks it. */
function work(simulation: Simulation, process: Process): void {
  const world = worldOf(process, listener(simulation.complaints));
  // One process is enough for jobs; the others write meanwhile.
  if (process.name.startsWith("p1-"))
    startJobRunner({ ...world, owner: process.name, kinds, context: world });
  const own = workspaceOf(process.name.split("-")[0] ?? "");
  for (let client = 0; client < clients; client++)
    void ask(simulation, process, contextOf(world, client % 3 === 0 ? shared : own));
}

/** Lost connections, and what sleepers hear. */
const expected = /\bcut\b|The database was lost|The lease of the job has lapsed/;

function listener(complaints: string[]): Logger {
  const hear = (facts: object, message: string) => {
    const complaint = "error" in facts ? `${message}: ${String(facts.error)}` : message;
    if (!expected.test(complaint)) complaints.push(complaint);
  };
  return { ...silentLogger, warn: hear, error: hear };
}

async function ask(simulation: Simulation, process: Process, context: Context): Promise<void> {
  const { random, clock } = process;
  const { attempts, complaints } = simulation;
  for (;;) {
    // Mostly at once, so that several come together.
    await clock.sleep(random.fraction() < 0.5 ? 1 : random.fraction() * 3_000);
    if (!simulation.acting) return;
    const doing = nextAct(context, attempts, random);
    if (doing === undefined) continue;
    const { attempt, work: promise } = doing;
    attempts.push(attempt);
    try {
      await promise();
      attempt.end = "done";
    } catch (error) {
      if (!(error instanceof Failure)) complaints.push(String(error));
      const code = error instanceof Failure ? (error.options.code ?? error.type) : "a bug";
      attempt.end = code === "commit_outcome_unknown" ? "unknown" : "refused";
      attempt.why = code;
    }
  }
}

/** All are killed once more; then no faults happen until all jobs are done. */
async function comeToRest(simulation: Simulation): Promise<void> {
  const { scheduler, timed } = simulation;
  simulation.acting = false;
  for (const process of scheduler.processes.slice()) scheduler.kill(process);
  await scheduler.settle();
  await revive(simulation);
  for (let step = 1; step <= restStepsMax; step++) {
    await scheduler.step(0);
    if (step % 50 !== 0) continue;
    await scheduler.settle();
    const [left] = await timed.observer.query<{ count: number }>(
      sql`select count(*) as count from jobs`,
    );
    if (left?.count === 0) return;
  }
  const left = await timed.observer.query(sql`select kind, state from jobs order by id limit 5`);
  assert.fail(`the simulation did not come to rest: ${JSON.stringify(left)}`);
}
