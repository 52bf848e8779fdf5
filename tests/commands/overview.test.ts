// `plinth overview`: what goes on, as tables and for programs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { trafficPart, upstreamTrafficPart } from "../../server/traffic/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addSignedIn } from "../rules/members-house.ts";
import { runInProcess } from "./in-process.ts";

let house: House;
let platform: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const run = (key: string, ...args: string[]) =>
  runInProcess(["overview", ...args], { PLINTH_ADMIN_KEY: key, PLINTH_BASE_URL: house.url });
const said = async (...args: string[]): Promise<string> => {
  await trafficPart.of(house.world).flush();
  await upstreamTrafficPart.of(house.world).flush();
  const { code, stdout, stderr } = await run(platform.admin_api_key, ...args);
  assert.equal(code, 0, stderr);
  return stdout;
};

test("an organization in which nothing goes on", async () => {
  const text = await said();
  assert.match(text, /^Nothing waits for you\.\n\nREQUESTS +ALL +ERRORS\nlast hour +0 +0\n/);
  assert.match(text, /^No upstream was asked in the last two hours\.$/m);
  assert.match(text, /^Spent in \d{4}-\d\d: \$0\.00\.\nNo spend limit is set\.$/m);
  assert.match(text, /^Nothing was spent in that time\.$/m);
  assert.match(text, /^No batch is open, and no session runs\.$/m);
  assert.match(text, /^STORAGE +SIZE\nfiles +0 MB\n/m);
});

test("who spends, how upstreams answer, what is blocked and what waits, in one command", async () => {
  const { organization_id: id, workspace_id: workspace } = platform;
  const { status } = await house.ask("POST", "/v1/messages", {
    key: platform.api_key,
    body: { model: "sim-large", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] },
  });
  assert.equal(status, 200);
  const failed = { upstream: "backup", askedMs: 0, firstMs: null, outcome: "failed", why: null };
  upstreamTrafficPart.of(house.world).count(id, [failed]);
  await house.world.db.query(sql`
    insert into spend_limits (organization_id, workspace_id, limit_nano)
    values (${id}, ${workspace}, 0)`);
  await house.world.db.query(sql`
    insert into webhook_endpoints (id, organization_id, name, description, url, enabled_events,
      state, disabled_reason, signing_secret, created_at, updated_at)
    values ('whe_1', ${id}, 'Pager', '', 'https://x.example', '{}', 'disabled', 'failed', 'x',
      now(), now())`);
  const text = await said("--period", "month");
  assert.match(text, /^WAITS FOR YOU +NAME +SINCE +ID\nwebhook was switched off +Pager .* whe_1$/m);
  assert.match(text, /^last hour +2 +0$/m);
  assert.match(text, /^simulator +answering +1 +0 +- +- +-$/m);
  assert.match(text, /^backup +failing +0 +1 /m);
  assert.match(text, /^Default +monthly +\$0\.00 +\$0\.\d+ +blocked +\d{4}-\d\d-01$/m);
  assert.match(text, /^SPENT THIS MONTH +NAME +COST +ID\nmodels +sim-large +\$0\.\d+\nkeys +\S/m);
  const json = JSON.parse(await said("--json")) as { type: string; top: { period: string } };
  assert.deepEqual([json.type, json.top.period], ["overview", "yesterday"]);
  const wrong = await run(platform.admin_api_key, "--period", "year");
  assert.equal(wrong.code, 2);
});

test("an API key may not look, and what may not be read is left out", async () => {
  const { code, stderr } = await run(platform.api_key);
  assert.equal(code, 3, stderr);
  const { cookie } = await addSignedIn(house, platform, "user");
  const { body } = await house.ask("GET", "/v1/organizations/overview", { cookie });
  assert.equal(body.spend, null);
});
