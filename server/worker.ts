// One of several serving processes: gets its orders from the first one, and ends when that one does.
import { Refusal } from "../kernel/base/failure.ts";
import { joinClusterMetrics } from "../kernel/observe/cluster-metrics.ts";
import { loggerOf, settingsOf } from "./commands/settings.ts";
import { connectDatabase } from "../kernel/sql/resolver.ts";
import { serveHere } from "./serve.ts";
import type { WorkerOrders } from "./workers.ts";

interface Message {
  plinth?: string;
  orders?: WorkerOrders;
}

const tell = (message: object) => void process.send?.(message);

process.on("message", (message: Message) => {
  if (message.plinth === "orders" && message.orders !== undefined) void work(message.orders);
});
// A terminal's Ctrl-C reaches every process; the first one decides when the others end.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

async function work(orders: WorkerOrders): Promise<void> {
  try {
    const logger = loggerOf(settingsOf({}));
    const { connection, connectionsMax, kind, serverVersion } = orders.database;
    const db = await connectDatabase({ connection, connectionsMax, logger });
    const database = { kind, serverVersion, connection, db };
    const running = await serveHere({ ...orders, logger }, database, { warm: true });
    const { world } = running.opened;
    const joined = joinClusterMetrics(world.metrics);
    world.metrics = { ...world.metrics, text: joined.text };
    const stop = async () => {
      await running.stop();
      joined.close();
      await db.close();
      process.exit(0);
    };
    process.on("message", ({ plinth }: Message) => {
      if (plinth === "open") running.count();
      if (plinth === "stop") void stop();
    });
    process.on("disconnect", () => void stop());
    tell({ plinth: "listening", url: running.url });
  } catch (error) {
    const refusal = error instanceof Refusal ? error.message : undefined;
    if (refusal === undefined) process.stderr.write(`${String(error)}\n`);
    tell({ plinth: "refused", refusal: refusal ?? "A worker could not start; see above." });
    process.exitCode = 1;
    process.disconnect?.();
  }
}
