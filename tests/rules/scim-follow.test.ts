// Rule SCM26 in the database: who becomes or stops being a user is followed and counted, many at once and by many.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Queryable } from "../../kernel/sql/database.ts";
import { empty, sql } from "../../kernel/sql/statement.ts";
import { countUsers } from "../../server/scim/people/queries.ts";
import { testDatabase } from "../postgres.ts";

async function openWithTwo() {
  const database = await testDatabase();
  await database.db.query(sql`
    insert into organizations (id, type, name, created_at)
    select id, 'enterprise', id, now() from unnest(array['one', 'two']) as id`);
  return database;
}

const insert = (on: Queryable, organizationId: string, from: number, to: number) =>
  on.query(sql`
    insert into users (id, organization_id, email, email_key, name, role, added_at)
    select 'user_' || n, ${organizationId}, n || '@x.example', n || '@x.example', 'P', 'user', now()
    from generate_series(${from}::int, ${to}::int) as n`);

async function countedIn(
  on: Queryable,
  organizationId: string,
): Promise<[kept: number, real: number]> {
  const [row] = await on.query<{ real: number }>(sql`
    select count(*) as real from scim_users where organization_id = ${organizationId}`);
  return [await countUsers(on, organizationId, empty), row?.real ?? -1];
}

test("[SCM26] many who come in one statement are looked up by keys", async () => {
  await using database = await openWithTwo();
  const { db } = database;
  await insert(db, "one", 1, 1);
  await db.query({ text: "analyze scim_users", values: [] });
  const read = await db.tx(async (tx) => {
    await insert(tx, "one", 2, 5_000);
    await tx.query(sql`update users set name = 'Q' where organization_id = 'one'`);
    await tx.query(sql`delete from users where id > 'user_2'`);
    const [row] = await tx.query<{ read: number }>(sql`
      select seq_tup_read as read from pg_stat_xact_user_tables where relname = 'scim_users'`);
    return row?.read;
  });
  assert.equal(read, 0);
  assert.deepEqual(await countedIn(db, "one"), [1_112, 1_112]);
});

test("[SCM26] the total is exact while many come and go, of each organization for itself", async () => {
  await using database = await openWithTwo();
  const { db } = database;
  const comeAndGo = async (at: number) => {
    const from = 1 + at * 100;
    await db.tx(async (tx) => {
      await insert(tx, at % 2 === 0 ? "one" : "two", from, from + 9);
      await insert(tx, "two", from + 10, from + 14);
    });
    await db.query(sql`delete from users where id = ${`user_${from}`}`);
    await db
      .tx(async (tx) => {
        await insert(tx, "one", from + 20, from + 29);
        throw new Error("taken back");
      })
      .catch(() => undefined);
  };
  await Promise.all(Array.from({ length: 24 }, (_, at) => comeAndGo(at)));
  assert.deepEqual(await countedIn(db, "one"), [108, 108]);
  assert.deepEqual(await countedIn(db, "two"), [228, 228]);
  await insert(db, "one", 9_000, 9_000);
  const rows = await db.query(sql`select 1 from scim_user_totals where organization_id = 'one'`);
  assert.equal(rows.length, 1, "what was left side by side is folded by the next change");
});

test("[SCM26] nobody waits for somebody else's change of the total", async () => {
  await using database = await openWithTwo();
  const { db } = database;
  await insert(db, "one", 1, 1);
  await db.tx(async (tx) => {
    await insert(tx, "one", 2, 3);
    await db.tx(async (other) => {
      await other.query(sql`set local lock_timeout = '20s'`);
      await insert(other, "one", 4, 7);
    });
    assert.deepEqual(await countedIn(db, "one"), [5, 5]);
  });
  assert.deepEqual(await countedIn(db, "one"), [7, 7]);
});
