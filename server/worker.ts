// One of several serving processes: gets its orders from the first one, and ends when that one does.
import { ExitError } from "../kernel/base/failure.ts";
import { joinClusterMetrics } from "../kernel/observe/cluster-metrics.ts";
import { openLogger } from "../kernel/observe/logger.ts";
import { joinPeers } from "../kernel/observe/peers.ts";
import { connectDatabase } from "../kernel/sql/open-database.ts";
import { serveInProcess } from "./serve.ts";
import type { WorkerStartOptions } from "./workers.ts";

interface Message {
  plinth?: string;
  orders?: WorkerStartOptions;
}

const tell = (message: object) => void process.send?.(message);

/** What a worker is once it serves; undefined when it could not start. */
interface Serving {
  leave(): void;
  hold(): void;
  stop(): Promise<void>;
}

let starting: Promise<Serving | undefined> = Promise.resolve(undefined);
let ending: Promise<void> | undefined;

process.on("message", ({ plinth, orders }: Message) => {
  if (plinth === "orders" && orders !== undefined) starting = work(orders);
  if (plinth === "leave") void starting.then((serving) => serving?.leave());
  if (plinth === "hold") void starting.then((serving) => serving?.hold());
  if (plinth === "stop") ending ??= end();
});
process.on("disconnect", () => (ending ??= end()));
// A terminal's Ctrl-C reaches every process; the first one decides when the others end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

/** Also while it is still starting: what has been opened by then is closed. */
async function end(): Promise<void> {
  const serving = await starting;
  await serving?.stop();
  process.exit();
}

async function work(orders: WorkerStartOptions): Promise<Serving | undefined> {
  try {
    const logger = openLogger(orders.logging);
    const { connection, connectionsMax, kind, serverVersion } = orders.database;
    const db = await connectDatabase({ connection, connectionsMax, logger });
    const database = { kind, serverVersion, connection, db };
    const server = await serveInProcess({ ...orders, logger }, database, { warm: true });
    const { world } = server.opened;
    const joined = joinClusterMetrics(world.metrics);
    world.metrics = { ...world.metrics, text: joined.text };
    const peers = joinPeers(world.peers);
    world.peers = { ...world.peers, ask: peers.ask };
    tell({ plinth: "listening", url: server.url });
    const stop = async () => {
      await server.stop();
      joined.close();
      peers.close();
      await db.close();
    };
    return {
      leave: server.enterLameDuck,
      hold: server.holdRequests,
      stop,
    };
  } catch (error) {
    const sentence = error instanceof ExitError ? error.message : undefined;
    if (sentence === undefined) process.stderr.write(`${String(error)}\n`);
    tell({ plinth: "refused", sentence: sentence ?? "A worker could not start; see above." });
    process.exitCode = 1;
    process.disconnect?.();
    return undefined;
  }
}
