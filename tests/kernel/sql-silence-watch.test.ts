// A database that takes connections and bytes and never answers: noticed within seconds, and not taken for a slow one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { type ConnectionSettings } from "../../kernel/sql/connection.ts";
import { openPool } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { emptyDatabase } from "../postgres.ts";
import { openInterceptedSocket } from "../intercepted-socket.ts";
import { scratch, until } from "./sql-harness.ts";

/** A proxy to the database that can be made to swallow everything. */
async function wayTo(to: ConnectionSettings, directory: string) {
  let silent = false;
  const { connection, sockets, close } = await openInterceptedSocket(to, directory, (near, far) => {
    near.pipe(far);
    far.pipe(near);
    if (!silent) return;
    near.pause();
    far.pause();
  });
  return {
    connection,
    silence: (is: boolean) => {
      silent = is;
      for (const socket of sockets)
        if (is) socket.pause();
        else socket.resume();
    },
    [Symbol.asyncDispose]: close,
  };
}

const failure = (code: string) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.deepEqual([error.status, error.options.code], [503, code]);
  return true;
};

test("[SQL9] a silent database is a 503 within seconds, at once while it lasts; a slow one is waited for", async () => {
  await using home = await emptyDatabase();
  using directory = scratch();
  await using way = await wayTo(home.connection, directory.path);
  const db = openPool({ connection: way.connection, connectionsMax: 4, logger: silentLogger });
  try {
    await db.query(sql`create table stones (id int primary key)`);
    const slow = db.query<{ done: number }>(sql`select 1 as done from pg_sleep(3)`);
    assert.deepEqual(await slow, [{ done: 1 }]);

    const startedAt = performance.now();
    const spoken = Promise.withResolvers<void>();
    const commit = db.tx(async (tx) => {
      await tx.query(sql`insert into stones values (1)`);
      way.silence(true);
      spoken.resolve();
    });
    await spoken.promise;
    await Promise.all([
      assert.rejects(commit, failure("commit_outcome_unknown")),
      assert.rejects(db.query(sql`select 1`), failure("database_away")),
    ]);
    const ms = performance.now() - startedAt;
    assert.ok(ms < 8_000, `it took ${ms} ms`);
    const askedAt = performance.now();
    await assert.rejects(db.ping(), failure("database_away"));
    assert.ok(performance.now() - askedAt < 200, "nobody waits for what is known to be silent");

    way.silence(false);
    const answers = () =>
      db.ping().then(
        () => true,
        () => false,
      );
    await until("it answers again", answers, 8_000);
    await db.query(sql`insert into stones values (2)`);
  } finally {
    await db.close();
  }
});

test("[SQL9] a process that is held up itself does not take its database for silent", async () => {
  await using home = await emptyDatabase();
  using directory = scratch();
  let connections = 0;
  const way = await openInterceptedSocket(home.connection, directory.path, (near, far) => {
    near.pipe(far);
    far.pipe(near);
    // The second one asks whether the database is there, because the first is slow: now nothing runs for a while.
    if (++connections === 2) standStill(6_000);
  });
  const db = openPool({ connection: way.connection, connectionsMax: 1, logger: silentLogger });
  try {
    const slow = db.query<{ done: number }>(sql`select 1 as done from pg_sleep(10)`);
    assert.deepEqual(await slow, [{ done: 1 }]);
    assert.ok(connections > 1, "the database was asked");
  } finally {
    await db.close();
    await way.close();
  }
});

function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
