// Which request of a batch begins next: read from its chunk when its upstream has room, put back when it has none.
import type { World } from "../../../kernel/context.ts";
import type { ChunkClaims } from "../work/claims.ts";
import {
  earlyEndOf,
  addFinished,
  restBatch,
  type Chunk,
  type ClaimedBatch,
  type PreparedItem,
  type RequeuedItem,
} from "../work/claimed-batches.ts";
import {
  faultBefore,
  prepareItem,
  unattempted,
  type ConcurrencyLimits,
} from "../work/attempt-item.ts";
import { workLimits } from "../work/limits.ts";
import { putReady, takeReady } from "./workspace-rotation.ts";

interface Picking {
  world: World;
  claims: ChunkClaims;
  concurrencyLimits: ConcurrencyLimits;
}

/** One to attempt; or `resolved`, where one has its result without an attempt. */
export const pickNext = (
  picking: Picking,
  batch: ClaimedBatch,
): PreparedItem | "resolved" | undefined => resolveOne(picking, batch) ?? readyOne(picking, batch);

function readyOne(picking: Picking, batch: ClaimedBatch): PreparedItem | "resolved" | undefined {
  const nowMs = picking.world.clock.monotonicMs();
  // After a write that failed nothing begins until one succeeds: what cannot be written would be asked twice.
  if (batch.isUnsure || nowMs < batch.restsUntilMs) return undefined;
  // A process that was asleep, or learned late which chunks it took, does not know which it still holds.
  if ([...batch.chunks].some(({ held }) => !held.isSure())) return undefined;
  batch.restsUntilMs = 0;
  for (const item of batch.pausing)
    if (item.dueMs <= nowMs) {
      batch.pausing.delete(item);
      putReady(batch, item);
    }
  const found = takeReady(batch) ?? prepareOne(picking, batch);
  if (found === undefined) restIfStuck(picking, batch, nowMs);
  return found;
}

/** A batch whose upstreams take nothing for a while makes room for others. */
function restIfStuck({ claims }: Picking, batch: ClaimedBatch, nowMs: number): void {
  // In its own pauses it takes part as soon as they are over, but takes no memory that others wait for.
  if (batch.readyItems.size === 0) {
    if (batch.pausing.size > 0 && claims.isMemoryFull())
      restBatch(batch, nowMs + workLimits.restMs);
    return;
  }
  const opens = [...batch.readyItems.keys()].map((limit) =>
    limit.hasRoomAtMs(batch.owner.workspaceId),
  );
  const opensMs = Math.min(...opens.map((ms) => (ms === 0 ? nowMs : ms)));
  if (opensMs > nowMs + workLimits.restMs) restBatch(batch, opensMs);
  else if (claims.isMemoryFull()) restBatch(batch, nowMs + workLimits.restMs);
}

/** Of a batch that is canceled or expired: what has not begun has its result at once. */
function resolveOne({ world }: Picking, batch: ClaimedBatch): "resolved" | undefined {
  const end = earlyEndOf(batch, world.clock.now());
  if (end === undefined) return undefined;
  if (end === "expired") for (const { abort } of batch.running) abort?.abort(batchHasExpired);
  restBatch(batch, 0);
  const next = nextOf(batch, Infinity);
  if (next === undefined) return undefined;
  const { position } = takeNext(next.chunk, Infinity);
  addFinished(batch, unattempted(next.chunk, position, end));
  return "resolved";
}

/** What was under way when the time of its batch was over, whatever the clock says later. */
export const batchHasExpired = new Error("the time of the batch is over");

/** A request that is to be read, with its chunk; what has its result from before is passed by. */
function nextOf(
  { chunks }: ClaimedBatch,
  nowMs: number,
): { chunk: Chunk; position: number } | undefined {
  for (const chunk of chunks) {
    const { row, done, requeued } = chunk;
    const due = requeued.find(({ dueMs }) => dueMs <= nowMs);
    if (due !== undefined) return { chunk, position: due.position };
    while (done.has(row.firstIndex + chunk.next)) chunk.next += 1;
    if (chunk.next < row.lengths.length) return { chunk, position: chunk.next };
  }
  return undefined;
}

function takeNext(chunk: Chunk, nowMs: number): RequeuedItem {
  const at = chunk.requeued.findIndex(({ dueMs }) => dueMs <= nowMs);
  const [due] = at === -1 ? [] : chunk.requeued.splice(at, 1);
  return due ?? { position: chunk.next++, attempts: 0, dueMs: 0 };
}

/** Reads ahead until one can begin, or as far as it may. */
function prepareOne(picking: Picking, batch: ClaimedBatch): PreparedItem | "resolved" | undefined {
  const { world, concurrencyLimits, claims } = picking;
  if (batch.prepared >= workLimits.preparedMax) return undefined;
  const nowMs = world.clock.monotonicMs();
  const next = nextOf(batch, nowMs);
  if (next === undefined) return undefined;
  const { chunk, position } = next;
  const fault = faultBefore(world, chunk, position);
  if (fault === undefined && !claims.isLoaded(chunk)) return undefined;
  const taken = takeNext(chunk, nowMs);
  const prepared = fault ?? prepareItem(world, concurrencyLimits, chunk, taken);
  if ("line" in prepared) {
    addFinished(batch, prepared);
    return "resolved";
  }
  putReady(batch, prepared);
  return takeReady(batch) ?? prepareOne(picking, batch);
}
