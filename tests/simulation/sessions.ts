// Sessions on processes that are killed and cut off at any statement: talked to, interrupted, their calls answered.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Logger, silentLogger } from "../../kernel/base/logger.ts";
import { openLocalBlobs } from "../../kernel/blob/local.ts";
import type { Context, World } from "../../kernel/context.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { listThreadEvents } from "../../server/sessions/events/list.ts";
import { sendEvents } from "../../server/sessions/events/send.ts";
import { limits } from "../../server/sessions/limits.ts";
import { startBrain } from "../../server/sessions/module.ts";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import { createSession, updateSession } from "../../server/sessions/service.ts";
import { archiveThread, listThreads } from "../../server/sessions/threads/service.ts";
import { startLedger } from "../../server/usage/module.ts";
import { type TimedDatabase, timedDatabase } from "../kernel/timed-database.ts";
import { prepare, worldOf } from "./batches.ts";
import { type FakeMachine, makeFakeMachine } from "../rules/fake-sandboxes.ts";
import { contextOf } from "./caller.ts";
import { makeScheduler, type Process, type Scheduler } from "./scheduler.ts";
import { prepareAgents, workspaces } from "./sessions-agents.ts";
import { checkSandboxes } from "./sessions-check-sandboxes.ts";
import { checkSessions, sections, type Found } from "./sessions-check.ts";
import { cloudMessageOf, messageOf, openCalls, outcomeOf } from "./sessions-words.ts";

export interface SessionsResult extends Found {
  trace: string;
  kills: number;
  /** Calls that ran in sandboxes. */
  ran: number;
}

interface Talk {
  id: string;
  isCloud: boolean;
  workspace: string;
  threadId: string;
}

interface Simulation {
  timed: TimedDatabase;
  scheduler: Scheduler;
  files: Pick<World, "blobs" | "segmentOptions">;
  /** Where the sandboxes of all processes are. */
  machine: FakeMachine;
  /** How many are to be made yet, and how many messages sent. */
  wanted: number;
  messages: number;
  talks: Talk[];
  /** Sessions with a budget; it is taken away when all has been said. */
  budgets: Set<Talk>;
  /** What was answered with 200: the words of messages, and ids of events. */
  acknowledged: { words: Set<string>; events: Set<string> };
  kills: number;
  complaints: string[];
}

const processNames = ["p1", "p2", "p3"];
/** Where a write may be torn: from the fence to the commit. */
const torn = /^(commit|log_insert_events|sessions_(fence|status|claim)\w*|ledger_close)$/;
const faultChance = (label: string) => (torn.test(label) ? 0.08 : 0.006);
const [sleepChance, restStepsMax] = [0.006, 30_000];

export async function simulateSessions(
  seed: number,
  { steps, sessions, messages }: { steps: number; sessions: number; messages: number },
  show?: (line: string) => void,
): Promise<SessionsResult> {
  await using timed = await timedDatabase(40);
  const directory = mkdtempSync(join(tmpdir(), "plinth-sessions-"));
  using stack = new DisposableStack();
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  await prepare(timed);
  await prepareAgents(timed);
  const blobs = await openLocalBlobs({ directory });
  const simulation: Simulation = {
    timed,
    scheduler: makeScheduler(timed, seed, show, { readsFiles: true }),
    files: { blobs, segmentOptions: { directory: join(directory, "tails") } },
    machine: makeFakeMachine(),
    wanted: sessions,
    messages,
    talks: [],
    budgets: new Set(),
    acknowledged: { words: new Set(), events: new Set() },
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
    const { acknowledged, kills, complaints, machine } = simulation;
    assert.deepEqual(complaints, []);
    const found = await checkSessions(timed.observer, acknowledged);
    const ran = await checkSandboxes(timed.observer, machine);
    return { trace: scheduler.traceHash(), kills, ran, ...found };
  } finally {
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
  }
}

/** For about as long as a lease. */
function sleepSome({ processes, random, putToSleep }: Scheduler): void {
  const process = processes[Math.floor(random.fraction() * processes.length)];
  const ms = limits.leaseMs * (0.8 + random.fraction());
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
  const world = { ...worldOf(files, process, listener(complaints)), sections };
  startLedger(world);
  const sandboxes = sandboxesPart.of(world);
  const isAsleep = () => simulation.scheduler.isAsleep(process);
  const { name, clock } = process;
  sandboxes.use(simulation.machine.open(name, { clock, isAlive: () => process.alive, isAsleep }));
  const stopSandboxes = sandboxes.start();
  const stopBrain = startBrain(world);
  void talk(simulation, process, world);
  void answerCalls(simulation, process, world);
  const stop = async () => {
    await process.clock.sleep(6_000 + process.random.fraction() * 40_000);
    if (process.random.fraction() < 0.7) return;
    // Told to end, it gives back what it holds; then another takes its name.
    await stopBrain();
    await stopSandboxes();
    simulation.scheduler.kill(process);
  };
  void stop();
}

/** Lost connections, and what sleepers hear. */
const expected =
  /\bcut\b|The database was lost|no longer holds|interrupt may be late|attempts of a dead process/;

function complain({ complaints }: Pick<Simulation, "complaints">, complaint: string): void {
  if (!expected.test(complaint)) complaints.push(complaint);
}

function listener(complaints: string[]): Logger {
  const hear = (facts: object, message: string) =>
    complain({ complaints }, "error" in facts ? `${message}: ${String(facts.error)}` : message);
  return { ...silentLogger, warn: hear, error: hear };
}

async function talk(simulation: Simulation, process: Process, world: World): Promise<void> {
  const { random, clock } = process;
  for (;;) {
    await clock.sleep(300 + random.fraction() * 2_500);
    if (simulation.wanted > 0) await begin(simulation, process, world);
    else if (simulation.talks.length === 0) continue;
    else if (simulation.messages > 0) await say(simulation, process, world);
    else if (random.fraction() < 0.05) await freeOne(simulation, world);
  }
}

async function begin(simulation: Simulation, { random }: Process, world: World): Promise<void> {
  simulation.wanted -= 1;
  const workspace = workspaces[Math.floor(random.fraction() * 2)] ?? "";
  const context = contextOf(world, workspace);
  const max_list_cost = { currency: "USD" as const, amount: "1" };
  const hasBudget = random.fraction() < 0.5;
  const isCloud = simulation.wanted % 2 === 0;
  const kind = isCloud ? "cloud" : "self_hosted";
  const body = {
    agent: `agent_${kind}_${workspace}`,
    environment_id: `env_${kind}_${workspace}`,
    ...(hasBudget && { budget: { type: "limit" as const, max_list_cost } }),
  };
  const made = await createSession(context, body).catch((error: unknown) =>
    complain(simulation, `not created: ${String(error)}`),
  );
  if (made === undefined) return void (simulation.wanted += 1);
  const [thread] = await simulation.timed.observer.query<{ id: string }>(
    sql`select thread_id as id from sessions where id = ${made.id}`,
  );
  const talk = { id: made.id, isCloud, workspace, threadId: thread?.id ?? "" };
  simulation.talks.push(talk);
  if (hasBudget) simulation.budgets.add(talk);
}

async function freeOne({ budgets }: Simulation, world: World): Promise<void> {
  const [talk] = budgets;
  if (talk === undefined) return;
  const context = contextOf(world, talk.workspace);
  const freed = await updateSession(context, talk.id, { budget: null }).catch(() => undefined);
  if (freed !== undefined) budgets.delete(talk);
}

/** Some are interrupted a moment later. */
async function say(simulation: Simulation, process: Process, world: World): Promise<void> {
  const { random, clock } = process;
  const { talks, acknowledged } = simulation;
  const at = talks[Math.floor(random.fraction() * talks.length)];
  if (at === undefined) return;
  simulation.messages -= 1;
  const words = `message ${simulation.messages} of ${at.id}`;
  const context = contextOf(world, at.workspace);
  const ofCloud = at.isCloud && random.fraction() < 0.6;
  const plain = random.fraction() < 0.12 ? outcomeOf : messageOf;
  const event = (ofCloud ? cloudMessageOf : plain)(words, random);
  const sent = await sendEvents(context, at.id, { events: [event] }).catch(() => undefined);
  if (sent === undefined) return;
  acknowledged.words.add(words);
  for (const { id } of sent.data) acknowledged.events.add(id);
  if (random.fraction() < 0.7) return;
  await clock.sleep(random.fraction() * 1_500);
  const page = await listThreads(context, at.id, {}).catch(() => undefined);
  const threads = page?.data ?? [];
  const thread = threads[Math.floor(random.fraction() * threads.length)]?.id;
  if (thread !== undefined && random.fraction() < 0.4)
    return void (await archiveThread(context, at.id, thread).catch(() => undefined));
  const named = random.fraction() < 0.4 && thread !== undefined;
  const interrupt = {
    type: "user.interrupt" as const,
    ...(named && { session_thread_id: thread }),
  };
  const stopped = await sendEvents(context, at.id, { events: [interrupt] }).catch(() => undefined);
  for (const { id } of stopped?.data ?? []) acknowledged.events.add(id);
}

/** A client that looks for calls and answers each; where it does not hear whether that went well it looks again. */
async function answerCalls(simulation: Simulation, process: Process, world: World): Promise<void> {
  const { random, clock } = process;
  for (;;) {
    await clock.sleep(500 + random.fraction() * 3_000);
    const at = simulation.talks[Math.floor(random.fraction() * simulation.talks.length)];
    if (at === undefined) continue;
    const context = contextOf(world, at.workspace);
    const page = await listThreadEvents(context, at.threadId, { limit: 1_000 }).catch(
      () => undefined,
    );
    for (const id of openCalls(page?.data ?? [])) await answer(simulation, context, at, id);
  }
}

async function answer(
  simulation: Simulation,
  context: Context,
  at: Talk,
  id: string,
): Promise<void> {
  const content = [{ type: "text" as const, text: `the result of ${id}` }];
  const event = { type: "user.custom_tool_result" as const, custom_tool_use_id: id, content };
  const sent = await sendEvents(context, at.id, { events: [event] }).catch(() => undefined);
  for (const each of sent?.data ?? []) simulation.acknowledged.events.add(each.id);
}

/** Where each process died as it made a session there is nothing to talk to. */
const isBusy = ({ wanted, talks, messages, budgets }: Simulation): boolean =>
  wanted + budgets.size + (talks.length > 0 ? messages : 0) > 0;

/** All are killed once more; then no faults happen until everything is done. */
async function comeToRest(simulation: Simulation): Promise<void> {
  const { scheduler, timed } = simulation;
  for (const process of scheduler.processes.slice()) scheduler.kill(process);
  await scheduler.settle();
  await revive(simulation);
  for (let step = 1; step <= restStepsMax; step++) {
    await scheduler.step(0);
    await revive(simulation);
    if (step % 50 !== 0 || isBusy(simulation)) continue;
    await scheduler.settle();
    const [left] = await timed.observer.query<{ count: number }>(sql`
      select (select count(*) from sessions where status <> 'idle' or due_at is not null)
        + (select count(*) from session_calls) + (select count(*) from ledger_journal) as count`);
    if (left?.count === 0) return;
  }
  const left = await timed.observer.query(sql`
    select id, status, due_at, lease_owner, (select count(*) from session_calls) as calls from sessions`);
  assert.fail(`the simulation did not come to rest: ${JSON.stringify(left)}`);
}
