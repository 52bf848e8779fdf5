// The migrator: forward only, one starter at a time, and no start on a database that it does not understand.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ExitError } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { openPool } from "../../kernel/sql/database.ts";
import { migrate, pendingMigrations } from "../../kernel/sql/migrate.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { emptyDatabase, testDatabase } from "../postgres.ts";
import { scratch } from "./sql-harness.ts";

const logger = silentLogger;
const first = "create table one (value int);\ninsert into one values (1);\n";
const second = "create table two (value int);";

function folder(files: Record<string, string>) {
  const directory = scratch();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory.path, name), text);
  return directory;
}

test("[SQL12] applies files in order, once, each with what it is recorded as", async () => {
  await using home = await emptyDatabase();
  using files = folder({ "0001_one.sql": first, "0002_two.sql": second, "README.md": "no" });
  const both = ["0001_one.sql", "0002_two.sql"];
  assert.deepEqual(await pendingMigrations(home.db, files.path), both);
  assert.deepEqual(await migrate(home.db, files.path, { logger }), { applied: both, total: 2 });
  assert.deepEqual(await migrate(home.db, files.path, { logger }), { applied: [], total: 2 });
  assert.deepEqual(await pendingMigrations(home.db, files.path), []);
  const rows = await home.db.query(sql`
    select number, name, length(sha256) as digits, applied_at is not null as dated
    from schema_migrations order by number`);
  assert.deepEqual(rows, [
    { number: 1, name: "0001_one.sql", digits: 64, dated: true },
    { number: 2, name: "0002_two.sql", digits: 64, dated: true },
  ]);
});

test("[SQL12] those of a new database are one line of the log, later ones a line each", async () => {
  await using home = await emptyDatabase();
  using files = folder({ "0001_one.sql": first, "0002_two.sql": second });
  const lines: unknown[] = [];
  const noting = { ...silentLogger, info: (fields: object) => void lines.push(fields) };
  await migrate(home.db, files.path, { logger: noting });
  assert.deepEqual(lines.splice(0), [{ migrations: 2, last: "0002_two.sql" }]);
  await migrate(home.db, files.path, { logger: noting });
  assert.deepEqual(lines, []);
  for (const name of ["0003_three.sql", "0004_four.sql"])
    writeFileSync(join(files.path, name), "select 1;");
  await migrate(home.db, files.path, { logger: noting });
  assert.deepEqual(lines, [{ migration: "0003_three.sql" }, { migration: "0004_four.sql" }]);
});

test("[SQL12] twenty starters at once apply each file once", async () => {
  await using home = await emptyDatabase();
  using files = folder({ "0001_one.sql": first, "0002_two.sql": second });
  const pools = Array.from({ length: 20 }, () =>
    openPool({ connection: home.connection, connectionsMax: 1, logger }),
  );
  try {
    const outcomes = await Promise.all(pools.map((db) => migrate(db, files.path, { logger })));
    const applied = outcomes.flatMap((outcome) => outcome.applied).sort();
    assert.deepEqual(applied, ["0001_one.sql", "0002_two.sql"]);
    assert.deepEqual(await home.db.query(sql`select count(*) as n from one`), [{ n: 1 }]);
  } finally {
    await Promise.all(pools.map((db) => db.close()));
  }
});

test("[SQL12] a file that fails leaves nothing of itself, and what came before stays", async () => {
  await using home = await emptyDatabase();
  using files = folder({
    "0001_one.sql": first,
    "0002_bad.sql": "create table half (value int); select 1 / 0;",
  });
  await assert.rejects(migrate(home.db, files.path, { logger }), /division by zero/);
  assert.deepEqual(await pendingMigrations(home.db, files.path), ["0002_bad.sql"]);
  const [row] = await home.db.query<{ half: string | null }>(
    sql`select to_regclass('half')::text as half`,
  );
  assert.equal(row?.half, null);
});

const refusals: [string, (path: string) => void, RegExp][] = [
  ["edited", (path) => writeFileSync(join(path, "0001_one.sql"), `${first} `), /never edited/],
  [
    "renamed",
    (path) => {
      rmSync(join(path, "0001_one.sql"));
      writeFileSync(join(path, "0001_uno.sql"), first);
    },
    /never edited/,
  ],
  ["missing", (path) => rmSync(join(path, "0001_one.sql")), /should have number 0001/],
  ["newer", (path) => rmSync(join(path, "0002_two.sql")), /newer version/],
  ["gap", (path) => writeFileSync(join(path, "0004_gap.sql"), ""), /should have number 0003/],
  ["double", (path) => writeFileSync(join(path, "0002_x.sql"), ""), /should have number 0003/],
  ["name", (path) => writeFileSync(join(path, "fix.sql"), ""), /must be named/],
];
for (const [what, change, sentence] of refusals)
  test(`[SQL12] refuses: ${what}`, async () => {
    await using home = await emptyDatabase();
    using files = folder({ "0001_one.sql": first, "0002_two.sql": second });
    await migrate(home.db, files.path, { logger });
    change(files.path);
    const refused = (error: unknown) => error instanceof ExitError && sentence.test(error.message);
    await assert.rejects(migrate(home.db, files.path, { logger }), refused);
    await assert.rejects(pendingMigrations(home.db, files.path), refused);
  });

test("a test database has all migrations of the house", async () => {
  await using home = await testDatabase();
  const directory = join(import.meta.dirname, "../../migrations");
  assert.deepEqual(await pendingMigrations(home.db, directory), []);
});
