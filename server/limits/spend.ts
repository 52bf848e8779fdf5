// Money as one process has it: slices of what an organization or a workspace may still spend this month.
import type { World } from "../../kernel/context.ts";
import { LeaseLost, type Lease } from "../../kernel/jobs/lease.ts";
import type { Node } from "../usage/module.ts";
import { bigMax, dealSpend } from "./deal.ts";
import * as queries from "./queries.ts";
import { limits } from "./schema.ts";

export interface SpendPool {
  readonly kind: "spend";
  readonly key: string;
  readonly scope: queries.SpendScope;
  /** What may still be reserved from memory, under this lease. */
  free: number;
  lease: Lease | undefined;
  /** Up to which sum this place may spend, as this process knows it. */
  ceiling: bigint | undefined;
  low: number;
  /** The limit was taken away meanwhile. */
  unlimited: boolean;
  deniedNeed: number;
  deniedUntilMs: number;
  round: Promise<void> | undefined;
  next: { least: number; sum: number } | undefined;
  waiting: number;
}

export interface Spends {
  pool(scope: queries.SpendScope): SpendPool;
  fetch(pool: SpendPool, need: number): Promise<void>;
  prefetch(pool: SpendPool): void;
  release(key: string): void;
  forget(): void;
}

type SpendWorld = Pick<World, "clock" | "db" | "hints" | "logger">;

export function makeSpends({ clock, db, hints, logger }: SpendWorld, node: Node): Spends {
  const pools = new Map<string, SpendPool>();

  async function deal(pool: SpendPool, need: { least: number; sum: number }): Promise<bigint> {
    const lease = await node.acquire();
    if (pool.lease !== lease) Object.assign(pool, { lease, free: 0, ceiling: undefined });
    if (pool.free < 0 && pool.ceiling !== undefined) {
      // Wrong estimates: what was used beyond the ceiling is taken already, whether or not there is room.
      pool.ceiling += BigInt(-pool.free);
      pool.free = 0;
    }
    const least = Math.max(0, need.least - pool.free);
    const wanted = Math.max(0, need.sum - pool.free);
    const { scope } = pool;
    const dealt = await db.tx(async (tx) => {
      await node.fence(tx, lease);
      const limitNano = await queries.lockSpendLimit(tx, scope.organizationId, scope.workspaceId);
      if (limitNano === undefined) return undefined;
      const taken = await queries.selectTaken(tx, scope, lease);
      const ceiling = pool.ceiling ?? bigMax(taken.ownCeiling ?? 0n, taken.ownSpent);
      const granted = dealSpend({
        limitNano,
        takenByOthers: taken.others,
        takenByAsker: bigMax(ceiling, taken.ownSpent),
        least,
        wanted,
      });
      const raised = ceiling + BigInt(granted);
      await queries.writeCeiling(tx, scope, lease, raised);
      return { granted, raised, othersFree: taken.othersFree };
    });
    pool.unlimited = dealt === undefined;
    if (dealt === undefined) return 0n;
    pool.free += dealt.granted;
    pool.ceiling = dealt.raised;
    pool.low = pool.free / limits.refillPart;
    return dealt.othersFree;
  }

  /** Rule LIM8. What others hold and do not use is asked back before anybody is refused. */
  async function dealPatiently(pool: SpendPool, need: { least: number; sum: number }) {
    for (let asks = 0; ; asks++) {
      const othersFree = await deal(pool, need).catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) throw error;
        node.drop();
        return deal(pool, need);
      });
      if (pool.unlimited || pool.free >= need.least || othersFree <= 0n) return;
      if (asks === limits.spendAsksMax) return;
      hints.send("limits", pool.key);
      await clock.sleep(limits.spendAskPauseMs);
    }
  }

  function begin(pool: SpendPool): Promise<void> {
    const need = pool.next ?? { least: 0, sum: 0 };
    pool.next = undefined;
    const round = dealPatiently(pool, need).finally(() => {
      if (pool.round === round) pool.round = undefined;
    });
    pool.round = round;
    return round;
  }

  async function giveBack(pool: SpendPool): Promise<void> {
    const { lease, scope, free, ceiling } = pool;
    if (lease === undefined || ceiling === undefined || free <= 0) return;
    pool.free = 0;
    const lowered = ceiling - BigInt(free);
    pool.ceiling = lowered;
    await db.tx(async (tx) => {
      await node.fence(tx, lease);
      await queries.writeCeiling(tx, scope, lease, lowered);
    });
  }

  const warn = (error: unknown) =>
    logger.warn({ error: String(error) }, "renewing slices of spend limits failed");

  return {
    pool: (scope) => {
      const key = `${scope.organizationId}/${scope.workspaceId}/${scope.month}`;
      let pool = pools.get(key);
      if (pool === undefined) {
        pool = newPool(key, scope);
        pools.set(key, pool);
      }
      if (pool.unlimited)
        Object.assign(pool, { unlimited: false, lease: undefined, free: 0, ceiling: undefined });
      return pool;
    },
    fetch: async (pool, need) => {
      const next = (pool.next ??= { least: Infinity, sum: 0 });
      next.least = Math.min(next.least, need);
      next.sum += need;
      pool.waiting += 1;
      try {
        // The one that is under way began before: this need goes with the next.
        if (pool.round !== undefined) await pool.round.catch(() => {});
        await (pool.next === next ? begin(pool) : pool.round);
      } finally {
        pool.waiting -= 1;
      }
    },
    prefetch: (pool) => {
      if (pool.round === undefined) begin(pool).catch(warn);
    },
    release: (key) => {
      const pool = pools.get(key);
      if (pool === undefined || pool.waiting > 0 || pool.round !== undefined) return;
      const round = giveBack(pool)
        .catch(warn)
        .finally(() => {
          if (pool.round === round) pool.round = undefined;
        });
      pool.round = round;
    },
    forget: () => pools.clear(),
  };
}

function newPool(key: string, scope: queries.SpendScope): SpendPool {
  return {
    kind: "spend",
    key,
    scope,
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
