// Which request of a batch begins next: read from its chunk when its upstream has room, put back when it has none.
import type { World } from "../../../kernel/context.ts";
import type { ChunkClaims } from "../work/claims.ts";
import type { Attempt, ClaimedBatch } from "../items/claimed-batch.ts";
import type { FinishedItem } from "../items/items.ts";
import {
  brokenOffResult,
  faultBefore,
  prepareItem,
  unattempted,
  type ConcurrencyLimits,
} from "../work/attempt-item.ts";
import { workLimits } from "../work/limits.ts";

interface Picking {
  world: World;
  claims: ChunkClaims;
  concurrencyLimits: ConcurrencyLimits;
}

/** An attempt that has begun; or `resolved`, where one has its result without an attempt. */
export const pickNext = (picking: Picking, batch: ClaimedBatch): Attempt | "resolved" | undefined =>
  resolveOne(picking, batch) ?? beginOne(picking, batch);

function beginOne(picking: Picking, batch: ClaimedBatch): Attempt | "resolved" | undefined {
  const nowMs = picking.world.clock.monotonicMs();
  if (!batch.mayBegin(nowMs)) return undefined;
  batch.resume(nowMs);
  const begun = batch.begin() ?? readOne(picking, batch);
  if (begun === undefined) restIfStuck(picking, batch, nowMs);
  return begun;
}

/** A batch whose upstreams take nothing for a while makes room for others. */
function restIfStuck({ claims }: Picking, batch: ClaimedBatch, nowMs: number): void {
  const { ready, pausing } = batch.counts;
  // In its own pauses it takes part as soon as they are over, but takes no memory that others wait for.
  if (ready === 0) {
    if (pausing > 0 && claims.isMemoryFull()) batch.rest(nowMs + workLimits.restMs);
    return;
  }
  const opensMs = Math.min(...batch.opensMs.map((ms) => (ms === 0 ? nowMs : ms)));
  if (opensMs > nowMs + workLimits.restMs) batch.rest(opensMs);
  else if (claims.isMemoryFull()) batch.rest(nowMs + workLimits.restMs);
}

/** Of a batch that is canceled or expired: what has not begun has its result at once. */
function resolveOne({ world }: Picking, batch: ClaimedBatch): "resolved" | undefined {
  const end = earlyEndOf(batch, world.clock.now());
  if (end === undefined) return undefined;
  if (end === "expired") batch.abortAll(batchHasExpired);
  batch.rest(0);
  const waiting = batch.nextWaiting(Infinity);
  if (waiting === undefined) return undefined;
  const brokenOff = end === "canceled" ? brokenOffResult(world, batch, waiting) : undefined;
  return resolved(batch, brokenOff ?? unattempted(waiting, end));
}

/** Why no request of it may begin any more. */
function earlyEndOf({ state, owner }: ClaimedBatch, now: Date): "canceled" | "expired" | undefined {
  if (now.getTime() >= owner.expiresAt.getTime()) return "expired";
  return state === "canceling" ? "canceled" : undefined;
}

/** What was under way when the time of its batch was over, whatever the clock says later. */
export const batchHasExpired = new Error("the time of the batch is over");

/** Reads ahead until one can begin, or as far as it may. */
function readOne(picking: Picking, batch: ClaimedBatch): Attempt | "resolved" | undefined {
  const { world, concurrencyLimits, claims } = picking;
  while (batch.counts.ready < workLimits.preparedMax) {
    const waiting = batch.nextWaiting(world.clock.monotonicMs());
    if (waiting === undefined) return undefined;
    const fault = faultBefore(world, batch, waiting);
    if (fault !== undefined) return resolved(batch, fault);
    const content = claims.contentOf(batch, waiting.chunk);
    if (content === undefined) return undefined;
    const prepared = prepareItem(world, batch, concurrencyLimits, { waiting, content });
    if ("finished" in prepared) return resolved(batch, prepared.finished);
    batch.prepare(prepared.item, prepared.original);
    const begun = batch.begin();
    if (begun !== undefined) return begun;
  }
  return undefined;
}

function resolved(batch: ClaimedBatch, finished: FinishedItem): "resolved" {
  batch.resolve(finished);
  return "resolved";
}
