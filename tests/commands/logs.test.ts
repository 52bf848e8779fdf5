// `plinth logs`: a page with filters, one request with its attempts, and what ends from now on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { showLogs } from "../../cli/logs/show.ts";
import type { LogsFlags } from "../../cli/logs/options.ts";
import { requestLogOf } from "../../server/requests/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { requestIdOf } from "../rules/requests-house.ts";
import { runInProcess } from "./in-process.ts";
import { openScreen } from "./screen.ts";

let house: House;
let platform: Tenant;
let env: Record<string, string>;
before(async () => {
  house = await openHouse({
    sections: {
      models: {
        models: [{ id: "sim-large", allowed_fallback_models: ["sim-medium"] }],
        upstreams: {},
      },
    },
  });
  ({ platform } = house.organizations);
  env = { PLINTH_ADMIN_KEY: platform.admin_api_key, PLINTH_BASE_URL: house.url };
});
after(() => house[Symbol.asyncDispose]());

/** Answers the id of the request, which is in the log by then. */
async function ask(content: string, fields: object = {}): Promise<string> {
  const answer = await house.ask("POST", "/v1/messages", {
    key: platform.api_key,
    headers: { "anthropic-beta": "server-side-fallback-2026-07-01" },
    body: { model: "sim-large", max_tokens: 60, messages: [{ role: "user", content }], ...fields },
  });
  await requestLogOf(house.world).flush();
  return requestIdOf(answer);
}
const run = (...args: string[]) => runInProcess(["logs", ...args], env);

test("a page has the newest first, filters, and the command of the next page", async () => {
  const good = await ask("Hello");
  const bad = await ask("Hello", { model: "no\u0007model" });
  const { code, stdout, stderr } = await run("--limit", "1");
  assert.equal(code, 0, stderr);
  const [titles, line = ""] = stdout.trim().split("\n");
  assert.match(titles ?? "", /^TIME +STATUS +WHAT +MODEL +TOKENS +COST +TOOK +REQUEST$/);
  assert.match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d {2}404 +POST \/v1\/messages/);
  assert.ok(line.endsWith(bad), line);
  assert.match(stderr, /There are more: plinth logs --limit 1 --page \S+/);
  const errors = await run("--status", "error", "--json");
  const { data } = JSON.parse(errors.stdout) as { data: { id: string }[] };
  assert.deepEqual(
    data.map(({ id }) => id),
    [bad],
  );
  assert.match((await run("--model", "sim-large")).stdout, new RegExp(good));
  assert.match((await run("--error", "nothing-like-it")).stderr, /^Nothing was found/);
});

test("one request tells which models were tried, and why another went on", async () => {
  const id = await ask("[[refuse category=cyber]] Hello", { fallbacks: [{ model: "sim-medium" }] });
  const { code, stdout, stderr } = await run(id);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Model +sim-large→sim-medium/);
  assert.match(stdout, /\nsim-large +declined +cyber /);
  assert.match(stdout, /\nsim-medium +served +- /);
  assert.match((await run("--fell-back")).stdout, new RegExp(id));
  const unknown = await run(`${id}x`);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no request/);
});

test("what ends from now on is printed once, as it ends, until Ctrl-C", async () => {
  await ask("Before");
  let looks = 0;
  const ids: string[] = [];
  const screen = openScreen(env);
  const clock = {
    ...screen.terminal.clock,
    sleep: async () => {
      looks += 1;
      if (looks === 4) return false;
      if (looks < 3) ids.push(await ask("Followed"));
      return true;
    },
  };
  const flags: LogsFlags = { limit: 20, call: [], follow: true, json: true };
  await assert.rejects(showLogs({ ...screen.terminal, clock }, flags), { exitCode: 130 });
  const told = screen
    .text()
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: string }).id);
  assert.deepEqual(told, ids);
});

test("what does not go together, and what is no status, is said", async () => {
  const beside = await run("--follow", "--from", "2026-11-01");
  assert.equal(beside.code, 2);
  assert.match(beside.stderr, /leave out --from\./);
  assert.equal((await run("--status", "600")).code, 2);
  assert.equal((await run("--min-cost", "-1")).code, 2);
});
