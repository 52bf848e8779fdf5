// `plinth start`: opens, warms up, listens, prints its address, and shuts down in order.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseExactly } from "../kernel/base/exact-json.ts";
import { makeDataDirectory } from "../kernel/base/directory.ts";
import { ExitError } from "../kernel/base/failure.ts";
import type { Logger } from "../kernel/base/logger.ts";
import { acceptBusPeer } from "../kernel/bus/part.ts";
import type { World } from "../kernel/context.ts";
import { expectAddress } from "../kernel/base/free-port.ts";
import { listen, type ListeningServer } from "../kernel/http/wire/listen.ts";
import type { TracingSettings } from "../kernel/observe/tracing/observe.ts";
import type { LogFormat, LogLevel } from "../kernel/observe/logger.ts";
import { migrate } from "../kernel/sql/migrate.ts";
import { tryLock, isLocked } from "../kernel/sql/embedded/lock.ts";
import { openDatabase, type OpenDatabase } from "../kernel/sql/open-database.ts";
import { listLostBlobs } from "./commands/lost-blobs.ts";
import { makeApp } from "./app.ts";
import { firstRequest, prepareFirstStart, unclaimedSetupLink } from "./organization-setup.ts";
import { warmUp } from "./warm_up/module.ts";
import { catalogOf, singleUpstreamLines, modelSettingsOf } from "./models/module.ts";
import {
  inWords,
  sandboxSettingsOf,
  summaryLine,
  type SandboxSummary,
} from "./sandboxes/module.ts";
import { sandboxesPart } from "./sessions/module.ts";
import { openWorld, type OpenWorld, type WorldOverrides } from "./world.ts";

export interface ServeOptions {
  dataDirectory: string;
  host: string;
  port: number;
  /** How people reach it; made from host and port when not set. */
  publicUrl: string | undefined;
  /** Where other machines of this server reach this one. */
  peerAddress?: string | undefined;
  databaseUrl: string | undefined;
  masterKey: string | undefined;
  metricsToken: string | null;
  tracing?: TracingSettings | null;
  workers: number;
  drainSeconds: number;
  /** Starts a database whose blobs are lost: an empty directory becomes its blob directory. */
  adoptBlobs?: boolean;
  /** Parts of the settings that belong to nouns, by name: JSON. */
  sections?: Readonly<Record<string, unknown>>;
  /** How many reverse proxies stand in front: that many entries from its end X-Forwarded-For is trusted. */
  proxies: number;
  /** Of pages that may use the API; none without them. */
  corsOrigins?: readonly string[];
  /** How the workers' own loggers are opened. */
  logging: { format: LogFormat; level: LogLevel };
  logger: Logger;
}

export interface RunningServer {
  /** `http://HOST:PORT`, with the real port. */
  url: string;
  listening: ListeningServer;
  opened: OpenWorld;
  /** Not ready any more, and every answer closes its connection; still accepts. */
  enterLameDuck(): void;
  /** Requests wait until the stop. */
  holdRequests(): void;
  /** Ends in order; the second call waits for the first. */
  stop(): Promise<void>;
}

export const migrationsDirectory = join(import.meta.dirname, "../migrations");

/** Claims the data directory for this process, or names its holder. A start that cannot listen makes nothing. */
export async function claimDataDirectory({
  dataDirectory: directory,
  host,
  port,
}: Pick<ServeOptions, "dataDirectory" | "host" | "port">): Promise<() => void> {
  const another = `Another plinth runs on ${directory}. Stop it first, or start with another --data-dir.`;
  if (isLocked(lockFile(directory))) throw new ExitError(another);
  await expectAddress(host, port);
  try {
    makeDataDirectory(directory);
  } catch (error) {
    const { message } = error as Error;
    throw new ExitError(
      `The data directory ${directory} cannot be made (${message}). Choose another one with --data-dir.`,
      1,
      error,
    );
  }
  const release = tryLock(lockFile(directory));
  if (release === undefined) throw new ExitError(another);
  // Of a server that was killed: until this one listens there is no address.
  rmSync(serverFilePath(directory), { force: true });
  return release;
}

/** `lost` is called when the built-in database has died and will not come back. */
export async function openMigratedDatabase(
  options: ServeOptions,
  lost: (reason: string) => void = () => {},
): Promise<OpenDatabase> {
  const { databaseUrl, dataDirectory, logger } = options;
  const processes = options.workers > 1 ? options.workers + 1 : 1;
  const database = await openDatabase({
    databaseUrl,
    directory: dataDirectory,
    logger,
    workers: processes,
    embedded: {
      onLost: ({ reason, restarting }) => {
        logger.error({ reason, restarting }, "the built-in database was lost");
        if (!restarting) lost(reason);
      },
    },
  });
  try {
    await migrate(database.db, migrationsDirectory, { logger });
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** One process that serves: the whole server, or a worker of several. */
export async function serveInProcess(
  options: ServeOptions,
  database: Pick<OpenDatabase, "kind" | "db" | "connection" | "serverVersion">,
  parts: WorldOverrides & { checkReplies?: boolean; warm?: boolean } = {},
): Promise<RunningServer> {
  const { host, port, publicUrl = "" } = options;
  // What has been opened is closed in reverse order: when something fails below, and at the end.
  await using opening = new AsyncDisposableStack();
  const opened = await openWorld({ ...options, database, publicUrl }, parts);
  opening.defer(() => opened.close());
  const { world } = opened;
  const { checkReplies = false, warm = false } = parts;
  await catalogOf(world).refresh();
  if (warm) await warmUp(world, makeApp);
  const { proxies, corsOrigins = [] } = options;
  const app = makeApp(world, { proxies, corsOrigins, checkReplies });
  opening.defer(await app.start());
  const { dispatch, leanPaths } = app;
  const listening = await listen({
    host,
    port,
    dispatch,
    leanPaths,
    ids: world.ids,
    upgrade: (request) => acceptBusPeer(world, request),
  });
  opening.defer(async () => {
    world.server.isDraining = true;
    const { finished, cut } = await listening.drain(options.drainSeconds * 1000, () => {
      world.server.isDrainOver = true;
    });
    options.logger.info({ finished, cut }, "no longer listening");
  });
  const inside = urlOf(reachable(host), listening.address.port);
  if (options.publicUrl === undefined) world.publicUrl = inside;
  return {
    url: urlOf(host, listening.address.port),
    listening,
    opened,
    holdRequests: listening.holdRequests,
    enterLameDuck: () => {
      world.server.isDraining = true;
      listening.enterLameDuck();
    },
    stop: stopOnce(opening.move()),
  };
}

/** A server as the command sees it, of one process or of many. */
export interface ServerHandle {
  banner: string[];
  /** Rejects with an ExitError when the server cannot go on. */
  failed: Promise<never>;
  enterLameDuck(): void;
  stop(): Promise<void>;
}

/** The whole server in one process. */
export async function serveSingleProcess(
  options: ServeOptions,
): Promise<RunningServer & ServerHandle> {
  const { dataDirectory } = options;
  const failure = exitErrorLater();
  await using opening = new AsyncDisposableStack();
  opening.defer(await claimDataDirectory(options));
  const database = await openMigratedDatabase(options, failure.refuse);
  opening.defer(() => database.close());
  const server = await serveInProcess(options, database, { warm: true });
  opening.defer(() => server.stop());
  const { world } = server.opened;
  await prepareFirstStart(world, dataDirectory);
  const lost = options.adoptBlobs === true ? await reportLostBlobs(world) : [];
  const sandboxes = await sandboxesPart.of(world).summary();
  expectSandboxes(world, sandboxes);
  const banner = [...(await startBanner(server.url, world, { dataDirectory, sandboxes })), ...lost];
  opening.defer(writeServerFile(dataDirectory, { url: world.publicUrl, listening: server.url }));
  return { ...server, banner, failed: failure.failed, stop: stopOnce(opening.move()) };
}

/** A promise that only ever fails, with a sentence, and that needs no handler. */
export function exitErrorLater() {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  return { failed: promise, refuse: (reason: string) => reject(new ExitError(reason)) };
}

function stopOnce(stack: AsyncDisposableStack): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stack.disposeAsync());
}

/** The note that a running server leaves in its data directory. */
interface ServerAddress {
  /** How people reach it. */
  url: string;
  /** Where it listens. */
  listening: string;
}

/** The note of the server on the same data directory; one without a live server is left by a killed one. */
export function findRunningServer(dataDirectory: string): ServerAddress | undefined {
  try {
    const note = parseExactly(
      readFileSync(serverFilePath(dataDirectory), "utf8"),
    ) as Partial<ServerAddress>;
    if (typeof note.url !== "string" || !isLocked(lockFile(dataDirectory))) return undefined;
    return { url: note.url, listening: note.listening ?? note.url };
  } catch {
    return undefined;
  }
}

const lockFile = (dataDirectory: string) => join(dataDirectory, "server.lock");

/** Where the running server is, for `init` and the CLI beside it. */
export const serverFilePath = (dataDirectory: string) => join(dataDirectory, "server.json");

/** Written for as long as the server runs; the result takes it away. */
export function writeServerFile(dataDirectory: string, note: ServerAddress): () => void {
  const path = serverFilePath(dataDirectory);
  writeFileSync(path, `${JSON.stringify({ pid: process.pid, ...note })}\n`, { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

/** What the operator has asked for is there, or the server does not start. */
export function expectSandboxes(world: World, sandboxes: SandboxSummary): void {
  const { provider, ok, reason } = sandboxes;
  if (!ok && sandboxSettingsOf(world).require.length > 0)
    throw new ExitError(`sandbox.require: ${inWords(sandboxes)}`);
  world.logger.info({ provider, ok, reason }, "how sandboxes are made here");
}

/** Into the log and for the person who started it. */
export async function reportLostBlobs(world: World): Promise<string[]> {
  const lost = await listLostBlobs(world);
  if (lost.length === 0) return ["  Of what the database names, nothing is lost.", ""];
  world.logger.warn({ lost }, "bytes that the database names are not on the disk");
  return [`  Lost for good: ${lost.join("; ")}.`, ""];
}

/** What a start prints: the line that programs wait for first, then what a person needs next. */
export async function startBanner(
  url: string,
  world: World,
  { dataDirectory, sandboxes }: { dataDirectory: string; sandboxes: SandboxSummary },
): Promise<string[]> {
  const link = await unclaimedSetupLink(world);
  const models = modelSettingsOf(world);
  const [first, ...more] = singleUpstreamLines(models);
  const setup = ["  Set it up      " + link, "                 (works once, for one hour)"];
  return [
    `plinth listening on ${url}`,
    "",
    `  Console        ${world.publicUrl}/console/`,
    ...(link === undefined ? [] : setup),
    `  API reference  ${world.publicUrl}/docs`,
    ...(first === undefined ? [] : [`  Models         ${first}`]),
    ...more.map((line) => `                 ${line}`),
    `  Sandboxes      ${summaryLine(sandboxes)}`,
    "",
    "  A first request:",
    `  ${firstRequest(dataDirectory, world.publicUrl, models.usual?.model)}`,
    "",
  ];
}

const urlOf = (host: string, port: number) =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

/** An address that means "all of them" is reached through loopback from here. */
const reachable = (host: string) => (host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host);
