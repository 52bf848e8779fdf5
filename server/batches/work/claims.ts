// Takes chunks for this process, keeps them, and reads what is in them.
import { buffer } from "node:stream/consumers";
import type { World } from "../../../kernel/context.ts";
import { hold, type ClaimRound } from "../../../kernel/work/hold.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import { limits } from "../limits.ts";
import { requestsKey } from "../blob-keys.ts";
import * as queries from "../queries-work.ts";
import type { ChunkRow } from "../queries-work.ts";
import { ClaimedBatch } from "../items/claimed-batch.ts";
import { unbegun, type Chunk, type ChunkHolder, type HeldChunk } from "../items/items.ts";
import { pauseAfterFailures, workLimits } from "./limits.ts";
import type { ResultFiles } from "../results/result-files.ts";
import { makeWorkspaceRotation, type WorkspaceRotation } from "../pacing/workspace-rotation.ts";

export interface ChunkClaims {
  readonly holder: ChunkHolder;
  readonly rotation: WorkspaceRotation;
  claimedBatches(): readonly ClaimedBatch[];
  /** There may be something new to take. */
  lookForWork(): void;
  /** Takes more where there is not enough to do. */
  claimMore(): void;
  /** Its params; where they are not here they are being read, or wait for memory. */
  contentOf(batch: ClaimedBatch, chunk: Chunk): Buffer | undefined;
  /** Params take more memory than they should. */
  isMemoryFull(): boolean;
  start(): void;
  /** Gives everything back. */
  stop(): Promise<void>;
}

interface ClaimsState {
  world: World;
  files: ResultFiles;
  owner: string;
  holder: ChunkHolder;
  batches: Map<string, ClaimedBatch>;
  rotation: WorkspaceRotation;
  all: readonly ClaimedBatch[];
  /** There was no more of these to take a moment ago. */
  takenWhole: Set<ClaimedBatch>;
  /** How often in a row the params of these could not be read. */
  failedReads: WeakMap<ClaimedBatch, number>;
  /** There may be a batch that this process does not work on. */
  mayBeNew: boolean;
  /** A batch may have been canceled or have ended. */
  mayHaveEnded: boolean;
  wake(): void;
}

export function makeChunkClaims(world: World, files: ResultFiles, wake: () => void): ChunkClaims {
  const { leaseMs, heartbeatMs, pollMs } = workLimits;
  const state: ClaimsState = {
    world,
    files,
    owner: world.ids.next("batcher_"),
    holder: hold(world, {
      name: "chunk of a batch",
      leasable: queries.chunkLeases,
      times: { leaseMs, heartbeatMs, pollMs },
      claim: (round) => claimRound(state, round),
      on: (held) => put(state, held),
    }),
    batches: new Map(),
    rotation: makeWorkspaceRotation(),
    all: [],
    takenWhole: new Set(),
    failedReads: new WeakMap(),
    mayBeNew: true,
    mayHaveEnded: false,
    wake,
  };
  const { holder } = state;
  return {
    holder,
    rotation: state.rotation,
    claimedBatches: () => state.all,
    lookForWork: () => {
      lookAgain(state);
      holder.wake();
    },
    claimMore: () => {
      if (state.all.some((batch) => isHungry(state, batch))) holder.wake();
    },
    contentOf: (batch, chunk) => contentOf(state, batch, chunk),
    isMemoryFull: () => loadedIn(state) > workLimits.loadedBytesMax,
    start: holder.start,
    stop: holder.stop,
  };
}

function lookAgain(state: ClaimsState): void {
  state.mayBeNew = true;
  state.mayHaveEnded = true;
  state.takenWhole.clear();
}

type Round = ClaimRound<ChunkRow & Lease>;

async function claimRound(state: ClaimsState, { take, isPoll }: Round): Promise<void> {
  if (isPoll) lookAgain(state);
  if (!state.world.server.isDraining && !state.holder.isDraining()) await takeMore(state, take);
  if (state.mayHaveEnded) await follow(state);
  if (isPoll) state.wake();
}

/** A chunk of each batch that this process does not work on, then more of those that have not enough to do. */
async function takeMore(state: ClaimsState, take: Round["take"]): Promise<void> {
  while (roomFor(state) > 0) {
    const { mayBeNew } = state;
    state.mayBeNew = false;
    if (mayBeNew) {
      const claimed = state.all.filter(({ chunks }) => chunks.size > 0);
      // A hint that came meanwhile is followed too: it must not be forgotten.
      if (await takeSome(state, take, { except: claimed, most: 1 })) state.mayBeNew = true;
    } else {
      const hungry = state.all.filter((batch) => isHungry(state, batch));
      if (hungry.length === 0 || extraChunks(state) >= workLimits.moreChunksMax) return;
      const except = state.all.filter((batch) => !hungry.includes(batch));
      if (await takeSome(state, take, { except, most: workLimits.chunksPerClaim })) continue;
      for (const batch of hungry) state.takenWhole.add(batch);
    }
  }
}

const roomFor = ({ all }: ClaimsState) =>
  workLimits.chunksMax - all.reduce((sum, { chunks }) => sum + chunks.size, 0);
/** More than the first of each batch. */
const extraChunks = ({ all }: ClaimsState) =>
  all.reduce((sum, { chunks }) => sum + Math.max(0, chunks.size - 1), 0);

/** One that could begin more than it has: not one whose upstreams take nothing just now. */
function isHungry({ takenWhole }: ClaimsState, batch: ClaimedBatch): boolean {
  const { chunks, counts, restsUntilMs } = batch;
  if (takenWhole.has(batch) || restsUntilMs > 0 || counts.ready >= workLimits.preparedMax)
    return false;
  return (
    chunks.size < workLimits.chunksPerBatchMax && unbegun(counts) < workLimits.readyRequestsMin
  );
}

/** False where there was nothing. */
async function takeSome(
  { world, owner, wake }: ClaimsState,
  take: Round["take"],
  { except, most }: { except: readonly ClaimedBatch[]; most: number },
): Promise<boolean> {
  const { leaseMs } = workLimits;
  const ids = except.map(({ id }) => id);
  const taken = await take(() =>
    queries.claimChunks(world.db, owner, { leaseMs, except: ids, most }),
  );
  wake();
  return taken.length > 0;
}

async function put(state: ClaimsState, held: HeldChunk): Promise<void> {
  const { world, batches, rotation } = state;
  const { row, lease } = held;
  let batch = batches.get(row.batchId);
  if (batch === undefined) {
    const owner = await queries.findOwner(world.db, row.batchId);
    if (owner === undefined) return held.end();
    batch = new ClaimedBatch(row.batchId, owner);
    batches.set(batch.id, batch);
    rotation.add(batch);
    state.all = [...batches.values()];
  }
  // Another process held it before, and may have written some of it.
  const indexes = row.lengths.map((_, position) => row.firstIndex + position);
  const done = lease.epoch > 1 ? await queries.listDone(world.db, batch.id, indexes) : none;
  batch.takeChunk(held, done);
}

const none: ReadonlySet<number> = new Set();

function contentOf(state: ClaimsState, batch: ClaimedBatch, chunk: Chunk): Buffer | undefined {
  const content = batch.chunks.get(chunk)?.content;
  if (content !== undefined) return content === "loading" ? undefined : content;
  const loadedBytes = loadedIn(state);
  const isFirst = chunk.bytes <= 2 * limits.chunkBytesMax && loadedOf(batch) === 0;
  if (isFirst || loadedBytes === 0 || loadedBytes + chunk.bytes <= workLimits.loadedBytesMax)
    void load(state, batch, chunk);
  return undefined;
}

async function load(state: ClaimsState, batch: ClaimedBatch, chunk: Chunk): Promise<void> {
  const { world, failedReads } = state;
  const { row, bytes } = chunk;
  batch.setContent(chunk, "loading");
  try {
    const range = { start: row.start, end: row.start + bytes };
    const content = await buffer(await world.blobs.read(requestsKey(batch.id), range));
    batch.setContent(chunk, content);
    failedReads.delete(batch);
  } catch (error) {
    // Logged once: a disk that is lost for good would fill the log until the batch expires.
    const before = failedReads.get(batch) ?? 0;
    failedReads.set(batch, before + 1);
    if (before === 0)
      world.logger.error({ batch: batch.id, error }, "the requests of a batch cannot be read");
    await world.clock.sleep(pauseAfterFailures(before));
    batch.setContent(chunk, undefined);
  }
  state.wake();
}

/** Those that are to be canceled, and those that have ended. */
async function follow(state: ClaimsState): Promise<void> {
  const { world, files, batches, rotation } = state;
  state.mayHaveEnded = false;
  if (batches.size === 0) return;
  const asked = [...batches.values()];
  const states = await queries.listStates(
    world.db,
    asked.map(({ id }) => id),
  );
  for (const batch of asked) {
    const now = states.get(batch.id) ?? "ended";
    batch.follow(now);
    if (now !== "ended" || batch.isWriting) continue;
    for (const chunk of batch.chunks.keys()) batch.dropChunk(chunk);
    batches.delete(batch.id);
    rotation.remove(batch);
    await files.leave(batch.id);
  }
  state.all = [...batches.values()];
}

/** Bytes of its params in memory, or on their way there. */
const loadedOf = ({ chunks }: ClaimedBatch): number =>
  chunks
    .entries()
    .reduce((sum, [{ bytes }, { content }]) => sum + (content === undefined ? 0 : bytes), 0);

/** Read, and not yet written as results. */
const loadedIn = ({ batches }: ClaimsState): number =>
  [...batches.values()].reduce((sum, batch) => sum + loadedOf(batch), 0);
