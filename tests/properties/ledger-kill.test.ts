// Real processes that are killed while they write: what they acknowledged is in the ledger exactly once.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { makeNode } from "../../server/usage/module.ts";
import { testDatabase } from "../postgres.ts";
import { until } from "../rules/support.ts";
import { checkBooks } from "../books.ts";
import { queryPosted } from "../posted.ts";

const writer = join(import.meta.dirname, "ledger-writer.ts");

test("[USE11] three processes, killed in turn: every acknowledged close is there exactly once", async () => {
  await using database = await testDatabase();
  const { db, connection } = database;
  const said: string[] = [];
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [writer, JSON.stringify(connection)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout?.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    return child;
  };
  const children = [start(), start(), start()];
  try {
    for (let kills = 0; kills < 6; kills++) {
      const before = said.length;
      await until(async () => said.length > before + 20, "closes");
      const place = kills % children.length;
      const child = children[place];
      child?.kill("SIGKILL");
      if (child !== undefined) await once(child, "close");
      children[place] = start();
    }
  } finally {
    for (const child of children) child.kill("SIGKILL");
    for (const child of children)
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  }
  await db.query(
    sql`update ledger_nodes set lease_until = clock_timestamp() - interval '1 second'`,
  );
  const ids = makeIds(systemClock, systemRandom);
  const node = makeNode({ clock: systemClock, db, ids, logger: silentLogger });
  const stop = node.start();
  const left = () => queryPosted<{ count: number }>(db, sql`select count(*) from ledger_opens`);
  await until(async () => (await left())[0]?.count === 0, "the dead are settled");
  await stop();

  const lines = said
    .join("")
    .split("\n")
    .filter((line) => /^hop_\w{26} \d+$/.test(line));
  const rows = await queryPosted<{ id: string; nano: number; outcome: string }>(
    db,
    sql`select id, amount_nano as nano, outcome from ledger`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const line of lines) {
    const [id = "", nano] = line.split(" ");
    assert.deepEqual(byId.get(id), { id, nano: Number(nano), outcome: "served" });
  }
  assert.ok(lines.length > 100 && new Set(lines).size === lines.length);
  const sum = rows.reduce((all, { nano }) => all + nano, 0);
  const [counted] = await queryPosted(
    db,
    sql`
    select (select sum(amount_nano)::bigint from usage_days) as days,
      (select sum(requests)::bigint from usage_days) as requests,
      (select sum(spent_nano)::bigint from spend_months) as months`,
  );
  assert.deepEqual(counted, { days: sum, requests: rows.length, months: sum });
  await checkBooks(db);
  for (const { outcome, nano } of rows) if (outcome === "lost") assert.equal(nano, 1_000);
});
