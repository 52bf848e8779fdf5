// The ledger of one process: attempts are opened and closed here; group-writer.ts writes them, many at a time.
import assert from "node:assert/strict";
import { nextLoopIteration } from "../../../kernel/base/event-loop.ts";
import type { World } from "../../../kernel/context.ts";
import type { TokenCounts } from "../../models/module.ts";
import {
  makeDeferred,
  scheduleWrite,
  type PendingAttempt,
  type LedgerState,
} from "./group-writer.ts";
import { makePoster } from "../journal/post.ts";
import type { Node, NodeWorld } from "../node.ts";
import { makeReservationRows } from "./reservations.ts";
import { hopRowOf } from "./hop-row.ts";
import { makePayerRows } from "./payers.ts";
import { meterSettled } from "../meter.ts";
import { limits } from "../limits.ts";
import type { Ledger, NewHop, Settlement } from "../schema.ts";

export interface ProcessLedger extends Ledger {
  /** How many attempts have begun and not ended. */
  underWay(): number;
}

/** Metrics are for processes that show some. */
type LedgerWorld = NodeWorld & Partial<Pick<World, "instruments">>;

export function makeLedger(world: LedgerWorld, node: Node): ProcessLedger {
  const { clock, db, logger } = world;
  const state: LedgerState = {
    clock,
    db,
    logger,
    node,
    payers: makePayerRows(),
    poster: makePoster({ clock, db, logger }),
    entries: new Map(),
    opens: new Set(),
    closes: new Set(),
    writes: new Set(),
    isGathering: false,
    reservations: { lease: undefined, rows: makeReservationRows() },
    seq: 0,
    dayMs: 0,
    day: "",
  };
  const { entries, writes } = state;
  return {
    open: async (hop) => open(state, hop),
    close: async (hopId, settlement) => close(state, world, { hopId, settlement }),
    whenWritten: async (hopId) => {
      const attempt = entries.get(hopId);
      if (attempt !== undefined) await (attempt.closed ??= makeDeferred()).promise;
    },
    underWay: () => entries.size,
    drain: async () => {
      while (state.isGathering || writes.size > 0) {
        await nextLoopIteration();
        await Promise.all([...writes].map(({ done }) => done));
      }
      await state.poster.finish();
    },
  };
}

/** Made once an hour: the name of a day costs 1 µs. */
function dayNow(state: LedgerState): string {
  const now = state.node.now();
  const hourMs = now.getTime() - (now.getTime() % 3_600_000);
  if (hourMs !== state.dayMs) {
    state.dayMs = hourMs;
    state.day = now.toISOString().slice(0, 10);
  }
  return state.day;
}

function open(state: LedgerState, hop: NewHop): Promise<void> {
  if (state.entries.has(hop.id)) assert.fail(`The hop ${hop.id} is open already.`);
  checkAmounts([hop.reserveNano]);
  const opened = makeDeferred();
  const attempt: PendingAttempt = {
    row: hopRowOf(hop, dayNow(state), state.payers),
    unsure: false,
    reservation: undefined,
    deadlineMs: state.clock.monotonicMs() + limits.openWaitMsMax,
    settlement: undefined,
    opened,
    closed: undefined,
  };
  state.entries.set(hop.id, attempt);
  state.opens.add(attempt);
  scheduleWrite(state);
  return opened.promise;
}

function close(
  state: LedgerState,
  { instruments }: LedgerWorld,
  { hopId, settlement }: { hopId: string; settlement: Settlement },
): Promise<void> {
  const attempt = state.entries.get(hopId);
  if (attempt === undefined) assert.fail(`There is no open hop ${hopId} to settle.`);
  if (attempt.closed !== undefined && attempt.settlement !== undefined)
    return attempt.closed.promise;
  expectAmounts(settlement);
  attempt.closed ??= makeDeferred();
  if (attempt.settlement === undefined) {
    attempt.settlement = { ...settlement };
    if (instruments !== undefined)
      meterSettled({ instruments }, attempt.row.payer.fields.model ?? "", settlement);
    // Still queued: the two are one row now.
    state.opens.delete(attempt);
    state.closes.add(attempt);
    scheduleWrite(state);
  }
  return attempt.closed.promise;
}

const numbersOf = (counts: TokenCounts) => [
  counts.input,
  counts.output,
  counts.cacheWrite5m,
  counts.cacheWrite1h,
  counts.cacheRead,
];

/** Before it is queued or kept with others: one that is wrong would hold up a whole group. */
export function expectAmounts({ counts, amountNano, listAmountNano }: Settlement): void {
  checkAmounts([amountNano, listAmountNano, ...numbersOf(counts)]);
}

function checkAmounts(amounts: readonly number[]): void {
  for (const amount of amounts)
    if (!Number.isSafeInteger(amount) || amount < 0)
      throw new RangeError(`${amount} is no amount for the ledger: whole and not negative.`);
}
