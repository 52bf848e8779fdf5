// `plinth doctor` and settlements that could not be posted.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { testDatabase } from "../postgres.ts";
import { openCommandRunner, urlOf } from "./plinth.ts";

interface Told {
  checks: { name: string; state: string; found: string; mend?: string }[];
}

test("[USE18] the doctor tells of settlements that could not be posted, and why", async () => {
  await using runner = openCommandRunner();
  await using database = await testDatabase();
  const env = { DATABASE_URL: urlOf(database), PLINTH_DATA_DIR: join(runner.directory, "data") };
  await runner.run(["init", "--json"], { env });
  const ledger = async () => {
    const { stdout, code } = await runner.run(["doctor", "--json"], { env });
    const { checks } = JSON.parse(stdout) as Told;
    return { code, ...checks.find(({ name }) => name === "ledger") };
  };
  assert.deepEqual([(await ledger()).state, (await ledger()).code], ["ok", 0]);
  await database.db.query({
    text: `insert into ledger_journal (node, closes, failed)
      values ('node_1', '{}', 'bigint out of range'), ('node_1', '{}', 'bigint out of range')`,
    values: [],
  });
  const ill = await ledger();
  assert.deepEqual([ill.state, ill.code], ["fail", 1]);
  assert.match(String(ill.found), /^2 rows of ledger_journal .* because of: bigint out of range$/);
  assert.match(String(ill.mend), /A start tries them again/);
});
