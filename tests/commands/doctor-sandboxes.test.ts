// `plinth doctor` on sandboxes: how they are made here, and each guarantee with its level.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { DoctorCheck } from "../../kernel/observe/doctor/check.ts";
import { guaranteeNames } from "../../server/sandboxes/module.ts";
import { openCommandRunner, type CommandRunner } from "./plinth.ts";

let runner: CommandRunner;
before(() => {
  runner = openCommandRunner();
});
after(() => runner[Symbol.asyncDispose]());

const isRoot = process.getuid?.() === 0;

test("[SBX18] the doctor prints one line for each guarantee", async () => {
  const data = join(runner.directory, "data");
  mkdirSync(data);
  const { stdout } = await runner.run(["doctor", "--json", "--data-dir", data]);
  const { checks } = JSON.parse(stdout) as { checks: DoctorCheck[] };
  const lines = checks.filter(({ name }) => name.startsWith("sandbox"));
  assert.deepEqual(
    lines.map(({ name }) => name),
    ["sandboxes", ...guaranteeNames.map((name) => `sandbox ${name}`)],
  );
  const [how, ...guarantees] = lines;
  assert.match(how?.found ?? "", /^Made by (own system calls|bubblewrap), /);
  for (const { state, found, mend } of guarantees) {
    assert.match(found, /^(enforced|best effort|not held): [A-Z].*\.$/);
    assert.equal(state, found.startsWith("enforced") ? "ok" : "warn");
    assert.equal(mend === undefined, state === "ok");
  }
  if (isRoot) assert.equal(guarantees.find(({ name }) => name === "sandbox disk")?.state, "ok");
  assert.deepEqual(readdirSync(data), [], "asking leaves nothing");
});
