// The test workers of `npm test`: a file's result is reported whole, once, and does not affect the next file.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestWorker, type FileResult } from "../../tools/test-workers.ts";
import { root } from "../../tools/run.ts";
import { exclusiveFiles, maintainerFiles } from "../../tools/special-files.ts";

const options = { pattern: undefined, updatesGolden: false };
const names = ({ failures }: FileResult) =>
  failures.map((text) => text.split("\n").slice(0, 2).join(" ").replaceAll(/\s+/g, " "));

test("a file that fails is not tried again, and what a file did to the environment ends with it", async () => {
  const worker = openTestWorker(options);
  const good = await worker.take("tests/test-workers/good.ts");
  assert.deepEqual([good.tests, good.failures], [3, []]);
  const bad = await worker.take("tests/test-workers/bad.ts");
  assert.equal(bad.tests, 2);
  const told = names(bad);
  assert.match(told[0] ?? "", /red at first .*try 1/);
  assert.match(told[1] ?? "", /with a hook .*the hook of a suite/);
  assert.match(told[2] ?? "", /bad\.ts .*something is left over/);
  assert.equal(told.length, 3);
  const unloadable = await worker.take("tests/test-workers/unloadable.ts");
  assert.match(unloadable.failures.join("\n"), /does not load\n.*nothing to load/);
  assert.deepEqual(await worker.end(), []);
});

test("a file that ends its process has failed, and the lane goes on in another", async () => {
  const worker = openTestWorker(options);
  const ending = await worker.take("tests/test-workers/ending.ts");
  assert.match(ending.failures.join("\n"), /the process ended with 3 in the middle of it/);
  const good = await worker.take("tests/test-workers/good.ts");
  assert.deepEqual([good.tests, good.failures], [3, []]);
  assert.deepEqual(await worker.end(), []);
});

test("a file that hangs is killed before its time is over, and the test is named", async () => {
  const worker = openTestWorker({ ...options, stallSecondsMax: 3 });
  const hanging = await worker.take("tests/test-workers/hanging.ts");
  assert.equal(hanging.tests, 1);
  assert.match(hanging.failures[0] ?? "", /no further for \d+ s, in the test "never ends"/);
  assert.match(hanging.failures[1] ?? "", /was killed/);
  const good = await worker.take("tests/test-workers/good.ts");
  assert.deepEqual([good.tests, good.failures], [3, []]);
  assert.deepEqual(await worker.end(), []);
});

test("tests are chosen by their names", async () => {
  const worker = openTestWorker({ ...options, pattern: /two/ });
  const good = await worker.take("tests/test-workers/good.ts");
  assert.deepEqual([good.tests, good.failures], [1, []]);
  const bad = await worker.take("tests/test-workers/unloadable.ts");
  assert.equal(bad.failures.length, 1);
  assert.deepEqual(await worker.end(), []);
});

test("special files are there", () => {
  for (const file of [...exclusiveFiles.keys(), ...maintainerFiles.keys()])
    assert.ok(existsSync(join(root, file)), file);
});
