// Buckets as one process has them: slices to admit from, and the rounds that fetch more of them.
import type { World } from "../../../kernel/context.ts";
import { dealRate, type DealtRate } from "./slice-arithmetic.ts";
import * as queries from "../queries.ts";
import { limits } from "../limits.ts";
import type { RateType } from "../schema.ts";

export interface RatePool {
  readonly kind: "rate";
  readonly key: string;
  readonly type: RateType;
  /** As a sentence names it. */
  readonly whose: string;
  /** Of all of the organization. */
  readonly isShared: boolean;
  perMinute: number;
  /** What may still be admitted from memory, and of how much that is a part. */
  free: number;
  held: number;
  /** After these moments of the monotonic clock it is renewed, and worth nothing. */
  renewMs: number;
  untilMs: number;
  /** Below this more is fetched. */
  low: number;
  /** Not used of what was taken: goes back with the next round. */
  refund: number;
  /** What the bucket held after the last round, and when that was. */
  left: number;
  leftMs: number;
  /** A need like this was refused, and will be until then. */
  deniedNeed: number;
  deniedUntilMs: number;
  /** When the last round said that the least could be had. */
  retryAtMs: number;
  waiting: Waiting[];
}

interface Waiting {
  need: number;
  done: PromiseWithResolvers<void>;
}

export interface RateSlices {
  pool(some: PoolFacts): RatePool;
  /** Resolves after a round that began later: then there is enough, or there is not. */
  more(pool: RatePool, need: number): Promise<void>;
  /** The same; no request waits for it. */
  prefetch(pool: RatePool): void;
  /** Gives back what is not in use, for a process that found nothing left. */
  release(key: string): void;
  forget(): void;
}

type RatesWorld = Pick<World, "clock" | "db" | "logger">;

export function makeRateSlices({ clock, db, logger }: RatesWorld, owner: string): RateSlices {
  const pools = new Map<string, RatePool>();
  const wanted = new Set<RatePool>();
  const releasing = new Set<RatePool>();
  const waitingFor = new Map<RatePool, { least: number; sum: number }>();
  let running = false;

  async function run(): Promise<void> {
    while (wanted.size > 0) {
      const round = [...wanted].toSorted((a, b) => (a.key < b.key ? -1 : 1));
      wanted.clear();
      const waiting = round.flatMap((pool) => pool.waiting.splice(0));
      try {
        await deal(round);
        for (const { done } of waiting) done.resolve();
      } catch (error) {
        if (waiting.length === 0)
          logger.warn({ error: String(error) }, "renewing slices of rate limits failed");
        for (const { done } of waiting) done.reject(error);
      }
    }
    running = false;
  }

  async function deal(round: readonly RatePool[]): Promise<void> {
    const askedMs = clock.monotonicMs();
    const asks = round.map((pool) => askOf(pool, waitingFor.get(pool), askedMs, releasing));
    releasing.clear();
    for (const pool of round) waitingFor.delete(pool);
    const dealt = await db.tx((tx) => dealOut(tx, owner, asks));
    for (const [index, { pool }] of asks.entries()) {
      const mine = dealt[index];
      if (mine !== undefined) take(pool, mine, askedMs);
    }
  }

  function want(pool: RatePool): void {
    wanted.add(pool);
    if (running) return;
    running = true;
    void Promise.resolve().then(run);
  }

  return {
    pool: (some) => {
      const { key, perMinute } = some;
      let pool = pools.get(key);
      if (pool === undefined) pools.set(key, (pool = newPool(some)));
      // A slice of what was allowed before says nothing of what is allowed now.
      if (pool.perMinute !== perMinute) Object.assign(pool, { ...worthless, perMinute });
      return pool;
    },
    more: (pool, need) => {
      const done = Promise.withResolvers<void>();
      pool.waiting.push({ need, done });
      const known = waitingFor.get(pool);
      waitingFor.set(pool, {
        least: Math.min(known?.least ?? need, need),
        sum: (known?.sum ?? 0) + need,
      });
      want(pool);
      return done.promise;
    },
    prefetch: want,
    release: (key) => {
      const pool = pools.get(key);
      if (pool === undefined || !hasSpare(pool, clock.monotonicMs())) return;
      releasing.add(pool);
      want(pool);
    },
    forget: () => pools.clear(),
  };
}

const hasSpare = (pool: RatePool, nowMs: number) =>
  pool.free > 0 && pool.waiting.length === 0 && nowMs < pool.untilMs;

/** What is held, and what was refused. */
const worthless = { untilMs: 0, deniedUntilMs: 0 };

type PoolFacts = Pick<RatePool, "key" | "type" | "whose" | "isShared" | "perMinute">;

function newPool(some: PoolFacts): RatePool {
  return {
    kind: "rate",
    ...some,
    free: 0,
    held: 0,
    renewMs: 0,
    untilMs: 0,
    low: 0,
    refund: 0,
    left: 0,
    leftMs: 0,
    deniedNeed: Infinity,
    deniedUntilMs: 0,
    retryAtMs: 0,
    waiting: [],
  };
}

interface Ask {
  pool: RatePool;
  perMinute: number;
  keep: number;
  refund: number;
  least: number;
  wanted: number;
}

function askOf(
  pool: RatePool,
  waiting: { least: number; sum: number } | undefined,
  nowMs: number,
  releasing: ReadonlySet<RatePool>,
): Ask {
  const isOver = nowMs >= pool.untilMs;
  let { refund } = pool;
  pool.refund = 0;
  const gives = releasing.has(pool) && waiting === undefined;
  if (isOver || pool.free < 0 || gives) {
    // What had run out went with its slice; what was used too much is still owed.
    refund += isOver ? Math.min(0, pool.free) : pool.free;
    pool.free = 0;
  }
  const { free: keep, perMinute } = pool;
  const least = gives ? Infinity : Math.max(0, (waiting?.least ?? 0) - keep);
  const wanted = Math.max(0, (waiting?.sum ?? 0) - keep);
  return { pool, perMinute, keep, refund, least, wanted };
}

async function dealOut(
  tx: Parameters<typeof queries.lockPools>[0],
  owner: string,
  asks: readonly Ask[],
): Promise<DealtRate[]> {
  const keys = asks.map(({ pool }) => pool.key);
  let rows = await queries.lockPools(tx, keys);
  if (rows.size < keys.length) {
    const missing = asks.filter(({ pool }) => !rows.has(pool.key));
    await queries.insertPools(
      tx,
      missing.map(({ pool, perMinute }) => ({ key: pool.key, perMinute })),
    );
    rows = await queries.lockPools(tx, keys);
  }
  const held = new Map((await queries.selectHeld(tx, keys, owner)).map((row) => [row.key, row]));
  const dealt = asks.map((ask) => {
    const { key } = ask.pool;
    const { others = 0, own = 0, nowMs = 0 } = held.get(key) ?? {};
    const { tokens = 0, atMs = nowMs } = rows.get(key) ?? {};
    return dealRate({ tokens, atMs, heldByOthers: others, heldByAsker: own }, ask, nowMs);
  });
  const written = dealt.map(({ tokens, atMs, held: heldNow }, index) => ({
    key: keys[index] ?? "",
    tokens,
    atMs,
    held: heldNow,
  }));
  await queries.writeDealt(tx, owner, written, limits.sliceMs);
  return dealt;
}

function take(pool: RatePool, dealt: DealtRate, askedMs: number): void {
  const { granted, held, tokens } = dealt;
  // What was given back while the round was under way goes back to the bucket with the next one.
  const kept = Math.min(pool.free, held - granted);
  pool.refund += pool.free - kept;
  pool.free = kept + granted;
  pool.held = held;
  pool.untilMs = askedMs + limits.sliceMs - limits.sliceMarginMs;
  pool.renewMs = askedMs + limits.sliceMs / 2;
  // Slices of a few are fetched when a request needs one: fetching ahead would never end.
  pool.low = granted < limits.slicePart ? -Infinity : granted / limits.refillPart;
  pool.left = tokens;
  pool.leftMs = askedMs;
  pool.retryAtMs = askedMs + (Number.isFinite(dealt.waitMs) ? dealt.waitMs : 0);
}

/** What the bucket may hold by now, as far as this process knows. */
export function levelOf(pool: RatePool, nowMs: number): number {
  const flowed = ((nowMs - pool.leftMs) * pool.perMinute) / 60_000;
  return Math.max(0, Math.min(pool.perMinute, pool.left + pool.free + flowed));
}
