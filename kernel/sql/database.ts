// Statements against a pool of connections, and `tx()`: the only way to write.
import pg from "pg";
import { type Logger } from "../base/logger.ts";
import { Failure, unavailable } from "../base/failure.ts";
import type { Statement } from "./statement.ts";

/** Whatever runs statements: the pool outside a transaction, one connection inside. */
export interface Queries {
  query<Row extends object>(statement: Statement): Promise<Row[]>;
}

export interface Tx extends Queries {
  /** Runs once the transaction has committed, never when it rolled back: for hints, not for truth. */
  afterCommit(act: () => void): void;
}

export interface Database extends Queries {
  /**
   * Runs `work` in one transaction and commits. A serialization failure or a deadlock rolls back and
   * runs `work` again, so `work` touches nothing but the transaction.
   */
  tx<T>(work: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>;
  /** One round trip and an answer, or a Failure that says the database is away. */
  ping(): Promise<void>;
  /** How many connections are open, taken and waited for. */
  stats(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export interface TxOptions {
  isolation?: "read committed" | "repeatable read" | "serializable";
}

export interface ConnectionSettings {
  /** A postgres:// address, or the directory of a unix socket with its database and user. */
  url?: string;
  socketDirectory?: string;
  user?: string;
  database?: string;
}

export interface DatabaseOptions {
  connection: ConnectionSettings;
  connectionsMax: number;
  logger: Logger;
}

const txAttemptsMax = 6;
/** How long a request waits for a free connection before it is told to come back. */
const acquireTimeoutMs = 5_000;
/** A statement that runs longer is cancelled by the server: no request hangs on a lock for ever. */
const statementTimeoutMs = 60_000;

// int8 arrives as text by default; every bigint of ours stays below 2^53, money included (nano-units
// are read as text where a column may exceed it, with an explicit cast to text in the query).
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => Number(text));

export function clientConfig(connection: ConnectionSettings): pg.ClientConfig {
  return connection.url === undefined
    ? {
        host: connection.socketDirectory,
        user: connection.user,
        database: connection.database,
      }
    : { connectionString: connection.url };
}

export function openPool({ connection, connectionsMax, logger }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...clientConfig(connection),
    application_name: "plinth",
    max: connectionsMax,
    connectionTimeoutMillis: acquireTimeoutMs,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  });
  // A connection that dies while idle is replaced by the pool; without a listener it would end the process.
  pool.on("error", (error) =>
    logger.warn({ error: error.message }, "an idle database connection was lost"),
  );

  return {
    query: (statement) => run(pool, statement),
    tx: async (work, options) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transact(pool, work, options);
        } catch (error) {
          if (!isRetryable(error) || attempt === txAttemptsMax) throw error;
          await pause(attempt);
        }
      }
    },
    ping: async () => {
      await run(pool, { text: "select 1", values: [] });
    },
    stats: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

async function transact<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  options: TxOptions | undefined,
): Promise<T> {
  const client = await connect(pool);
  const afterCommit: (() => void)[] = [];
  let broken: Error | undefined;
  const noteLoss = (error: Error) => {
    broken = error;
  };
  client.on("error", noteLoss);
  try {
    await run(client, {
      text: `begin isolation level ${options?.isolation ?? "read committed"}`,
      values: [],
    });
    const result = await work({
      query: (statement) => run(client, statement),
      afterCommit: (act) => void afterCommit.push(act),
    });
    await run(client, { text: "commit", values: [] });
    for (const act of afterCommit) act();
    return result;
  } catch (error) {
    // A failed rollback means that the connection is gone, and with it the transaction.
    await client.query("rollback").catch((failed: Error) => noteLoss(failed));
    throw error;
  } finally {
    client.off("error", noteLoss);
    client.release(broken);
  }
}

async function run<Row extends object>(
  on: pg.Pool | pg.PoolClient,
  { text, values, name }: Statement,
): Promise<Row[]> {
  try {
    const result = await on.query<Row>({
      text,
      values: values as unknown[],
      ...(name && { name }),
    });
    // Text with several statements, as a migration has, gives an array of results.
    return Array.isArray(result) ? [] : result.rows;
  } catch (error) {
    throw asFailure(error);
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw asFailure(error);
  }
}

/** Connection trouble becomes "come back in a second"; what the server says of a statement stays as it is. */
function asFailure(error: unknown): unknown {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const away =
    /^(ECONN|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|08|57P0|53300)/.test(code) ||
    /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/.test(
      error.message,
    );
  if (away)
    return unavailable("The database is not reachable just now; try again.", 1, { cause: error });
  if (/^53[12]00/.test(code))
    return unavailable("The database is out of disk or memory; nothing was written.", 10, {
      cause: error,
    });
  return error;
}

function isRetryable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === "40001" || error.code === "40P01");
}

/** Short and growing, spread so that the two sides of a deadlock do not meet again. */
function pause(attempt: number): Promise<void> {
  const ms = 5 * 2 ** attempt * (0.5 + Math.random());
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The constraint that a statement broke, if that is why it failed: for turning a duplicate into a sentence. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith("23")
    ? error.constraint
    : undefined;
}
