// The ledger of one process: attempts are opened and closed here; group-writer.ts writes them, many at a time.
import { nextTurn } from "../../../kernel/base/next-turn.ts";
import type { TokenCounts } from "../../models/module.ts";
import { promised, pump, type Entry, type State } from "./group-writer.ts";
import type { Node, NodeWorld } from "../node.ts";
import { makeSlots } from "./reservations.ts";
import { rowOf } from "./hop-row.ts";
import { limits, type Ledger, type NewHop, type Settlement } from "../schema.ts";

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
    dayMs: 0,
    day: "",
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

/** Made once an hour: the name of a day costs 1 µs. */
function dayNow(state: State): string {
  const now = state.node.now();
  const hourMs = now.getTime() - (now.getTime() % 3_600_000);
  if (hourMs !== state.dayMs) {
    state.dayMs = hourMs;
    state.day = now.toISOString().slice(0, 10);
  }
  return state.day;
}

function open(state: State, hop: NewHop): Promise<void> {
  if (state.entries.has(hop.id)) throw new Error(`The hop ${hop.id} is open already.`);
  checkAmounts([hop.reserveNano]);
  const opened = promised();
  const entry: Entry = {
    row: rowOf(hop, dayNow(state)),
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

const numbersOf = (counts: TokenCounts) => [
  counts.input,
  counts.output,
  counts.cacheWrite5m,
  counts.cacheWrite1h,
  counts.cacheRead,
];

/** Before the row is queued: what the database would refuse would hold up a whole group. */
function checkAmounts(amounts: readonly number[]): void {
  for (const amount of amounts)
    if (!Number.isSafeInteger(amount) || amount < 0)
      throw new RangeError(`${amount} is no amount for the ledger: whole and not negative.`);
}
