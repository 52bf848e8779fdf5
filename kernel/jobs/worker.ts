// Runs jobs: claims what is ready in batches, keeps the leases alive, settles what ended, fires schedules.
// One per process. A poll each second is the truth; hints and ended jobs only make the next round come sooner.
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Database } from "../sql/database.ts";
import type { Hints } from "../sql/hints.ts";
import { jobsChannel } from "./jobs.ts";
import { leaseLimits } from "./lease.ts";
import { jobLimits } from "./limits.ts";
import * as queries from "./queries.ts";
import { startRun, extendLeaseUntil, stopRun, type JobKind, type ActiveRun } from "./run.ts";
import { fireDue, startSchedules, type Schedule } from "./schedules/schedules.ts";

export interface WorkerOptions<World> {
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

export interface Worker {
  /** Claims nothing more, lets what runs end, settles it. */
  drain(): Promise<void>;
  /** Aborts the runs and gives their jobs back at once: another process may claim one before its run has stopped. */
  stop(): Promise<void>;
}

interface WorkerState {
  runs: Set<ActiveRun>;
  accepting: boolean;
  stopping: boolean;
  /** There may be ready jobs: after a poll, a hint, or a claim that filled all slots of a kind. */
  hungry: boolean;
  woken: boolean;
  wake: () => void;
  pollDueMs: number;
  purgeDueMs: number;
  schedulesStarted: boolean;
}

export function runWorker<World>(options: WorkerOptions<World>): Worker {
  const state: WorkerState = {
    runs: new Set(),
    accepting: true,
    stopping: false,
    hungry: true,
    woken: false,
    wake: () => {},
    pollDueMs: Number.NEGATIVE_INFINITY,
    purgeDueMs: Number.NEGATIVE_INFINITY,
    schedulesStarted: false,
  };
  const ended = new AbortController();
  const kinds = new Set(options.kinds.map(({ kind }) => kind));
  const forget = options.hints.listen(jobsChannel, (key) => {
    if (key !== "*" && !kinds.has(key)) return;
    state.hungry = true;
    wakeUp(state);
  });
  const working = work(options, state).finally(() => {
    forget();
    ended.abort();
  });
  const beating = beat(options, state, ended.signal);

  const drain = async () => {
    state.accepting = false;
    wakeUp(state);
    await Promise.all([working, beating]);
  };
  return {
    drain,
    stop: () => {
      state.stopping = true;
      for (const run of state.runs) stopRun(run, "The process is stopping.");
      return drain();
    },
  };
}

async function work<World>(options: WorkerOptions<World>, state: WorkerState): Promise<void> {
  const { clock, logger } = options;
  for (;;) {
    state.woken = false;
    try {
      await settle(options, state);
      if (state.stopping) {
        await giveBackAll(options, state);
        return;
      }
      if (!state.accepting && state.runs.size === 0) return;
      if (state.accepting) await pollAndClaim(options, state);
    } catch (error) {
      logger.warn({ error }, "the job queue could not be reached; trying again in a second");
      // What cannot be given back now lapses by itself.
      if (state.stopping) return;
      state.woken = false;
      state.pollDueMs = Math.max(state.pollDueMs, clock.monotonicMs() + jobLimits.pollMs);
    }
    await rest(clock, state);
  }
}

/** Sleeps until the next poll is due or `wake` is called. */
async function rest(clock: Clock, state: WorkerState): Promise<void> {
  if (state.woken) return;
  const pause = new AbortController();
  state.wake = () => pause.abort();
  await clock.sleep(Math.max(0, state.pollDueMs - clock.monotonicMs()), pause.signal);
  state.wake = () => {};
}

function wakeUp(state: WorkerState): void {
  state.woken = true;
  state.wake();
}

async function pollAndClaim<World>(
  options: WorkerOptions<World>,
  state: WorkerState,
): Promise<void> {
  const { db, clock, schedules = [] } = options;
  const nowMs = clock.monotonicMs();
  if (nowMs >= state.pollDueMs) {
    state.pollDueMs = nowMs + jobLimits.pollMs;
    if (!state.schedulesStarted) await startSchedules(options, schedules);
    state.schedulesStarted = true;
    // More than once where occurrences were missed and each must fire.
    for (let rounds = 0; rounds < 100; rounds++)
      if ((await fireDue(options, schedules)) === 0) break;
    await queries.promoteJobs(db);
    if (nowMs >= state.purgeDueMs) {
      state.purgeDueMs = nowMs + jobLimits.deadPurgeIntervalMs;
      await queries.purgeDead(db);
    }
    state.hungry = true;
  }
  if (state.hungry) await claim(options, state);
}

async function claim<World>(options: WorkerOptions<World>, state: WorkerState): Promise<void> {
  const { db, clock, owner, kinds } = options;
  const slots = new Map<string, number>();
  for (const { kind, concurrency = jobLimits.concurrencyDefault } of kinds) {
    const busy = [...state.runs].filter((run) => run.job.kind === kind).length;
    if (busy < concurrency) slots.set(kind, concurrency - busy);
  }
  // With all slots taken `hungry` stays: the next job that ends wakes the worker.
  if (slots.size === 0) return;
  state.hungry = kinds.length > slots.size;
  // Taken before the question is sent, so that our idea of the lease ends before the database's.
  const askedMs = clock.monotonicMs();
  const claimed = await queries.claimJobs(db, owner, slots);
  // `returning` has no order; by id is by age, and the same each time.
  for (const job of claimed.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const kind = kinds.find((known) => known.kind === job.kind);
    if (kind === undefined) continue;
    state.runs.add(
      startRun(options, kind, job, {
        heldUntilMs: askedMs + leaseLimits.leaseMs,
        ended: () => wakeUp(state),
      }),
    );
    const left = (slots.get(job.kind) ?? 0) - 1;
    slots.set(job.kind, left);
    if (left === 0) state.hungry = true;
  }
}

/** Writes down how jobs ended: all that went well in one statement, failures one by one. */
async function settle<World>(options: WorkerOptions<World>, state: WorkerState): Promise<void> {
  const { db, logger, clock } = options;
  const ended = [...state.runs].filter((run) => run.outcome !== undefined);
  for (const { job, outcome, finished, startedMs } of ended) {
    const how = finished ? "done" : (outcome?.how ?? "dropped");
    options.onRunEnded?.(job.kind, how, (clock.monotonicMs() - startedMs) / 1000);
  }
  const done = ended.filter((run) => run.outcome?.how === "done");
  if (done.length > 0) {
    await queries.deleteFinished(
      db,
      done.map((run) => run.lease),
    );
  }
  for (const run of done) state.runs.delete(run);
  for (const run of ended) {
    if (run.outcome?.how === "failed") {
      // The run was stopped, which is no failure: it is given back with the others.
      if (state.stopping && run.signal.aborted) continue;
      const left = await queries.failJob(db, run.lease, run.outcome);
      const fields = { job: run.job.id, kind: run.job.kind, attempt: run.job.attempt };
      if (left === "dead") logger.error(fields, `a job is dead: ${run.outcome.message}`);
      else if (left === "waiting")
        logger.warn(fields, `a job failed and will be tried again: ${run.outcome.message}`);
    }
    state.runs.delete(run);
  }
}

async function giveBackAll<World>({ db }: WorkerOptions<World>, state: WorkerState): Promise<void> {
  const leases = [...state.runs].map((run) => run.lease);
  if (leases.length > 0) await queries.giveBack(db, leases);
  state.runs.clear();
}

/** One statement per beat renews every lease. A run whose lease is lost, or may be, is stopped. */
async function beat<World>(
  { db, clock, logger }: WorkerOptions<World>,
  state: WorkerState,
  signal: AbortSignal,
): Promise<void> {
  let renewing = false;
  const renew = async () => {
    const asked = [...state.runs]
      .filter((run) => !run.signal.aborted)
      .map((run) => ({ run, heldUntilMs: run.heldUntilMs }));
    if (asked.length === 0 || renewing) return;
    renewing = true;
    const askedMs = clock.monotonicMs();
    try {
      const renewals = await queries.leases.renewAll(
        db,
        asked.map(({ run }) => run.lease),
      );
      for (const { run, heldUntilMs } of asked) {
        const renewal = renewals.get(run.lease.id);
        if (renewal === "renewed") extendLeaseUntil(run, askedMs + leaseLimits.leaseMs);
        // Unless a write of its own has prolonged it meanwhile.
        else if (renewal === undefined && run.heldUntilMs === heldUntilMs)
          stopRun(run, "The lease of the job is lost.");
      }
    } catch (error) {
      logger.warn({ error }, "the leases of running jobs could not be renewed");
    } finally {
      renewing = false;
    }
  };
  while (await clock.sleep(leaseLimits.heartbeatMs, signal)) {
    for (const run of state.runs) {
      if (clock.monotonicMs() >= run.heldUntilMs) stopRun(run, "The lease of the job has lapsed.");
    }
    // Not awaited: while one hangs, leases still lapse on time.
    void renew();
  }
}
