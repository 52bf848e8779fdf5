// `--update-golden` adds the checksums of new migrations; what stands in the file already is never changed.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, readTree, type Source } from "./source.ts";
import { checksum, checksumFile, migrationsOf, recordedChecksums } from "./sql.ts";

function grown(tree: readonly Source[]): Record<string, string> {
  const now = migrationsOf(tree).map(({ path, text }) => [path, checksum(text)] as const);
  const all = { ...Object.fromEntries(now), ...recordedChecksums(tree) };
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

test("tidy: a recorded migration keeps its checksum, a new one is added", () => {
  const old = { path: "migrations/0001_x.sql", text: "-- Edited.\n" };
  const fresh = { path: "migrations/0002_y.sql", text: "-- New.\n" };
  const file = { path: checksumFile, text: JSON.stringify({ [old.path]: "as it was" }) };
  assert.deepEqual(grown([old, fresh, file]), {
    [old.path]: "as it was",
    [fresh.path]: checksum(fresh.text),
  });
});

if (process.env["PLINTH_UPDATE_GOLDEN"])
  test("tidy: the checksums of new migrations are recorded", () => {
    writeFileSync(join(root, checksumFile), `${JSON.stringify(grown(readTree()), null, 2)}\n`);
  });
