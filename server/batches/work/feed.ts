// Takes chunks for this process, keeps them, and reads what is in them.
import { buffer } from "node:stream/consumers";
import type { World } from "../../../kernel/context.ts";
import { requestsKey } from "../places.ts";
import * as queries from "../queries-work.ts";
import { chunkOf, hold, lose, unbegun, type Chunk, type Held } from "./held.ts";
import { workLimits } from "./limits.ts";
import { makeTurns, type Turns } from "./turns.ts";

export interface Feed {
  readonly turns: Turns;
  all(): readonly Held[];
  /** There may be something to take. */
  look(): void;
  /** Whether its params are here; if not, they are on their way, or wait for room. */
  isLoaded(chunk: Chunk): boolean;
  start(): () => Promise<void>;
}

interface State {
  world: World;
  owner: string;
  batches: Map<string, Held>;
  turns: Turns;
  all: readonly Held[];
  mayTake: boolean;
  isTaking: boolean;
  loadedBytes: number;
  rouse(): void;
}

export function makeFeed(world: World, rouse: () => void): Feed {
  const owner = world.ids.next("batcher_");
  const state: State = {
    world,
    owner,
    batches: new Map(),
    turns: makeTurns(),
    all: [],
    mayTake: true,
    isTaking: false,
    loadedBytes: 0,
    rouse,
  };
  return {
    turns: state.turns,
    all: () => state.all,
    look: () => {
      state.mayTake = true;
      void takeMore(state);
    },
    isLoaded: (chunk) => isLoaded(state, chunk),
    start: () => keepUp(state),
  };
}

/** First of batches that nobody here works on, then of any, until there is enough to do. */
async function takeMore(state: State): Promise<void> {
  const { world, batches } = state;
  if (state.isTaking || world.server.draining) return;
  state.isTaking = true;
  try {
    while (state.mayTake) {
      state.mayTake = false;
      const held = [...batches.values()].filter(({ chunks }) => chunks.size > 0);
      const chunks = held.reduce((sum, one) => sum + one.chunks.size, 0);
      if (chunks >= workLimits.chunksMax) return;
      const isFed = held.reduce((sum, one) => sum + unbegun(one), 0) >= workLimits.readyRequestsMin;
      if (
        await takeOne(
          state,
          held.map(({ id }) => id),
        )
      )
        state.mayTake = true;
      else if (!isFed && held.length > 0 && (await takeOne(state, []))) state.mayTake = true;
    }
  } catch (error) {
    world.logger.warn({ error }, "taking requests of batches failed");
  } finally {
    state.isTaking = false;
  }
}

async function takeOne(state: State, except: readonly string[]): Promise<boolean> {
  const { world, owner, batches, turns } = state;
  const { db, clock } = world;
  const askedMs = clock.monotonicMs();
  const { leaseMs } = workLimits;
  const taken = await queries.claimChunk(db, owner, { leaseMs, except });
  if (taken === undefined) return false;
  let held = batches.get(taken.batchId);
  if (held === undefined) {
    const of = await queries.findOwner(db, taken.batchId);
    if (of === undefined) return false;
    held = hold(taken.batchId, of);
    batches.set(held.id, held);
    turns.add(held);
    state.all = [...batches.values()];
  }
  // Somebody had it before, and may have written some of it.
  const indexes = taken.lengths.map((_, place) => taken.firstIndex + place);
  const done = taken.epoch > 1 ? await queries.listDone(db, held.id, indexes) : none;
  const chunk = chunkOf(held, taken, done, askedMs + leaseMs);
  held.chunks.add(chunk);
  state.rouse();
  return true;
}

const none: ReadonlySet<number> = new Set();

function isLoaded(state: State, chunk: Chunk): boolean {
  if (Buffer.isBuffer(chunk.content)) return true;
  const isRoom =
    state.loadedBytes === 0 || state.loadedBytes + chunk.bytes <= workLimits.loadedBytesMax;
  if (chunk.content === undefined && isRoom) void load(state, chunk);
  return false;
}

async function load(state: State, chunk: Chunk): Promise<void> {
  const { world } = state;
  const { held, row, bytes } = chunk;
  chunk.content = "loading";
  state.loadedBytes += bytes;
  try {
    const range = { start: row.start, end: row.start + bytes };
    const content = await buffer(await world.blobs.read(requestsKey(held.id), range));
    chunk.content = content;
  } catch (error) {
    state.loadedBytes -= bytes;
    world.logger.error({ batch: held.id, error }, "the requests of a batch cannot be read");
    await world.clock.sleep(workLimits.awayMs);
    chunk.content = undefined;
  }
  state.rouse();
}

/** Heartbeat, what became of the batches, and a look for more: all go on through a lost database. */
function keepUp(state: State): () => Promise<void> {
  const { world, batches } = state;
  const stopping = new AbortController();
  const repeat = async (everyMs: number, act: () => Promise<void>) => {
    do
      await act().catch((error: unknown) =>
        world.logger.warn({ error }, "keeping up with batches failed"),
      );
    while (await world.clock.sleep(everyMs, stopping.signal));
  };
  const running = [
    repeat(workLimits.heartbeatMs, () => beat(state)),
    repeat(workLimits.pollMs, async () => {
      await keepLapsed(state);
      await follow(state);
      state.mayTake = true;
      await takeMore(state);
      state.rouse();
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

const chunksOf = (batches: ReadonlyMap<string, Held>): Chunk[] =>
  [...batches.values()].flatMap(({ chunks }) => [...chunks]);

async function beat({ world, batches }: State): Promise<void> {
  const chunks = chunksOf(batches);
  if (chunks.length === 0) return;
  const askedMs = world.clock.monotonicMs();
  const leases = chunks.map(({ lease }) => lease);
  const ours = await queries.chunkLeases.renewAll(world.db, leases, workLimits.leaseMs);
  for (const chunk of chunks)
    if (ours.has(chunk.lease.id)) chunk.heldUntilMs = askedMs + workLimits.leaseMs;
    else if (chunk.left > 0 && chunk.held.chunks.has(chunk)) lose(chunk);
}

/** What was not renewed in time may be somebody else's by now: the database knows. Nobody can ask it: it is lost. */
async function keepLapsed(state: State): Promise<void> {
  const { clock } = state.world;
  const lapsed = () =>
    chunksOf(state.batches).filter(({ heldUntilMs }) => clock.monotonicMs() >= heldUntilMs);
  if (lapsed().length === 0) return;
  await beat(state).catch(() => {
    for (const chunk of lapsed()) lose(chunk);
  });
}

/** Those that are to be canceled, and those that have ended. */
async function follow(state: State): Promise<void> {
  const { world, batches, turns } = state;
  state.loadedBytes = sumOfLoaded(batches);
  if (batches.size === 0) return;
  const states = await queries.listStates(world.db, [...batches.keys()]);
  for (const held of [...batches.values()]) {
    const now = states.get(held.id) ?? "ended";
    held.state = now;
    if (now !== "ended" || held.isWriting) continue;
    for (const chunk of held.chunks) lose(chunk);
    batches.delete(held.id);
    turns.remove(held);
    await held.segment?.file.close();
  }
  state.all = [...batches.values()];
}

const sumOfLoaded = (batches: ReadonlyMap<string, Held>): number =>
  chunksOf(batches).reduce(
    (sum, { content, bytes }) => sum + (content === undefined ? 0 : bytes),
    0,
  );
