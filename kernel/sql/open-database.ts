// Which database it is: the one that DATABASE_URL names, or the built-in one in the data directory.
import pg from "pg";
import { type Clock, systemClock } from "../base/clock.ts";
import { ExitError, Failure } from "../base/failure.ts";
import type { Logger } from "../base/logger.ts";
import { clientConfig, type ConnectionSettings } from "./connection.ts";
import { type Database, openPool } from "./database.ts";
import { type EmbeddedOptions, openEmbedded } from "./embedded/embedded.ts";

export interface OpenDatabase {
  kind: "embedded" | "external";
  db: Database;
  connection: ConnectionSettings;
  /** What each process may open, this one and each worker that is handed the connection. */
  connectionsMax: number;
  /** "18.4" */
  serverVersion: string;
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  databaseUrl?: string | undefined;
  directory: string;
  logger: Logger;
  /** For each process; by default its share of what the server takes, and at most 20. */
  connectionsMax?: number | undefined;
  /** How many processes share the database. */
  workers?: number | undefined;
  /** How long an external database may take to answer at start: it may be starting too. */
  waitMsMax?: number;
  embedded?: Pick<EmbeddedOptions, "graceMs" | "durable" | "onLost">;
  clock?: Clock;
}

const connectionsDefaultMax = 20;
/** Left to the operator's own sessions and to the server's reserve. */
const connectionsSpared = 5;
/** Of each process: the one that hears hints. */
const connectionsForHints = 1;
const majorVersionMin = 15;
const waitMsDefault = 10_000;

export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const { databaseUrl, directory, logger, clock = systemClock } = options;
  if (databaseUrl) {
    const connection = { url: checkedUrl(databaseUrl) };
    const found = await inspect(connection, options.waitMsMax ?? waitMsDefault, clock);
    return opened("external", connection, found, options, async () => {});
  }
  const embedded = await openEmbedded({ ...options.embedded, directory, logger, clock });
  try {
    const found = await inspect(embedded.connection, waitMsDefault, clock);
    return opened("embedded", embedded.connection, found, options, () => embedded.release());
  } catch (error) {
    await embedded.release();
    throw error;
  }
}

/** For a worker that was handed the connection by its primary, which holds on to the database for both. */
export async function connectDatabase(options: {
  connection: ConnectionSettings;
  connectionsMax: number;
  logger: Logger;
}): Promise<Database> {
  const db = openPool(options);
  try {
    await db.ping();
    return db;
  } catch (error) {
    await db.close();
    if (error instanceof Failure) throw new ExitError(error.message, 1, error.cause);
    throw error;
  }
}

function opened(
  kind: OpenDatabase["kind"],
  connection: ConnectionSettings,
  found: Inspection,
  { connectionsMax, workers = 1, logger }: OpenDatabaseOptions,
  release: () => Promise<void>,
): OpenDatabase {
  const share = Math.floor((found.connectionsMax - connectionsSpared) / workers);
  const mine = connectionsMax ?? Math.min(connectionsDefaultMax, share - connectionsForHints);
  if (mine < 2)
    throw new ExitError(
      `The database takes ${found.connectionsMax} connections, too few for ${workers} processes: raise its max_connections or start fewer workers.`,
    );
  const db = openPool({ connection, connectionsMax: mine, logger });
  return {
    kind,
    db,
    connection,
    connectionsMax: mine,
    serverVersion: found.version,
    close: async () => {
      await db.close();
      await release();
    },
  };
}

interface Inspection {
  version: string;
  connectionsMax: number;
}

async function inspect(
  connection: ConnectionSettings,
  waitMsMax: number,
  clock: Clock,
): Promise<Inspection> {
  const found = await patiently(connection, waitMsMax, clock);
  const where = describe(connection);
  if (Number.parseInt(found.version, 10) < majorVersionMin)
    throw new ExitError(
      `The database ${where} is PostgreSQL ${found.version}; Plinth needs ${majorVersionMin} or newer.`,
    );
  if (found.encoding !== "UTF8")
    throw new ExitError(
      `The database ${where} is encoded as ${found.encoding}: create one with "create database plinth encoding 'UTF8' template template0".`,
    );
  return { version: found.version, connectionsMax: Number(found.connections) };
}

interface Found {
  version: string;
  encoding: string;
  connections: string;
}

/** Tries again while the server is not there yet; a wrong password or name does not get better by waiting. */
async function patiently(
  connection: ConnectionSettings,
  waitMsMax: number,
  clock: Clock,
): Promise<Found> {
  const deadlineMs = clock.monotonicMs() + waitMsMax;
  for (;;) {
    try {
      return await look(connection);
    } catch (error) {
      const { code = "", message } = error as Error & { code?: string };
      const hopeless = /^(28|3D|42)/.test(code);
      if (hopeless || clock.monotonicMs() > deadlineMs)
        throw new ExitError(
          `The database ${describe(connection)} cannot be used: ${withoutPassword(message || code, connection)}. Check DATABASE_URL and whether the server runs.`,
        );
      await clock.sleep(250);
    }
  }
}

async function look(connection: ConnectionSettings): Promise<Found> {
  const client = new pg.Client({ ...clientConfig(connection), connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Found>(
      `select split_part(current_setting('server_version'), ' ', 1) as version,
        current_setting('server_encoding') as encoding,
        current_setting('max_connections') as connections`,
    );
    if (!rows[0]) throw new Error("it does not answer as PostgreSQL does");
    return rows[0];
  } finally {
    await client.end().catch(() => {});
  }
}

function checkedUrl(text: string): string {
  // Not as a cause: the error of URL holds the whole text, and with it the password.
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new ExitError(
      "DATABASE_URL must look like postgres://user:password@host:5432/database; special characters in the password are written as %XX.",
    );
  return text;
}

/** The address as it may be shown. */
export function describe({ url, socketDirectory, database }: ConnectionSettings): string {
  if (url === undefined) return `${database ?? ""} at ${socketDirectory ?? ""}`;
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username}${username && "@"}${host}${pathname}`;
}

function withoutPassword(message: string, { url }: ConnectionSettings): string {
  const address = new URL(url ?? "postgres://");
  const raw = [address.password, address.searchParams.get("password") ?? ""];
  return raw
    .flatMap((secret) => [secret, decoded(secret)])
    .filter((secret) => secret !== "")
    .reduce((text, secret) => text.replaceAll(secret, "***"), message);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
