// Keeps the leases that this process holds: renews them, lets them lapse in time, and says which are lost.
import assert from "node:assert/strict";
import type { Clock } from "../base/clock.ts";
import { nextLoopIteration } from "../base/event-loop.ts";
import { Failure } from "../base/failure.ts";
import type { Logger } from "../base/logger.ts";
import type { Database, Tx } from "../sql/database.ts";
import { LeaseLost, type Leasable, type Lease, type LeaseTimes } from "./lease.ts";

export interface Held<Row extends object = object> {
  readonly row: Row;
  readonly lease: Lease;
  /** Aborts when the lease is lost or has lapsed, or the holder stops: what is written then must be fenced. */
  readonly signal: AbortSignal;
  /** Whether no other process can have the row for so many milliseconds yet. */
  isSure(marginMs?: number): boolean;
  /** Stands first in each transaction on behalf of the row: throws LeaseLost where another owner has it. */
  fence(tx: Tx): Promise<void>;
  /** This transaction has locked the row by a statement of its own, which has seen to the lease. */
  lockedBy(tx: Tx): void;
  /** The row is gone, or given back by a statement of the caller: it is renewed no more. */
  end(): void;
}

export interface HoldWorld {
  db: Database;
  clock: Clock;
  logger: Logger;
}

export interface HeldState<Row extends object> extends Held<Row> {
  abort: AbortController;
  /** By this process's monotonic clock, from before the statement: never later than the database has it. */
  renewedMs: number;
  /** Transactions of ours that have it locked: no other owner can claim it until they end. */
  locks: number;
  isWaitedFor: boolean;
}

/** What keeping leases must know of the rows. */
export interface KeepOptions {
  /** What the log and the reason of a signal call such a row: "job". */
  name: string;
  leasable: Leasable;
  times: LeaseTimes;
}

export interface HoldState<Row extends object> {
  world: HoldWorld;
  options: KeepOptions;
  held: Set<HeldState<Row>>;
  /** Renewals that are not answered yet. */
  unanswered: number;
  /** Rows whose locks are waited for, each with a connection of the pool. */
  waiters: number;
  /** In a row. */
  failures: number;
  /** Not before this, whatever the leases want. */
  renewDueMs: number;
  wakeRenewals: () => void;
}

/** A lease that is not renewed ends here so long before it does in the database: timers come late. */
const marginMs = 250;
/** After a failed renewal: a lease outlives a database that is away only if it is asked as soon as that is back. */
const retryMs = 500;
/** Where a renewal hangs, the next heartbeat asks over another connection. */
const unansweredMax = 2;
/** Of rows that other statements have locked so many are waited for at once: each takes a connection. */
const waitersMax = 2;

/** The first of several failures in a row, the second, the fourth: a database that is away for a day fills no log. */
export const isWorthALine = (failures: number): boolean => (failures & (failures - 1)) === 0;

export function makeHeld<Row extends object>(
  state: HoldState<Row>,
  row: Row & Lease,
  renewedMs: number,
): HeldState<Row> {
  const { id, owner, epoch } = row;
  assert(epoch > 0, "a claim raises the epoch of its row");
  const abort = new AbortController();
  const held: HeldState<Row> = {
    row,
    lease: { id, owner, epoch },
    signal: abort.signal,
    abort,
    renewedMs,
    locks: 0,
    isWaitedFor: false,
    isSure: (ms = marginMs) =>
      state.held.has(held) && state.world.clock.monotonicMs() < endMs(state, held) - ms,
    fence: async (tx) => {
      const fenced = await fenceAll(state, tx, new Set([held]));
      if (fenced.size === 0) throw new LeaseLost(state.options.name, held.lease);
    },
    lockedBy: (tx) => lockedBy(state, tx, [held]),
    end: () => void state.held.delete(held),
  };
  return held;
}

/** Until then no other owner can claim it. */
const endMs = <Row extends object>({ options }: HoldState<Row>, { renewedMs }: HeldState<Row>) =>
  renewedMs + options.times.leaseMs;

export async function fenceAll<Row extends object>(
  state: HoldState<Row>,
  tx: Tx,
  rows: ReadonlySet<Held<Row>>,
): Promise<Set<Held<Row>>> {
  const asked = [...state.held].filter((held) => rows.has(held));
  if (asked.length === 0) return new Set();
  const ids = await state.options.leasable.lockHeld(tx, leasesOf(asked));
  const fenced = asked.filter(({ lease }) => ids.has(lease.id));
  // While another transaction of ours has it locked it is not lost: it only cannot be locked a second time.
  for (const held of asked)
    if (!ids.has(held.lease.id) && held.locks === 0) lose(state, held, "is lost");
  lockedBy(state, tx, fenced);
  return new Set(fenced);
}

export const leasesOf = (rows: readonly { lease: Lease }[]): Lease[] =>
  rows.map(({ lease }) => lease);

/** Such a transaction holds off the heartbeat of its rows: where one is due it prolongs their leases, at its end. */
function lockedBy<Row extends object>(
  state: HoldState<Row>,
  tx: Tx,
  rows: readonly HeldState<Row>[],
): void {
  const { clock } = state.world;
  const { leasable, times } = state.options;
  const dueAt = (nowMs: number) =>
    rows.filter((held) => state.held.has(held) && nowMs >= held.renewedMs + times.heartbeatMs);
  for (const held of rows) held.locks += 1;
  tx.atEnd(() => {
    for (const held of rows) {
      held.locks -= 1;
      assert(held.locks >= 0, "a row is let go once by each transaction that has locked it");
    }
    const nowMs = clock.monotonicMs();
    if (dueAt(nowMs).length === 0) return;
    // It failed, and a heartbeat has found them locked: they are asked for at once.
    state.renewDueMs = nowMs;
    state.wakeRenewals();
  });
  tx.beforeCommit(async () => {
    const nowMs = clock.monotonicMs();
    const due = dueAt(nowMs);
    if (due.length === 0) return;
    await leasable.prolong(tx, leasesOf(due), times.leaseMs);
    tx.afterCommit(() => {
      for (const held of due) extend(held, nowMs);
    });
  });
}

function extend<Row extends object>(held: HeldState<Row>, renewedMs: number): void {
  held.renewedMs = Math.max(held.renewedMs, renewedMs);
}

export async function keepLeases<Row extends object>(
  state: HoldState<Row>,
  ended: AbortSignal,
): Promise<void> {
  const { clock } = state.world;
  ended.addEventListener("abort", () => state.wakeRenewals());
  while (!ended.aborted) {
    await rest(clock, nextDueMs(state), (woken) => (state.wakeRenewals = woken));
    // A process that was held up reads the answers that lie there before it takes a lease for lapsed.
    await nextLoopIteration();
    const nowMs = clock.monotonicMs();
    for (const held of state.held)
      if (held.locks === 0 && nowMs >= endMs(state, held) - marginMs)
        lose(state, held, "has lapsed");
    // Not awaited: while one hangs, leases still lapse in time.
    if (nowMs >= renewalDueMs(state)) void renew(state);
  }
}

/** When the oldest lease wants its heartbeat; but what was found locked is asked no sooner than the others. */
function renewalDueMs<Row extends object>({
  options,
  held,
  renewDueMs,
  unanswered,
}: HoldState<Row>) {
  if (unanswered >= unansweredMax || held.size === 0) return Number.POSITIVE_INFINITY;
  const oldestMs = Math.min(...[...held].map(({ renewedMs }) => renewedMs));
  return Math.max(renewDueMs, oldestMs + options.times.heartbeatMs);
}

function nextDueMs<Row extends object>(state: HoldState<Row>): number {
  const nowMs = state.world.clock.monotonicMs();
  let dueMs = Math.min(nowMs + state.options.times.heartbeatMs, renewalDueMs(state));
  for (const held of state.held)
    if (held.locks === 0) dueMs = Math.min(dueMs, endMs(state, held) - marginMs);
  return dueMs;
}

/** One statement renews every lease, but those whose rows are locked. What is lost is aborted. */
async function renew<Row extends object>(state: HoldState<Row>): Promise<void> {
  const { world, options, held: all } = state;
  const { leaseMs, heartbeatMs } = options.times;
  const askedMs = world.clock.monotonicMs();
  const asked = [...all].map((held) => ({ held, renewedMs: held.renewedMs }));
  state.unanswered += 1;
  state.renewDueMs = askedMs + heartbeatMs;
  try {
    const renewals = await options.leasable.renewAll(world.db, leasesOf([...all]), leaseMs);
    state.failures = 0;
    for (const { held, renewedMs } of asked) {
      const renewal = renewals.get(held.lease.id);
      if (renewal === "renewed") extend(held, askedMs);
      else if (renewal === "locked") void renewLocked(state, held);
      // Unless a transaction of ours has prolonged it meanwhile, or is about to say that it has ended it.
      else if (held.locks === 0 && held.renewedMs === renewedMs) lose(state, held, "is lost");
    }
  } catch (error) {
    failed(state, error);
  } finally {
    state.unanswered -= 1;
    state.wakeRenewals();
  }
}

/** Transactions that hold its row prolong it themselves; for others it is waited, or their next would be in the way. */
async function renewLocked<Row extends object>(
  state: HoldState<Row>,
  held: HeldState<Row>,
): Promise<void> {
  const { world, options } = state;
  if (held.locks > 0 || held.isWaitedFor || state.waiters >= waitersMax) return;
  held.isWaitedFor = true;
  state.waiters += 1;
  const { renewedMs } = held;
  try {
    const askedMs = world.clock.monotonicMs();
    if (await options.leasable.renewLocked(world.db, held.lease, options.times))
      extend(held, askedMs);
    else if (held.locks === 0 && held.renewedMs === renewedMs) lose(state, held, "is lost");
  } catch (error) {
    failed(state, error);
  } finally {
    held.isWaitedFor = false;
    state.waiters -= 1;
  }
}

function failed<Row extends object>(state: HoldState<Row>, error: unknown): void {
  const { clock, logger } = state.world;
  state.failures += 1;
  if (isWorthALine(state.failures))
    logger.warn({ error }, `the lease of a ${state.options.name} could not be renewed`);
  state.renewDueMs = Math.min(state.renewDueMs, clock.monotonicMs() + retryMs);
}

export function lose<Row extends object>(
  state: HoldState<Row>,
  held: HeldState<Row>,
  how: string,
): void {
  if (!state.held.delete(held)) return;
  abort(held, `The lease of the ${state.options.name} ${how}.`);
}

export function abort<Row extends object>(held: HeldState<Row>, reason: string): void {
  held.abort.abort(new Failure("timeout_error", reason));
}

/** Sleeps until then, or until what `wakes` was given is called. */
export async function rest(clock: Clock, untilMs: number, wakes: (woken: () => void) => void) {
  const ms = untilMs - clock.monotonicMs();
  if (ms <= 0) return;
  const pause = new AbortController();
  wakes(() => pause.abort(woken));
  await clock.sleep(ms, pause.signal);
  wakes(() => {});
}

/** Made once: an abort without a reason makes an exception with a stack. */
const woken = new Error("woken");
