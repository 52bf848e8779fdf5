// A start whose database is not there: the start waits for a while, and then says so.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { expectRefusal, openCommandRunner } from "../commands/plinth.ts";

const password = "do-not-print-me";

test("a database that cannot be reached is refused within 15 s, without its password", async () => {
  await using runner = openCommandRunner();
  const refuse = async (url: string) => {
    const beganMs = performance.now();
    const directory = join(runner.directory, "unreachable");
    const args = ["start", "--port", "0", "--data-dir", directory];
    const refused = await runner.run(args, { env: { DATABASE_URL: url } });
    return { refused, ms: performance.now() - beganMs };
  };
  // What a start takes here until it can refuse.
  const atOnce = await refuse("mysql://127.0.0.1/plinth");
  expectRefusal(atOnce.refused, /postgres/);
  const { refused, ms } = await refuse(`postgres://somebody:${password}@127.0.0.1:1/plinth`);
  expectRefusal(
    refused,
    /The database postgres:\/\/somebody@127\.0\.0\.1:1\/plinth cannot be used/,
  );
  // 15 s, and more only where a start by itself takes seconds.
  const msMax = Math.max(15_000, 11_000 + 3 * atOnce.ms);
  assert.ok(ms < msMax, `after ${ms} ms, where ${atOnce.ms} are the least`);
  assert.ok(!refused.stderr.includes(password));
});
