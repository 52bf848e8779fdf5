// How sums of the ledger come about: promised first, made when every writer knows of the promise.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const down = (ms: number, step: number) => Math.floor(ms / step) * step;

export interface Patience {
  /** No statement that began before a promise runs for longer. */
  heardMs: number;
  /** What came late is kept apart for so long. */
  lateMs: number;
}

const patience: Patience = { heardMs: limits.promiseHeardMs, lateMs: limits.lateApartMs };

/** One step further; each may be the last before the process dies. */
export async function advanceSums(
  world: Pick<World, "clock" | "db">,
  { signal, ...given }: Partial<Patience> & { signal?: AbortSignal } = {},
): Promise<void> {
  const { heardMs, lateMs } = { ...patience, ...given };
  const { db, clock } = world;
  const state = await db.tx((tx) => prepare(tx, clock.now(), heardMs));
  if (state === "ready" && (await queries.isBarrierPassed(db)))
    await repeat(signal, () => db.tx(sumOneDay));
  await repeat(signal, () => db.tx((tx) => addLate(tx, lateMs)));
}

/** As long as there is more. */
async function repeat(signal: AbortSignal | undefined, work: () => Promise<boolean>) {
  for (let hasMore = true; hasMore;) hasMore = (await work()) && signal?.aborted !== true;
}

type SumState = "nothing" | "waiting" | "ready";

async function prepare(tx: Tx, now: Date, heardMs: number): Promise<SumState> {
  const row = await queries.lockHorizon(tx);
  if (row === undefined) return "nothing";
  const { until, promised, barrier, promiseAgeMs } = row;
  if (promised !== null && (until === null || until < promised)) {
    if (barrier !== null) return "ready";
    if (promiseAgeMs < heardMs) return "waiting";
    await queries.raiseBarrier(tx);
    return "ready";
  }
  const next = new Date(down(now.getTime() - limits.sumsBehindMs, hourMs));
  if (until !== null && until >= next) return "nothing";
  await queries.promise(tx, next);
  return "waiting";
}

/** Up to the end of a day at most, so that a year that was never summed is not one transaction. */
async function sumOneDay(tx: Tx): Promise<boolean> {
  const { until: before, promised } = (await queries.lockHorizon(tx)) ?? {};
  if (promised == null) return false;
  const until = before ?? (await beginningOf(tx, promised));
  if (until >= promised) return false;
  const dayEnd = new Date(down(until.getTime(), dayMs) + dayMs);
  const next = dayEnd < promised ? dayEnd : promised;
  await queries.sumUp(tx, until, next);
  if (next.getTime() === dayEnd.getTime())
    await queries.sumUpDays(tx, new Date(dayEnd.getTime() - dayMs), dayEnd);
  return next < promised;
}

/** Looked for once every writer knows of the promise: a writer of an earlier time knows from now on that it is late. */
async function beginningOf(tx: Tx, promised: Date): Promise<Date> {
  const first = (await queries.readFirst(tx)) ?? promised;
  const until = new Date(down(Math.min(first.getTime(), promised.getTime()), dayMs));
  await queries.moveHorizon(tx, until);
  return until;
}

async function addLate(tx: Tx, lateMs: number): Promise<boolean> {
  const { until } = (await queries.lockHorizon(tx)) ?? {};
  if (until == null) return false;
  const days = new Date(down(until.getTime(), dayMs));
  const rows = limits.lateRowsMax;
  return (await queries.sumUpLate(tx, days, lateMs, rows)) === rows;
}
