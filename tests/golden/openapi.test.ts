// What lies in contract/ is what the route table gives today.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openapi } from "../../kernel/http/openapi/openapi.ts";
import { routes } from "../../server/app.ts";
import { title, version } from "../../kernel/base/version.ts";

test("contract/openapi.json is what the route table gives", () => {
  const path = join(import.meta.dirname, "../../contract/openapi.json");
  const stored: unknown = JSON.parse(readFileSync(path, "utf8"));
  const made: unknown = JSON.parse(JSON.stringify(openapi(routes, { title, version })));
  assert.deepEqual(made, stored, "it is stale: npm run fix");
});
