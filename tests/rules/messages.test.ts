// Messages over HTTP under limits: headers, refusals of rates and of money, and what a refusal of a model counts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { setRate, setSpend } from "../../server/limits/module.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { sentenceOf } from "./support.ts";
import { queryPosted } from "../posted.ts";

let house: House;
before(async () => {
  house = await openHouse();
  const { platform, enterprise, other, cloud } = house.organizations;
  const group = { workspaceId: "", group: "sim-large" };
  await house.world.db.tx(async (tx) => {
    const { organization_id: id } = platform;
    await setRate(tx, id, { ...group, type: "requests", perMinute: 3 });
    await setRate(tx, id, { ...group, group: "sim-small", type: "output_tokens", perMinute: 500 });
    await setRate(tx, enterprise.organization_id, { ...group, type: "requests", perMinute: 2 });
    await setRate(tx, cloud.organization_id, { ...group, type: "input_tokens", perMinute: 3_000 });
    // Room for one request of 10 tokens and 100 to write, not for two.
    await setSpend(tx, other.organization_id, "", 4_000_000n);
  });
});
after(() => house[Symbol.asyncDispose]());

const post = (tenant: Tenant, content: string, fields = {}, headers = {}): Promise<Answer> =>
  house.ask("POST", "/v1/messages", {
    key: tenant.api_key,
    headers,
    body: { model: "sim-large", max_tokens: 100, messages: [{ role: "user", content }], ...fields },
  });
const rowsOf = ({ headers }: Answer) =>
  queryPosted<{ nano: number }>(
    house.world.db,
    sql`select amount_nano as nano from ledger where request_id = ${headers.get("request-id")}`,
  );

test("[LIM4] [LIM9] headers in the client's words, and 429 with retry-after at the limit", async () => {
  const { platform } = house.organizations;
  for (const [prefix, version, left] of [
    ["anthropic", { "anthropic-version": "2026-10-21" }, "2"],
    ["vendor", { "vendor-version": "2023-06-01" }, "1"],
    ["vendor", {}, "0"],
  ] as const) {
    // A stream has them, too.
    const { status, headers } = await post(platform, "Hello.", { stream: left === "1" }, version);
    assert.equal(status, 200);
    assert.equal(headers.get(`${prefix}-ratelimit-requests-limit`), "3");
    assert.equal(headers.get(`${prefix}-ratelimit-requests-remaining`), left);
    assert.ok(Date.parse(headers.get(`${prefix}-ratelimit-requests-reset`) ?? "") > 0);
    for (const type of ["input-tokens", "output-tokens"])
      for (const what of ["limit", "remaining", "reset"])
        assert.ok(headers.has(`${prefix}-ratelimit-${type}-${what}`), `${type} ${what}`);
  }
  for (const stream of [false, true]) {
    const refused = await post(platform, "Hello.", { stream });
    assert.match(sentenceOf(refused, 429), /limit of 3 requests a minute of this organization/);
    assert.equal(refused.body.error.type, "rate_limit_error");
    const seconds = Number(refused.headers.get("retry-after"));
    assert.ok(seconds >= 1 && seconds <= 20, `${seconds} s`);
    assert.equal(refused.headers.get("vendor-ratelimit-requests-remaining"), "0");
    assert.deepEqual(await rowsOf(refused), []);
  }
  // Another group of models is another bucket.
  const small = await post(platform, "Hello.", { model: "sim-small" });
  assert.equal(small.status, 200);
});

test("a refusal before output costs nothing and counts against the rates", async () => {
  const { enterprise } = house.organizations;
  for (const left of ["1", "0"]) {
    const refused = await post(enterprise, "[[refuse category=bio]]");
    assert.equal(refused.body.stop_reason, "refusal");
    assert.equal(refused.headers.get("vendor-ratelimit-requests-remaining"), left);
    assert.deepEqual(await rowsOf(refused), [{ nano: 0 }]);
  }
  assert.equal((await post(enterprise, "Hello.")).status, 429);
});

test("what a refusal used and is not charged for counts against the rates of tokens", async () => {
  const { cloud } = house.organizations;
  for (const stream of [false, true])
    for (let count = 0; count < 2; count++) {
      // 2,800 bytes are 700 tokens: of 3,000 a minute four fit, and the fifth does not.
      const refused = await post(cloud, `[[refuse]]${"x".repeat(2_800)}`, { stream });
      assert.equal(refused.status, 200);
      assert.deepEqual(await rowsOf(refused), [{ nano: 0 }]);
    }
  const fifth = await post(cloud, `[[refuse]]${"x".repeat(2_800)}`);
  assert.match(sentenceOf(fifth, 429), /limit of 3,?000 input tokens a minute/);
});

test("[LIM10] tokens that were reserved and not written are free again", async () => {
  const { platform } = house.organizations;
  // Each may write 100 of 500 a minute, and writes 5.
  for (let count = 0; count < 12; count++) {
    const answer = await post(platform, '[[say "Twenty bytes exactly"]]', {
      model: "sim-small",
      max_tokens: 100,
    });
    assert.equal(answer.status, 200, `${count}: ${JSON.stringify(answer.body)}`);
  }
});

test("[LIM5] a spend limit refuses what could pass it, in a way that clients do not repeat", async () => {
  const { other } = house.organizations;
  const first = await post(other, '[[say "Twenty bytes exactly"]]');
  assert.equal(first.status, 200);
  const { headers, body } = await post(other, "Much.", { max_tokens: 1_000 });
  assert.equal(body.error.type, "rate_limit_error");
  assert.equal(body.error.details.error_code, "enforced_spend_limit_reached");
  assert.equal(headers.get("x-should-retry"), "false");
  // What was reserved and not spent serves the next one.
  assert.equal((await post(other, '[[say "Twenty bytes exactly"]]')).status, 200);
});
