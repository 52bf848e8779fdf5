// This process as a node that admits requests: a leased row, its heartbeat, and the settling of dead nodes.
import type { World } from "../../kernel/context.ts";
import { leaseLimits, type Lease } from "../../kernel/jobs/lease.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as queries from "./queries.ts";
import { forgetReservations, settleLost } from "./ledger/queries.ts";
import { limits } from "./schema.ts";

export type NodeWorld = Pick<World, "clock" | "db" | "ids" | "logger">;

export interface Node {
  /** The lease that is surely held, or undefined: only the process that has it may admit. */
  heldLease(): Lease | undefined;
  /** The lease that is held, taken anew where it was lost. */
  acquire(): Promise<Lease>;
  /** The lease that was held last: for counters that belong to a node, whichever process has it by now. */
  lastLease(): Lease | undefined;
  /** The lease turned out to be lost. */
  dropLease(): void;
  /** Belongs in a transaction that writes for this node: fails where another process has it. */
  fence(tx: Tx, lease: Lease): Promise<void>;
  /** The database's time, whatever this machine's clock says; as exact as a heartbeat is quick. */
  now(): Date;
  /** Renews until stopped; looks after the nodes that died. */
  start(): () => Promise<void>;
  /** Gives the node back, where nothing is under way. */
  release(): Promise<void>;
}

export function makeNode(world: NodeWorld): Node {
  const { clock, db, ids } = world;
  let lease: Lease | undefined;
  let lastLease: Lease | undefined;
  let heldUntilMs = 0;
  let offsetMs: number | undefined;
  let acquiring: Promise<Lease> | undefined;
  const held = () => (clock.monotonicMs() < heldUntilMs ? lease : undefined);

  /** Counted from before the statement: never later than the database has it. */
  function hold(taken: Lease, askedMs: number, now: Date): Lease {
    lease = taken;
    lastLease = taken;
    heldUntilMs = askedMs + leaseLimits.leaseMs - limits.leaseMarginMs;
    offsetMs = now.getTime() - askedMs;
    return taken;
  }

  async function take(): Promise<Lease> {
    const owner = ids.next("process_");
    const askedMs = clock.monotonicMs();
    const now = await queries.readNow(db);
    let [taken] = await queries.claimFree(db, owner);
    if (taken === undefined) {
      const id = ids.next("node_");
      await queries.insertNode(db, id);
      // Another process may have been faster; then the next attempt makes another.
      [taken] = await queries.claimNamed(db, owner, id);
    }
    if (taken === undefined) return take();
    const { id, epoch } = taken;
    return hold({ id, owner, epoch }, askedMs, now);
  }

  async function beat(): Promise<void> {
    if (lease === undefined) return void (await acquire());
    const renewing = lease;
    const askedMs = clock.monotonicMs();
    const now = await queries.renewNode(db, renewing);
    if (lease !== renewing) return;
    if (now === undefined) lease = undefined;
    else hold(renewing, askedMs, now);
  }

  const acquire = async (): Promise<Lease> => {
    const now = held();
    if (now !== undefined) return now;
    acquiring ??= take().finally(() => {
      acquiring = undefined;
    });
    return acquiring;
  };

  return {
    heldLease: held,
    acquire,
    lastLease: () => lastLease,
    dropLease: () => {
      lease = undefined;
    },
    fence: (tx, mine) => queries.nodeLeases.fenced(tx, mine),
    now: () => (offsetMs === undefined ? clock.now() : new Date(clock.monotonicMs() + offsetMs)),
    start: () => keepUp(world, beat),
    release: async () => {
      const giving = lease;
      lease = undefined;
      if (giving === undefined) return;
      await forgetReservations(db, giving);
      await queries.nodeLeases.release(db, [giving]);
    },
  };
}

/** Rule USE7. Taken and settled in one transaction, so that nothing of a dead node is counted twice. */
async function recover({ db, ids, logger }: NodeWorld): Promise<void> {
  await db.tx(async (tx) => {
    const dead = await queries.claimDead(tx, ids.next("process_"));
    for (const lease of dead) {
      const lost = await settleLost(tx, lease);
      if (lost > 0) logger.warn({ node: lease.id, lost }, "attempts of a dead process are settled");
    }
    if (dead.length > 0) await queries.nodeLeases.release(tx, dead);
  });
}

/** Both go on through a lost database: they are asked again soon. */
function keepUp(world: NodeWorld, beat: () => Promise<void>): () => Promise<void> {
  const { clock, logger } = world;
  const stopping = new AbortController();
  const repeat = async (everyMs: number, work: () => Promise<void>, what: string) => {
    do await work().catch((error: Error) => logger.warn({ error: error.message }, what));
    while (await clock.sleep(everyMs, stopping.signal));
  };
  const running = [
    repeat(leaseLimits.heartbeatMs, beat, "renewing the lease of this process failed"),
    repeat(limits.recoveryPollMs, () => recover(world), "looking for dead processes failed"),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(running);
  };
}
