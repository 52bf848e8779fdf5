// The server's own pages and the app are of the same colours: each has its table, and they agree.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const tokensIn = (file: string): Map<string, string> => {
  const text = readFileSync(join(import.meta.dirname, "../../console", file), "utf8");
  const found = text.matchAll(/^ {2}(--[a-z-]+):\s*(light-dark\([^;]+\));$/gm);
  return new Map([...found].map(([, name = "", value = ""]) => [name, value]));
};

test("every colour of the server's pages is the app's", () => {
  const app = tokensIn("styles.css");
  const pages = tokensIn("public/pages.css");
  assert.ok(pages.size >= 13 && app.size >= 20, `${pages.size} and ${app.size} are found`);
  for (const [name, value] of pages) assert.equal(value, app.get(name), name);
});
