// One run of one job: what its handler gets, and how it ended.
import type { Clock } from "../base/clock.ts";
import { Failure } from "../base/failure.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Tx } from "../sql/database.ts";
import type { Held } from "../work/hold.ts";
import { LeaseLost, type Lease } from "../work/lease.ts";
import { jobLimits } from "./limits.ts";
import * as queries from "./queries.ts";

export interface Job<Payload = unknown> {
  id: string;
  kind: string;
  key: string | null;
  lane: string;
  payload: Payload;
  /** 1 the first time. */
  attempt: number;
  attemptsMax: number;
  createdAt: Date;
}

export interface JobRun<Payload = unknown> {
  job: Job<Payload>;
  /** Aborts when the lease is lost, the time is up or the process stops: what is written then must be fenced. */
  signal: AbortSignal;
  /** Stands first in each transaction of the handler: throws LeaseLost where another runner has the job. */
  fence(tx: Tx): Promise<void>;
  /** Completes the job in the handler's own transaction, fenced: effect and completion commit together. */
  finish(tx: Tx): Promise<void>;
}

export interface JobKind<World, Payload = unknown> {
  kind: string;
  /** How many one process runs at a time. */
  concurrency?: number;
  /** Of these, the most that one lane has: each job of the kind must name its lane. */
  perLane?: number;
  timeoutMs?: number;
  /** The pause after the first failure. */
  backoffMs?: number;
  /** May run twice for one job, even at the same time; an error is another attempt. */
  run(world: World, run: JobRun<Payload>): Promise<void>;
}

export type RunOutcome =
  | { how: "done" }
  | { how: "failed"; message: string; pauseMs: number }
  /** Nothing to write: it is done already, or another runner has it. */
  | { how: "dropped" };

export interface ActiveRun {
  job: Job;
  held: Held;
  signal: AbortSignal;
  abort: AbortController;
  startedMs: number;
  /** Its transaction with `finish` has committed. */
  finished: boolean;
  outcome: RunOutcome | undefined;
}

interface RunWorld<World> {
  clock: Clock;
  random: Random;
  logger: Logger;
  context: World;
}

export function startRun<World>(
  world: RunWorld<World>,
  kind: JobKind<World>,
  held: Held<queries.JobRow & Lease>,
  ended: () => void,
): ActiveRun {
  const { id, key, lane, payload, attempts, attemptsMax, createdAt } = held.row;
  const abort = new AbortController();
  const run: ActiveRun = {
    job: { id, kind: kind.kind, key, lane, payload, attempt: attempts, attemptsMax, createdAt },
    held,
    signal: abort.signal,
    abort,
    startedMs: world.clock.monotonicMs(),
    finished: false,
    outcome: undefined,
  };
  held.signal.addEventListener("abort", () => stopRun(run, held.signal.reason));
  const running = async () => {
    run.outcome = await execute(world, kind, run);
    ended();
  };
  void running();
  return run;
}

/** The handler gets the reason through its signal; a second reason changes nothing. */
function stopRun(run: ActiveRun, reason: Failure): void {
  if (!run.finished && run.outcome === undefined) run.abort.abort(reason);
}

async function execute<World>(
  world: RunWorld<World>,
  kind: JobKind<World>,
  run: ActiveRun,
): Promise<RunOutcome> {
  const { clock, random, logger, context } = world;
  const { backoffMs = jobLimits.backoffMs, timeoutMs = jobLimits.timeoutMsDefault } = kind;
  const over = new AbortController();
  try {
    await Promise.race([
      kind.run(context, handed(run)),
      stopped(clock, run, timeoutMs, over.signal),
    ]);
    return { how: run.finished ? "dropped" : "done" };
  } catch (error) {
    const fields = { job: run.job.id, kind: run.job.kind, attempt: run.job.attempt, error };
    if (run.finished) {
      logger.error(fields, "a job failed after it had finished; it is not run again");
      return { how: "dropped" };
    }
    if (error instanceof LeaseLost) {
      logger.warn(fields, "a job was taken over while it ran; nothing of this run was written");
      return { how: "dropped" };
    }
    // A Failure is expected and logged in one line when it is settled; anything else is a bug and needs its stack.
    if (!(error instanceof Failure)) logger.error(fields, "a job threw an error");
    const pauseMs = backoff(run.job.attempt, backoffMs) * (0.5 + random.fraction());
    return { how: "failed", message: publicMessage(error), pauseMs };
  } finally {
    over.abort();
  }
}

function handed(run: ActiveRun): JobRun {
  const { job, held, signal } = run;
  const fenced = new WeakSet<Tx>();
  return {
    job,
    signal,
    fence: async (tx) => {
      await held.fence(tx);
      fenced.add(tx);
    },
    finish: async (tx) => {
      // A write may take longer than its lease: no other process can have claimed what it has locked.
      if (fenced.has(tx)) await queries.leases.prolong(tx, [held.lease]);
      const deleted = await queries.deleteFinished(tx, [held.lease]);
      if (deleted.length === 0) throw new LeaseLost("jobs", held.lease);
      held.lockedBy(tx);
      tx.afterCommit(() => {
        run.finished = true;
        held.end();
      });
    },
  };
}

/** Rejects once the run is stopped or its time is up: a handler that does not listen keeps no slot. */
async function stopped(
  clock: Clock,
  run: ActiveRun,
  timeoutMs: number,
  over: AbortSignal,
): Promise<never> {
  const awake = AbortSignal.any([over, run.signal]);
  if (await clock.sleep(timeoutMs, awake)) {
    const text = `The job did not end within ${timeoutMs / 1000} seconds.`;
    stopRun(run, new Failure("timeout_error", text));
  }
  run.signal.throwIfAborted();
  return new Promise<never>(() => {});
}

function backoff(attempt: number, firstMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(attempt - 1, 30), jobLimits.backoffMsMax);
}

/** What is stored: the message alone, without texts that look like a key or a password in an address. */
export function publicMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .replaceAll("\0", "") // which the database cannot keep
    .replace(/\b(?:sk|whsec)[-_][\w+/=-]{8,}/g, "[secret]")
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 [secret]")
    .replace(/:\/\/[^\s/@]+@/g, "://[secret]@")
    .slice(0, jobLimits.lastErrorCharsMax);
}
