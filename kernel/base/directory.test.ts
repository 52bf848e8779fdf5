// Directories come to be with everything above them, or not at all and at once.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeDirectory } from "./directory.ts";

test("all that is missing is made, and what is there stays", (t) => {
  const root = mkdtempSync(join(tmpdir(), "plinth-directory-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, "a/b/c");
  for (let round = 0; round < 2; round++) makeDirectory(path, 0o700);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  writeFileSync(join(root, "file"), "");
  for (const inFile of ["file", "file/a/b"])
    assert.throws(() => makeDirectory(join(root, inFile), 0o700), /EEXIST|ENOTDIR/);
});

test("where nothing can be made it says so", { skip: process.platform !== "linux" }, () => {
  assert.throws(() => makeDirectory("/proc/foo/bar", 0o700), /ENOENT|EACCES/);
});
