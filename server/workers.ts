// Several processes on one port: the first one holds the database and the data directory, the others serve.
import cluster, { type Worker } from "node:cluster";
import { subscribe } from "node:diagnostics_channel";
import { systemClock } from "../kernel/base/clock.ts";
import { ExitError } from "../kernel/base/failure.ts";
import { waitForQuietSocket } from "../kernel/http/wire/quiet-socket.ts";
import { gatherClusterMetrics } from "../kernel/observe/cluster-metrics.ts";
import { relayPeers } from "../kernel/observe/peers.ts";
import type { ConnectionSettings } from "../kernel/sql/connection.ts";
import { prepareFirstStart } from "./organization-setup.ts";
import {
  expectSandboxes,
  claimDataDirectory,
  exitErrorLater,
  openMigratedDatabase,
  reportLostBlobs,
  startBanner,
  writeServerFile,
  type ServerHandle,
  type ServeOptions,
} from "./serve.ts";
import { summarizeSandboxes } from "./sandboxes/module.ts";
import { openWorld } from "./world.ts";

/** What a worker needs to know; it travels over the channel between the processes, never on a command line. */
export interface WorkerStartOptions extends Omit<ServeOptions, "logger"> {
  database: {
    kind: "embedded" | "external";
    serverVersion: string;
    connection: ConnectionSettings;
    connectionsMax: number;
  };
}

/** A worker that dies is replaced after this long, so that one that cannot start does not burn the machine. */
const replaceAfterMs = 1_000;

export async function serveWithWorkers(options: ServeOptions): Promise<ServerHandle> {
  const { dataDirectory, logger } = options;
  const failure = exitErrorLater();
  await using opening = new AsyncDisposableStack();
  opening.defer(await claimDataDirectory(options));
  const closeListeners = watchListeners();
  const database = await openMigratedDatabase(options, failure.refuse);
  opening.defer(() => database.close());
  const opened = await openWorld({ ...options, database, publicUrl: options.publicUrl ?? "" });
  opening.defer(() => opened.close());
  await prepareFirstStart(opened.world, dataDirectory);
  const sandboxes = await summarizeSandboxes(opened.world);
  expectSandboxes(opened.world, sandboxes);

  cluster.setupPrimary({ exec: new URL("./worker.ts", import.meta.url).pathname });
  opening.defer(gatherClusterMetrics(cluster));
  opening.defer(relayPeers(cluster));
  const { kind, serverVersion, connection, connectionsMax } = database;
  const { logger: _own, ...rest } = options;
  const orders = { ...rest, database: { kind, serverVersion, connection, connectionsMax } };
  const crew = keepWorkers(orders, options);
  opening.defer(() => crew.stop(closeListeners));
  const url = await crew.ready;
  opened.world.publicUrl =
    options.publicUrl ?? url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, "//127.0.0.1:");
  const lost = options.adoptBlobs === true ? await reportLostBlobs(opened.world) : [];
  const banner = [...(await startBanner(url, opened.world, { dataDirectory, sandboxes })), ...lost];
  opening.defer(writeServerFile(dataDirectory, { url: opened.world.publicUrl, listening: url }));
  logger.info({ workers: options.workers }, "workers are ready");
  const closing = opening.move();
  return {
    banner,
    enterLameDuck: crew.leave,
    stop: () => closing.disposeAsync(),
    failed: failure.failed,
  };
}

/** Starts the workers, replaces those that die, and ends them all. */
function keepWorkers(orders: WorkerStartOptions, { workers, logger, drainSeconds }: ServeOptions) {
  const ready = Promise.withResolvers<string>();
  const listening = new Set<Worker>();
  let leaving = false;
  let stopping = false;

  const hire = () => {
    const worker = cluster.fork();
    endHandOver(worker);
    worker.send({ plinth: "orders", orders });
    if (leaving) worker.send({ plinth: "leave" });
    // Sent to a dying worker: its exit event says all there is to know.
    worker.on("error", () => {});
    worker.on("message", (message: { plinth?: string; url?: string; sentence?: string }) => {
      if (message.plinth === "refused")
        ready.reject(new ExitError(message.sentence ?? "A worker could not start."));
      if (message.plinth !== "listening" || message.url === undefined) return;
      listening.add(worker);
      if (listening.size < workers) return;
      ready.resolve(message.url);
    });
    worker.on("exit", (code, signal) => {
      listening.delete(worker);
      if (stopping) return;
      logger.error(
        { worker: worker.process.pid, code, signal },
        "a worker ended; another one starts",
      );
      void replaceLater();
    });
  };
  const replaceLater = async () => {
    await systemClock.sleep(replaceAfterMs);
    if (!stopping) hire();
  };
  // Node's cluster gives all of them the same port, also where any free one was asked for.
  for (let count = 0; count < workers; count++) hire();

  return {
    ready: ready.promise,
    leave: () => {
      leaving = true;
      tell("leave");
    },
    stop: async (closeListeners: CloseListeners) => {
      stopping = true;
      if (leaving) await closeListeners(() => tell("hold"));
      await Promise.all(running().map((worker) => dismiss(worker, drainSeconds)));
    },
  };
}

/** A connection that was accepted goes to a worker when one has taken the last: looked at so often, for so long. */
const handOverLookMs = 5;
const handOverMsMax = 5_000;
/** Accepted connections that no worker was sent yet. */
const unsent = new Set<unknown>();

const running = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

function tell(plinth: string): void {
  for (const worker of running()) if (worker.isConnected()) worker.send({ plinth });
}

type CloseListeners = (hold: () => void) => Promise<void>;

/** Node's handle of a listening socket, as far as it is used here. */
interface Handle {
  onconnection(error: unknown, connection: unknown): void;
  close(): void;
}

/**
 * The first process listens for all. Node closes that socket when the last worker has said that it is done, and drops
 * what came in between; so it is closed here, before any of them is told to stop. Node shows it nowhere else.
 */
function watchListeners(): CloseListeners {
  const handles = new Set<Handle>();
  subscribe("tracing:net.server.listen:asyncEnd", (message) => {
    const { server } = message as { server: { _handle: Handle | null } };
    if (server._handle !== null) handles.add(server._handle);
  });
  return async (hold) => {
    let accepted = 0;
    for (const handle of handles) {
      const take = handle.onconnection;
      handle.onconnection = (error, connection) => {
        accepted++;
        if (!error) unsent.add(connection);
        take(error, connection);
      };
    }
    hold();
    await waitForQuietSocket(() => accepted);
    for (const handle of handles) handle.close();
    // What a worker is sent reaches it before the order to stop, which goes the same way.
    const endMs = systemClock.monotonicMs() + handOverMsMax;
    while (unsent.size > 0 && systemClock.monotonicMs() < endMs)
      await systemClock.sleep(handOverLookMs);
  };
}

/**
 * Connections are handed over one at a time. Node keeps the one that a worker was handed as it died, and its client
 * would wait for an answer without end; closing one that was taken does nothing, because Node has closed it by then.
 */
function endHandOver(worker: Worker): void {
  const channel = worker.process;
  const send = channel.send.bind(channel) as (...args: unknown[]) => boolean;
  let latest: { close(): void } | undefined;
  const watched = (message: unknown, handle?: typeof latest, ...rest: unknown[]) => {
    latest = handle ?? latest;
    unsent.delete(handle);
    return send(message, handle, ...rest);
  };
  Object.assign(channel, { send: watched });
  worker.on("exit", () => latest?.close());
}

/** Asks a worker to drain; one that does not end in time is ended. */
async function dismiss(worker: Worker, drainSeconds: number): Promise<void> {
  if (worker.isDead()) return;
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  if (worker.isConnected()) worker.send({ plinth: "stop" });
  const inTime = new AbortController();
  const late = systemClock.sleep((drainSeconds + 5) * 1000, inTime.signal);
  if (await Promise.race([late, ended.then(() => false)])) worker.process.kill("SIGKILL");
  inTime.abort();
  await ended;
}
