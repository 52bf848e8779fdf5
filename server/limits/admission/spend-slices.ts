// Money as one process has it: slices of what an organization, a workspace or a member may still spend.
import assert from "node:assert/strict";
import type { World } from "../../../kernel/context.ts";
import { LeaseLost, type Lease } from "../../../kernel/work/lease.ts";
import { postJournal, type Node } from "../../usage/module.ts";
import { bigMax, dealSpend } from "./slice-arithmetic.ts";
import * as queries from "../queries.ts";
import { noteRefusal } from "./queries.ts";
import { limits } from "../limits.ts";

export interface SpendPool {
  readonly kind: "spend";
  readonly key: string;
  readonly scope: queries.SpendScope;
  /** As it was known last, in nano-dollars. */
  limit: string;
  /** What may still be reserved from memory, under this lease. */
  free: number;
  lease: Lease | undefined;
  /** Up to which sum this node may spend, as this process knows it. */
  ceiling: bigint | undefined;
  low: number;
  /** The limit was taken away meanwhile. */
  unlimited: boolean;
  deniedNeed: number;
  deniedUntilMs: number;
  round: Promise<void> | undefined;
  next: Need | undefined;
  waiting: number;
}

export interface SpendSlices {
  pool(scope: queries.SpendScope, limit: string): SpendPool;
  more(pool: SpendPool, need: number): Promise<void>;
  prefetch(pool: SpendPool): void;
  release(key: string): void;
  forget(): void;
}

type SpendWorld = Pick<World, "clock" | "db" | "hints" | "logger">;

export function makeSpendSlices(world: SpendWorld, node: Node): SpendSlices {
  const pools = new Map<string, SpendPool>();
  const context: SpendContext = { ...world, node };
  const warn = (error: unknown) =>
    world.logger.warn({ error: String(error) }, "renewing slices of spend limits failed");

  return {
    pool: (scope, limit) => {
      const key = `${scope.organizationId}/${scope.holderId}/${scope.periodKey}`;
      let pool = pools.get(key);
      if (pool === undefined) {
        pool = newPool(key, scope, limit);
        pools.set(key, pool);
      }
      if (pool.unlimited)
        Object.assign(pool, { unlimited: false, lease: undefined, free: 0, ceiling: undefined });
      if (pool.limit !== limit) {
        // A slice of what was allowed before says nothing of what is allowed now.
        pool.limit = limit;
        pool.deniedUntilMs = 0;
        putBack(pool);
      }
      return pool;
    },
    more: async (pool, need) => {
      const next = (pool.next ??= { least: Infinity, sum: 0 });
      next.least = Math.min(next.least, need);
      next.sum += need;
      pool.waiting += 1;
      try {
        // The one that is under way began before: this need goes with the next.
        if (pool.round !== undefined) await pool.round.catch(() => {});
        await (pool.next === next ? begin(context, pool) : pool.round);
      } finally {
        pool.waiting -= 1;
      }
    },
    prefetch: (pool) => {
      if (pool.round === undefined) begin(context, pool).catch(warn);
    },
    release: (key) => {
      const pool = pools.get(key);
      if (pool === undefined || pool.waiting > 0 || pool.round !== undefined) return;
      void occupy(pool, giveBack(context, pool).catch(warn));
    },
    forget: () => pools.clear(),
  };
}

interface SpendContext extends SpendWorld {
  node: Node;
}

interface Need {
  least: number;
  sum: number;
}

/** One round of a pool at a time. */
function occupy(pool: SpendPool, work: Promise<void>): Promise<void> {
  const round = work.finally(() => {
    if (pool.round === round) pool.round = undefined;
  });
  pool.round = round;
  return round;
}

function begin(context: SpendContext, pool: SpendPool): Promise<void> {
  const need = pool.next ?? { least: 0, sum: 0 };
  pool.next = undefined;
  return occupy(pool, dealPatiently(context, pool, need));
}

/** Rule LIM8. What others hold and do not use is asked back before a request is refused. */
async function dealPatiently(context: SpendContext, pool: SpendPool, need: Need): Promise<void> {
  const { node, hints, clock } = context;
  for (let asks = 0; ; asks++) {
    const othersFree = await deal(context, pool, need).catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) throw error;
      node.dropLease();
      return deal(context, pool, need);
    });
    if (pool.unlimited || pool.free >= need.least || othersFree <= 0n) return;
    if (asks === limits.spendAsksMax) return;
    hints.send("limits", pool.key);
    await clock.sleep(limits.spendAskPauseMs);
  }
}

/** Answers what others hold and do not use. */
async function deal(context: SpendContext, pool: SpendPool, need: Need): Promise<bigint> {
  const { db, node } = context;
  const lease = await node.acquire();
  if (pool.lease !== lease) Object.assign(pool, { lease, free: 0, ceiling: undefined });
  // Wrong estimates: what was used beyond the ceiling is taken already, whether or not there is room.
  if (pool.free < 0) putBack(pool);
  const least = Math.max(0, need.least - pool.free);
  const wanted = Math.max(0, need.sum - pool.free);
  const { scope } = pool;
  await postJournal(context);
  const dealt = await db.tx(async (tx) => {
    await node.fence(tx, lease);
    const limitNano = await queries.lockSpendLimit(tx, scope);
    if (limitNano === undefined) return undefined;
    const taken = await queries.selectTaken(tx, scope, lease);
    const ceiling = pool.ceiling ?? bigMax(taken.ownCeiling ?? 0n, taken.ownSpent);
    const takenByAsker = bigMax(ceiling, taken.ownSpent);
    const takenByOthers = taken.others;
    const granted = dealSpend({ limitNano, takenByOthers, takenByAsker, least, wanted });
    const room = limitNano - takenByOthers - takenByAsker;
    assert(granted === 0 || (granted > 0 && BigInt(granted) <= room), "a slice fits the limit");
    await queries.writeCeiling(tx, scope, lease, ceiling + BigInt(granted));
    if (granted < least && taken.othersFree <= 0n)
      await noteRefusal(tx, scope, { limitNano, at: context.clock.now() });
    return { granted, ceiling, othersFree: taken.othersFree };
  });
  pool.unlimited = dealt === undefined;
  if (dealt === undefined) return 0n;
  pool.free += dealt.granted;
  // It may have been lowered meanwhile; what the database has beyond it goes with the next round.
  pool.ceiling = (pool.ceiling ?? dealt.ceiling) + BigInt(dealt.granted);
  pool.low = pool.free / limits.refillPart;
  return dealt.othersFree;
}

/** The ceiling becomes what is used; the next round tells the database. */
function putBack(pool: SpendPool): void {
  if (pool.ceiling === undefined) return;
  pool.ceiling -= BigInt(pool.free);
  pool.free = 0;
}

async function giveBack({ db, node }: SpendContext, pool: SpendPool): Promise<void> {
  const { lease, scope } = pool;
  if (lease === undefined || pool.free <= 0) return;
  putBack(pool);
  const { ceiling } = pool;
  if (ceiling === undefined) return;
  await db.tx(async (tx) => {
    await node.fence(tx, lease);
    await queries.writeCeiling(tx, scope, lease, ceiling);
  });
}

function newPool(key: string, scope: queries.SpendScope, limit: string): SpendPool {
  return {
    kind: "spend",
    key,
    scope,
    limit,
    free: 0,
    lease: undefined,
    ceiling: undefined,
    low: 0,
    unlimited: false,
    deniedNeed: Infinity,
    deniedUntilMs: 0,
    round: undefined,
    next: undefined,
    waiting: 0,
  };
}
