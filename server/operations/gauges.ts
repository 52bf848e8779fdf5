// Rules OPS12 and OPS13: what waits and what is kept, looked at now and then and shown on the metrics page.
import { statfs } from "node:fs/promises";
import type { World } from "../../kernel/context.ts";
import { stats } from "../../kernel/jobs/jobs.ts";
import { every } from "../../kernel/work/every.ts";
import { part } from "../../kernel/work/parts.ts";
import * as queries from "./queries-gauges.ts";
import { limits } from "./limits.ts";

/** A query at each scrape would let any caller load the database. */
export const gaugesPart = part("gauges of the database", {
  start: (world: World) => {
    const stops = [
      every(world, limits.countBacklogEveryMs, {
        name: "counting what waits",
        act: () => countBacklog(world),
      }),
      every(world, limits.countKeptEveryMs, {
        name: "counting what is kept",
        act: () => countKept(world),
      }),
    ];
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
    };
  },
});

export async function countBacklog({ db, instruments }: World): Promise<void> {
  const { jobsWaiting, queueDepth, queueOldestSeconds } = instruments;
  const { oldestReadySeconds, ...jobs } = await stats(db);
  for (const state of ["ready", "waiting", "running", "dead"] as const)
    jobsWaiting.with(state).set(jobs[state]);
  const found = await queries.selectBacklog(db);
  if (found === undefined) return;
  const queues = {
    jobs: [jobs.ready, oldestReadySeconds],
    batches: [found.batches, found.batchesOldest],
    webhooks: [found.webhooks, found.webhooksOldest],
    audit: [found.audit, found.auditOldest],
    environment_work: [found.work, found.workOldest],
  } as const;
  for (const [queue, [depth, oldest]] of Object.entries(queues)) {
    queueDepth.with(queue).set(depth);
    queueOldestSeconds.with(queue).set(oldest);
  }
  queueDepth.with("ledger").set(found.ledger);
}

export async function countKept(world: World): Promise<void> {
  const { db, instruments, dataDirectory } = world;
  const { sessions, sandboxes, blobBytes, spendLimitUsed } = instruments;
  const { bavail, blocks, bsize } = await statfs(dataDirectory);
  instruments.diskFreeBytes.with().set(bavail * bsize);
  instruments.diskSizeBytes.with().set(blocks * bsize);
  const kept = await queries.selectKept(db);
  if (kept !== undefined) {
    for (const state of ["running", "rescheduling", "idle", "terminated"] as const)
      sessions.with(state).set(kept[state]);
    sandboxes.with("running").set(kept.sandboxesRunning);
    sandboxes.with("kept").set(kept.sandboxesKept);
    for (const kind of ["files", "skills", "batches"] as const)
      blobBytes.with(kind).set(kept[kind]);
  }
  const shares = await queries.selectSpendShares(db);
  for (const [scope, share] of Object.entries(shares ?? {})) spendLimitUsed.with(scope).set(share);
}
