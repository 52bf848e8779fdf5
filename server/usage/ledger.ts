// The ledger of one process: rows gather while a group is being committed, and go together with the next.
import { Failure, unavailable } from "../../kernel/base/failure.ts";
import { nextTurn } from "../../kernel/base/turn.ts";
import type { Lease } from "../../kernel/jobs/lease.ts";
import type { TokenCounts } from "../models/module.ts";
import type { Node, NodeWorld } from "./node.ts";
import {
  correctLost,
  writeGroup,
  type CloseRow,
  type HopRow,
  type Opening,
} from "./queries-group.ts";
import { endedIn, makeSlots, sentTo, type Slot, type Slots } from "./reservations.ts";
import { limits, type Ledger, type NewHop, type Settlement } from "./schema.ts";

interface Entry {
  row: HopRow;
  /** Its reservation was sent, and may be in the database already. */
  unsure: boolean;
  /** The row that its reservation was last written to. */
  slot: Slot | undefined;
  deadlineMs: number;
  settlement: Settlement | undefined;
  /** Until the reservation is known to be durable, or is not needed any more. */
  opened: PromiseWithResolvers<void> | undefined;
  closed: PromiseWithResolvers<void> | undefined;
}

/** What goes in one statement. */
interface Group {
  opens: Entry[];
  closes: Entry[];
  /** A row that fails among others is tried alone. */
  alone?: true;
}

export interface OwnLedger extends Ledger {
  /** How many attempts have begun and not ended. */
  underWay(): number;
}

export function makeLedger({ clock, db, logger }: NodeWorld, node: Node): OwnLedger {
  const state: State = {
    clock,
    db,
    logger,
    node,
    entries: new Map(),
    opens: new Set(),
    closes: new Set(),
    flights: new Set(),
    isGathering: false,
    slots: { lease: undefined, rows: makeSlots() },
    seq: 0,
    monthMs: 0,
    month: "",
  };
  const { entries, flights } = state;
  return {
    open: async (hop) => open(state, hop),
    close: async (hopId, settlement) => close(state, hopId, settlement),
    gone: async (hopId) => {
      const entry = entries.get(hopId);
      if (entry !== undefined) await (entry.closed ??= promised()).promise;
    },
    underWay: () => entries.size,
    drain: async () => {
      while (state.isGathering || flights.size > 0) {
        await nextTurn();
        await Promise.all([...flights].map(({ done }) => done));
      }
    },
  };
}

interface State extends Pick<NodeWorld, "clock" | "db" | "logger"> {
  node: Node;
  entries: Map<string, Entry>;
  /** In the order of coming. */
  opens: Set<Entry>;
  closes: Set<Entry>;
  flights: Set<Flight>;
  /** More may come in this turn of the loop. */
  isGathering: boolean;
  /** The rows of reservations belong to a lease. */
  slots: { lease: Lease | undefined; rows: Slots };
  seq: number;
  monthMs: number;
  month: string;
}

interface Flight {
  hasCloses: boolean;
  done: Promise<void>;
}

/** Made once an hour: the name of a month costs 1 µs. */
function monthNow(state: State): string {
  const now = state.node.now();
  const hourMs = now.getTime() - (now.getTime() % 3_600_000);
  if (hourMs !== state.monthMs) {
    state.monthMs = hourMs;
    state.month = now.toISOString().slice(0, 7);
  }
  return state.month;
}

/**
 * One group at a time, so that many go together; but an answer does not wait for reservations that are being
 * committed, its own among them: what is settled needs none any more.
 */
function mayLeave({ flights, closes }: State): boolean {
  if (flights.size === 0) return true;
  return closes.size > 0 && ![...flights].some(({ hasCloses }) => hasCloses);
}

/** What comes in one turn of the loop goes together: 18 rows at a time where it were 13. */
function pump(state: State): void {
  if (state.isGathering) return;
  state.isGathering = true;
  setImmediate(() => {
    state.isGathering = false;
    while (state.opens.size + state.closes.size > 0 && mayLeave(state)) launch(state);
  });
}

function launch(state: State): void {
  const group: Group = {
    opens: state.flights.size === 0 ? take(state.opens) : [],
    closes: take(state.closes),
  };
  const flight: Flight = { hasCloses: group.closes.length > 0, done: Promise.resolve() };
  state.flights.add(flight);
  flight.done = fly(state, group).finally(() => {
    state.flights.delete(flight);
    if (state.opens.size + state.closes.size > 0) pump(state);
  });
}

function take(queue: Set<Entry>): Entry[] {
  const taken: Entry[] = [];
  for (const entry of queue) {
    if (taken.length === limits.groupRowsMax) break;
    queue.delete(entry);
    taken.push(entry);
  }
  return taken;
}

async function fly(state: State, group: Group): Promise<void> {
  try {
    await write(state, group);
  } catch (error) {
    if (isTransient(error)) await waitOut(state, group);
    else await oneByOne(state, group, error);
  }
}

async function write(state: State, { opens, closes, alone }: Group): Promise<void> {
  const rows = closes.flatMap((entry): CloseRow[] =>
    entry.settlement === undefined ? [] : [{ hop: entry.row, settlement: entry.settlement }],
  );
  // A close needs no lease: it is written even by a process that was taken for dead.
  const lease =
    (opens.length === 0 ? state.node.last() : undefined) ?? (await state.node.acquire());
  const slot = opens.length === 0 ? undefined : reserveSlot(state, lease, opens);
  try {
    const group = { closes: rows, ...(slot && { opening: openingOf(state, opens, slot) }) };
    const beside = rows.flatMap(({ settlement }) => settlement.with ?? []);
    const written =
      beside.length === 0 && alone === undefined
        ? await writeGroup(state.db, lease, group)
        : await state.db.tx(async (tx) => {
            const done = await writeGroup(tx, lease, group);
            for (const statement of beside) await tx.query(statement);
            return done;
          });
    if (written.closed < rows.length) await state.db.tx((tx) => correctLost(tx, lease, rows));
    for (const entry of closes) closedNow(state, entry);
    if (written.held) for (const entry of opens) openedNow(entry);
    else {
      state.node.drop();
      requeue(state, { opens, closes: [] });
    }
  } finally {
    if (slot !== undefined) sentTo(slot);
  }
}

/** Of another lease nothing is written over: its rows may be all that is known of what is under way. */
function reserveSlot({ slots }: State, lease: Lease, opens: readonly Entry[]): Slot {
  if (slots.lease !== lease) Object.assign(slots, { lease, rows: makeSlots() });
  const slot = slots.rows.take(opens.length);
  for (const entry of opens) Object.assign(entry, { slot, unsure: true });
  return slot;
}

const openingOf = (state: State, opens: readonly Entry[], { place }: Slot): Opening => ({
  hops: opens.map(({ row }) => row),
  place,
  seq: ++state.seq,
});

function openedNow(entry: Entry): void {
  entry.unsure = false;
  entry.opened?.resolve();
  entry.opened = undefined;
}

function closedNow(state: State, entry: Entry): void {
  state.entries.delete(entry.row.id);
  leaveSlot(entry);
  entry.opened?.resolve();
  entry.closed?.resolve();
}

function leaveSlot(entry: Entry): void {
  if (entry.slot !== undefined) endedIn(entry.slot);
  entry.slot = undefined;
}

/** What has been settled meanwhile needs no reservation any more. */
const needsOpen = (state: State, { row, settlement }: Entry) =>
  settlement === undefined && state.entries.has(row.id);

/** They came first and stay first. */
function requeue(state: State, { opens, closes }: Group): void {
  for (const entry of opens) leaveSlot(entry);
  const open = opens.filter((entry) => needsOpen(state, entry));
  if (open.length > 0) state.opens = new Set([...open, ...state.opens]);
  if (closes.length > 0) state.closes = new Set([...closes, ...state.closes]);
}

/** The database is away: closes wait for it, opens for a while. */
async function waitOut(state: State, group: Group): Promise<void> {
  requeue(state, group);
  const nowMs = state.clock.monotonicMs();
  for (const entry of [...state.opens, ...state.closes])
    if (entry.opened !== undefined && entry.deadlineMs <= nowMs) giveUp(state, entry);
  if (state.opens.size + state.closes.size > 0) await state.clock.sleep(limits.retryPauseMs);
}

function giveUp(state: State, entry: Entry): void {
  const failure = unavailable("The ledger cannot be written just now; nothing was charged.", 1, {
    code: "ledger_away",
  });
  entry.opened?.reject(failure);
  entry.opened = undefined;
  state.opens.delete(entry);
  if (entry.unsure) {
    entry.settlement ??= nothing;
    state.closes.add(entry);
  } else forget(state, entry, failure);
}

function forget(state: State, entry: Entry, why: unknown): void {
  state.entries.delete(entry.row.id);
  state.closes.delete(entry);
  leaveSlot(entry);
  entry.opened?.reject(why);
  entry.closed?.reject(why);
}

/** Rule USE4. One row that cannot be written must not take the others with it. */
async function oneByOne(state: State, group: Group, why: unknown): Promise<void> {
  const { opens, closes } = group;
  const rows = opens.length + closes.length;
  state.logger.warn({ error: String(why), rows }, "a group of the ledger failed");
  for (const entry of opens) leaveSlot(entry);
  const alone = [
    ...opens.map((entry): Group => ({ opens: [entry], closes: [], alone: true })),
    ...closes.map((entry): Group => ({ opens: [], closes: [entry], alone: true })),
  ];
  for (const [index, one] of alone.entries()) {
    const [entry] = [...one.opens, ...one.closes];
    if (entry === undefined || (one.opens.length > 0 && !needsOpen(state, entry))) continue;
    try {
      await write(state, one).catch((error: unknown) => {
        if (isTransient(error) || entry.settlement?.with === undefined) throw error;
        state.logger.error(
          { error },
          "rows beside a settlement failed; it is written without them",
        );
        delete entry.settlement.with;
        return write(state, one);
      });
    } catch (error) {
      if (isTransient(error)) return waitOut(state, joined(alone.slice(index)));
      state.logger.error({ error, hop: entry.row.id }, "a row of the ledger cannot be written");
      forget(state, entry, error);
    }
  }
}

const joined = (groups: readonly Group[]): Group => ({
  opens: groups.flatMap(({ opens }) => opens),
  closes: groups.flatMap(({ closes }) => closes),
});

function open(state: State, hop: NewHop): Promise<void> {
  if (state.entries.has(hop.id)) throw new Error(`The hop ${hop.id} is open already.`);
  checkAmounts([hop.reserveNano]);
  const opened = promised();
  const entry: Entry = {
    row: { ...hop, month: monthNow(state) },
    unsure: false,
    slot: undefined,
    deadlineMs: state.clock.monotonicMs() + limits.openWaitMsMax,
    settlement: undefined,
    opened,
    closed: undefined,
  };
  state.entries.set(hop.id, entry);
  state.opens.add(entry);
  pump(state);
  return opened.promise;
}

function close(state: State, hopId: string, settlement: Settlement): Promise<void> {
  const entry = state.entries.get(hopId);
  if (entry === undefined) throw new Error(`There is no open hop ${hopId} to settle.`);
  if (entry.closed !== undefined && entry.settlement !== undefined) return entry.closed.promise;
  const { counts, amountNano, listAmountNano } = settlement;
  checkAmounts([amountNano, listAmountNano, ...numbersOf(counts)]);
  entry.closed ??= promised();
  if (entry.settlement === undefined) {
    entry.settlement = { ...settlement };
    // Still queued: the two are one row now.
    state.opens.delete(entry);
    state.closes.add(entry);
    pump(state);
  }
  return entry.closed.promise;
}

/** What an open that may have been written is settled at when its request was refused. */
const nothing: Settlement = {
  outcome: "failed",
  counts: { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 },
  amountNano: 0,
  listAmountNano: 0,
  estimated: false,
};

const numbersOf = (counts: TokenCounts) => [
  counts.input,
  counts.output,
  counts.cacheWrite5m,
  counts.cacheWrite1h,
  counts.cacheRead,
];

const isTransient = (error: unknown) => error instanceof Failure && error.status === 503;

/** Nobody may be listening yet when it fails, and that must not end the process. */
function promised(): PromiseWithResolvers<void> {
  const made = Promise.withResolvers<void>();
  made.promise.catch(() => {});
  return made;
}

/** Before the row is queued: what the database would refuse would hold up a whole group. */
function checkAmounts(amounts: readonly number[]): void {
  for (const amount of amounts)
    if (!Number.isSafeInteger(amount) || amount < 0)
      throw new RangeError(`${amount} is no amount for the ledger: whole and not negative.`);
}
