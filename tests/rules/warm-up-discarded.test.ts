// Work on a database that forgets: it reads what it writes, and nothing of it is seen outside or stays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { discardWrites } from "../../server/warm_up/discarded.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { emptyDatabase } from "../postgres.ts";

const never = new AbortController().signal;

test("[OPS11] what is written in a discarded transaction is read there, and nowhere else", async () => {
  await using database = await emptyDatabase();
  const { db } = database;
  await db.query(sql`create table rows (n int primary key)`);
  const count = async (on = db) => (await on.query(sql`select n from rows`)).length;
  const acts: string[] = [];
  await discardWrites(db, never, async (discarded) => {
    await Promise.all([1, 2, 3].map((n) => discarded.query(sql`insert into rows values (${n})`)));
    await discarded.tx(async (tx) => {
      tx.beforeCommit(async () => {
        acts.push("before");
        await tx.query(sql`insert into rows values (4)`);
      });
      tx.afterCommit(() => void acts.push("after"));
      tx.atEnd(() => void acts.push("end"));
      acts.push("work");
    });
    assert.deepEqual([await count(discarded), await count()], [4, 0]);
  });
  assert.deepEqual(acts, ["work", "before", "after", "end"]);
  assert.equal(await count(), 0);
});

test("[OPS11] an error of discarded work comes out, and the connection is good again", async () => {
  await using database = await emptyDatabase();
  const { db } = database;
  const failing = discardWrites(db, never, async (discarded) => {
    await discarded.query(sql`create table gone (n int)`);
    await discarded.query(sql`select broken`);
  });
  await assert.rejects(failing, /broken/);
  await assert.rejects(db.query(sql`select * from gone`), /gone/);
  await db.ping();
});
