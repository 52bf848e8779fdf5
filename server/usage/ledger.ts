// The ledger of one process: rows gather while a group is being committed, and go together with the next.
import { Failure, unavailable } from "../../kernel/base/failure.ts";
import type { TokenCounts } from "../models/types.ts";
import type { Node, NodeWorld } from "./node.ts";
import { correctLost, writeGroup, type CloseRow, type HopRow } from "./queries-group.ts";
import { limits, type Ledger, type NewHop, type Settlement } from "./schema.ts";

interface Entry {
  row: HopRow;
  /** Queued, under way, or neither: open. */
  state: "queued" | "sent" | "open";
  /** It was sent, and may be in the database already. */
  unsure: boolean;
  deadlineMs: number;
  settlement: Settlement | undefined;
  opened: PromiseWithResolvers<void> | undefined;
  closed: PromiseWithResolvers<void> | undefined;
}

export interface OwnLedger extends Ledger {
  /** How many attempts have begun and not ended. */
  underWay(): number;
}

export function makeLedger({ clock, db, logger }: NodeWorld, node: Node): OwnLedger {
  const entries = new Map<string, Entry>();
  /** In the order of coming. An entry with a settlement is a close, whether it was opened or not. */
  let queue = new Set<Entry>();
  let running: Promise<void> | undefined;
  let monthMs = 0;
  let month = "";

  /** Made once an hour: the name of a month costs 1 µs. */
  function monthNow(): string {
    const now = node.now();
    const hourMs = now.getTime() - (now.getTime() % 3_600_000);
    if (hourMs !== monthMs) {
      monthMs = hourMs;
      month = now.toISOString().slice(0, 7);
    }
    return month;
  }

  function enqueue(entry: Entry): void {
    entry.state = "queued";
    queue.add(entry);
    // In a microtask: what comes in the same tick goes together.
    running ??= Promise.resolve()
      .then(run)
      .finally(() => {
        running = undefined;
        if (queue.size > 0) enqueue(queue.values().next().value as Entry);
      });
  }

  function take(): Entry[] {
    const taken: Entry[] = [];
    for (const entry of queue) {
      if (taken.length === limits.groupRowsMax) break;
      queue.delete(entry);
      entry.state = "sent";
      taken.push(entry);
    }
    return taken;
  }

  async function run(): Promise<void> {
    while (queue.size > 0) {
      const group = take();
      try {
        await write(group, false);
      } catch (error) {
        if (isTransient(error)) await waitOut(group);
        else await oneByOne(group, error);
      }
    }
  }

  async function write(group: readonly Entry[], alone: boolean): Promise<void> {
    const closes: (CloseRow & { entry: Entry })[] = [];
    const opens: Entry[] = [];
    for (const entry of group) {
      const { settlement } = entry;
      if (settlement === undefined) opens.push(entry);
      else closes.push({ entry, hop: entry.row, settlement });
    }
    // A close needs no lease: it is written even by a process that was taken for dead.
    const lease = (opens.length === 0 ? node.last() : undefined) ?? (await node.acquire());
    const rows = { opens: opens.map(({ row }) => row), closes };
    for (const entry of group) entry.unsure = true;
    const beside = closes.flatMap(({ settlement }) => settlement.with ?? []);
    const written =
      beside.length === 0 && !alone
        ? await writeGroup(db, lease, rows)
        : await db.tx(async (tx) => {
            const done = await writeGroup(tx, lease, rows);
            for (const statement of beside) await tx.query(statement);
            return done;
          });
    if (written.closed < closes.length) await db.tx((tx) => correctLost(tx, lease, closes));
    for (const { entry } of closes) closedNow(entry);
    if (opens.length === 0) return;
    if (written.held) for (const entry of opens) openedNow(entry);
    else {
      node.drop();
      for (const entry of opens) requeue(entry);
    }
  }

  function openedNow(entry: Entry): void {
    entry.state = "open";
    entry.unsure = false;
    entry.opened?.resolve();
    entry.opened = undefined;
    if (entry.settlement !== undefined) enqueue(entry);
  }

  function closedNow(entry: Entry): void {
    entries.delete(entry.row.id);
    entry.opened?.resolve();
    entry.closed?.resolve();
  }

  function requeue(entry: Entry): void {
    entry.state = "queued";
    queue.add(entry);
  }

  /** The database is away: closes wait for it, opens for a while. */
  async function waitOut(group: readonly Entry[]): Promise<void> {
    // They came first and stay first.
    const later = queue;
    queue = new Set();
    for (const entry of group) requeue(entry);
    for (const entry of later) queue.add(entry);
    const nowMs = clock.monotonicMs();
    for (const entry of queue)
      if (entry.opened !== undefined && entry.deadlineMs <= nowMs) giveUp(entry);
    if (queue.size > 0) await clock.sleep(limits.retryPauseMs);
  }

  function giveUp(entry: Entry): void {
    const failure = unavailable("The ledger cannot be written just now; nothing was charged.", 1, {
      code: "ledger_away",
    });
    entry.opened?.reject(failure);
    entry.opened = undefined;
    if (!entry.unsure) {
      queue.delete(entry);
      entries.delete(entry.row.id);
      entry.closed?.reject(failure);
    } else entry.settlement ??= nothing;
  }

  /** Rule USE4. One row that cannot be written must not take the others with it. */
  async function oneByOne(group: readonly Entry[], why: unknown): Promise<void> {
    logger.warn({ error: String(why), rows: group.length }, "a group of the ledger failed");
    for (const [index, entry] of group.entries()) {
      try {
        await write([entry], true).catch((error: unknown) => {
          if (isTransient(error) || entry.settlement?.with === undefined) throw error;
          logger.error({ error }, "rows beside a settlement failed; it is written without them");
          delete entry.settlement.with;
          return write([entry], true);
        });
      } catch (error) {
        if (isTransient(error)) return waitOut(group.slice(index));
        logger.error({ error, hop: entry.row.id }, "a row of the ledger cannot be written");
        entries.delete(entry.row.id);
        entry.opened?.reject(error);
        entry.closed?.reject(error);
      }
    }
  }

  function open(hop: NewHop): Promise<void> {
    if (entries.has(hop.id)) throw new Error(`The hop ${hop.id} is open already.`);
    checkAmounts([hop.reserveNano]);
    const entry: Entry = {
      row: { ...hop, month: monthNow() },
      state: "queued",
      unsure: false,
      deadlineMs: clock.monotonicMs() + limits.openWaitMsMax,
      settlement: undefined,
      opened: promised(),
      closed: undefined,
    };
    entries.set(hop.id, entry);
    enqueue(entry);
    return entry.opened?.promise ?? Promise.resolve();
  }

  function close(hopId: string, settlement: Settlement): Promise<void> {
    const entry = entries.get(hopId);
    if (entry === undefined) throw new Error(`There is no open hop ${hopId} to settle.`);
    if (entry.closed !== undefined && entry.settlement !== undefined) return entry.closed.promise;
    const { counts, amountNano, listAmountNano } = settlement;
    checkAmounts([amountNano, listAmountNano, ...numbersOf(counts)]);
    entry.closed ??= promised();
    if (entry.settlement === undefined) {
      entry.settlement = { ...settlement };
      // Under way: it goes on when its open has come through. Queued: the two are one row now.
      if (entry.state === "open") enqueue(entry);
    }
    return entry.closed.promise;
  }

  return {
    open: async (hop) => open(hop),
    close: async (hopId, settlement) => close(hopId, settlement),
    gone: async (hopId) => {
      const entry = entries.get(hopId);
      if (entry !== undefined) await (entry.closed ??= promised()).promise;
    },
    underWay: () => entries.size,
    drain: async () => {
      while (running !== undefined) await running;
    },
  };
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
