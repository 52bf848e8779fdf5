// The first minutes of an installation: starts that are killed, and two of everything at once.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { seededRandom } from "../../kernel/base/random.ts";
import { kill, scratch, until } from "../kernel/sql-harness.ts";
import { ask, killGroup, nothingLeft, runPlinth, spawnPlinth, startPlinth } from "./plinth.ts";

const seed = Number(process.env["PLINTH_TEST_SEED"] ?? Date.now() % 100_000);
const kills = Number(process.env["PLINTH_TEST_KILLS"] ?? 5);

test(`the first start is killed at ${kills} moments, seed ${seed}: the next one works`, async () => {
  const random = seededRandom(seed);
  using home = scratch();
  const data = join(home.path, "data");
  for (let count = 0; count < kills; count++) {
    const { child, ended, out } = spawnPlinth(["start", "--port", "0", "--data-dir", data]);
    const listens = () => out().includes("plinth listening");
    // Compiling takes the first third of a start and touches nothing; a start of 4 s is a slow one.
    await until("the data directory is there", () => existsSync(data) || undefined);
    const killAt = performance.now() + random.fraction() * (1_500 / (count + 1));
    await until("it is time", () => performance.now() > killAt || listens());
    kill(child.pid ?? 0);
    await ended;
  }
  const plinth = await startPlinth(data);
  try {
    assert.equal((await ask(plinth.url, "GET", "/readyz")).status, 200, plinth.said());
    // What is printed for the first request must work, whenever the starts before were killed.
    const command = /curl (\S+) -H "x-api-key: \$\(cat (\S+)\)"/.exec(plinth.said());
    assert.ok(command, plinth.said());
  } finally {
    assert.equal((await plinth.stop()).code, 0);
  }
  await nothingLeft(home.path);
});

test("a start killed while initdb runs: the next one does not meet its remains", async () => {
  using home = scratch();
  const data = join(home.path, "data");
  const isMaking = () =>
    existsSync(data) && readdirSync(data).some((name) => name.endsWith(".new"));
  const first = spawnPlinth(["start", "--port", "0", "--data-dir", data]);
  await until("initdb runs", isMaking);
  kill(first.child.pid ?? 0);
  await first.ended;
  for (const _ of ["meets what was left over", "takes it away"]) {
    const plinth = await startPlinth(data);
    assert.equal((await plinth.stop()).code, 0);
  }
  await nothingLeft(home.path);
  assert.equal(isMaking(), false);
});

test("two starts on one fresh directory at once: one serves, the other says why not", async () => {
  using home = scratch();
  const data = join(home.path, "data");
  const both = [1, 2].map(() => spawnPlinth(["start", "--port", "0", "--data-dir", data]));
  try {
    const loser = await Promise.race(both.map(async (each) => (await each.ended, each)));
    assert.equal(loser.child.exitCode, 1, loser.err());
    assert.match(loser.err(), /^plinth: Another plinth runs on .+\.\n$/);
    const winner = both.find((each) => each !== loser);
    assert.ok(winner);
    await until("the other one listens", () => winner.out().includes("plinth listening"));
    winner.child.kill("SIGTERM");
    assert.equal((await winner.ended).code, 0);
    await nothingLeft(home.path);
  } finally {
    for (const { child } of both) killGroup(child);
  }
});

test("two inits of one name at once: one makes it, the other says that it is there", async () => {
  using home = scratch();
  const data = join(home.path, "data");
  const args = ["init", "--json", "--data-dir", data, "--organization", "Twins"];
  const ran = await Promise.all([1, 2].map(() => runPlinth(args)));
  const [won, lost] = ran.toSorted((a, b) => (a.code ?? 9) - (b.code ?? 9));
  assert.ok(won && lost);
  assert.deepEqual([won.code, lost.code], [0, 1], ran.map(({ err }) => err).join("\n"));
  assert.equal(
    (JSON.parse(won.out) as { organization_type: string }).organization_type,
    "platform",
  );
  assert.equal(lost.out, "");
  assert.match(lost.err, /^plinth: .*Twins.*\.\n$/);
  await nothingLeft(home.path);
});
