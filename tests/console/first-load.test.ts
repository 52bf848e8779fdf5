// What a browser fetches before it draws the shell of the console.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const dist = join(import.meta.dirname, "../../console/dist");
const compressedMax = 150_000;

test("the shell of the console takes at most 150 KB, compressed", () => {
  const page = readFileSync(join(dist, "index.html"), "utf8");
  const files = [...page.matchAll(/(?:src|href)="\/console\/([^"]+\.(?:js|css))"/g)];
  const sizes = files.map(([, file = ""]) => gzipSync(readFileSync(join(dist, file))).length);
  assert.ok(sizes.length > 3, "nothing was found in index.html");
  const sum = sizes.reduce((all, size) => all + size, 0);
  assert.ok(sum <= compressedMax, `${sum} bytes`);
});
