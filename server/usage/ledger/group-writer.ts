// How rows of the ledger are written: they gather while a group is being committed, and go together with the next.
import { Failure, unavailable } from "../../../kernel/base/failure.ts";
import { nextLoopIteration } from "../../../kernel/base/event-loop.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import type { Node, NodeWorld } from "../node.ts";
import type { CloseRow, HopRow } from "./hop-row.ts";
import type { PayerRows } from "./payers.ts";
import { writeGroup, type Opening } from "./queries.ts";
import type { Poster } from "../journal/post.ts";
import {
  endedIn,
  makeReservationRows,
  sentTo,
  type ReservationRow,
  type ReservationRows,
} from "./reservations.ts";
import { limits } from "../limits.ts";
import type { Settlement } from "../schema.ts";

export interface PendingAttempt {
  row: HopRow;
  /** Its reservation was sent, and may be in the database already. */
  unsure: boolean;
  /** The row that its reservation was last written to. */
  reservation: ReservationRow | undefined;
  deadlineMs: number;
  settlement: Settlement | undefined;
  /** Until the reservation is known to be durable, or is not needed any more. */
  opened: PromiseWithResolvers<void> | undefined;
  closed: PromiseWithResolvers<void> | undefined;
}

/** What goes in one statement. */
interface Group {
  opens: PendingAttempt[];
  closes: PendingAttempt[];
  /** A row that fails among others is tried alone. */
  alone?: true;
}

export interface LedgerState extends Pick<NodeWorld, "clock" | "db" | "logger"> {
  node: Node;
  payers: PayerRows;
  poster: Poster;
  entries: Map<string, PendingAttempt>;
  /** In the order of coming. */
  opens: Set<PendingAttempt>;
  closes: Set<PendingAttempt>;
  writes: Set<GroupWrite>;
  /** More may come in this iteration of the event loop. */
  isGathering: boolean;
  /** The rows of reservations belong to a lease. */
  reservations: { lease: Lease | undefined; rows: ReservationRows };
  seq: number;
  dayMs: number;
  day: string;
}

interface GroupWrite {
  hasCloses: boolean;
  done: Promise<void>;
}

/**
 * One group at a time, so that many go together; but an answer does not wait for reservations that are being
 * committed, its own among them: what is settled needs none any more.
 */
function mayLeave({ writes, closes }: LedgerState): boolean {
  if (writes.size === 0) return true;
  return closes.size > 0 && ![...writes].some(({ hasCloses }) => hasCloses);
}

/** What comes in one iteration of the event loop goes together: 18 rows at a time instead of 13. */
export function scheduleWrite(state: LedgerState): void {
  if (state.isGathering) return;
  state.isGathering = true;
  void gather(state);
}

async function gather(state: LedgerState): Promise<void> {
  await nextLoopIteration();
  state.isGathering = false;
  while (state.opens.size + state.closes.size > 0 && mayLeave(state)) launch(state);
}

function launch(state: LedgerState): void {
  const group: Group = {
    opens: state.writes.size === 0 ? take(state.opens) : [],
    closes: take(state.closes),
  };
  const groupWrite: GroupWrite = { hasCloses: group.closes.length > 0, done: Promise.resolve() };
  state.writes.add(groupWrite);
  groupWrite.done = runWrite(state, group).finally(() => {
    state.writes.delete(groupWrite);
    if (state.opens.size + state.closes.size > 0) scheduleWrite(state);
  });
}

function take(queue: Set<PendingAttempt>): PendingAttempt[] {
  const taken: PendingAttempt[] = [];
  for (const attempt of queue) {
    if (taken.length === limits.groupRowsMax) break;
    queue.delete(attempt);
    taken.push(attempt);
  }
  return taken;
}

async function runWrite(state: LedgerState, group: Group): Promise<void> {
  try {
    await write(state, group);
  } catch (error) {
    if (isTransient(error)) await waitOut(state, group);
    else await oneByOne(state, group, error);
  }
}

async function write(state: LedgerState, { opens, closes, alone }: Group): Promise<void> {
  const rows = closes.flatMap((attempt): CloseRow[] =>
    attempt.settlement === undefined ? [] : [{ hop: attempt.row, settlement: attempt.settlement }],
  );
  // A close needs no lease: it is written even by a process that was taken for dead.
  const lease =
    (opens.length === 0 ? state.node.lastLease() : undefined) ?? (await state.node.acquire());
  const reservation = opens.length === 0 ? undefined : takeReservation(state, lease, opens);
  try {
    const group = {
      closes: rows,
      ...(reservation && { opening: openingOf(state, opens, reservation) }),
    };
    const beside = rows.flatMap(({ settlement }) => settlement.with ?? []);
    const written =
      beside.length === 0 && alone === undefined
        ? await writeGroup(state.db, lease, group)
        : await state.db.tx(async (tx) => {
            const [done] = await Promise.all([
              writeGroup(tx, lease, group),
              ...beside.map((statement) => tx.query(statement)),
            ]);
            return done;
          });
    if (written.journaled !== null)
      state.poster.add({ id: written.journaled, node: lease.id, hops: rows.length });
    for (const attempt of closes) closedNow(state, attempt);
    if (written.held) for (const attempt of opens) openedNow(attempt);
    else {
      state.node.dropLease();
      requeue(state, { opens, closes: [] });
    }
  } finally {
    if (reservation !== undefined) sentTo(reservation);
  }
}

/** Of another lease nothing is written over: its rows may be all that is known of what is under way. */
function takeReservation(
  { reservations }: LedgerState,
  lease: Lease,
  opens: readonly PendingAttempt[],
): ReservationRow {
  if (reservations.lease !== lease)
    Object.assign(reservations, { lease, rows: makeReservationRows() });
  const reservation = reservations.rows.take(opens.length);
  for (const attempt of opens) Object.assign(attempt, { reservation, unsure: true });
  return reservation;
}

const openingOf = (
  state: LedgerState,
  opens: readonly PendingAttempt[],
  { slot }: ReservationRow,
): Opening => ({
  hops: opens.map(({ row }) => row),
  slot,
  seq: ++state.seq,
});

function openedNow(attempt: PendingAttempt): void {
  attempt.unsure = false;
  attempt.opened?.resolve();
  attempt.opened = undefined;
}

function closedNow(state: LedgerState, attempt: PendingAttempt): void {
  state.entries.delete(attempt.row.id);
  leaveReservation(attempt);
  attempt.opened?.resolve();
  attempt.closed?.resolve();
  // Old tables of the Sets and the Map that it stood in may hold it for long (linked-list.ts).
  attempt.opened = attempt.closed = attempt.settlement = undefined;
}

function leaveReservation(attempt: PendingAttempt): void {
  if (attempt.reservation !== undefined) endedIn(attempt.reservation);
  attempt.reservation = undefined;
}

/** What has been settled meanwhile needs no reservation any more. */
const needsOpen = (state: LedgerState, { row, settlement }: PendingAttempt) =>
  settlement === undefined && state.entries.has(row.id);

/** They came first and stay first. */
function requeue(state: LedgerState, { opens, closes }: Group): void {
  for (const attempt of opens) leaveReservation(attempt);
  const open = opens.filter((attempt) => needsOpen(state, attempt));
  if (open.length > 0) state.opens = new Set([...open, ...state.opens]);
  if (closes.length > 0) state.closes = new Set([...closes, ...state.closes]);
}

/** The database is away: closes wait for it, opens for a while. */
async function waitOut(state: LedgerState, group: Group): Promise<void> {
  requeue(state, group);
  const nowMs = state.clock.monotonicMs();
  for (const attempt of [...state.opens, ...state.closes])
    if (attempt.opened !== undefined && attempt.deadlineMs <= nowMs) giveUp(state, attempt);
  if (state.opens.size + state.closes.size > 0) await state.clock.sleep(limits.retryPauseMs);
}

function giveUp(state: LedgerState, attempt: PendingAttempt): void {
  const failure = unavailable("The ledger cannot be written just now; nothing was charged.", 1, {
    code: "ledger_away",
  });
  attempt.opened?.reject(failure);
  attempt.opened = undefined;
  state.opens.delete(attempt);
  if (attempt.unsure) {
    attempt.settlement ??= nothing;
    state.closes.add(attempt);
  } else forget(state, attempt, failure);
}

function forget(state: LedgerState, attempt: PendingAttempt, why: unknown): void {
  state.entries.delete(attempt.row.id);
  state.closes.delete(attempt);
  leaveReservation(attempt);
  attempt.opened?.reject(why);
  attempt.closed?.reject(why);
}

/** Rule USE4. One row that cannot be written must not take the others with it. */
async function oneByOne(state: LedgerState, group: Group, why: unknown): Promise<void> {
  const { opens, closes } = group;
  const rows = opens.length + closes.length;
  state.logger.warn({ error: String(why), rows }, "a group of the ledger failed");
  for (const attempt of opens) leaveReservation(attempt);
  const alone = [
    ...opens.map((attempt): Group => ({ opens: [attempt], closes: [], alone: true })),
    ...closes.map((attempt): Group => ({ opens: [], closes: [attempt], alone: true })),
  ];
  for (const [index, one] of alone.entries()) {
    const [attempt] = [...one.opens, ...one.closes];
    if (attempt === undefined || (one.opens.length > 0 && !needsOpen(state, attempt))) continue;
    try {
      await write(state, one).catch((error: unknown) => {
        if (isTransient(error) || attempt.settlement?.with === undefined) throw error;
        state.logger.error(
          { error },
          "rows beside a settlement failed; it is written without them",
        );
        delete attempt.settlement.with;
        return write(state, one);
      });
    } catch (error) {
      if (isTransient(error)) return waitOut(state, joined(alone.slice(index)));
      state.logger.error({ error, hop: attempt.row.id }, "a row of the ledger cannot be written");
      forget(state, attempt, error);
    }
  }
}

const joined = (groups: readonly Group[]): Group => ({
  opens: groups.flatMap(({ opens }) => opens),
  closes: groups.flatMap(({ closes }) => closes),
});

/** What an open that may have been written is settled at when its request was refused. */
const nothing: Settlement = {
  outcome: "failed",
  counts: { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 },
  amountNano: 0,
  listAmountNano: 0,
  estimated: false,
};

const isTransient = (error: unknown) => error instanceof Failure && error.status === 503;

/** The caller may not be listening yet when it fails, and that must not end the process. */
export function makeDeferred(): PromiseWithResolvers<void> {
  const made = Promise.withResolvers<void>();
  made.promise.catch(() => {});
  return made;
}
