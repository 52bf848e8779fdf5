// Which request of a batch begins next: read from its chunk when its upstream has room, put back when it has none.
import type { World } from "../../../kernel/context.ts";
import type { Feed } from "../work/claims.ts";
import { endOf, finish, rest, type Chunk, type Held, type Item, type PutBack } from "../work/claimed-batches.ts";
import { faultBefore, prepare, unattempted, type Gates } from "../work/item.ts";
import { workLimits } from "../work/limits.ts";
import { putReady, takeReady } from "./workspace-rotation.ts";

interface Picking {
  world: World;
  feed: Feed;
  gates: Gates;
}

/** One to attempt; or `resolved`, where one has its result without an attempt. */
export const pickNext = (picking: Picking, held: Held): Item | "resolved" | undefined =>
  resolveOne(picking, held) ?? readyOne(picking, held);

function readyOne(picking: Picking, held: Held): Item | "resolved" | undefined {
  const nowMs = picking.world.clock.monotonicMs();
  // After a write that failed nothing begins until one succeeds: what cannot be written would be asked twice.
  if (held.isUnsure || nowMs < held.restsUntilMs) return undefined;
  // A process that was asleep, or was told late what it took, does not know what is still its own.
  if ([...held.chunks].some(({ heldUntilMs }) => nowMs >= heldUntilMs)) return undefined;
  held.restsUntilMs = 0;
  for (const item of held.pausing)
    if (item.dueMs <= nowMs) {
      held.pausing.delete(item);
      putReady(held, item);
    }
  const found = takeReady(held) ?? prepareOne(picking, held);
  if (found === undefined) restIfStuck(picking, held, nowMs);
  return found;
}

/** A batch whose upstreams take nothing for a while makes room for others. */
function restIfStuck({ feed }: Picking, held: Held, nowMs: number): void {
  // In its own pauses it takes part as soon as they are over, but has no room that others wait for.
  if (held.lanes.size === 0) {
    if (held.pausing.size > 0 && feed.isFull()) rest(held, nowMs + workLimits.restMs);
    return;
  }
  const opens = [...held.lanes.keys()].map((gate) => gate.opensMs(held.owner.workspaceId));
  const opensMs = Math.min(...opens.map((ms) => (ms === 0 ? nowMs : ms)));
  if (opensMs > nowMs + workLimits.restMs) rest(held, opensMs);
  else if (feed.isFull()) rest(held, nowMs + workLimits.restMs);
}

/** Of a batch that is canceled or whose time is over: what has not begun has its result at once. */
function resolveOne({ world }: Picking, held: Held): "resolved" | undefined {
  const end = endOf(held, world.clock.now());
  if (end === undefined) return undefined;
  if (end === "expired") for (const { abort } of held.running) abort?.abort(timeIsOver);
  rest(held, 0);
  const next = nextOf(held, Infinity);
  if (next === undefined) return undefined;
  const { place } = takeNext(next.chunk, Infinity);
  finish(held, unattempted(next.chunk, place, end));
  return "resolved";
}

/** What was under way when the time of its batch was over, whatever the clock says later. */
export const timeIsOver = new Error("the time of the batch is over");

/** A request that is to be read, with its chunk; what has its result from before is passed by. */
function nextOf({ chunks }: Held, nowMs: number): { chunk: Chunk; place: number } | undefined {
  for (const chunk of chunks) {
    const { row, done, again } = chunk;
    const due = again.find(({ dueMs }) => dueMs <= nowMs);
    if (due !== undefined) return { chunk, place: due.place };
    while (done.has(row.firstIndex + chunk.next)) chunk.next += 1;
    if (chunk.next < row.lengths.length) return { chunk, place: chunk.next };
  }
  return undefined;
}

function takeNext(chunk: Chunk, nowMs: number): PutBack {
  const at = chunk.again.findIndex(({ dueMs }) => dueMs <= nowMs);
  const [due] = at === -1 ? [] : chunk.again.splice(at, 1);
  return due ?? { place: chunk.next++, attempts: 0, dueMs: 0 };
}

/** Reads ahead until one can begin, or as far as it may. */
function prepareOne(picking: Picking, held: Held): Item | "resolved" | undefined {
  const { world, gates, feed } = picking;
  if (held.prepared >= workLimits.preparedMax) return undefined;
  const nowMs = world.clock.monotonicMs();
  const next = nextOf(held, nowMs);
  if (next === undefined) return undefined;
  const { chunk, place } = next;
  const fault = faultBefore(world, chunk, place);
  if (fault === undefined && !feed.isLoaded(chunk)) return undefined;
  const taken = takeNext(chunk, nowMs);
  const prepared = fault ?? prepare(world, gates, chunk, taken);
  if ("line" in prepared) {
    finish(held, prepared);
    return "resolved";
  }
  putReady(held, prepared);
  return takeReady(held) ?? prepareOne(picking, held);
}
