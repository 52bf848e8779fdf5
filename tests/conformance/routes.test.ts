// Every route that the official client can call: served, or on a list that only gets shorter.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { routes } from "../../server/app.ts";

const client = join(import.meta.dirname, "../../node_modules/@anthropic-ai/sdk");
const golden = join(import.meta.dirname, "unserved.golden");

const methods: Record<string, string> = {
  get: "GET",
  getAPIList: "GET",
  post: "POST",
  delete: "DELETE",
};

/** `POST /v1/files/{}`: names of parameters are nobody's business here. */
const nameless = (method: string, path: string) =>
  `${method} ${path.replace(/\$?\{[^}]*\}/g, "{}").replace(/\?.*$/, "")}`;

/** Read from the client's own source: what its methods ask for. */
function routesOfClient(): { asked: Set<string>; calls: number } {
  const asked = new Set<string>();
  let calls = 0;
  for (const file of globSync("resources/**/*.mjs", { cwd: client })) {
    const source = readFileSync(join(client, file), "utf8");
    calls += [...source.matchAll(/this\._client\s*\.(?:get|getAPIList|post|delete)\(/g)].length;
    const call = /this\._client\s*\.(get|getAPIList|post|delete)\(\s*(?:path\s*)?([`'"])(.+?)\2/g;
    for (const [, verb = "", , path = ""] of source.matchAll(call))
      asked.add(nameless(methods[verb] ?? verb, path));
  }
  return { asked, calls };
}

/** The one call whose address comes from a reply: the results of a batch. */
const callsWithoutPath = 2;

test("each call of the client is understood", () => {
  const { calls } = routesOfClient();
  const understood = globSync("resources/**/*.mjs", { cwd: client }).flatMap((file) => [
    ...readFileSync(join(client, file), "utf8").matchAll(
      /this\._client\s*\.(?:get|getAPIList|post|delete)\(\s*(?:path\s*)?[`'"]\//g,
    ),
  ]).length;
  assert.ok(calls > 300, `${calls} calls`);
  assert.equal(calls - understood, callsWithoutPath);
});

test("what we do not serve of the client's routes stands on the list, and nothing else does", () => {
  const served = new Set(routes.map(({ method, path }) => nameless(method, path)));
  const missing = [...routesOfClient().asked].filter((route) => !served.has(route)).sort();
  const listed = readFileSync(golden, "utf8").split("\n").filter(Boolean);
  assert.deepEqual(
    missing.filter((route) => !listed.includes(route)),
    [],
    "no longer served, or new in the client: the list in unserved.golden only gets shorter",
  );
  assert.deepEqual(
    listed.filter((route) => !missing.includes(route)),
    [],
    "served by now: take it off unserved.golden",
  );
});
