// `plinth models`: what the server answers with, for people and for programs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { runInProcess } from "./in-process.ts";

let house: House;
let env: Record<string, string>;
before(async () => {
  house = await openHouse();
  env = { PLINTH_API_KEY: house.organizations.platform.api_key, PLINTH_BASE_URL: house.url };
});
after(() => house[Symbol.asyncDispose]());

const run = (...args: string[]) => runInProcess(["models", ...args], env);

test("models are listed with their limits, page by page", async () => {
  const { code, stdout } = await run("list");
  assert.equal(code, 0);
  assert.match(stdout, /^ID +NAME +STATE +INPUT +OUTPUT +RETIRES\n/);
  assert.match(stdout, /^sim-large +Simulator Large +active +200,000 +128,000 +-$/m);
  const first = await run("list", "--limit", "1");
  const [, after = ""] =
    /There are more: plinth models list --limit 1 --after (\S+)/.exec(first.stderr) ?? [];
  const [, next = ""] = (await run("list", "--limit", "1", "--after", after)).stdout.split("\n");
  assert.ok(next !== "" && !next.startsWith(`${after} `), next);
  assert.match((await run("list", "--lifecycle", "retired")).stderr, /^There are no such models/);
  assert.equal((await run("list", "--lifecycle", "old")).code, 2);
});

test("one model is shown with what it can do", async () => {
  const { stdout } = await run("show", "sim-large");
  assert.match(stdout, /^output tokens +128,000$/m);
  assert.match(stdout, /^can +batch, effort, image input, pdf input/m);
  assert.doesNotMatch(stdout, /citations/);
  const { id } = JSON.parse((await run("show", "sim-large", "--json")).stdout) as { id: string };
  assert.equal(id, "sim-large");
  assert.equal((await run("show", "none")).code, 1);
});
