// Hints reach every process, gather within a tick, and survive the loss of their connection.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { silentLogger } from "../../kernel/base/logger.ts";
import { type Hints, openHints } from "../../kernel/sql/hints.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { type TestDatabase, emptyDatabase } from "../postgres.ts";
import { until } from "./sql-harness.ts";

const logger = silentLogger;
let home: TestDatabase;
let here: Hints;
let there: Hints;

before(async () => {
  home = await emptyDatabase();
  here = await openHints(home.connection, { logger });
  there = await openHints(home.connection, { logger });
});
after(async () => {
  await here.close();
  await there.close();
  await home[Symbol.asyncDispose]();
});

function collect(hints: Hints, channel: string): string[] {
  const heard: string[] = [];
  hints.listen(channel, (key) => heard.push(key));
  return heard;
}

test("[SQL11] a hint reaches its own process and others, once, on its channel alone", async () => {
  const [mine, theirs, other] = [collect(here, "a"), collect(there, "a"), collect(there, "b")];
  for (let i = 0; i < 100; i++) here.send("a", "key one");
  here.send("a", "last");
  await until("both were heard", () => theirs.includes("last") && mine.includes("last"));
  there.send("a", "end");
  await until("the answer was heard", () => mine.includes("end") && theirs.includes("end"));
  assert.deepEqual(theirs, ["key one", "last", "end"]);
  assert.deepEqual(mine, ["key one", "last", "end"]);
  assert.deepEqual(other, []);
});

test("[SQL11] the hints of one tick travel in one statement", async () => {
  const calls = async () => {
    const [row] = await home.db.query<{ n: number }>(
      sql`select xact_commit as n from pg_stat_database where datname = current_database()`,
    );
    return row?.n ?? 0;
  };
  const theirs = collect(there, "many");
  const before = await calls();
  for (let i = 0; i < 500; i++) here.send("many", `key ${i}`);
  await until("all were heard", () => theirs.length === 500);
  assert.ok((await calls()) - before < 50, "far fewer transactions than hints");
});

test("[SQL11] a key that is too long says that anything may have changed", async () => {
  const theirs = collect(there, "long");
  here.send("long", "x".repeat(9_000));
  await until("it was heard", () => theirs.length === 1);
  assert.deepEqual(theirs, ["*"]);
});

test("a listener that throws or leaves does not disturb the others", async () => {
  const leave = there.listen("c", () => assert.fail("it had left"));
  leave();
  there.listen("c", () => {
    throw new Error("a listener's fault");
  });
  const theirs = collect(there, "c");
  here.send("c", "k");
  await until("the other one heard", () => theirs.length === 1);
});

test("[SQL11] after the connection was killed every listener hears *, and hints flow again", async () => {
  const [mine, theirs] = [collect(here, "d"), collect(there, "d")];
  const killed = await home.db.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'plinth hints' and datname = current_database()`);
  assert.equal(killed.length, 2);
  here.send("d", "sent into the gap");
  await until("both were told", () => mine.includes("*") && theirs.includes("*"));
  here.send("d", "again");
  await until("hints flow again", () => theirs.includes("again") && mine.includes("again"));
  assert.ok(mine.includes("sent into the gap"), "its own process hears it without the database");
});

test("[SQL11] without a database it opens all the same, and closes", async (t) => {
  const lonely = await openHints({ socketDirectory: "/nonexistent" }, { logger });
  t.after(() => lonely.close());
  const heard = collect(lonely, "e");
  lonely.send("e", "k");
  await until("it was heard", () => heard.length === 1);
  await lonely.close();
  lonely.send("e", "late");
});
