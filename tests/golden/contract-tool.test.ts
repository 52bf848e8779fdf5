// tools/contract.ts: writes what is missing, is quiet when all is fresh, names what is stale.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const checkout = join(import.meta.dirname, "../..");

test("contract files are written, found fresh, and named when stale", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "plinth-contract-"));
  t.after(() => rm(directory, { recursive: true }));
  const run = (...args: string[]) => {
    const tool = join(checkout, "tools/contract.ts");
    const all = [tool, "--directory", directory, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: "utf8" });
    return { status, stdout, stderr };
  };
  assert.match(run().stdout, /^wrote \S*openapi\.json\nwrote \S*types\.ts\nwrote \S*client\.ts\n$/);
  assert.deepEqual(run("--check"), { status: 0, stdout: "", stderr: "" });

  await appendFile(join(directory, "types.ts"), "\n");
  await rm(join(directory, "client.ts"));
  const { status, stdout } = run("--check");
  assert.equal(status, 1);
  assert.match(
    stdout,
    /^\S*types\.ts is stale: run node tools\/contract\.ts\.\n\S*client\.ts is stale/,
  );
});
