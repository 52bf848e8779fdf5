// Holds leased rows: the one loop that claims them in rounds, keeps their leases and gives them back. See RULES.md.
import type { Tx } from "../sql/database.ts";
import {
  abort,
  fenceAll,
  isWorthALine,
  keepLeases,
  leasesOf,
  lose,
  makeHeld,
  rest,
  type Held,
  type HoldState,
  type HoldWorld,
  type KeepOptions,
} from "./keep-leases.ts";
import type { Lease, LeaseTimes } from "./lease.ts";

export type { Held } from "./keep-leases.ts";

export type Take<Row extends object> = (
  ask: () => Promise<readonly (Row & Lease)[]>,
) => Promise<Held<Row>[]>;

export interface ClaimRound<Row extends object> {
  /** Claims rows by the statement in `ask`, hands each to `on` and answers them. A holder that drains takes nothing. */
  take: Take<Row>;
  /** `pollMs` have passed since the last round of which this was true. */
  isPoll: boolean;
}

export interface HoldOptions<Row extends object> extends KeepOptions {
  times: LeaseTimes & { pollMs: number };
  /** A round: takes what there is room for. Comes at every poll and whenever the holder was woken. */
  claim(round: ClaimRound<Row>): Promise<void>;
  /** Begins the work on a row. */
  on(held: Held<Row>): void | Promise<void>;
  /** What was begun with rows has ended, also where they are held no more; always, if not given. */
  isIdle?(): boolean;
  /** Gives back what is left when the holder stops, where more belongs to it than the lease. */
  release?(leases: readonly Lease[]): Promise<void>;
}

export interface Holder<Row extends object> {
  readonly held: ReadonlySet<Held<Row>>;
  /** Nothing more is claimed. */
  isDraining(): boolean;
  /** Claims and renews from now on. */
  start(): void;
  /** As in a round, for a caller that cannot wait for the next. */
  take: Take<Row>;
  /** There may be something to claim. */
  wake(): void;
  /** Locks those of the rows that are still held, and keeps their leases for as long as it takes; answers them. */
  fenceAll(tx: Tx, rows: Iterable<Held<Row>>): Promise<Set<Held<Row>>>;
  /** Claims nothing more; rounds go on until nothing is held and nothing runs. */
  drain(): Promise<void>;
  /** Aborts what is held, lets one more round settle it, and gives the rest back. */
  stop(): Promise<void>;
}

interface State<Row extends object> extends HoldState<Row> {
  options: HoldOptions<Row>;
  isDraining: boolean;
  isStopping: boolean;
  isWoken: boolean;
  claimDueMs: number;
  wakeClaims: () => void;
  running: Promise<unknown> | undefined;
}

export function hold<Row extends object>(world: HoldWorld, options: HoldOptions<Row>): Holder<Row> {
  const state: State<Row> = {
    world,
    options,
    held: new Set(),
    isDraining: false,
    isStopping: false,
    isWoken: false,
    unanswered: 0,
    waiters: 0,
    failures: 0,
    claimDueMs: Number.NEGATIVE_INFINITY,
    renewDueMs: Number.NEGATIVE_INFINITY,
    wakeClaims: () => {},
    wakeRenewals: () => {},
    running: undefined,
  };
  const drain = async () => {
    state.isDraining = true;
    wake(state);
    await state.running;
  };
  return {
    held: state.held,
    isDraining: () => state.isDraining,
    start: () => {
      if (state.running !== undefined) return;
      const ended = new AbortController();
      const claiming = claimRounds(state).finally(() => ended.abort());
      state.running = Promise.all([claiming, keepLeases(state, ended.signal)]);
    },
    take: (ask) => take(state, ask),
    wake: () => wake(state),
    fenceAll: (tx, rows) => fenceAll(state, tx, new Set(rows)),
    drain,
    stop: () => {
      state.isStopping = true;
      // Before the signals: who hears one gives back what it can, and takes nothing anew.
      state.isDraining = true;
      for (const held of state.held) abort(held, "The process is stopping.");
      return drain();
    },
  };
}

function wake<Row extends object>(state: State<Row>): void {
  state.isWoken = true;
  state.wakeClaims();
}

async function claimRounds<Row extends object>(state: State<Row>): Promise<void> {
  const { world, options, held } = state;
  const { clock, logger } = world;
  const { pollMs } = options.times;
  const isOver = () => state.isDraining && held.size === 0 && (options.isIdle?.() ?? true);
  for (let failures = 0; ;) {
    const nowMs = clock.monotonicMs();
    // Read before the round: what ends while a round claims is settled by the next one, not given back undone.
    const { isStopping } = state;
    const isPoll = nowMs >= state.claimDueMs;
    if (isPoll) state.claimDueMs = nowMs + pollMs;
    state.isWoken = false;
    try {
      await options.claim({ isPoll, take: (ask) => take(state, ask) });
      if (failures > 0) logger.info({ failures }, `a ${options.name} can be claimed again`);
      failures = 0;
      if (isStopping) return await giveBack(state);
      if (isOver()) return;
    } catch (error) {
      if (isWorthALine(++failures))
        logger.warn({ error, failures }, `no ${options.name} could be claimed; trying again`);
      // What cannot be given back now lapses by itself.
      if (state.isStopping || isOver()) return;
      state.isWoken = false;
      state.claimDueMs = Math.max(state.claimDueMs, clock.monotonicMs() + pollMs);
    }
    if (!state.isWoken) await rest(clock, state.claimDueMs, (woken) => (state.wakeClaims = woken));
  }
}

async function giveBack<Row extends object>({ world, options, held }: State<Row>): Promise<void> {
  const leases = leasesOf([...held]);
  held.clear();
  if (leases.length === 0) return;
  await (options.release?.(leases) ?? options.leasable.release(world.db, leases));
}

async function take<Row extends object>(
  state: State<Row>,
  ask: Parameters<Take<Row>>[0],
): Promise<Held<Row>[]> {
  if (state.isDraining) return [];
  // Taken before the question is sent, so that our idea of the lease ends before the database's.
  const askedMs = state.world.clock.monotonicMs();
  const taken = (await ask()).map((row) => makeHeld(state, row, askedMs));
  // By the database's clock their leases were over, though not by ours.
  const ids = new Set(taken.map(({ lease }) => lease.id));
  for (const held of state.held) if (ids.has(held.lease.id)) lose(state, held, "was over");
  for (const held of taken) state.held.add(held);
  // Stopped meanwhile: they go back with the others.
  if (state.isStopping) return [];
  state.wakeRenewals();
  for (const [index, held] of taken.entries()) {
    try {
      await state.options.on(held);
    } catch (error) {
      // Nobody works on these: they lapse, and are claimed anew.
      for (const unused of taken.slice(index)) state.held.delete(unused);
      throw error;
    }
  }
  return taken;
}
