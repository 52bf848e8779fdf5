// Runs jobs: claims what is ready in batches, settles what ended, fires schedules. One per process.
// A poll each second is the truth; hints and ended jobs only make the next round come sooner.
import type { Clock } from "../base/clock.ts";
import { Failure } from "../base/failure.ts";
import type { Ids } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Database } from "../sql/database.ts";
import type { Hints } from "../sql/hints.ts";
import { jobsChannel } from "./jobs.ts";
import { hold, type ClaimRound, type Held, type Holder } from "../work/hold.ts";
import type { Lease } from "../work/lease.ts";
import { leaseLimits } from "../work/limits.ts";
import { jobLimits } from "./limits.ts";
import * as queries from "./queries.ts";
import { purgeDead } from "./queries-dead.ts";
import { startRun, type JobKind, type ActiveRun, type RunOutcome } from "./run.ts";
import { fireDue, startSchedules, type Schedule } from "./schedules/schedules.ts";

export interface JobRunnerOptions<World> {
  db: Database;
  hints: Hints;
  clock: Clock;
  random: Random;
  ids: Ids;
  logger: Logger;
  /** Who holds the leases: a new name each time the process starts. */
  owner: string;
  kinds: readonly JobKind<World>[];
  schedules?: readonly Schedule[];
  /** What the handlers get. */
  context: World;
  /** Called for each run that ended, for counters. */
  onRunEnded?(kind: string, how: "done" | "failed" | "dropped", seconds: number): void;
}

export interface JobRunner {
  /** Claims nothing more, lets what runs end, settles it. */
  drain(): Promise<void>;
  /** Aborts the runs and gives their jobs back at once: another process may claim one before its run has stopped. */
  stop(): Promise<void>;
}

type ClaimedJob = queries.JobRow & Lease;

interface JobRunnerState {
  holder: Holder<ClaimedJob>;
  runs: Set<ActiveRun>;
  isStopping: boolean;
  /** There may be ready jobs: after a poll, a hint, or a claim that filled all slots of a kind. */
  hungry: boolean;
  purgeDueMs: number;
  schedulesStarted: boolean;
}

export function startJobRunner<World>(options: JobRunnerOptions<World>): JobRunner {
  const { db } = options;
  const state: JobRunnerState = {
    holder: hold<ClaimedJob>(options, {
      name: "job",
      leasable: queries.leases,
      times: { ...leaseLimits, pollMs: jobLimits.pollMs },
      claim: (round) => claimRound(options, state, round),
      on: (held) => start(options, state, held),
      isIdle: () => state.runs.size === 0,
      release: (leases) => queries.giveBack(db, leases),
    }),
    runs: new Set(),
    isStopping: false,
    hungry: true,
    purgeDueMs: Number.NEGATIVE_INFINITY,
    schedulesStarted: false,
  };
  const { holder } = state;
  const kinds = new Set(options.kinds.map(({ kind }) => kind));
  const forget = options.hints.listen(jobsChannel, (key) => {
    if (key !== "*" && !kinds.has(key)) return;
    state.hungry = true;
    holder.wake();
  });
  holder.start();
  return {
    drain: () => holder.drain().finally(forget),
    stop: () => {
      state.isStopping = true;
      return holder.stop().finally(forget);
    },
  };
}

function start<World>(
  options: JobRunnerOptions<World>,
  state: JobRunnerState,
  held: Held<ClaimedJob>,
): void {
  const kind = options.kinds.find((known) => known.kind === held.row.kind);
  if (kind === undefined) return held.end();
  state.runs.add(startRun(options, kind, held, state.holder.wake));
}

async function claimRound<World>(
  options: JobRunnerOptions<World>,
  state: JobRunnerState,
  { take, isPoll }: ClaimRound<ClaimedJob>,
): Promise<void> {
  await settle(options, state);
  if (state.holder.isDraining()) return;
  if (isPoll && (await poll(options, state))) state.hungry = true;
  if (state.hungry) await claim(options, state, take);
}

/** Whether there may be a job to claim. */
async function poll<World>(
  options: JobRunnerOptions<World>,
  state: JobRunnerState,
): Promise<boolean> {
  const { db, clock, schedules = [] } = options;
  if (!state.schedulesStarted) await startSchedules(options, schedules);
  state.schedulesStarted = true;
  // More than once where occurrences were missed and each must fire.
  for (let rounds = 0; rounds < 100; rounds++) if ((await fireDue(options, schedules)) === 0) break;
  const isAny = await queries.isAnyToDo(db);
  if (isAny) await queries.promoteJobs(db);
  const nowMs = clock.monotonicMs();
  if (nowMs >= state.purgeDueMs) {
    state.purgeDueMs = nowMs + jobLimits.deadPurgeIntervalMs;
    await purgeDead(db);
  }
  return isAny;
}

async function claim<World>(
  { db, owner, kinds }: JobRunnerOptions<World>,
  state: JobRunnerState,
  take: ClaimRound<ClaimedJob>["take"],
): Promise<void> {
  const slots = new Map<string, number>();
  const byLane: [string, queries.LaneClaim][] = [];
  for (const { kind, concurrency = jobLimits.concurrencyDefault, perLane } of kinds) {
    const running = [...state.runs].filter((run) => run.job.kind === kind);
    const free = concurrency - running.length;
    if (free <= 0) continue;
    if (perLane === undefined) slots.set(kind, free);
    else byLane.push([kind, { slots: free, perLane, busy: countsOf(running) }]);
  }
  // With all slots taken `hungry` stays: the next job that ends wakes the runner.
  if (slots.size + byLane.length === 0) return;
  state.hungry = kinds.length > slots.size + byLane.length;
  await take(async () => {
    const claimed = slots.size === 0 ? [] : await queries.claimJobs(db, owner, slots);
    for (const [kind, free] of slots)
      if (claimed.filter((job) => job.kind === kind).length === free) state.hungry = true;
    for (const [kind, wanted] of byLane) {
      const jobs = await queries.claimJobsByLane(db, owner, kind, wanted);
      claimed.push(...jobs);
      // More may wait in a lane that has its share: the next of its jobs that ends makes room.
      const counts = countsOf(
        jobs.map((job) => ({ job })),
        wanted.busy,
      );
      const share = queries.laneShare(wanted.slots - jobs.length, wanted);
      if (jobs.length === wanted.slots || [...counts.values()].some((n) => n >= share))
        state.hungry = true;
    }
    // `returning` has no order; by id is by age, and the same each time.
    return claimed.sort((a, b) => (a.id < b.id ? -1 : 1));
  });
}

/** By lane, beside those that are counted already. */
function countsOf(
  runs: Iterable<{ job: { lane: string } }>,
  before: ReadonlyMap<string, number> = new Map(),
): Map<string, number> {
  const counts = new Map(before);
  for (const { job } of runs) counts.set(job.lane, (counts.get(job.lane) ?? 0) + 1);
  return counts;
}

/** Writes down how jobs ended: all that went well in one statement, failures one by one. */
async function settle<World>(
  options: JobRunnerOptions<World>,
  state: JobRunnerState,
): Promise<void> {
  const { db } = options;
  const forget = (run: ActiveRun) => forgetRun(options, state, run);
  const ended = [...state.runs].filter((run) => run.outcome !== undefined);
  // What is held no more has been finished by its own transaction, or is for its next owner to run.
  const all: ReadonlySet<Held> = state.holder.held;
  for (const run of ended) if (!all.has(run.held)) forget(run);
  const held = ended.filter((run) => state.runs.has(run));
  const done = held.filter((run) => run.outcome?.how === "done");
  const leases = done.map((run) => run.held.lease);
  if (done.length > 0) await queries.deleteFinished(db, leases);
  for (const run of done) forget(run);
  for (const run of held) {
    if (run.outcome?.how === "failed") {
      // The run was stopped, which is no failure: it is given back with the others.
      if (state.isStopping && run.signal.aborted) continue;
      await settleFailed(options, run, run.outcome);
    }
    forget(run);
  }
}

async function settleFailed<World>(
  { db, logger }: JobRunnerOptions<World>,
  { job, held }: ActiveRun,
  outcome: Extract<RunOutcome, { how: "failed" }>,
): Promise<void> {
  const fields = { job: job.id, kind: job.kind, attempt: job.attempt };
  try {
    const left = await queries.failJob(db, held.lease, outcome);
    if (left === "dead") logger.error(fields, `a job is dead: ${outcome.message}`);
    else if (left === "waiting")
      logger.warn(fields, `a job failed and will be tried again: ${outcome.message}`);
  } catch (error) {
    if (error instanceof Failure) throw error; // the database is away: it is asked again
    // One that cannot be written down must not keep others from being claimed. Its lease lapses.
    logger.error({ ...fields, error }, "how a job failed could not be written down");
  }
}

function forgetRun<World>(
  { clock, onRunEnded }: JobRunnerOptions<World>,
  state: JobRunnerState,
  run: ActiveRun,
): void {
  if (!state.runs.delete(run)) return;
  run.held.end();
  const how = run.finished ? "done" : (run.outcome?.how ?? "dropped");
  onRunEnded?.(run.job.kind, how, (clock.monotonicMs() - run.startedMs) / 1000);
}
