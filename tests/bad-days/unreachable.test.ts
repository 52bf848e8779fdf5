// A start whose database is not there: the start waits for a while, and then says so.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { expectRefusal, openCommandRunner } from "../commands/plinth.ts";

const password = "do-not-print-me";

test("a database that cannot be reached is refused within 15 s, without its password", async () => {
  await using runner = openCommandRunner();
  const started = performance.now();
  const env = { DATABASE_URL: `postgres://somebody:${password}@127.0.0.1:1/plinth` };
  const directory = join(runner.directory, "unreachable");
  const refused = await runner.run(["start", "--port", "0", "--data-dir", directory], { env });
  const ms = performance.now() - started;
  expectRefusal(
    refused,
    /The database postgres:\/\/somebody@127\.0\.0\.1:1\/plinth cannot be used/,
  );
  assert.ok(ms < 15_000, `after ${ms} ms`);
  assert.ok(!refused.stderr.includes(password));
});
