// The built-in database: starts native Postgres or adopts the one that runs, keeps it up, lets it go.
import { existsSync, readFileSync, statSync } from "node:fs";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { type Binaries, findBinaries } from "./binaries.ts";
import type { ConnectionSettings } from "../connection.ts";
import { withLock } from "./lock.ts";
import { type ClusterPaths, findClusterPaths } from "./cluster-paths.ts";
import {
  type RunningPostmaster,
  waitForPostmaster,
  databaseName,
  databaseUser,
  ensureCluster,
  startError,
  runningPid,
  startPostmaster,
} from "./postmaster.ts";
import { type OwnerProcess, registerOwnerProcess, stopNow } from "./watcher.ts";

export interface EmbeddedOptions {
  directory: string;
  logger: Logger;
  /** How long Postgres stays up after its last owner was killed. */
  graceMs?: number;
  /** False gives up the safety of what was written for speed: for tests. */
  durable?: boolean;
  /** Called when Postgres is gone; `restarting` is false once the attempts are used up. */
  onLost?: (event: { reason: string; restarting: boolean }) => void;
  clock?: Clock;
}

export interface Embedded {
  connection: ConnectionSettings;
  /** How many connections the server takes. */
  connectionsMax: number;
  /** The postmaster's process, which changes when it had to be restarted. */
  pid(): number;
  /** The last owner stops Postgres and waits for its end; others only leave. */
  release(): Promise<void>;
}

const defaultGraceMs = 60_000;
const watchEveryMs = 250;
const beatEveryMs = 2_000;
/** Restarts in a row without `calmMs` of running in between, and the pause before each. */
const restartsMax = 10;
const restartPauseMsMax = 10_000;
const calmMs = 60_000;

interface EmbeddedState {
  options: EmbeddedOptions;
  clock: Clock;
  paths: ClusterPaths;
  binaries: Binaries;
  ownership: OwnerProcess;
  answer: RunningPostmaster;
  released: AbortController;
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const clock = options.clock ?? systemClock;
  const paths = findClusterPaths(options.directory);
  const binaries = findBinaries(paths.account);
  const state = await withLock(paths.lock, clock, async (): Promise<EmbeddedState> => {
    const ownership = await registerOwnerProcess(paths, options.graceMs ?? defaultGraceMs, clock);
    const base = { options, clock, paths, binaries, ownership };
    try {
      return { ...base, answer: await ensureRunning(base), released: new AbortController() };
    } catch (error) {
      if (ownership.leave()) await stopNow(paths, clock);
      throw error;
    }
  });
  const kept = keepRunning(state);
  const beating = setInterval(() => void keepWatched(state), beatEveryMs);
  beating.unref();
  return {
    connection: {
      socketDirectory: state.answer.socketDirectory,
      user: databaseUser,
      database: databaseName,
    },
    connectionsMax: state.answer.connectionsMax,
    pid: () => state.answer.pid,
    release: async () => {
      if (state.released.signal.aborted) return;
      state.released.abort();
      clearInterval(beating);
      await kept;
      await withLock(paths.lock, clock, async () => {
        if (state.ownership.leave()) await stopNow(paths, clock);
      });
    },
  };
}

type Startable = Omit<EmbeddedState, "answer" | "released">;

/** Adopts the postmaster that answers, or starts one. Call it under the lock. */
async function ensureRunning(state: Startable): Promise<RunningPostmaster> {
  const { options, clock, paths, binaries } = state;
  const durable = options.durable ?? true;
  const adopted = await waitForPostmaster(paths, clock);
  if (adopted) return adopted;
  ensureCluster(paths, binaries, durable);
  const logEnd = statSync(paths.log, { throwIfNoEntry: false })?.size ?? 0;
  const child = startPostmaster(paths, binaries, durable);
  const started = await waitForPostmaster(paths, clock, child);
  if (started) return started;
  throw startError(logSince(paths.log, logEnd), paths);
}

function logSince(path: string, offset: number): string {
  if (!existsSync(path)) return "";
  const bytes = readFileSync(path);
  return bytes.subarray(offset <= bytes.length ? offset : 0).toString();
}

/** Looks after the postmaster until the release: when it is gone, it is started again. */
async function keepRunning(state: EmbeddedState): Promise<void> {
  const { clock, paths, options } = state;
  const signal = state.released.signal;
  let restarts = 0;
  let upSinceMs = clock.monotonicMs();
  while (await pause(watchEveryMs, signal)) {
    if (runningPid(paths.data) === state.answer.pid) continue;
    if (clock.monotonicMs() - upSinceMs > calmMs) restarts = 0;
    const reason = `the built-in database (process ${state.answer.pid}) is gone`;
    const restarting = restarts < restartsMax;
    options.logger.error({ restarts, restarting, log: paths.log }, reason);
    options.onLost?.({ reason, restarting });
    if (!restarting) return;
    if (restarts > 0 && !(await pause(restartPauseMs(restarts), signal))) return;
    restarts += 1;
    try {
      state.answer = await withLock(paths.lock, clock, () => ensureRunning(state));
      upSinceMs = clock.monotonicMs();
      options.logger.info({ pid: state.answer.pid }, "the built-in database is up again");
    } catch (error) {
      options.logger.error({ error: (error as Error).message }, "the restart failed");
    }
  }
}

function restartPauseMs(restarts: number): number {
  return Math.min(100 * 2 ** restarts, restartPauseMsMax);
}

/** A watcher that was killed is replaced, so that nothing is left over when this process is killed after it. */
async function keepWatched(state: EmbeddedState): Promise<void> {
  const { clock, paths, options, released } = state;
  if (released.signal.aborted || state.ownership.beat()) return;
  try {
    await withLock(paths.lock, clock, async () => {
      if (released.signal.aborted || state.ownership.beat()) return;
      const lost = state.ownership;
      state.ownership = await registerOwnerProcess(paths, options.graceMs ?? defaultGraceMs, clock);
      lost.leave();
      options.logger.warn({}, "the watcher of the built-in database was gone and was replaced");
    });
  } catch (error) {
    options.logger.error({ error: (error as Error).message }, "the watcher could not be replaced");
  }
}

/** Sleeps without keeping the process alive; false when released. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve(true);
    }, ms);
    timer.unref();
    signal.addEventListener("abort", stop, { once: true });
  });
}
