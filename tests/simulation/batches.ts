// Batches on processes that are killed and cut off at any statement: made, worked off, cancelled, and put away.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Logger, silentLogger } from "../../kernel/base/logger.ts";
import { openLocalBlobs } from "../../kernel/blob/local.ts";
import type { World } from "../../kernel/context.ts";
import { startJobRunner } from "../../kernel/jobs/job-runner.ts";
import { openInstruments } from "../../kernel/observe/instruments.ts";
import { openMetrics } from "../../kernel/observe/metrics.ts";
import { openOutsideConnections } from "../../kernel/http/outside/connections.ts";
import { openPeers } from "../../kernel/observe/peers.ts";
import { makePasswords } from "../../kernel/secret/passwords.ts";
import type { Secrets } from "../../kernel/secret/secrets.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { kinds, startRunner } from "../../server/batches/module.ts";
import { cancelBatch, createBatch } from "../../server/batches/service.ts";
import { workLimits } from "../../server/batches/work/limits.ts";
import { startLedger } from "../../server/usage/module.ts";
import { type TimedDatabase, timedDatabase } from "../kernel/timed-database.ts";
import { contextOf } from "./caller.ts";
import { checkBatches, type Found } from "./batches-check.ts";
import { makeScheduler, type Process, type Scheduler } from "./scheduler.ts";

export interface BatchesResult extends Found {
  trace: string;
  kills: number;
}

type Files = Pick<World, "blobs" | "segmentOptions">;

interface Simulation {
  timed: TimedDatabase;
  scheduler: Scheduler;
  files: Files;
  /** How many are to be made yet. */
  wanted: number;
  /** Ids of batches whose creation was answered. */
  acknowledged: Set<string>;
  canceled: Set<string>;
  kills: number;
  /** What processes complained of, beside connections that were lost. */
  complaints: string[];
}

const processNames = ["p1", "p2", "p3"];
const workspaces = ["wrkspc_1", "wrkspc_2"];
/** Where a write may be torn: from the fence to the commit. */
const torn = /^(commit|ledger_settled|batches_(hold|insert|done|finish|count)\w*)$/;
const faultChance = (label: string) => (torn.test(label) ? 0.12 : 0.006);
/** A process that lives on after one does not know how its statement ended. */
const faults = [
  "killed before",
  "killed after",
  "cut before",
  ...Array.from({ length: 3 }, () => "cut after" as const),
] as const;
const sleepChance = 0.006;
const restStepsMax = 20_000;

export async function simulateBatches(
  seed: number,
  { steps, batches }: { steps: number; batches: number },
  show?: (line: string) => void,
): Promise<BatchesResult> {
  await using timed = await timedDatabase(40);
  const directory = mkdtempSync(join(tmpdir(), "plinth-batches-"));
  using stack = new DisposableStack();
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  await prepare(timed);
  const blobs = await openLocalBlobs({ directory });
  const simulation: Simulation = {
    timed,
    scheduler: makeScheduler(timed, seed, show, { readsFiles: true, faults }),
    files: { blobs, segmentOptions: { directory: join(directory, "tails") } },
    wanted: batches,
    acknowledged: new Set(),
    canceled: new Set(),
    kills: 0,
    complaints: [],
  };
  const { scheduler } = simulation;
  try {
    await revive(simulation);
    for (let step = 0; step < steps; step++) {
      await scheduler.step(faultChance);
      if (scheduler.random.fraction() < sleepChance) sleepSome(scheduler);
      await revive(simulation);
    }
    await comeToRest(simulation);
    const { acknowledged, canceled, files, kills, complaints } = simulation;
    assert.deepEqual(complaints, []);
    const found = await checkBatches(timed.observer, files, { acknowledged, canceled });
    return { trace: scheduler.traceHash(), kills, ...found };
  } finally {
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
  }
}

export async function prepare({ observer }: TimedDatabase): Promise<void> {
  await observer.query(sql`insert into organizations (id, type, name, created_at)
    values ('org_1', 'platform', 'One', now())`);
  for (const id of workspaces)
    await observer.query(sql`insert into workspaces
      (id, organization_id, name, is_default, created_at)
      values (${id}, 'org_1', ${id}, ${id === "wrkspc_1"}, now())`);
}

/** For about as long as a lease. */
function sleepSome({ processes, random, putToSleep }: Scheduler): void {
  const process = processes[Math.floor(random.fraction() * processes.length)];
  const ms = workLimits.leaseMs * (0.8 + random.fraction());
  if (process !== undefined) putToSleep(process, ms);
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
  const { files, complaints } = simulation;
  const world = worldOf(files, process, listener(complaints));
  const { random, clock, name } = process;
  startLedger(world);
  const runner = startJobRunner({ ...world, owner: name, kinds, context: world });
  const stopRunner = startRunner(world);
  void makeBatches(simulation, process, world);
  const stop = async () => {
    await clock.sleep(4_000 + random.fraction() * 30_000);
    if (random.fraction() < 0.7) return;
    // Told to end, it gives back what it holds; then another takes its name.
    await stopRunner();
    await runner.drain();
    simulation.scheduler.kill(process);
  };
  void stop();
}

const noConnections = () => ({ open: 0, idle: 0, waiting: 0 });

/** Lost connections, and what sleepers hear. */
const expected = /\bcut\b|The database was lost|The lease of the job has lapsed/;

/** A second result of a request would be refused by the database: no process may even try. */
function listener(complaints: string[]): Logger {
  const hear = (facts: object, message: string) => {
    const complaint = "error" in facts ? `${message}: ${String(facts.error)}` : message;
    if (!expected.test(complaint)) complaints.push(complaint);
  };
  return { ...silentLogger, warn: hear, error: hear };
}

/** Parts that no batch uses are not there. */
export function worldOf(
  files: Files,
  { clock, random, ids, db, hints }: Pick<World, "clock" | "random" | "ids" | "db" | "hints">,
  logger: Logger,
): World {
  const metrics = openMetrics();
  return {
    ...files,
    clock,
    random,
    ids,
    db,
    hints,
    logger,
    dataDirectory: files.segmentOptions.directory,
    busOptions: { directory: "", address: null },
    secrets: undefined as unknown as Secrets,
    passwords: makePasswords(),
    lookUpTxt: async () => [],
    metrics,
    instruments: openInstruments(metrics, { dbStats: noConnections }),
    outside: openOutsideConnections(),
    peers: openPeers(),
    server: {
      version: "0",
      startedAt: clock.now(),
      database: { kind: "external", version: "test" },
      workers: 3,
      proxies: 0,
      isDraining: false,
      isDrainOver: false,
      metricsToken: null,
    },
    publicUrl: "http://plinth.example",
  };
}

async function makeBatches(simulation: Simulation, process: Process, world: World): Promise<void> {
  const { random, clock } = process;
  for (;;) {
    await clock.sleep(500 + random.fraction() * 4_000);
    if (simulation.wanted === 0) continue;
    simulation.wanted -= 1;
    const context = contextOf(world, workspaces[Math.floor(random.fraction() * 2)] ?? "");
    const made = await createBatch(context, bodyOf(process)).catch(() => undefined);
    if (made === undefined) continue;
    simulation.acknowledged.add(made.id);
    if (random.fraction() < 0.6) continue;
    // Some while most of it still waits.
    await clock.sleep(random.fraction() * (random.fraction() < 0.5 ? 300 : 6_000));
    simulation.canceled.add(made.id);
    // It may have ended by now.
    await cancelBatch(context, made.id).catch(() => {});
  }
}

async function* bodyOf({ random }: Process): AsyncGenerator<Buffer> {
  const count = 1 + Math.floor(random.fraction() * (random.fraction() < 0.5 ? 20 : 240));
  const requests = Array.from({ length: count }, (_, at) => ({
    custom_id: `c-${at}`,
    params: paramsOf(at, random.fraction()),
  }));
  yield Buffer.from(JSON.stringify({ requests }));
}

/** What is to become of one stands in its prompt: some take a while, some are tried again, some are wrong. */
function paramsOf(at: number, chance: number) {
  const tokens = 1 + (at % 60);
  const how =
    chance < 0.4
      ? ""
      : chance < 0.8
        ? "[[rate 20]]"
        : chance < 0.9
          ? "[[fail status=529 times=1 retry_after=1]]"
          : chance < 0.95
            ? "[[fail status=400]]"
            : "[[fail status=500 times=2]]";
  const text = `${at} ${chance} ${how} [[tokens ${tokens}]]`;
  const content =
    at % 10 === 3
      ? [{ type: "text", text: "s".repeat(6_000), cache_control: { type: "ephemeral" } }]
      : [];
  return {
    model: "sim-small",
    max_tokens: at % 40 === 7 ? -1 : 300,
    messages: [{ role: "user", content: [...content, { type: "text", text }] }],
  };
}

/** All are killed once more; then no faults happen until everything is done. */
async function comeToRest(simulation: Simulation): Promise<void> {
  const { scheduler, timed } = simulation;
  for (const process of scheduler.processes.slice()) scheduler.kill(process);
  await scheduler.settle();
  await revive(simulation);
  for (let step = 1; step <= restStepsMax; step++) {
    await scheduler.step(0);
    await revive(simulation);
    if (step % 50 !== 0 || simulation.wanted > 0) continue;
    await scheduler.settle();
    const [left] = await timed.observer.query<{ count: number }>(sql`
      select (select count(*) from batches where state <> 'ended') + (select count(*) from jobs)
        as count`);
    if (left?.count === 0) return;
  }
  const left = await timed.observer.query(sql`
    select id, state, chunks_left, (select count(*) from jobs) as jobs from batches
    where state <> 'ended' or exists (select from jobs)`);
  assert.fail(`the simulation did not come to rest: ${JSON.stringify(left)}`);
}
