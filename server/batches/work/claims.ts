// Takes chunks for this process, keeps them, and reads what is in them.
import { buffer } from "node:stream/consumers";
import { deleteSegment } from "../../../kernel/blob/segments.ts";
import type { World } from "../../../kernel/context.ts";
import type { Lease } from "../../../kernel/jobs/lease.ts";
import { limits } from "../limits.ts";
import { requestsKey, segmentKey } from "../blob-keys.ts";
import * as queries from "../queries-work.ts";
import {
  makeChunk,
  makeClaimedBatch,
  extendHold,
  loadedOf,
  loseChunk,
  countUnbegun,
  type Chunk,
  type ClaimedBatch,
} from "./claimed-batches.ts";
import { pauseAfterFailures, workLimits } from "./limits.ts";
import { makeWorkspaceRotation, type WorkspaceRotation } from "../pacing/workspace-rotation.ts";

export interface ChunkClaims {
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
  start(): () => Promise<void>;
}

interface ClaimsState {
  world: World;
  owner: string;
  batches: Map<string, ClaimedBatch>;
  rotation: WorkspaceRotation;
  all: readonly ClaimedBatch[];
  /** There may be a batch that this process does not work on. */
  mayBeNew: boolean;
  isTaking: boolean;
  wake(): void;
}

export function makeChunkClaims(world: World, wake: () => void): ChunkClaims {
  const owner = world.ids.next("batcher_");
  const state: ClaimsState = {
    world,
    owner,
    batches: new Map(),
    rotation: makeWorkspaceRotation(),
    all: [],
    mayBeNew: true,
    isTaking: false,
    wake,
  };
  return {
    rotation: state.rotation,
    claimedBatches: () => state.all,
    lookForWork: () => {
      lookAgain(state);
      void takeMore(state);
      void follow(state).catch(() => {}); // the next poll finds out
    },
    claimMore: () => {
      if (!state.isTaking && state.all.some(isHungry)) void takeMore(state);
    },
    isLoaded: (chunk) => isLoaded(state, chunk),
    isMemoryFull: () => loadedIn(state) > workLimits.loadedBytesMax,
    start: () => keepUp(state),
  };
}

function lookAgain(state: ClaimsState): void {
  state.mayBeNew = true;
  for (const batch of state.all) batch.hasNoMoreChunks = false;
}

/** A chunk of each batch that this process does not work on, then more of those that have not enough to do. */
async function takeMore(state: ClaimsState): Promise<void> {
  const { world } = state;
  if (state.isTaking || world.server.draining) return;
  state.isTaking = true;
  try {
    while (roomFor(state) > 0) {
      const { mayBeNew } = state;
      state.mayBeNew = false;
      if (mayBeNew) {
        const claimed = state.all.filter(({ chunks }) => chunks.size > 0);
        // A hint that came meanwhile is followed too: it must not be forgotten.
        if (await take(state, idsOf(claimed), 1)) state.mayBeNew = true;
      } else {
        const hungry = state.all.filter(isHungry);
        if (hungry.length === 0 || extraChunks(state) >= workLimits.moreChunksMax) return;
        const others = state.all.filter((batch) => !isHungry(batch));
        if (await take(state, idsOf(others), workLimits.chunksPerClaim)) continue;
        for (const batch of hungry) batch.hasNoMoreChunks = true;
      }
    }
  } catch (error) {
    world.logger.warn({ error }, "taking requests of batches failed");
  } finally {
    state.isTaking = false;
  }
}

const roomFor = ({ batches }: ClaimsState) => workLimits.chunksMax - chunksOf(batches).length;
/** More than the first of each batch. */
const extraChunks = ({ all }: ClaimsState) =>
  all.reduce((sum, { chunks }) => sum + Math.max(0, chunks.size - 1), 0);
const idsOf = (batches: readonly ClaimedBatch[]) => batches.map(({ id }) => id);

/** One that could begin more than it has: not one whose upstreams take nothing just now. */
function isHungry(batch: ClaimedBatch): boolean {
  const { hasNoMoreChunks, chunks, prepared, restsUntilMs } = batch;
  if (hasNoMoreChunks || restsUntilMs > 0 || prepared >= workLimits.preparedMax) return false;
  return (
    chunks.size < workLimits.chunksPerBatchMax && countUnbegun(batch) < workLimits.readyRequestsMin
  );
}

/** False where there was nothing. */
async function take(state: ClaimsState, except: readonly string[], most: number): Promise<boolean> {
  const { world, owner } = state;
  const askedMs = world.clock.monotonicMs();
  const { leaseMs } = workLimits;
  const rows = await queries.claimChunks(world.db, owner, { leaseMs, except, most });
  for (const row of rows) await put(state, row, askedMs + leaseMs);
  state.wake();
  return rows.length > 0;
}

async function put(
  state: ClaimsState,
  row: queries.ChunkRow & Lease,
  heldUntilMs: number,
): Promise<void> {
  const { world, batches, rotation } = state;
  let batch = batches.get(row.batchId);
  if (batch === undefined) {
    const owner = await queries.findOwner(world.db, row.batchId);
    if (owner === undefined) return;
    batch = makeClaimedBatch(row.batchId, owner);
    batches.set(batch.id, batch);
    rotation.add(batch);
    state.all = [...batches.values()];
  }
  // Another process held it before, and may have written some of it.
  const indexes = row.lengths.map((_, position) => row.firstIndex + position);
  const done = row.epoch > 1 ? await queries.listDone(world.db, batch.id, indexes) : none;
  // This process held it until the lease lapsed: what is left of that would be asked and written a second time.
  for (const chunk of batch.chunks) if (chunk.lease.id === row.id) loseChunk(chunk);
  batch.chunks.add(makeChunk(batch, row, done, heldUntilMs));
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

/** Heartbeat, what became of the batches, and a look for more: all go on through a lost database. */
function keepUp(state: ClaimsState): () => Promise<void> {
  const { world, batches } = state;
  const stopping = new AbortController();
  const repeat = async (everyMs: number, act: () => Promise<void>) => {
    let pauseMs: number;
    do {
      pauseMs = everyMs;
      await act().catch((error: unknown) => {
        world.logger.warn({ error }, "keeping up with batches failed");
        // A lease outlives a database that is away for a moment only if it is renewed as soon as that is back.
        pauseMs = Math.min(everyMs, workLimits.awayMs);
      });
    } while (await world.clock.sleep(pauseMs, stopping.signal));
  };
  const running = [
    repeat(workLimits.heartbeatMs, () => beat(state)),
    repeat(workLimits.pollMs, async () => {
      await keepLapsed(state);
      await follow(state);
      lookAgain(state);
      await takeMore(state);
      state.wake();
    }),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(running);
    const leases = chunksOf(batches).map(({ lease }) => lease);
    if (leases.length > 0)
      await queries.chunkLeases
        .release(world.db, leases)
        .catch((error: unknown) =>
          world.logger.warn({ error }, "requests of batches were not given back"),
        );
    for (const { segment } of batches.values()) await segment?.file.close();
  };
}

const chunksOf = (batches: ReadonlyMap<string, ClaimedBatch>): Chunk[] =>
  [...batches.values()].flatMap(({ chunks }) => [...chunks]);

async function beat({ world, batches }: ClaimsState): Promise<void> {
  const chunks = chunksOf(batches);
  if (chunks.length === 0) return;
  const askedMs = world.clock.monotonicMs();
  const asked = chunks.map((chunk) => ({ chunk, heldUntilMs: chunk.heldUntilMs }));
  const leases = chunks.map(({ lease }) => lease);
  const ours = await queries.chunkLeases.renewAll(world.db, leases, workLimits.leaseMs);
  for (const { chunk, heldUntilMs } of asked) {
    const renewal = ours.get(chunk.lease.id);
    if (renewal === "renewed") extendHold(chunk, askedMs + workLimits.leaseMs);
    // One that is being written may have been finished a moment ago: then no process holds it; or prolonged by that.
    else if (
      renewal === undefined &&
      !chunk.batch.isWriting &&
      chunk.batch.chunks.has(chunk) &&
      chunk.heldUntilMs === heldUntilMs
    )
      loseChunk(chunk);
  }
}

/** What was not renewed in time may be another process's: the database knows. Where it cannot be asked, it is lost. */
async function keepLapsed(state: ClaimsState): Promise<void> {
  const { clock } = state.world;
  const lapsed = () =>
    chunksOf(state.batches).filter(({ heldUntilMs }) => clock.monotonicMs() >= heldUntilMs);
  if (lapsed().length === 0) return;
  await beat(state).catch(() => {
    for (const chunk of lapsed()) loseChunk(chunk);
  });
}

/** Those that are to be canceled, and those that have ended. */
async function follow(state: ClaimsState): Promise<void> {
  const { world, batches, rotation } = state;
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
    for (const chunk of batch.chunks) loseChunk(chunk);
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
