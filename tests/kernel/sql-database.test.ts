// Transactions: repeated where that is safe, never where it is not, and no way of failing hangs or hides.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { type Database, brokenConstraint, openPool } from "../../kernel/sql/database.ts";
import { openDatabase } from "../../kernel/sql/open-database.ts";
import {
  identifier,
  joinStatements as joined,
  preparedAs,
  sql,
} from "../../kernel/sql/statement.ts";
import { type TestDatabase, emptyDatabase } from "../postgres.ts";
import { openInterceptedSocket } from "../intercepted-socket.ts";
import { scratch, until } from "./sql-harness.ts";

const logger = silentLogger;
let home: TestDatabase;
let db: Database;

before(async () => {
  home = await emptyDatabase();
  db = home.db;
  await db.query(
    sql`create table accounts (id text collate "C" primary key, amount bigint not null)`,
  );
});
after(() => home[Symbol.asyncDispose]());

async function put(id: string, amount = 0): Promise<void> {
  await db.tx((tx) => tx.query(sql`insert into accounts values (${id}, ${amount})`));
}

async function amountOf(id: string): Promise<number | undefined> {
  const rows = await db.query<{ amount: number }>(
    sql`select amount from accounts where id = ${id}`,
  );
  return rows[0]?.amount;
}

const failure = (status: number, code: string) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.deepEqual([error.status, error.options.code], [status, code]);
  return true;
};

test("[SQL8] statements are spliced, renumbered, joined; undefined is refused", async () => {
  const where = joined([sql`a = ${1}`, sql`b = ${2}`], " and ");
  const statement = sql`select ${0} from ${identifier('t"x')} where ${where} limit ${3}`;
  assert.equal(statement.text, 'select $1 from "t""x" where a = $2 and b = $3 limit $4');
  assert.deepEqual(statement.values, [0, 1, 2, 3]);
  assert.equal(preparedAs("n", statement).name, "n");
  assert.throws(() => sql`select ${undefined}`, TypeError);
});

test("[SQL1] a deadlock is resolved by running one side again", async () => {
  await put("left");
  await put("right");
  let runs = 0;
  let waiting = 0;
  let meet = () => {};
  const bothHoldOne = new Promise<void>((resolve) => (meet = resolve));
  const move = (first: string, second: string) =>
    db.tx(async (tx) => {
      runs += 1;
      await tx.query(sql`update accounts set amount = amount + 1 where id = ${first}`);
      if (++waiting === 2) meet();
      await bothHoldOne;
      await tx.query(sql`update accounts set amount = amount + 1 where id = ${second}`);
    });
  await Promise.all([move("left", "right"), move("right", "left")]);
  assert.equal(runs, 3);
  assert.deepEqual([await amountOf("left"), await amountOf("right")], [2, 2]);
});

test("[SQL1] serialization failures are run again until each increment counts", async () => {
  await put("counter");
  let runs = 0;
  let readers = 0;
  let meet = () => {};
  const allHaveRead = new Promise<void>((resolve) => (meet = resolve));
  const increment = () =>
    db.tx(
      async (tx) => {
        runs += 1;
        const [row] = await tx.query<{ amount: number }>(
          sql`select amount from accounts where id = 'counter'`,
        );
        if (++readers === 3) meet();
        await allHaveRead;
        await tx.query(
          sql`update accounts set amount = ${(row?.amount ?? 0) + 1} where id = 'counter'`,
        );
      },
      { isolation: "serializable" },
    );
  await Promise.all([increment(), increment(), increment()]);
  assert.equal(await amountOf("counter"), 3);
  assert.ok(runs > 3, "there was a conflict to resolve");
});

test("[SQL1] work that always conflicts ends after six runs with 503", async () => {
  let runs = 0;
  const work = db.tx(async (tx) => {
    runs += 1;
    await tx.query(sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`);
  });
  await assert.rejects(work, failure(503, "database_contended"));
  assert.equal(runs, 6);
});

test("[SQL1] a statement of no transaction that is the victim of a deadlock runs again", async () => {
  await db.query(sql`create sequence tries`);
  await db.query(sql`do $$ begin
    if nextval('tries') < 3 then raise exception 'deadlock' using errcode = '40P01'; end if;
  end $$`);
  const [row] = await db.query<{ tries: number }>(sql`select last_value as tries from tries`);
  assert.equal(row?.tries, 3);
});

test("[SQL2] a connection lost in a transaction is a 503, saves nothing, and the pool recovers", async () => {
  let runs = 0;
  const work = db.tx(async (tx) => {
    runs += 1;
    await tx.query(sql`insert into accounts values ('lost', 1)`);
    const [row] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    await db.query(sql`select pg_terminate_backend(${row?.pid})`);
    await tx.query(sql`select 1`);
  });
  await assert.rejects(work, failure(503, "database_away"));
  assert.equal(runs, 1);
  assert.equal(await amountOf("lost"), undefined);
});

test("[SQL2] a database that ends in the same breath as it takes a connection is a 503, and the process lives", async () => {
  using directory = scratch();
  let isEnding = true;
  const socket = await openInterceptedSocket(home.connection, directory.path, (near, far) => {
    near.pipe(far);
    far.on("data", (bytes: Buffer) => {
      const isReady = isEnding && bytes.includes("Z\0\0\0\x05I");
      near.write(isReady ? Buffer.concat([bytes, ended]) : bytes);
      if (isReady) near.end();
    });
  });
  const shaky = openPool({ connection: socket.connection, connectionsMax: 2, logger });
  try {
    await assert.rejects(shaky.ping(), failure(503, "database_away"));
    isEnding = false;
    await shaky.ping();
  } finally {
    await shaky.close();
    await socket.close();
  }
});

/** What PostgreSQL says to all connections when it is stopped or its first process dies. */
const ended = (() => {
  const fields = "SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0";
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
})();

test("[SQL3] a COMMIT whose answer is lost is told as such, and not run again", async () => {
  using directory = scratch();
  let commits = 0;
  // The commit passes, its answer does not.
  const socket = await openInterceptedSocket(home.connection, directory.path, (near, far) => {
    let cut = false;
    near.on("data", (bytes) => {
      if (bytes.includes("commit\0")) {
        cut = true;
        commits += 1;
      }
      far.write(bytes);
    });
    far.on("data", (bytes) => (cut ? near.destroy() : near.write(bytes)));
  });
  const shaky = openPool({
    connection: socket.connection,
    connectionsMax: 2,
    logger,
  });
  let hinted = false;
  const work = shaky.tx(async (tx) => {
    tx.afterCommit(() => (hinted = true));
    await tx.query(sql`insert into accounts values ('unknown', 1)`);
  });
  try {
    await assert.rejects(work, (error) => {
      failure(503, "commit_outcome_unknown")(error);
      return (error as Failure).options.headers?.["x-should-retry"] === "false";
    });
    assert.deepEqual([commits, hinted, await amountOf("unknown")], [1, false, 1]);
  } finally {
    await shaky.close();
    await socket.close();
  }
});

test("[SQL4] a taken pool makes others wait for a bounded time, then 503", async (t) => {
  const { connection } = home;
  const small = openPool({ connection, connectionsMax: 1, acquireMsMax: 200, logger });
  t.after(() => small.close());
  await small.tx(async () => {
    const started = performance.now();
    await assert.rejects(small.query(sql`select 1`), failure(503, "database_busy"));
    assert.ok(performance.now() - started < 2_000);
  });
  await small.ping();
  await small.close();
  await assert.rejects(small.ping(), failure(503, "database_away"));
});

test("[SQL4] a statement that takes too long is cancelled, and the connection serves on", async (t) => {
  const { connection } = home;
  const hasty = openPool({ connection, connectionsMax: 1, statementMsMax: 150, logger });
  t.after(() => hasty.close());
  const backend = async () =>
    (await hasty.query<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid;
  const before = await backend();
  await assert.rejects(hasty.query(sql`select pg_sleep(30)`), failure(503, "database_timeout"));
  await hasty.tx((tx) => tx.query(sql`select pg_sleep(0.3)`), { statementMsMax: 5_000 });
  assert.equal(await backend(), before);
});

test("[SQL5] an error of a statement keeps the connection, and names the constraint", async (t) => {
  await put("twice");
  const lone = openPool({ connection: home.connection, connectionsMax: 1, logger });
  t.after(() => lone.close());
  const backend = async () =>
    (await lone.query<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid;
  const before = await backend();
  const error: unknown = await lone
    .query(sql`insert into accounts values ('twice', 1)`)
    .catch((thrown: unknown) => thrown);
  assert.equal(brokenConstraint(error), "accounts_pkey");
  assert.equal(await backend(), before);
});

test("[SQL6] afterCommit runs once, after the commit, and its error does not undo it", async () => {
  const seen: (number | undefined)[] = [];
  let check: Promise<void> | undefined;
  await db.tx(async (tx) => {
    await tx.query(sql`insert into accounts values ('after', 5)`);
    tx.afterCommit(() => {
      check = amountOf("after").then((amount) => void seen.push(amount));
      throw new Error("a listener's fault");
    });
  });
  await check;
  assert.deepEqual(seen, [5]);
  const rolledBack = db.tx(async (tx) => {
    tx.afterCommit(() => seen.push(-1));
    throw new Error("no");
  });
  await assert.rejects(rolledBack, /no/);
  assert.deepEqual(seen, [5]);
});

test("[SQL6] beforeCommit is the last of a transaction, and atEnd finds its locks gone, committed or not", async () => {
  await put("hooked");
  const seen: string[] = [];
  let free: Promise<unknown> | undefined;
  const run = (failing?: "in the work" | "at its end") =>
    db.tx(async (tx) => {
      tx.beforeCommit(async () => {
        await tx.query(sql`update accounts set amount = amount + 1 where id = 'hooked'`);
        seen.push("before");
        if (failing === "at its end") throw new Error(failing);
      });
      tx.afterCommit(() => seen.push("after"));
      tx.atEnd(() => {
        seen.push("end");
        free = db.query(sql`select id from accounts where id = 'hooked' for update nowait`);
        throw new Error("a listener's fault");
      });
      await tx.query(sql`select id from accounts where id = 'hooked' for update`);
      seen.push("work");
      if (failing === "in the work") throw new Error(failing);
    });
  await run();
  await free;
  assert.deepEqual(seen.splice(0), ["work", "before", "after", "end"]);
  await assert.rejects(run("in the work"), /in the work/);
  await free;
  assert.deepEqual(seen.splice(0), ["work", "end"]);
  await assert.rejects(run("at its end"), /at its end/);
  await free;
  assert.deepEqual(seen, ["work", "before", "end"]);
  assert.equal(await amountOf("hooked"), 1);
});

test("[SQL7] an error that was caught inside does not look like success", async () => {
  const work = db.tx(async (tx) => {
    await tx.query(sql`insert into accounts values ('swallowed', 1)`);
    await tx.query(sql`select 1 / 0`).catch(() => {});
  });
  await assert.rejects(work, /Nothing was saved/);
  assert.equal(await amountOf("swallowed"), undefined);
});

test("[SQL7] a statement after the end of its transaction is refused", async () => {
  let leaked: Promise<unknown> | undefined;
  await db.tx(async (tx) => {
    leaked = new Promise((resolve) => setImmediate(resolve))
      .then(() => until("the transaction is over", () => db.stats().idle > 0))
      .then(() => tx.query(sql`insert into accounts values ('late', 1)`));
    leaked.catch(() => {});
  });
  await assert.rejects(leaked ?? Promise.resolve(), /after its transaction/);
  assert.equal(await amountOf("late"), undefined);
});

test("[SQL8] a bigint beyond 2^53 fails instead of losing digits", async () => {
  assert.deepEqual(await db.query(sql`select 9007199254740991::bigint as n`), [
    { n: 9007199254740991 },
  ]);
  await assert.rejects(db.query(sql`select 9007199254740993::bigint as n`), RangeError);
  await db.ping();
});

test("[SQL10] maintenance is done by one at a time, and the connection is as it was before", async (t) => {
  const one = openPool({ connection: home.connection, connectionsMax: 1, logger });
  t.after(() => one.close());
  const work = { name: "vacuum", statements: [sql`vacuum accounts`], msMax: 600_000 };
  const timeout = () => one.query(sql`show statement_timeout`);
  const usual = await timeout();
  let other: Promise<boolean> | undefined;
  await db.tx(async (tx) => {
    await tx.query(sql`lock table accounts`);
    other = one.maintain(work);
    await until("the vacuum waits", async () => {
      const waiting = await tx.query(sql`select pid from pg_locks where not granted`);
      return waiting.length > 0;
    });
    assert.equal(await db.maintain(work), false);
    assert.equal(await db.maintain({ ...work, name: "another", statements: [] }), true);
  });
  assert.equal(await other, true);
  assert.deepEqual(await timeout(), usual);
  assert.equal(await db.maintain(work), true);
  const broken = { ...work, statements: [sql`vacuum nowhere`] };
  await assert.rejects(one.maintain(broken), /nowhere/);
  assert.deepEqual(await timeout(), usual);
  assert.equal(await db.maintain(work), true);
});

test("[SQL15] a database that is not UTF-8 is refused with the way out", async () => {
  const name = `${home.name}_latin`;
  await db.query(
    sql`create database ${identifier(name)} encoding 'latin1' locale 'C' template template0`,
  );
  const { url, socketDirectory = "", user = "" } = home.connection;
  const address = new URL(url ?? `postgres://${user}@${encodeURIComponent(socketDirectory)}`);
  address.pathname = name;
  try {
    await assert.rejects(
      openDatabase({ databaseUrl: address.href, directory: "/nowhere", logger }),
      /^ExitError: The database .* is encoded as LATIN1: create one with /,
    );
  } finally {
    await db.query(sql`drop database ${identifier(name)}`);
  }
});
