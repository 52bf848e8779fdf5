// A test database whose clock stands still until the test moves it: the server's own time functions are
// shadowed by ones that read a row, so leases, retries and schedules need no waiting and no luck.
import { silentLogger } from "../../kernel/base/logger.ts";
import { type Database, openPool } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { testDatabase } from "../postgres.ts";
import { testTimeoutMs } from "../test-timeout.ts";

export interface TimedDatabase extends AsyncDisposable {
  db: Database;
  /** On a pool that no code under test uses. */
  observer: Database;
  advance(ms: number): Promise<void>;
  now(): Promise<Date>;
}

/** Far more than a slow machine takes for a transaction that is held open while simulated time passes. */
const waitMsMax = 3_600_000;

const shadows = [
  sql`create schema timed`,
  sql`create table timed.clock (at timestamptz not null)`,
  sql`insert into timed.clock values ('2026-03-01T00:00:00Z')`,
  sql`create function timed.clock_timestamp() returns timestamptz volatile language sql
    as 'select at from timed.clock'`,
  sql`create function timed.statement_timestamp() returns timestamptz stable language sql
    as 'select at from timed.clock'`,
  // Limits of waiting for locks, which would count the time of the machine, are not set.
  sql`create function timed.set_config(name text, value text, is_local boolean) returns text
    volatile language sql as 'select value'`,
];

export async function timedDatabase(connectionsMax = 8): Promise<TimedDatabase> {
  const test = await testDatabase();
  for (const statement of shadows) await test.db.query(statement);
  // Sessions that open from now on look into `timed` before the built-in functions.
  await test.db.query({
    text: `alter database ${test.name} set search_path = timed, public, pg_catalog`,
    values: [],
  });
  const { connection } = test;
  const db = openPool({
    connection,
    connectionsMax,
    logger: silentLogger,
    acquireMsMax: testTimeoutMs,
    statementMsMax: waitMsMax,
    watchesSilence: false,
  });
  return {
    db,
    observer: test.db,
    advance: async (ms) => {
      await test.db.query(sql`update timed.clock set at = at + ${ms} * interval '1 millisecond'`);
    },
    now: async () => {
      const [row] = await test.db.query<{ at: Date }>(sql`select at from timed.clock`);
      return row?.at ?? new Date(0);
    },
    [Symbol.asyncDispose]: async () => {
      await db.close();
      await test[Symbol.asyncDispose]();
    },
  };
}
