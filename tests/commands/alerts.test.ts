// `plinth alerts`: what fires and has fired, and how rules and recipients are set.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { alertsOf, minute, stopLooks } from "../rules/alerts-house.ts";
import { runInProcess } from "./in-process.ts";

let house: House;
let platform: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
  await stopLooks(house);
});
after(() => house[Symbol.asyncDispose]());
const { lookAt, count } = alertsOf(() => house);

const run = (...args: string[]) =>
  runInProcess(["alerts", ...args], {
    PLINTH_ADMIN_KEY: platform.admin_api_key,
    PLINTH_BASE_URL: house.url,
  });
const said = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  assert.equal(code, 0, stderr);
  return stdout;
};

const refused = async (sentence: RegExp, ...args: string[]): Promise<void> => {
  const { code, stdout, stderr } = await run(...args);
  assert.ok(code !== 0, stdout);
  assert.match(stderr, sentence);
};

test("what fires is listed, and with --all what was resolved", async () => {
  const { stdout, stderr } = await run();
  assert.deepEqual([stdout, stderr], ["", "Nothing fires.\n"]);
  await count(platform, minute(0), 100, 100);
  await lookAt(minute(0));
  assert.match(
    await said(),
    /^STATE +KIND +SINCE +UNTIL +WHAT\nfiring +error_share +2026-11-20 10:00 +- +100 % of requests failed/,
  );
  await lookAt(minute(10));
  await lookAt(minute(20));
  assert.equal(await said(), "");
  assert.match(
    await said("--all"),
    /^resolved +error_share +2026-11-20 10:00 +2026-11-20 10:20 +100 %/m,
  );
  const json = JSON.parse(await said("--all", "--json")) as { data: { state: string }[] };
  assert.deepEqual(
    json.data.map(({ state }) => state),
    ["resolved"],
  );
});

test("rules are shown and set, and numbers taken back", async () => {
  assert.equal(
    await said("rules"),
    `KIND           STATE    NUMBERS
spend          enabled  percents 80 100
error_share    enabled  percent 5, minutes 10, requests 20
upstream_down  enabled  minutes 5, failures 5
job_backlog    enabled  minutes 10
`,
  );
  assert.equal(
    await said("set", "error_share", "--percent", "10", "--requests", "7", "--off"),
    "error_share: off, percent 10, minutes 10, requests 7\n",
  );
  assert.equal(
    await said("set", "error_share", "--percent", "default", "--on"),
    "error_share: on, percent 5, minutes 10, requests 7\n",
  );
  assert.equal(
    await said("set", "spend", "--percents", "100", "50"),
    "spend: on, percents 50 100\n",
  );
  assert.equal(await said("set", "spend", "--percents", "default"), "spend: on, percents 80 100\n");
  await refused(/Say what to set/, "set", "spend");
  await refused(/not both/, "set", "spend", "--on", "--off");
  await refused(/whole numbers from 1 to 100/, "set", "spend", "--percents", "half");
  await refused(/It must be one of spend, error_share/, "set", "weather", "--on");
  await refused(/minutes: is no number of the rule spend/, "set", "spend", "--minutes", "5");
});

test("recipients are shown and set, and that there is no mail server is said", async () => {
  const first = await run("mail");
  assert.equal(first.stdout, "owners and administrators\n");
  assert.match(first.stderr, /No mail server is set/);
  assert.equal(
    await said("mail", "--to", "ops@alerts.example", "--no-administrators"),
    "ops@alerts.example\n",
  );
  assert.equal(
    await said("mail", "--administrators"),
    "owners and administrators\nops@alerts.example\n",
  );
  assert.equal(await said("mail", "--to", "none"), "owners and administrators\n");
  await refused(/e-mail address/, "mail", "--to", "ops");
});
