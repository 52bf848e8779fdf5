// `plinth usage`: a table with bars for people, plain lines for pipes, JSON and CSV for programs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import type { CliError } from "../../cli/terminal.ts";
import type { UsageFlags } from "../../cli/usage/options.ts";
import { usage } from "../../cli/usage/show.ts";
import type { FlatHop } from "../flat-hop.ts";
import { insertSettledAttempts, nodeOf, type Settlement } from "../../server/usage/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { attemptOf, writeAttempts, readAll, type AttemptRow } from "../rules/reports-house.ts";
import { makeKey } from "../rules/support.ts";
import { makePerson, workspacesOf } from "../rules/workspaces-house.ts";
import { runInProcess } from "./in-process.ts";
import { expectRefusal } from "./plinth.ts";

import { openScreen } from "./screen.ts";

const clock = makeManualClock(new Date("2028-03-10T12:34:56Z"));
let house: House;
let platform: Tenant;
let env: Record<string, string>;
const ids = { person: "", key: "", workspace: "" };

const cost = (amountNano: number, input = 1, output = 0): Partial<Settlement> => ({
  counts: { input, output, cacheWrite5m: 2, cacheWrite1h: 3, cacheRead: 4 },
  amountNano,
  listAmountNano: 2 * amountNano,
});

before(async () => {
  house = await openHouse({ clock });
  ({ platform } = house.organizations);
  env = { PLINTH_ADMIN_KEY: platform.admin_api_key, PLINTH_BASE_URL: house.url };
  ids.workspace = await workspacesOf(house).make(platform, { name: "Search, all of it" });
  ids.key = (await makeKey(house, platform, { kind: "api", name: "=Backend" })).id;
  ids.person = (await makePerson(house, platform)).id;
  const row = (at: string, hop: Partial<FlatHop>, settlement: Partial<Settlement>): AttemptRow => ({
    at: new Date(at),
    tenant: platform,
    hop,
    settlement,
  });
  const large = { credentialId: ids.key, workspaceId: ids.workspace, model: "sim-large" };
  await writeAttempts(house, [
    row(
      "2028-03-10T12:00:00Z",
      { ...large, userId: ids.person },
      cost(1_500_000_000, 6_000, 2_000),
    ),
    row("2028-03-04T00:00:00Z", large, cost(30_000_000, 991)),
    row("2028-03-09T23:59:59Z", { model: "sim-small", userId: "svac_1" }, cost(7, 41)),
    row("2028-03-09T10:00:00Z", { model: "sim-small", credentialId: "signin_1" }, cost(4, 41)),
    // Before the last seven days, and in other pieces of a longer range.
    row("2028-03-03T23:59:59Z", large, cost(1, 500)),
    row("2028-01-31T00:00:00Z", large, cost(1, 70)),
    row("2027-11-15T00:00:00Z", large, cost(1, 9)),
  ]);
  await writeAttempts(house, [
    { at: new Date("2028-03-09T00:00:00Z"), tenant: house.organizations.other },
  ]);
});
after(async () => {
  await house?.[Symbol.asyncDispose]();
});

async function seen(
  flags: Partial<UsageFlags> = {},
  isPerson = false,
  own: Record<string, string> = env,
): Promise<string> {
  const people = { input: isPerson, output: isPerson, notes: isPerson };
  const screen = openScreen(own, { clock, isPerson: people, screenColumns: () => 120 });
  await usage(screen.terminal, { by: "model", ...flags });
  return screen.text();
}
const parsed = async (flags: Partial<UsageFlags> = {}) =>
  JSON.parse(await seen({ ...flags, json: true }));
const year = { from: "2027-11-10", to: "2028-03-10" };

test("a person sees the last seven days by model, with bars and totals", async () => {
  const lines = (await seen({}, true)).split("\n");
  assert.deepEqual(lines, [
    "MODEL      INPUT  CACHE READ  CACHE WRITE  OUTPUT  TOKENS  ATTEMPTS",
    `sim-large  6,991           8           10   2,000   9,009         2  <cyan ${"█".repeat(30)}>`,
    "sim-small     82           8           10       0     100         2  <cyan ▍>",
    "total      7,073          16           20   2,000   9,109         4",
    "<2028-03-04 to 2028-03-10, days of UTC, as of 2028-03-10T12:34:56.000Z>",
    "",
  ]);
});

test("a pipe gets the same without bars", async () => {
  const words = ["usage", "--from", "2028-03-04", "--to", "2028-03-10"];
  const { code, stdout, stderr } = await runInProcess(words, env);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^MODEL .*\nsim-large .* 9,009 +2\nsim-small .* 100 +2\ntotal .* 9,109 +4\n$/,
  );
  assert.match(stderr, /^2028-03-04 to 2028-03-10, days of UTC, as of /);
});

test("workspaces, keys and members stand there by name; what has none says so", async () => {
  const week = await seen({ by: "workspace" });
  assert.match(week, /^WORKSPACE .*\nSearch, all of it .*\nDefault .*\ntotal /);
  const keys = await seen({ by: "key" });
  assert.match(keys, /\n=Backend .* 9,009 +2\n/);
  assert.match(keys, /\nwithout a key, such as the console .*\napikey_one .*\ntotal /);
  const members = await seen({ by: "member" });
  const { name } = await personOf();
  assert.match(members, new RegExp(`\\n${name} .* 8,009 +1\\n`));
  // With an admin key nobody reads the list of service accounts.
  assert.match(members, /\n=Backend .*\n(svac_1|nobody in particular) .*\n(svac_1|nobody) /);
});

const personOf = async () => {
  const path = `/v1/organizations/users/${ids.person}`;
  return (await house.ask("GET", path, { key: platform.admin_api_key })).body;
};

test("one day alone is named by its date, or today and yesterday", async () => {
  const yesterday = await parsed({ on: "yesterday" });
  assert.deepEqual(yesterday, await parsed({ from: "2028-03-09", to: "2028-03-09" }));
  assert.deepEqual(yesterday, await parsed({ from: "yesterday", to: "yesterday" }));
  assert.deepEqual(await parsed({ on: "today" }), await parsed({ on: "2028-03-10" }));
  const both = await runInProcess(["usage", "--on", "today", "--from", "2028-03-01"], env);
  assert.equal(both.code, 2, both.stderr);
  const odd = await runInProcess(["usage", "--on", "tomorrow"], env);
  assert.match(odd.stderr, /such as 2026-11-21, today or yesterday/);
});

test("cost is in dollars, and exact in cents for programs", async () => {
  const words = await seen({ cost: true });
  assert.match(words, /^MODEL +COST +LIST PRICE +ATTEMPTS\nsim-large +\$1\.53 +\$3\.06 +2\n/);
  assert.match(words, /\nsim-small +\$0\.00 +\$0\.00 +2\ntotal +\$1\.53 +\$3\.06 +4\n/);
  const { data, total, others } = await parsed({ cost: true });
  const small = { amount: "0.0000011", list_amount: "0.0000022", requests: 2 };
  assert.deepEqual(data[1], { id: "sim-small", name: null, ...small });
  assert.deepEqual(total, { amount: "153.0000011", list_amount: "306.0000022", requests: 4 });
  assert.equal(others, null);
});

test("a limit leaves the largest, and adds the others up", async () => {
  const text = await seen({ by: "key", limit: 1 });
  assert.match(text, /\n=Backend .*\n2 others +82 .* 100 +2\ntotal .* 9,109 +4\n/);
  const { data, others, total } = await parsed({ by: "key", limit: 1 });
  assert.deepEqual([data.length, others.count, others.total_tokens], [1, 2, 100]);
  assert.equal(total.total_tokens, 9_109);
});

test("days are those of UTC, also those on which nothing happened", async () => {
  const { from, to, data, total } = await parsed({ by: "day" });
  assert.deepEqual([from, to], ["2028-03-04", "2028-03-10"]);
  const counts = data.map((day: { id: string; requests: number }) => [
    day.id.slice(8),
    day.requests,
  ]);
  const [fourth, ...rest] = counts;
  assert.deepEqual(fourth, ["04", 1]);
  assert.deepEqual(rest.slice(0, 4).flat(), ["05", 0, "06", 0, "07", 0, "08", 0]);
  assert.deepEqual(rest.slice(4), [
    ["09", 2],
    ["10", 1],
  ]);
  assert.equal(total.requests, 4);
  const last = await parsed({ by: "day", to: "2028-03-09" });
  assert.deepEqual([last.from, last.total.requests], ["2028-03-03", 4]);
});

test("a range of more than 31 days is asked for in pieces, and adds up", async () => {
  const { data, total } = await parsed(year);
  assert.equal(total.requests, 7);
  assert.equal(data[0].uncached_input_tokens, 6_000 + 991 + 500 + 70 + 9);
  const days = await parsed({ ...year, by: "day" });
  assert.equal(days.data.length, 122);
  assert.deepEqual(days.total, total);
  const [whole] = await readAll<{ usage: { total_tokens: number } }>(
    { house, tenant: platform },
    "analytics/usage",
    { starting_at: "2028-02-09T00:00:00Z", ending_at: "2028-03-11T00:00:00Z" },
  );
  const month = await parsed({ from: "2028-02-09", to: "2028-03-10" });
  assert.equal(month.total.total_tokens, whole?.usage.total_tokens);
});

test("CSV has a line each, which no spreadsheet takes for something else", async () => {
  const keys = (await seen({ by: "key", csv: true, cost: true })).split("\r\n");
  assert.equal(keys[0], "id,name,amount,list_amount,requests");
  assert.equal(keys[1], `${ids.key},'=Backend,153,306,2`);
  assert.equal(keys.length, 5);
  const places = await seen({ by: "workspace", csv: true });
  assert.ok(places.includes(`\r\n${ids.workspace},"Search, all of it",6991,8,4,6,2000,9009,2\r\n`));
  const days = await seen({ by: "day", csv: true });
  assert.match(days, /^day,uncached_input_tokens,.*\r\n2028-03-04,991,4,2,3,0,1000,1\r\n/);
});

test("all pages are walked", async () => {
  const node = nodeOf(house.world);
  await node.acquire();
  const at = new Date("2028-02-01T00:00:00Z");
  const many = Array.from({ length: 1_203 }, (_, place) =>
    attemptOf({ at, tenant: platform, hop: { kind: "batch", model: `model-${place}` } }),
  );
  await house.world.db.tx(async (tx) => (await insertSettledAttempts(tx, node, many))());
  const { data, total } = await parsed({ from: "2028-02-01", to: "2028-02-01" });
  assert.deepEqual([data.length, total.requests], [1_203, 1_203]);
});

test("nothing is said in words, and as zero to programs", async () => {
  const quiet = { from: "2028-02-20", to: "2028-02-21" };
  assert.equal(await seen(quiet), "Nothing was asked of models from 2028-02-20 to 2028-02-21.\n");
  const { data, total } = await parsed(quiet);
  assert.deepEqual([data, total.requests], [[], 0]);
});

test("what makes no sense is refused with the way out", async () => {
  const refusals: [Partial<UsageFlags>, RegExp][] = [
    [{ from: "2028-03-11" }, /^--from: 2028-03-11 is later than the last day, 2028-03-10/],
    [{ from: "2027-03-01" }, /^--from: reports begin at most 365 days back, which is 2027-03-11/],
    [{ json: true, csv: true }, /--json or --csv, not both/],
    [{ by: "day", limit: 3 }, /choose them with --from and --to/],
  ];
  for (const [flags, sentence] of refusals)
    await assert.rejects(seen(flags), (error: CliError) => {
      assert.match(error.message, sentence);
      return error.exitCode === 2;
    });
  for (const words of [
    ["--from", "2028-02-30"],
    ["--to", "tomorrow"],
    ["--by", "colour"],
  ]) {
    const { code, stderr } = await runInProcess(["usage", ...words], env);
    assert.equal(code, 2);
    assert.match(stderr, /must be (a day of the calendar|one of model, workspace)/);
  }
});

test("an organization of another type is led to its console; a wrong key is named", async () => {
  const { enterprise } = house.organizations;
  const other = { ...env, PLINTH_ADMIN_KEY: enterprise.admin_api_key };
  const refused = await runInProcess(["usage"], other);
  expectRefusal(refused, /those of platform organizations.* open http:.*\/console\/usage\./);
  const wrong = await runInProcess(["usage"], { ...env, PLINTH_ADMIN_KEY: "sk-plinth-x" });
  assert.equal(wrong.code, 3);
});
