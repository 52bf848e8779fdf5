// Works batches off in this process: takes chunks, begins their requests in turn, and has their results written.
import type { World } from "../../../kernel/context.ts";
import { nextLoopIteration } from "../../../kernel/base/event-loop.ts";
import { part } from "../../../kernel/work/parts.ts";
import { catalogOf, catalogPart } from "../../models/module.ts";
import { personModelsPart } from "../../groups/module.ts";
import { limitsPart } from "../../limits/module.ts";
import { ledgerPart, nodePart } from "../../usage/module.ts";
import { batchesChannel } from "../blob-keys.ts";
import { widthMaxOf, type BatchesSection } from "../settings.ts";
import { makeChunkClaims, type ChunkClaims } from "./claims.ts";
import { makeConcurrencyLimit, type ConcurrencyLimit } from "../pacing/concurrency-limit.ts";
import type { Attempt, ClaimedBatch } from "../items/claimed-batch.ts";
import { unbegun, type FinishedItem } from "../items/items.ts";
import { attemptItem, unattempted, type ConcurrencyLimits } from "./attempt-item.ts";
import { pauseAfterFailures, workLimits } from "./limits.ts";
import { pickNext, batchHasExpired } from "../pacing/next-item.ts";
import { makeResultFiles, type ResultFiles } from "../results/result-files.ts";
import { writeResults } from "../results/write-results.ts";

interface Runner {
  world: World;
  claims: ChunkClaims;
  files: ResultFiles;
  concurrencyLimits: ReturnType<typeof makeConcurrencyLimits>;
  writers: number;
  /** How often in a row results of these could not be written. */
  failedWrites: WeakMap<ClaimedBatch, number>;
  isStopping: boolean;
  wake(): void;
}

/** The result stops it: what is under way may end for a moment, what has ended is written, the rest is given back. */
export function startRunner(world: World): () => Promise<void> {
  const { hints } = world;
  const waker = makeWaker(world);
  const files = makeResultFiles(world);
  const runner: Runner = {
    world,
    files,
    claims: makeChunkClaims(world, files, waker.wake),
    concurrencyLimits: makeConcurrencyLimits(world),
    writers: 0,
    failedWrites: new WeakMap(),
    isStopping: false,
    wake: waker.wake,
  };
  const stopListening = hints.listen(batchesChannel, () => {
    runner.claims.lookForWork();
    waker.wake();
  });
  runner.claims.start();
  const worked = work(runner, waker.wait);
  return async () => {
    stopListening();
    runner.isStopping = true;
    waker.wake();
    await worked;
    await drain(runner, waker.wait);
    await runner.claims.stop();
    await files.close();
  };
}

/** What has ended is written for the ledger's node, while the limits still take what it has cost. */
export const runnerPart = part("runner of batches", {
  needs: [personModelsPart, catalogPart, nodePart, ledgerPart, limitsPart],
  start: startRunner,
});

function makeConcurrencyLimits(
  world: World,
): ConcurrencyLimits & { all: ReadonlyMap<string, ConcurrencyLimit> } {
  const { clock, logger, sections } = world;
  const section = (sections?.["batches"] ?? {}) as BatchesSection;
  const catalog = catalogOf(world);
  const limits = new Map<string, ConcurrencyLimit>();
  const makeLimit = (upstream: string) =>
    makeConcurrencyLimit(
      clock,
      widthMaxOf(section, upstream),
      () => catalog.underWay(upstream),
      (ms) => logger.warn({ upstream, seconds: ms / 1000 }, "an upstream lets batches wait"),
    );
  return {
    all: limits,
    of: (upstream) => {
      const known = limits.get(upstream) ?? makeLimit(upstream);
      limits.set(upstream, known);
      return known;
    },
  };
}

/** Wakes the loop while it waits; a call that comes before the wait is not lost. */
function makeWaker({ clock }: World) {
  let isWoken = false;
  let waiting: AbortController | undefined;
  return {
    wake: () => {
      isWoken = true;
      waiting?.abort(woken);
    },
    wait: async (ms: number) => {
      if (!isWoken) {
        waiting = new AbortController();
        await clock.sleep(ms, waiting.signal);
        waiting = undefined;
      }
      isWoken = false;
    },
  };
}

/** Made once: an abort without a reason makes an exception with a stack. */
const woken = new Error("the runner was woken");

type Wait = (ms: number) => Promise<void>;

/** One request begins in each iteration of the event loop, so that other requests to this server are not held up. */
async function work(runner: Runner, wait: Wait): Promise<void> {
  while (!runner.isStopping) {
    write(runner);
    if (!isDraining(runner) && beginOne(runner)) await nextLoopIteration();
    else await wait(pauseMs(runner));
  }
}

const isDraining = ({ world, isStopping }: Runner) => isStopping || world.server.isDraining;

/** Until something may begin or be written by itself. */
function pauseMs({ world: { clock }, claims }: Runner): number {
  const nowMs = clock.monotonicMs();
  let untilMs = nowMs + workLimits.pollMs;
  for (const batch of claims.claimedBatches()) {
    if (batch.restsUntilMs > nowMs) untilMs = Math.min(untilMs, batch.restsUntilMs);
    for (const dueMs of batch.dueMs) untilMs = Math.min(untilMs, dueMs);
    for (const opensMs of batch.opensMs) {
      if (opensMs > nowMs) untilMs = Math.min(untilMs, opensMs);
      if (opensMs === 0) untilMs = Math.min(untilMs, nowMs + workLimits.stepBackMs);
    }
    if (batch.counts.finished > 0)
      untilMs = Math.min(untilMs, batch.writtenMs + workLimits.groupMs);
  }
  return Math.max(1, untilMs - nowMs);
}

/** False where nothing can begin just now. */
function beginOne(runner: Runner): boolean {
  const { claims } = runner;
  const sumOf = (of: (batch: ClaimedBatch) => number) =>
    claims.claimedBatches().reduce((sum, batch) => sum + of(batch), 0);
  if (sumOf(({ counts }) => counts.finished) >= workLimits.unwrittenMax) return false;
  if (sumOf(({ unwrittenBytes }) => unwrittenBytes) >= workLimits.unwrittenBytesMax) return false;
  const found = claims.rotation.next((batch) => pickNext(runner, batch));
  if (found === undefined) return false;
  if (found !== "resolved") void run(runner, found);
  return true;
}

async function run({ world, claims, wake }: Runner, attempt: Attempt): Promise<void> {
  const { batch, item, signal } = attempt;
  const leave = item.concurrencyLimit?.begin(batch.owner.workspaceId);
  const { outcome, upstreamSignal, retryAfterMs } = await attemptItem(
    world,
    claims.holder,
    attempt,
  );
  leave?.(upstreamSignal, retryAfterMs);
  if (outcome.how === "finished") batch.finish(item, outcome.finished);
  else if (outcome.how === "again")
    batch.pause(item, outcome.attempts, world.clock.monotonicMs() + outcome.pauseMs);
  else if (signal.reason === batchHasExpired) batch.finish(item, unattempted(item, "expired"));
  else batch.putBack(item);
  wake();
}

/** Results wait for each other a moment, unless nothing more of their batch is under way here. */
function write(runner: Runner): void {
  const { world, claims } = runner;
  const nowMs = world.clock.monotonicMs();
  for (const batch of claims.claimedBatches()) {
    if (batch.counts.finished === 0 || batch.isWriting) continue;
    if (runner.writers >= workLimits.writersMax) return;
    const isAlone = batch.underWay === 0 && unbegun(batch.counts) === 0;
    const isFull =
      batch.counts.finished >= workLimits.groupResultsMax ||
      batch.unwrittenBytes >= workLimits.groupBytesMax;
    if (!isAlone && !isFull && nowMs < batch.writtenMs + workLimits.groupMs) continue;
    void writeOne(runner, batch);
  }
}

async function writeOne(runner: Runner, batch: ClaimedBatch): Promise<void> {
  const { world, claims, files, failedWrites } = runner;
  const group = batch.takeFinished();
  runner.writers += 1;
  let written: readonly FinishedItem[] | undefined;
  try {
    written = await writeResults(world, files, claims.holder, group);
  } catch (error) {
    world.logger.warn({ batch: batch.id, error }, "results of a batch could not be written yet");
    batch.couldNotWrite();
    const before = failedWrites.get(batch) ?? 0;
    failedWrites.set(batch, before + 1);
    await world.clock.sleep(pauseAfterFailures(before));
  }
  if (written !== undefined) {
    failedWrites.delete(batch);
    batch.wrote(new Set(written));
    tell(runner, written);
  }
  batch.endWriting(world.clock.monotonicMs());
  runner.writers -= 1;
  claims.claimMore();
  runner.wake();
}

function tell({ world, concurrencyLimits }: Runner, written: readonly FinishedItem[]): void {
  for (const { type } of written) world.instruments.batchResults.with(type).inc();
  for (const [upstream, { width }] of concurrencyLimits.all)
    world.instruments.batchWidth.with(upstream).set(width);
}

async function drain(runner: Runner, wait: Wait): Promise<void> {
  const { world, claims } = runner;
  const untilMs = world.clock.monotonicMs() + workLimits.drainMs;
  const isBusy = () =>
    claims.claimedBatches().some(({ underWay, counts }) => underWay + counts.finished > 0);
  while (isBusy() && world.clock.monotonicMs() < untilMs) {
    write(runner);
    await wait(workLimits.groupMs);
  }
  for (const batch of claims.claimedBatches()) batch.abortAll(stopping);
  while (runner.writers > 0) await wait(workLimits.groupMs);
}

const stopping = new Error("this process ends");
