// What a browser fetches before it draws the shell of the console, and a page in it.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const dist = join(import.meta.dirname, "../../console/dist");
const compressedMax = 150_000;
const filesOfPageMax = 20;

test("the shell of the console takes at most 150 KB, compressed", () => {
  const page = readFileSync(join(dist, "index.html"), "utf8");
  const files = [...page.matchAll(/(?:src|href)="\/console\/([^"]+\.(?:js|css))"/g)];
  const sizes = files.map(([, file = ""]) => gzipSync(readFileSync(join(dist, file))).length);
  assert.ok(sizes.length >= 3, "nothing was found in index.html");
  const sum = sizes.reduce((all, size) => all + size, 0);
  assert.ok(sum <= compressedMax, `${sum} bytes`);
});

test("a page takes at most 20 files beside those of the shell", () => {
  const importsOf = (file: string) =>
    [
      ...readFileSync(join(dist, "assets", file), "utf8").matchAll(
        /(?:from|import)\s*["'`]\.\/([^"'`]+\.js)/g,
      ),
    ].map(([, name = ""]) => name);
  const withImports = (file: string, seen = new Set<string>()) => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const each of importsOf(file)) withImports(each, seen);
    return seen;
  };
  const [, shell = ""] =
    readFileSync(join(dist, "index.html"), "utf8").match(/assets\/([^"]+\.js)/) ?? [];
  const ofShell = withImports(shell);
  const pages = globSync("*-page-*.js", { cwd: join(dist, "assets") });
  assert.ok(pages.length > 25, `only ${pages.length} pages are found`);
  for (const page of pages) {
    const files = [...withImports(page)].filter((file) => !ofShell.has(file));
    assert.ok(files.length <= filesOfPageMax, `${page} takes ${files.length} files`);
  }
});
