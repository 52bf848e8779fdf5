// Statements against a pool of connections, and `tx()`: the only way to write.
import assert from "node:assert/strict";
import pg from "pg";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { type Random, systemRandom } from "../base/random.ts";
import { clientConfig, type ConnectionSettings } from "./connection.ts";
import { run, type CheckedOutClient } from "./run-statement.ts";
import { noSilenceWatch, openSilenceWatch, type SilenceWatch } from "./silence-watch.ts";
import type { Statement } from "./statement.ts";
import { readTypes } from "./types.ts";
import {
  asFailure,
  databaseAway,
  commitUnknown,
  contended,
  isConnectionLost,
  isRetryable,
} from "./driver-errors.ts";

export { brokenConstraint, isBadData, isCommitUnknown } from "./driver-errors.ts";

/** Runs statements: the pool outside a transaction, one connection inside. */
export interface Queryable {
  query<Row extends object>(statement: Statement): Promise<Row[]>;
}

export interface Tx extends Queryable {
  /** Runs when `work` is done, as the last of the transaction: for rows that many transactions want to lock. */
  beforeCommit(act: () => Promise<void>): void;
  /** Runs once the transaction has committed, never when it rolled back: for hints, not for truth. */
  afterCommit(act: () => void): void;
  /** Runs when the transaction is over and its locks are gone, committed or not; after `afterCommit`. */
  atEnd(act: () => void): void;
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction and commits. A serialization failure or a deadlock rolls back and
   * runs `work` again, so `work` touches nothing but the transaction.
   */
  tx<T>(work: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>;
  /** Statements that no transaction may hold, such as `vacuum`. False, and none, while another process is at it. */
  maintain(work: Maintenance): Promise<boolean>;
  /** One round trip and an answer, or a Failure that says the database is away. */
  ping(): Promise<void>;
  /** How many connections are open, taken and waited for. */
  stats(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export interface Maintenance {
  /** One process at a time, of all, runs the maintenance of this name. */
  name: string;
  statements: readonly Statement[];
  /** For each statement. */
  msMax: number;
}

export interface TxOptions {
  isolation?: "read committed" | "repeatable read" | "serializable";
  /** How long each statement may run, where the minute of the pool is too short: migrations. */
  statementMsMax?: number;
}

export interface DatabaseOptions {
  connection: ConnectionSettings;
  connectionsMax: number;
  logger: Logger;
  /** How long a request waits for a free connection before it is told to come back. */
  acquireMsMax?: number;
  /** A statement that runs longer is cancelled by the server: no request hangs on a lock for ever. */
  statementMsMax?: number;
  /** False where time is simulated: the machine's own may end no statement then. */
  watchesSilence?: boolean;
  clock?: Clock;
  random?: Random;
}

const attemptsMax = 6;
const acquireMsDefault = 5_000;
const statementMsDefault = 60_000;
/** The server cancels first; this much later the client gives up on a server that does not answer at all. */
const silenceMs = 5_000;

readTypes();

export function openPool(options: DatabaseOptions): Database {
  const { connection, connectionsMax, logger } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const statementMs = options.statementMsMax ?? statementMsDefault;
  const pool = new pg.Pool({
    ...clientConfig(connection),
    application_name: "plinth",
    // Statements that are asked for together go together.
    pipeline: true,
    max: connectionsMax,
    connectionTimeoutMillis: options.acquireMsMax ?? acquireMsDefault,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementMs,
    query_timeout: statementMs + silenceMs,
    idle_in_transaction_session_timeout: statementMs,
  });
  // A connection that dies while idle is replaced by the pool; without a listener it would end the process.
  pool.on("error", (error) =>
    logger.warn({ error: error.message }, "an idle database connection was lost"),
  );
  // One may be lost as it is handed out, when the pool listens no longer and its user not yet.
  pool.on("connect", (client) => client.on("error", () => {}));
  let closing: Promise<void> | undefined;
  const silenceWatch =
    options.watchesSilence === false
      ? noSilenceWatch
      : openSilenceWatch(clientConfig(connection), logger);
  const connections = { pool, silenceWatch, logger };
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (attempt === attemptsMax) throw contended(error);
        // Short and growing, spread so that the two sides of a deadlock do not meet again.
        await clock.sleep(5 * 2 ** attempt * (0.5 + random.fraction()));
      }
    }
  };
  // One that claims or renews many rows is a side of a deadlock as a transaction is.
  const query = <Row extends object>(statement: Statement) =>
    again(() => withClient(connections, (checkedOut) => run<Row>(checkedOut, statement)));

  return {
    query,
    tx: (work, txOptions) => again(() => transact(connections, work, txOptions)),
    maintain: (work) =>
      withClient(connections, (checkedOut) => maintain(checkedOut, work, statementMs)),
    ping: async () => {
      await query({ text: "select 1", values: [] });
    },
    stats: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => {
      silenceWatch.close();
      return (closing ??= pool.end());
    },
  };
}

interface Connections {
  pool: pg.Pool;
  silenceWatch: SilenceWatch;
  logger: Logger;
}

/**
 * The pool's own `query` throws a connection away for every error of a statement, a broken constraint
 * included, and a new one costs the server a process. Here only a connection that was lost is dropped.
 */
async function withClient<T>(
  { pool, silenceWatch }: Connections,
  work: (checkedOut: CheckedOutClient) => Promise<T>,
): Promise<T> {
  if (silenceWatch.isSilent()) throw databaseAway(new Error("the database is silent"));
  const client = await pool.connect().catch((error: unknown) => {
    throw asFailure(error);
  });
  let lost: Error | undefined;
  const lose = (error: Error) => {
    lost = error;
  };
  client.on("error", lose);
  try {
    return await work({ client, silenceWatch, lose });
  } catch (error) {
    if (error instanceof Error && (isConnectionLost(error) || isConnectionLost(error.cause)))
      lose(error);
    throw error;
  } finally {
    client.off("error", lose);
    client.release(lost);
  }
}

function transact<T>(
  connections: Connections,
  work: (tx: Tx) => Promise<T>,
  options: TxOptions = {},
): Promise<T> {
  return withClient(connections, async (checkedOut) => {
    const { client, silenceWatch, lose } = checkedOut;
    const afterCommit: (() => void)[] = [];
    const beforeCommit: (() => Promise<void>)[] = [];
    const atEnd: (() => void)[] = [];
    const silentMsMax = options.statementMsMax && options.statementMsMax + silenceMs;
    let over = false;
    const query = <Row extends object>(statement: Statement) => {
      // The connection may serve another caller by now.
      if (over) assert.fail(`A statement came after its transaction: ${statement.text}`);
      return run<Row>(checkedOut, statement, silentMsMax);
    };
    try {
      await run(checkedOut, { text: beginning(options), values: [] });
      const result = await work({
        query,
        beforeCommit: (act) => void beforeCommit.push(act),
        afterCommit: (act) => void afterCommit.push(act),
        atEnd: (act) => void atEnd.push(act),
      });
      for (const act of beforeCommit) await act();
      over = true;
      await commit(checkedOut);
      for (const act of afterCommit) actSafely(act, connections.logger);
      return result;
    } catch (error) {
      over = true;
      // A failed rollback means that the connection is gone, and with it the transaction.
      await silenceWatch.during(client, () => client.query("rollback")).catch(lose);
      throw error;
    } finally {
      for (const act of atEnd) actSafely(act, connections.logger);
    }
  });
}

function beginning({ isolation = "read committed", statementMsMax }: TxOptions): string {
  const begin = `begin isolation level ${isolation}`;
  return statementMsMax ? `${begin}; set local statement_timeout = ${statementMsMax}` : begin;
}

async function commit({ client, silenceWatch }: CheckedOutClient): Promise<void> {
  let command: string;
  try {
    ({ command } = await silenceWatch.during(client, () => client.query("commit")));
  } catch (error) {
    throw isConnectionLost(error) ? commitUnknown(error) : asFailure(error);
  }
  // PostgreSQL answers so, and with no error, when an earlier statement had failed and the work went on.
  assert(
    command !== "ROLLBACK",
    "Nothing was saved: a statement of this transaction failed and its error was caught. Let it out of the transaction.",
  );
}

/** The transaction is over: an error of a later act must not make it look as if it had ended otherwise. */
function actSafely(act: () => void, logger: Logger): void {
  try {
    act();
  } catch (error) {
    logger.error({ error }, "what was to happen after a transaction failed");
  }
}

/** The lock is asked for and not waited for: `reindex concurrently` waits for sessions that wait. */
async function maintain(
  checkedOut: CheckedOutClient,
  { name, statements, msMax }: Maintenance,
  usualMs: number,
): Promise<boolean> {
  const lock = (act: string) =>
    run<{ isOurs: boolean }>(checkedOut, {
      text: `select ${act}(hashtextextended($1, 0)) as "isOurs"`,
      values: [name],
    });
  const [answer] = await lock("pg_try_advisory_lock");
  if (answer?.isOurs !== true) return false;
  try {
    await run(checkedOut, { text: `set statement_timeout = ${msMax}`, values: [] });
    for (const statement of statements) await run(checkedOut, statement, msMax + silenceMs);
  } finally {
    await run(checkedOut, { text: `set statement_timeout = ${usualMs}`, values: [] });
    await lock("pg_advisory_unlock");
  }
  return true;
}
