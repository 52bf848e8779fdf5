// This process as a node that admits requests: a leased row, its heartbeat, and the settling of dead nodes.
import { unavailable } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { every } from "../../kernel/work/every.ts";
import { hold, type Held } from "../../kernel/work/hold.ts";
import { LeaseLost, type Lease } from "../../kernel/work/lease.ts";
import { leaseLimits } from "../../kernel/work/limits.ts";
import { postJournal } from "./journal/post.ts";
import { takeUpAgain } from "./journal/queries.ts";
import * as queries from "./queries-nodes.ts";
import { forgetReservations, settleLost } from "./ledger/queries.ts";
import { limits } from "./limits.ts";

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
  /** Keeps the lease until stopped; looks after the nodes that died. */
  start(): () => Promise<void>;
  /** Gives the node back, where nothing is under way. */
  release(): Promise<void>;
}

export function makeNode(world: NodeWorld): Node {
  const databaseClock = makeDatabaseClock(world);
  let node: Held | undefined;
  let lastLease: Lease | undefined;
  let acquiring: Promise<Lease> | undefined;
  const held = () => (node?.isSure(limits.leaseMarginMs) === true ? node.lease : undefined);
  const drop = () => {
    node?.end();
    node = undefined;
  };

  const holder = hold<Lease>(world, {
    name: "node",
    leasable: queries.nodeLeases,
    times: { ...leaseLimits, pollMs: leaseLimits.heartbeatMs },
    claim: async () => {
      if (node === undefined && !holder.isDraining()) await acquire();
    },
    on: (taken) => {
      drop();
      node = taken;
      lastLease = taken.lease;
      taken.signal.addEventListener("abort", () => {
        if (node === taken && !holder.isDraining()) drop();
      });
    },
    // By `release`, where nothing is under way.
    release: async () => {},
  });

  async function take(): Promise<Lease> {
    await databaseClock.read();
    while (!holder.isDraining()) {
      const [taken] = await holder.take(() => claimNode(world));
      if (taken !== undefined) return taken.lease;
    }
    throw unavailable("This server is stopping.", 1);
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
    dropLease: drop,
    fence: async (tx, lease) => {
      if (node?.lease !== lease) throw new LeaseLost("node", lease);
      await node.fence(tx);
    },
    now: databaseClock.now,
    start: () => {
      holder.start();
      const stopLoops = keepUp(world, databaseClock);
      return async () => {
        await stopLoops();
        await holder.stop();
      };
    },
    release: async () => {
      const giving = node?.lease;
      drop();
      if (giving === undefined) return;
      await forgetReservations(world.db, giving);
      await queries.nodeLeases.release(world.db, [giving]);
    },
  };
}

/** One that was given back, or a new one: none where another process was faster. */
async function claimNode({ db, ids }: NodeWorld): Promise<Lease[]> {
  const owner = ids.next("process_");
  const free = await queries.claimFree(db, owner);
  if (free.length > 0) return free;
  const id = ids.next("node_");
  await queries.insertNode(db, id);
  return queries.claimNamed(db, owner, id);
}

interface DatabaseClock {
  now(): Date;
  read(): Promise<void>;
}

/** Counted from before the question: never later than the database has it. */
function makeDatabaseClock({ clock, db }: NodeWorld): DatabaseClock {
  let offsetMs: number | undefined;
  return {
    now: () => (offsetMs === undefined ? clock.now() : new Date(clock.monotonicMs() + offsetMs)),
    read: async () => {
      const askedMs = clock.monotonicMs();
      offsetMs = (await queries.readNow(db)).getTime() - askedMs;
    },
  };
}

/** Both go on through a lost database: they are asked again soon. */
function keepUp(world: NodeWorld, databaseClock: DatabaseClock): () => Promise<void> {
  let isFirst = true;
  const recovery = {
    name: "looking for dead processes",
    act: async () => {
      if (isFirst) await takeUpAgain(world.db);
      isFirst = false;
      await recover(world);
    },
  };
  const stops = [
    every(world, leaseLimits.heartbeatMs, {
      name: "asking the database's clock",
      act: databaseClock.read,
    }),
    every(world, limits.recoveryPollMs, recovery),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Rule USE7. Taken and settled in one transaction, so that nothing of a dead node is counted twice. */
async function recover(world: NodeWorld): Promise<void> {
  const { db, ids, logger } = world;
  // What it settled has ended, and is not lost; what cannot be posted now is put right when it is.
  await postJournal(world).catch((error: unknown) => {
    logger.warn({ error: String(error) }, "dead processes are settled before what they answered");
  });
  await db.tx(async (tx) => {
    const dead = await queries.claimDead(tx, ids.next("process_"));
    for (const lease of dead) {
      const lost = await settleLost(tx, lease);
      if (lost > 0) logger.warn({ node: lease.id, lost }, "attempts of a dead process are settled");
    }
    if (dead.length > 0) await queries.nodeLeases.release(tx, dead);
  });
}
