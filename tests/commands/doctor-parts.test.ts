// `plinth doctor --parts`: every part of a process, after those that it needs.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inOrderOfNeeds } from "../../kernel/work/parts.ts";
import { parts } from "../../server/app.ts";
import { openCommandRunner, type CommandRunner } from "./plinth.ts";

let runner: CommandRunner;
before(() => {
  runner = openCommandRunner();
});
after(() => runner[Symbol.asyncDispose]());

interface Listed {
  name: string;
  starts: boolean;
  needs: string[];
}

/** The address leads nowhere, and the data directory is not there. */
const listParts = (...flags: string[]) =>
  runner.run(["doctor", "--parts", ...flags], {
    env: {
      DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
      PLINTH_DATA_DIR: join(runner.directory, "none"),
    },
  });

test("[OPS10] the doctor lists every part after those that it needs, and asks no database", async () => {
  const { code, stdout, stderr } = await listParts("--json");
  assert.deepEqual([code, stderr], [0, ""]);
  const listed = (JSON.parse(stdout) as { parts: Listed[] }).parts;
  const names = listed.map(({ name }) => name);
  for (const { name, needs } of listed)
    for (const need of needs) {
      assert.ok(names.includes(need), `${need} is listed`);
      assert.ok(names.indexOf(need) < names.indexOf(name), `${need} comes before ${name}`);
    }
  const batches = listed.find(({ name }) => name === "runner of batches");
  assert.deepEqual(batches, {
    name: "runner of batches",
    starts: true,
    needs: ["models of people", "catalog of models", "node", "ledger", "limits"],
  });
  assert.equal(listed.find(({ name }) => name === "verified tokens")?.starts, false);
});

test("[OPS10] the doctor shows them as a table", async () => {
  const { code, stdout } = await listParts();
  assert.equal(code, 0);
  const [head = "", ...lines] = stdout.trimEnd().split("\n");
  assert.match(head, /^PART +STARTS  NEEDS$/);
  assert.equal(lines.length, parts.length);
  assert.ok(
    lines.some((line) => /^ledger +yes +catalog of models, node$/.test(line)),
    stdout,
  );
});

test("[OPS10] every part that the server defines is in the list", () => {
  const root = join(import.meta.dirname, "../..");
  const defined = globSync("{server,kernel}/**/*.ts", { cwd: root }).flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/\bpart\(\s*"([^"]+)"/g)].map(
      ([, name = ""]) => name,
    ),
  );
  assert.deepEqual(defined.toSorted(), parts.map(({ name }) => name).toSorted());
});

test("[OPS10] in whatever order they are named, what must stop first is started last", () => {
  assert.deepEqual(inOrderOfNeeds(parts), parts, "they are named in order of needs");
  for (const named of [parts, parts.toReversed()]) {
    const names = inOrderOfNeeds(named).map(({ name }) => name);
    const at = (name: string) => {
      assert.ok(names.includes(name), name);
      return names.indexOf(name);
    };
    for (const work of ["runner of batches", "worker of jobs"])
      for (const ground of ["verdicts", "ledger", "limits"]) assert.ok(at(ground) < at(work), work);
    assert.ok(at("ledger") < at("limits"));
    assert.ok(at("node") < at("ledger"));
    assert.ok(at("catalog of models") < at("ledger"));
  }
});
