// What tests of the log and the jobs run in: a database with a set clock, hints within this process.
import assert from "node:assert/strict";
import { systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { type JobKind, type JobRun } from "../../kernel/jobs/run.ts";
import {
  startJobRunner,
  type JobRunner,
  type JobRunnerOptions,
} from "../../kernel/jobs/job-runner.ts";
import type { Hints } from "../../kernel/sql/hints.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { type TimedDatabase, timedDatabase } from "./timed-database.ts";
import { testTimeoutMs } from "../test-timeout.ts";

export interface JobsHarness extends AsyncDisposable {
  timed: TimedDatabase;
  db: TimedDatabase["db"];
  world: ReturnType<typeof makeWorld>;
  /** Started with the world; stopped when the harness is disposed of. */
  runner(kinds: JobKind<object>[], options?: Partial<JobRunnerOptions<object>>): JobRunner;
  count(table: string): Promise<number>;
}

export type Handler = (run: JobRun<Record<string, unknown>>) => Promise<void>;

export function localHints(): Hints {
  const listeners = new Map<string, Set<(key: string) => void>>();
  return {
    send: (channel, key, { toOthers = false } = {}) => {
      if (!toOthers) listeners.get(channel)?.forEach((heard) => heard(key));
    },
    listen: (channel, heard) => {
      const known = listeners.get(channel) ?? new Set();
      listeners.set(channel, known.add(heard));
      return () => known.delete(heard);
    },
    close: async () => {},
  };
}

function makeWorld() {
  return {
    clock: systemClock,
    random: systemRandom,
    ids: makeIds(systemClock, systemRandom),
    logger: silentLogger,
    hints: localHints(),
  };
}

export async function openJobsHarness(): Promise<JobsHarness> {
  const timed = await timedDatabase();
  const { db } = timed;
  await timed.observer.query(
    sql`create table effects (job text not null, epoch bigint not null default 0, note text)`,
  );
  const world = makeWorld();
  const runners: JobRunner[] = [];
  return {
    timed,
    db,
    world,
    runner: (kinds, options) => {
      const owner = `worker ${runners.length + 1}`;
      const runner = startJobRunner({ ...world, db, owner, kinds, context: {}, ...options });
      runners.push(runner);
      return runner;
    },
    count: async (table) => {
      const text = `select count(*) from ${table}`;
      const [row] = await timed.observer.query<{ count: number }>({ text, values: [] });
      return row?.count ?? 0;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(runners.map((runner) => runner.stop()));
      await timed[Symbol.asyncDispose]();
    },
  };
}

/** Waits for a level, never for an edge; the deadline is only for a test that fails. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = testTimeoutMs,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > end) assert.fail(`waited in vain until ${what}`);
    await systemClock.sleep(10);
  }
}
