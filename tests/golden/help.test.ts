// What `plinth --help` and the help of each command print.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");

async function help(...command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, "bin.ts"), ...command, "--help"],
    { env: { ...process.env, COLUMNS: "100", NO_COLOR: "1" } },
  );
  return stdout;
}

test("the help is the golden one", async (t) => {
  const top = await help();
  const commands = [...top.matchAll(/^ {2}([a-z][\w-]*) .* {2}/gm)].map((match) => match[1] ?? "");
  const named = [...new Set(commands)].filter((name) => name !== "help" && name !== "plinth");
  assert.ok(named.length > 3, `only ${named.join(", ")} were found`);
  const texts = await Promise.all(named.map((name) => help(name)));
  const all = [top, ...texts].join(`\n${"-".repeat(80)}\n`);
  t.assert.fileSnapshot(all, join(import.meta.dirname, "help.golden"), { serializers: [String] });
});
