// What `plinth --help` and the help of each command print.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runInProcess } from "../commands/in-process.ts";

const help = async (...command: string[]) =>
  (await runInProcess([...command, "--help"], {})).stdout;

/** The help of a command, and of each of those within it. */
async function helpOfAll(...command: string[]): Promise<string[]> {
  const own = await help(...command);
  const [, list = ""] = own.split("\nCommands:\n");
  const commands = [...list.matchAll(/^ {2}([a-z][\w-]*) .* {2}/gm)].map((match) => match[1] ?? "");
  const named = [...new Set(commands)].filter((name) => name !== "help" && name !== "plinth");
  const texts = await Promise.all(named.map((name) => helpOfAll(...command, name)));
  return [own, ...texts.flat()];
}

test("the help is the golden one", async (t) => {
  const texts = await helpOfAll();
  assert.ok(texts.length > 12, `only ${texts.length} were found`);
  const all = texts.join(`\n${"-".repeat(80)}\n`);
  t.assert.fileSnapshot(all, join(import.meta.dirname, "help.golden"), { serializers: [String] });
});
