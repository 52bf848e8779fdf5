// Takes chunks for this process, keeps them, and reads what is in them.
import { buffer } from "node:stream/consumers";
import { deleteSegment } from "../../../kernel/blob/segments.ts";
import type { World } from "../../../kernel/context.ts";
import { hold, type ClaimRound } from "../../../kernel/work/hold.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import { limits } from "../limits.ts";
import { requestsKey, segmentKey } from "../blob-keys.ts";
import * as queries from "../queries-work.ts";
import type { ChunkRow } from "../queries-work.ts";
import {
  dropChunk,
  makeChunk,
  makeClaimedBatch,
  loadedOf,
  loseChunk,
  countUnbegun,
  type Chunk,
  type ChunkHolder,
  type ClaimedBatch,
  type HeldChunk,
} from "./claimed-batches.ts";
import { pauseAfterFailures, workLimits } from "./limits.ts";
import { makeWorkspaceRotation, type WorkspaceRotation } from "../pacing/workspace-rotation.ts";

export interface ChunkClaims {
  readonly holder: ChunkHolder;
  readonly rotation: WorkspaceRotation;
  claimedBatches(): readonly ClaimedBatch[];
  /** There may be something new to take. */
  lookForWork(): void;
  /** Takes more where there is not enough to do. */
  claimMore(): void;
  /** Whether its params are here; if not, they are being read, or wait for memory. */
  isLoaded(chunk: Chunk): boolean;
  /** Params take more memory than they should. */
  isMemoryFull(): boolean;
  start(): void;
  /** Gives everything back. */
  stop(): Promise<void>;
}

interface ClaimsState {
  world: World;
  owner: string;
  holder: ChunkHolder;
  batches: Map<string, ClaimedBatch>;
  rotation: WorkspaceRotation;
  all: readonly ClaimedBatch[];
  /** There may be a batch that this process does not work on. */
  mayBeNew: boolean;
  /** A batch may have been canceled or have ended. */
  mayHaveEnded: boolean;
  wake(): void;
}

export function makeChunkClaims(world: World, wake: () => void): ChunkClaims {
  const { leaseMs, heartbeatMs, pollMs } = workLimits;
  const state: ClaimsState = {
    world,
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
      if (state.all.some(isHungry)) holder.wake();
    },
    isLoaded: (chunk) => isLoaded(state, chunk),
    isMemoryFull: () => loadedIn(state) > workLimits.loadedBytesMax,
    start: holder.start,
    stop: async () => {
      await holder.stop();
      for (const { segment } of state.batches.values()) await segment?.file.close();
    },
  };
}

function lookAgain(state: ClaimsState): void {
  state.mayBeNew = true;
  state.mayHaveEnded = true;
  for (const batch of state.all) batch.hasNoMoreChunks = false;
}

type Round = ClaimRound<ChunkRow & Lease>;

async function claimRound(state: ClaimsState, { take, isPoll }: Round): Promise<void> {
  if (isPoll) lookAgain(state);
  if (!state.world.server.draining && !state.holder.isDraining()) await takeMore(state, take);
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
      const hungry = state.all.filter(isHungry);
      if (hungry.length === 0 || extraChunks(state) >= workLimits.moreChunksMax) return;
      const except = state.all.filter((batch) => !isHungry(batch));
      if (await takeSome(state, take, { except, most: workLimits.chunksPerClaim })) continue;
      for (const batch of hungry) batch.hasNoMoreChunks = true;
    }
  }
}

const roomFor = ({ batches }: ClaimsState) => workLimits.chunksMax - chunksOf(batches).length;
/** More than the first of each batch. */
const extraChunks = ({ all }: ClaimsState) =>
  all.reduce((sum, { chunks }) => sum + Math.max(0, chunks.size - 1), 0);

/** One that could begin more than it has: not one whose upstreams take nothing just now. */
function isHungry(batch: ClaimedBatch): boolean {
  const { hasNoMoreChunks, chunks, prepared, restsUntilMs } = batch;
  if (hasNoMoreChunks || restsUntilMs > 0 || prepared >= workLimits.preparedMax) return false;
  return (
    chunks.size < workLimits.chunksPerBatchMax && countUnbegun(batch) < workLimits.readyRequestsMin
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
    batch = makeClaimedBatch(row.batchId, owner);
    batches.set(batch.id, batch);
    rotation.add(batch);
    state.all = [...batches.values()];
  }
  // Another process held it before, and may have written some of it.
  const indexes = row.lengths.map((_, position) => row.firstIndex + position);
  const done = lease.epoch > 1 ? await queries.listDone(world.db, batch.id, indexes) : none;
  // This process held it until the lease lapsed: what is left of that would be asked and written a second time.
  for (const chunk of batch.chunks) if (chunk.held.lease.id === lease.id) dropChunk(chunk);
  const chunk = makeChunk(batch, held, done);
  batch.chunks.add(chunk);
  held.signal.addEventListener("abort", () => loseChunk(chunk));
}

const none: ReadonlySet<number> = new Set();

function isLoaded(state: ClaimsState, chunk: Chunk): boolean {
  if (Buffer.isBuffer(chunk.content)) return true;
  if (chunk.content !== undefined) return false;
  const loadedBytes = loadedIn(state);
  const isFirst = chunk.bytes <= 2 * limits.chunkBytesMax && loadedOf(chunk.batch) === 0;
  if (isFirst || loadedBytes === 0 || loadedBytes + chunk.bytes <= workLimits.loadedBytesMax)
    void load(state, chunk);
  return false;
}

async function load(state: ClaimsState, chunk: Chunk): Promise<void> {
  const { world } = state;
  const { batch, row, bytes } = chunk;
  chunk.content = "loading";
  try {
    const range = { start: row.start, end: row.start + bytes };
    const content = await buffer(await world.blobs.read(requestsKey(batch.id), range));
    chunk.content = content;
    batch.failedReads = 0;
  } catch (error) {
    // Logged once: a disk that is lost for good would fill the log until the batch expires.
    if (batch.failedReads === 0)
      world.logger.error({ batch: batch.id, error }, "the requests of a batch cannot be read");
    await world.clock.sleep(pauseAfterFailures(batch.failedReads++));
    chunk.content = undefined;
  }
  state.wake();
}

const chunksOf = (batches: ReadonlyMap<string, ClaimedBatch>): Chunk[] =>
  [...batches.values()].flatMap(({ chunks }) => [...chunks]);

/** Those that are to be canceled, and those that have ended. */
async function follow(state: ClaimsState): Promise<void> {
  const { world, batches, rotation } = state;
  state.mayHaveEnded = false;
  if (batches.size === 0) return;
  const asked = [...batches.values()];
  const states = await queries.listStates(
    world.db,
    asked.map(({ id }) => id),
  );
  for (const batch of asked) {
    const now = states.get(batch.id) ?? "ended";
    batch.state = now;
    if (now !== "ended" || batch.isWriting) continue;
    for (const chunk of batch.chunks) dropChunk(chunk);
    batches.delete(batch.id);
    rotation.remove(batch);
    await leave(world, batch);
  }
  state.all = [...batches.values()];
}

/** A file that was begun and never written to may have come too late for the job that seals the others. */
async function leave({ blobs, tails }: World, { id, segment }: ClaimedBatch): Promise<void> {
  await segment?.file.close();
  if (segment?.bytes === 0) await deleteSegment(blobs, segmentKey(id, segment.number), tails);
}

/** Read, and not yet written as results. */
const loadedIn = ({ batches }: ClaimsState): number =>
  [...batches.values()].reduce((sum, batch) => sum + loadedOf(batch), 0);
