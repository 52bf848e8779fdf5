// The durable queue as its users see it: put work in with the caller's transaction, look at what died.
// A job runs at least once, and may run twice (a process dies, a lease lapses): its effects must bear
// that, or stand in one transaction with `fence` or `finish`, which a late runner cannot commit.
import assert from "node:assert/strict";
import { invalid, tooLarge } from "../base/failure.ts";
import type { Ids } from "../base/ids.ts";
import type { Queryable, Tx } from "../sql/database.ts";
import type { Hints } from "../sql/hints.ts";
import { jobLimits } from "./limits.ts";
import * as queries from "./queries.ts";
import * as dead from "./queries-dead.ts";

export interface NewJob {
  kind: string;
  payload: object;
  /** Not before this moment of the database's clock; at once unless given. */
  runAt?: Date;
  /** Not before so many milliseconds from now. */
  delayMs?: number;
  /** Among the jobs of a kind that have not started there is at most one with this key. */
  key?: string;
  /** Whose it is: a kind with a share for each lane runs no job without one. */
  lane?: string;
  /** Higher goes first; 0 unless given. */
  priority?: number;
  attemptsMax?: number;
}

export const jobsChannel = "jobs";

interface EnqueueWorld {
  ids: Ids;
  hints: Hints;
}

/** Answers the job's id, or that of the unstarted job with the same key, which then does the work of both. */
export async function enqueue(tx: Tx, world: EnqueueWorld, job: NewJob): Promise<{ id: string }> {
  const [id] = await enqueueAll(tx, world, [job]);
  assert(id !== undefined, "the insert of a job answered no id");
  return { id };
}

/** Many in one statement; of several with one kind and key the first stands for all. */
export async function enqueueAll(
  tx: Tx,
  { ids, hints }: EnqueueWorld,
  jobs: readonly NewJob[],
): Promise<string[]> {
  if (jobs.length > jobLimits.jobsPerEnqueueMax) {
    throw invalid(
      `${jobs.length} jobs were put in at once; the most is ${jobLimits.jobsPerEnqueueMax}.`,
    );
  }
  const distinct = [...new Map(jobs.toReversed().map((job) => [identity(job), job])).values()];
  if (distinct.length === 0) return [];
  const inserted = await queries.insertJobs(
    tx,
    // Always in the same order, so that two transactions with the same keys cannot wait for each other.
    distinct
      .toReversed()
      .sort(byKey)
      .map((job) => asRow(job, ids.next("job_"))),
  );
  tx.afterCommit(() => {
    for (const kind of new Set(distinct.filter(isDue).map((job) => job.kind))) {
      hints.send(jobsChannel, kind);
    }
  });
  return inserted;
}

/** Jobs that failed at every attempt, oldest first; they are kept for 30 days. */
export function deadJobs(
  on: Queryable,
  { kind, limit = jobLimits.deadJobsPageMax }: { kind?: string; limit?: number } = {},
): Promise<dead.DeadJob[]> {
  return dead.selectDead(on, {
    kind: kind ?? null,
    limit: Math.min(limit, jobLimits.deadJobsPageMax),
  });
}

/** All attempts anew for these dead jobs; answers the ids that were dead. */
export async function retryDead(
  tx: Tx,
  { hints }: { hints: Hints },
  ids: readonly string[],
): Promise<string[]> {
  const revived = await dead.reviveDead(tx, ids);
  tx.afterCommit(() => hints.send(jobsChannel, "*"));
  return revived;
}

/** Numbers for the metrics page: the whole queue, all processes. */
export const stats = queries.selectStats;

function asRow(job: NewJob, id: string): queries.JobInsert {
  const payload = JSON.stringify(job.payload);
  const bytes = Buffer.byteLength(payload);
  if (bytes > jobLimits.payloadBytesMax) {
    throw tooLarge(
      `The payload of a ${job.kind} job has ${bytes} bytes; the most is ` +
        `${jobLimits.payloadBytesMax}. Store the content and name it in the payload.`,
    );
  }
  return {
    id,
    kind: job.kind,
    key: job.key ?? null,
    lane: job.lane ?? "",
    payload,
    priority: job.priority ?? 0,
    runAt: job.runAt ?? null,
    delayMs: job.delayMs ?? 0,
    attemptsMax: job.attemptsMax ?? jobLimits.attemptsMaxDefault,
  };
}

/** Jobs without a key are each their own. */
const identity = (job: NewJob) =>
  job.key === undefined ? job : JSON.stringify([job.kind, job.key]);

function byKey(one: NewJob, other: NewJob): number {
  const [a, b] = [one, other].map((job) => (job.key === undefined ? "" : `${job.kind} ${job.key}`));
  return a === b || a === undefined || b === undefined ? 0 : a < b ? -1 : 1;
}

const isDue = (job: NewJob) => job.runAt === undefined && (job.delayMs ?? 0) <= 0;
