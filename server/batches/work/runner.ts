// Works batches off in this process: takes chunks, begins their requests in turn, and has their results written.
import type { World } from "../../../kernel/context.ts";
import { nextTurn } from "../../../kernel/base/next-turn.ts";
import type { Instruments } from "../../../kernel/observe/instruments.ts";
import { catalogOf } from "../../models/module.ts";
import { batchesChannel } from "../blob-keys.ts";
import { widthMaxOf, type BatchesSection } from "../settings.ts";
import { makeFeed, type Feed } from "./claims.ts";
import { makeGate, type Gate } from "../pacing/concurrency-limit.ts";
import { finish, unbegun, type Finished, type Held, type Item } from "./claimed-batches.ts";
import { attempt, unattempted, type Gates } from "./item.ts";
import { pauseAfterFailures, workLimits } from "./limits.ts";
import { pickNext, timeIsOver } from "../pacing/next-item.ts";
import { writeFinished } from "./write-results.ts";

type Told = Pick<Instruments, "batchResults" | "batchWidth">;

interface Runner {
  world: World;
  told: Told;
  feed: Feed;
  gates: ReturnType<typeof makeGates>;
  writers: number;
  isStopping: boolean;
  rouse(): void;
}

/** The result stops it: what is under way may end for a moment, what has ended is written, the rest is given back. */
export function startRunner(world: World, told: Told): () => Promise<void> {
  const { hints } = world;
  const bell = makeBell(world);
  const runner: Runner = {
    world,
    feed: makeFeed(world, bell.ring),
    gates: makeGates(world),
    told,
    writers: 0,
    isStopping: false,
    rouse: bell.ring,
  };
  const deaf = hints.listen(batchesChannel, () => {
    runner.feed.look();
    bell.ring();
  });
  const stopFeed = runner.feed.start();
  const over = work(runner, bell.wait);
  return async () => {
    deaf();
    runner.isStopping = true;
    bell.ring();
    await over;
    await drain(runner, bell.wait);
    await stopFeed();
  };
}

function makeGates(world: World): Gates & { all: ReadonlyMap<string, Gate> } {
  const { clock, logger, sections } = world;
  const section = (sections?.["batches"] ?? {}) as BatchesSection;
  const catalog = catalogOf(world);
  const gates = new Map<string, Gate>();
  const made = (upstream: string) =>
    makeGate(
      clock,
      widthMaxOf(section, upstream),
      () => catalog.underWay(upstream),
      (ms) => logger.warn({ upstream, seconds: ms / 1000 }, "an upstream lets batches wait"),
    );
  return {
    all: gates,
    of: (upstream) => {
      const known = gates.get(upstream) ?? made(upstream);
      gates.set(upstream, known);
      return known;
    },
  };
}

/** Wakes whoever waits; one that rings before anybody waits is not lost. */
function makeBell({ clock }: World) {
  let isRung = false;
  let waiting: AbortController | undefined;
  return {
    ring: () => {
      isRung = true;
      waiting?.abort(heard);
    },
    wait: async (ms: number) => {
      if (!isRung) {
        waiting = new AbortController();
        await clock.sleep(ms, waiting.signal);
        waiting = undefined;
      }
      isRung = false;
    },
  };
}

/** Made once: an abort without a reason makes an exception with a stack. */
const heard = new Error("the bell was rung");

type Wait = (ms: number) => Promise<void>;

/** One request begins in each turn of the loop, so that whoever asks this server in between is not held up. */
async function work(runner: Runner, wait: Wait): Promise<void> {
  while (!runner.isStopping) {
    write(runner);
    if (!isDraining(runner) && beginOne(runner)) await nextTurn();
    else await wait(pauseMs(runner));
  }
}

const isDraining = ({ world, isStopping }: Runner) => isStopping || world.server.draining;

/** Until something may begin or be written by itself. */
function pauseMs({ world: { clock }, feed }: Runner): number {
  const nowMs = clock.monotonicMs();
  let untilMs = nowMs + workLimits.pollMs;
  for (const held of feed.all()) {
    if (held.restsUntilMs > nowMs) untilMs = Math.min(untilMs, held.restsUntilMs);
    for (const { dueMs } of held.pausing) untilMs = Math.min(untilMs, dueMs);
    for (const gate of held.lanes.keys()) {
      const opensMs = gate.opensMs(held.owner.workspaceId);
      if (opensMs > nowMs) untilMs = Math.min(untilMs, opensMs);
      if (opensMs === 0) untilMs = Math.min(untilMs, nowMs + workLimits.stepBackMs);
    }
    if (held.finished.length > 0) untilMs = Math.min(untilMs, held.writtenMs + workLimits.groupMs);
  }
  return Math.max(1, untilMs - nowMs);
}

/** False where nothing can begin just now. */
function beginOne(runner: Runner): boolean {
  const { feed } = runner;
  const sumOf = (of: (held: Held) => number) => feed.all().reduce((sum, held) => sum + of(held), 0);
  if (sumOf(({ finished }) => finished.length) >= workLimits.unwrittenMax) return false;
  if (sumOf(({ unwrittenBytes }) => unwrittenBytes) >= workLimits.unwrittenBytesMax) return false;
  const found = feed.turns.next((held) => pickNext(runner, held));
  if (found === undefined) return false;
  if (found !== "resolved") void run(runner, found);
  return true;
}

async function run(runner: Runner, item: Item): Promise<void> {
  const { world } = runner;
  const { chunk, gate } = item;
  const { held } = chunk;
  const abort = new AbortController();
  item.abort = abort;
  held.running.add(item);
  const leave = gate?.enter(item.chunk.held.owner.workspaceId);
  const { outcome, told, retryAfterMs } = await attempt(world, item, abort.signal);
  held.running.delete(item);
  leave?.(told, retryAfterMs);
  if (chunk.isLost) runner.rouse();
  else if (outcome.how === "finished") finish(held, outcome.finished);
  else if (outcome.how === "again") pause(runner, item, outcome.pauseMs);
  else if (abort.signal.reason === timeIsOver)
    finish(held, unattempted(chunk, item.place, "expired"));
  runner.rouse();
}

function pause({ world }: Runner, item: Item, ms: number): void {
  item.dueMs = world.clock.monotonicMs() + ms;
  item.abort = undefined;
  item.chunk.held.pausing.add(item);
}

/** Results wait for each other a moment, unless nothing more of their batch is under way here. */
function write(runner: Runner): void {
  const { world, feed } = runner;
  const nowMs = world.clock.monotonicMs();
  for (const held of feed.all()) {
    if (held.finished.length === 0 || held.isWriting) continue;
    if (runner.writers >= workLimits.writersMax) return;
    const isAlone = held.running.size === 0 && unbegun(held) === 0;
    const isFull =
      held.finished.length >= workLimits.groupResultsMax ||
      held.unwrittenBytes >= workLimits.groupBytesMax;
    if (!isAlone && !isFull && nowMs < held.writtenMs + workLimits.groupMs) continue;
    void writeOne(runner, held);
  }
}

async function writeOne(runner: Runner, held: Held): Promise<void> {
  const { world, feed } = runner;
  held.isWriting = true;
  runner.writers += 1;
  try {
    const written = await writeFinished(world, held);
    tell(runner, written);
  } catch (error) {
    world.logger.warn({ batch: held.id, error }, "results of a batch could not be written yet");
    await world.clock.sleep(pauseAfterFailures(held.failedWrites++));
  }
  held.writtenMs = world.clock.monotonicMs();
  held.isWriting = false;
  runner.writers -= 1;
  feed.fill();
  runner.rouse();
}

function tell({ told, gates }: Runner, written: readonly Finished[]): void {
  for (const { type } of written) told.batchResults.with(type).inc();
  for (const [upstream, { width }] of gates.all) told.batchWidth.with(upstream).set(width);
}

async function drain(runner: Runner, wait: Wait): Promise<void> {
  const { world, feed } = runner;
  const untilMs = world.clock.monotonicMs() + workLimits.drainMs;
  const isBusy = () =>
    feed.all().some(({ running, finished }) => running.size + finished.length > 0);
  while (isBusy() && world.clock.monotonicMs() < untilMs) {
    write(runner);
    await wait(workLimits.groupMs);
  }
  for (const { running } of feed.all()) for (const { abort } of running) abort?.abort(stopping);
  while (runner.writers > 0) await wait(workLimits.groupMs);
}

const stopping = new Error("this process ends");
