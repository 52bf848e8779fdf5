// The machines of one server: each process says where it is reached, and connects to the addresses of the others.
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { Database } from "../sql/database.ts";
import { every } from "../work/every.ts";
import { hold } from "../work/hold.ts";
import type { Lease } from "../work/lease.ts";
import { leaseLimits } from "../work/limits.ts";
import type { BusHub } from "./bus.ts";
import { frame } from "./frames.ts";
import { askPeer, type HandshakeWorld } from "./handshake.ts";
import { busLimits } from "./limits.ts";
import * as queries from "./queries.ts";

export interface OthersWorld extends HandshakeWorld {
  clock: Clock;
  db: Database;
  ids: Ids;
  logger: Logger;
}

/** Ends with all connections that this process has made. */
export function joinOthers(world: OthersWorld, hub: BusHub, address: string): () => Promise<void> {
  const stopHolding = holdAddress(world, address);
  const sources = new Map<string, { destroy(): void }>();
  const reach = (other: string) => {
    if (other === address || sources.has(other)) return;
    const hear = (connection: Duplex) => {
      sources.set(other, connection);
      hub.hearFrom(connection, "elsewhere");
      endWhenSilent(world.clock, connection);
    };
    // Before it is there: a connection that fails at once closes later.
    sources.set(other, askPeer(world, other, { hear, closed: () => sources.delete(other) }));
  };
  const stopLooking = every(world, busLimits.lookMs, {
    name: "looking for other machines",
    act: async () => {
      const addresses = await queries.selectAddresses(world.db, busLimits.addressesMax);
      addresses.forEach(reach);
    },
  });
  return async () => {
    await stopLooking();
    for (const source of sources.values()) source.destroy();
    await stopHolding();
  };
}

/** Sends to a machine that has proved who it is. */
export function serveOther({ clock }: { clock: Clock }, hub: BusHub, connection: Socket): void {
  hub.sendTo(connection, "elsewhere");
  const alive = frame("alive");
  untilClosed(clock, busLimits.aliveMs, connection, () => {
    if (!connection.writableNeedDrain) connection.write(alive);
  });
}

/** A machine that was switched off ends no connection. */
function endWhenSilent(clock: Clock, connection: Duplex): void {
  let isSilent = false;
  connection.on("data", () => (isSilent = false));
  untilClosed(clock, busLimits.silenceMsMax, connection, () => {
    if (isSilent) connection.destroy();
    isSilent = true;
  });
}

function untilClosed(clock: Clock, everyMs: number, connection: Duplex, act: () => void): void {
  const closed = new AbortController();
  connection.once("close", () => closed.abort());
  const repeat = async () => {
    while (await clock.sleep(everyMs, closed.signal)) act();
  };
  void repeat();
}

/** A row of this process says its address for as long as it lives. */
function holdAddress(world: OthersWorld, address: string): () => Promise<void> {
  const { db, ids } = world;
  const owner = ids.next("process_");
  const holder = hold<Lease>(world, {
    name: "address of this process",
    leasable: queries.nodeLeases,
    times: { ...leaseLimits, pollMs: leaseLimits.heartbeatMs },
    claim: async ({ take }) => {
      if (holder.held.size > 0 || holder.isDraining()) return;
      await take(() =>
        db.tx(async (tx) => {
          await queries.deleteDeadNodes(tx);
          const id = ids.next("peer_");
          await queries.insertNode(tx, id, address);
          return queries.claimNode(tx, owner, id);
        }),
      );
    },
    on: () => {},
    release: (leases) => queries.deleteNodes(db, leases),
  });
  holder.start();
  return holder.stop;
}
