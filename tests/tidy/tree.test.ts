// The rules about code, held against the real tree.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rules } from "./all.ts";
import { exceptions, exceptionsMax } from "./exceptions.ts";
import { readTree } from "./source.ts";

const tree = readTree();

for (const [name, rule] of Object.entries(rules))
  test(`tidy: ${name}`, () => {
    const excused = new Set(exceptions.filter(({ rule }) => rule === name).map(({ path }) => path));
    const violations = rule(tree);
    const open = violations.filter(({ path }) => !excused.has(path));
    const told = open.map(({ path, message }) => `\n${path}: ${message}`);
    assert.ok(open.length === 0, `${open.length} violations${told.join("")}`);
    const needed = new Set(violations.map(({ path }) => path));
    const idle = [...excused].filter((path) => !needed.has(path));
    assert.deepEqual(idle, [], "these exceptions are not needed any more: remove them");
  });

test("tidy: the list of exceptions only shrinks", () => {
  const named = exceptions.filter(({ rule }) => !Object.hasOwn(rules, rule));
  assert.deepEqual(named, [], "these exceptions name no rule");
  assert.equal(
    exceptions.length,
    exceptionsMax,
    "exceptionsMax is the length of the list: lower it with the list, never raise it",
  );
});

test("tidy: the tree is read", () => {
  const paths = tree.map(({ path }) => path);
  assert.ok(paths.length > 50, `only ${paths.length} files were found`);
  for (const path of ["package.json", "kernel/base/clock.ts", "tests/tidy/tree.test.ts"])
    assert.ok(paths.includes(path), `${path} was not read`);
});
