// The rules of reports over HTTP: what rows of the ledger add up to.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { ledgerOf, type Settlement } from "../../server/usage/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import type { AttemptRow, Query } from "./reports-house.ts";
import { ask, attemptOf, queryOf, readAll, writeAttempts } from "./reports-house.ts";
import { sentenceOf } from "./support.ts";

const clock = makeManualClock(new Date("2028-03-10T12:34:56Z"));
let house: House;
let platform: Tenant;
let other: Tenant;

const user = "user_alice";
const at = (text: string) => new Date(text);
const counts = (input: number, output = 0) => ({
  input,
  output,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheRead: 0,
});
const cost = (amountNano: number, input = 1, output = 0): Partial<Settlement> => ({
  counts: counts(input, output),
  amountNano,
  listAmountNano: amountNano,
});

before(async () => {
  house = await openHouse({ clock });
  ({ platform, other } = house.organizations);
  const rows: Omit<AttemptRow, "tenant">[] = [
    // The last minute of February in a leap year, and the first of March.
    { at: at("2028-02-29T23:59:59.999Z"), settlement: cost(10_000_001, 7, 3) },
    { at: at("2028-03-01T00:00:00Z"), settlement: cost(3, 1), hop: { userId: user } },
    { at: at("2028-03-01T00:30:00Z"), settlement: cost(5, 2), hop: { credentialId: "signin_1" } },
    {
      at: at("2028-03-02T05:00:00Z"),
      settlement: cost(7, 300_000),
      hop: { model: "sim-small", speed: "fast", inferenceGeo: "us", userId: "svac_1" },
    },
    {
      at: at("2028-03-02T05:59:59Z"),
      settlement: { ...cost(11, 4), listAmountNano: 21 },
      hop: { kind: "batch", credentialId: "apikey_two" },
    },
  ];
  await writeAttempts(
    house,
    rows.map((row) => ({ ...row, tenant: platform })),
  );
  await writeAttempts(house, [{ at: at("2028-03-01T01:00:00Z"), tenant: other }]);
});
after(() => house[Symbol.asyncDispose]());

const range = { starting_at: "2028-02-20T00:00:00Z", ending_at: "2028-03-11T00:00:00Z" };
const analytics = async (path: "usage" | "cost", query: Query, tenant = platform) =>
  (await ask({ house, tenant }, `analytics/${path}`, { ...range, ...query })).body;

interface UsageRow {
  starting_at: string;
  ending_at: string;
  group: Record<string, unknown>;
  usage: Record<string, number>;
}

test("[REP1] a range without groups is one row, of this organization alone", async () => {
  const { data, has_more, next_page } = await analytics("usage", {});
  assert.deepEqual([data.length, has_more, next_page], [1, false, null]);
  const [{ usage, group, starting_at, ending_at }] = data;
  assert.deepEqual(usage, {
    uncached_input_tokens: 300_014,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 3,
    server_tool_use: { web_search_requests: 0 },
    total_tokens: 300_017,
    requests: 5,
  });
  assert.deepEqual(new Set(Object.values(group)), new Set([null]));
  assert.deepEqual(
    [starting_at, ending_at].map((time) => time.slice(0, 16)),
    ["2028-02-20T00:00", "2028-03-11T00:00"],
  );
  const { data: costs } = await analytics("cost", {});
  assert.deepEqual(costs[0].cost, {
    amount: "1.0000027",
    list_amount: "1.0000037",
    currency: "USD",
    requests: 5,
  });
  assert.equal((await analytics("usage", {}, other)).data[0].usage.requests, 1);
});

test("[REP2] days are those of UTC, over the leap day and the month's end", async () => {
  const { data } = await analytics("usage", {
    time_bucket_width: "1d",
    order_by: "time",
    order: "asc",
  });
  assert.deepEqual(
    data.map((row: UsageRow) => [row.starting_at, row.ending_at, row.usage["requests"]]),
    [
      ["2028-02-29T00:00:00.000Z", "2028-03-01T00:00:00.000Z", 1],
      ["2028-03-01T00:00:00.000Z", "2028-03-02T00:00:00.000Z", 2],
      ["2028-03-02T00:00:00.000Z", "2028-03-03T00:00:00.000Z", 2],
    ],
  );
});

test("[REP2] a range begins at any offset from UTC, and covers whole hours or buckets", async () => {
  const count = async (starting_at: string, ending_at: string, more: Query = {}) => {
    const { data } = await analytics("usage", { starting_at, ending_at, ...more });
    return data.map((row: UsageRow) => [row.starting_at, row.usage["requests"]]);
  };
  const morning = await count("2028-03-01T05:45:00+05:45", "2028-03-02T00:00:00+05:45");
  assert.deepEqual(morning, [["2028-03-01T00:00:00.000Z", 2]]);
  // 18:15 UTC, taken down to 18:00.
  const nepal = await count("2028-03-01T00:00:00+05:45", "2028-03-01T06:00:00+05:45");
  assert.deepEqual(nepal, [["2028-02-29T18:00:00.000Z", 1]]);
  const samoa = await count("2028-02-29T13:00:00-11:00", "2028-02-29T14:00:00-11:00");
  assert.deepEqual(samoa, [["2028-03-01T00:00:00.000Z", 2]]);
  const hours = { time_bucket_width: "1h" };
  assert.deepEqual(await count("2028-03-01T00:29:00Z", "2028-03-01T00:31:00Z", hours), [
    ["2028-03-01T00:00:00.000Z", 2],
  ]);
  const minutes = { time_bucket_width: "1m" };
  assert.deepEqual(await count("2028-03-01T00:29:00Z", "2028-03-01T00:30:30Z", minutes), [
    ["2028-03-01T00:30:00.000Z", 1],
  ]);
});

test("[REP2] what no report covers is refused with a sentence", async () => {
  const refusal = async (query: Query) =>
    sentenceOf(await ask({ house, tenant: platform }, "analytics/usage", query), 400);
  const wrong: [Query, RegExp][] = [
    [{ starting_at: "2027-03-01T00:00:00Z" }, /^starting_at: lies more than 365 days back/],
    [{ ...range, ending_at: range.starting_at }, /^ending_at: must be later/],
    [
      { ...range, starting_at: "2028-02-01T00:00:00Z" },
      /^ending_at: the range may span at most 31/,
    ],
    [{ starting_at: range.starting_at, time_bucket_width: "1d" }, /^ending_at: is wanted/],
    [{ ...range, time_bucket_width: "1m" }, /^ending_at: by the minute .* 24 hours/],
    [{ ...range, starting_at: "2028-03-01" }, /starting_at.*2026-01-31T08:00:00Z/],
    [{ ...range, limit: 1001 }, /limit/],
    [{ ...range, group_by: ["colour"] }, /group_by/],
    [
      { ...range, group_by: ["actor", "model", "speed", "product", "api_key_id", "workspace_id"] },
      /^group_by: names 6 dimensions; at most 5/,
    ],
    [{ ...range, exclude_deleted_users: true }, /^exclude_deleted_users: goes with group_by/],
    [{ ...range, page: "nonsense" }, /^page: is not a cursor/],
  ];
  for (const [query, sentence] of wrong) assert.match(await refusal(query), sentence);
});

test("[REP4] a dimension is null unless grouped by; what the ledger lacks tells no rows apart", async () => {
  const by = async (group: string) => {
    const { data } = await analytics("usage", { group_by: [group], order_by: "requests" });
    return data.map((row: UsageRow) => [row.group[group], row.usage["requests"]]);
  };
  assert.deepEqual(await by("model"), [
    ["sim-large", 4],
    ["sim-small", 1],
  ]);
  assert.deepEqual(await by("api_key_id"), [
    ["apikey_one", 3],
    [null, 1],
    ["apikey_two", 1],
  ]);
  assert.deepEqual(await by("context_window"), [
    ["0-200k", 4],
    ["200k-1M", 1],
  ]);
  assert.deepEqual(await by("service_tier"), [
    ["standard", 4],
    ["batch", 1],
  ]);
  assert.deepEqual(await by("speed"), [
    ["standard", 4],
    ["fast", 1],
  ]);
  assert.deepEqual(await by("inference_geo"), [
    [null, 4],
    ["us", 1],
  ]);
  assert.deepEqual(await by("product"), [
    ["messages_api", 3],
    ["claude_console", 1],
    ["message_batches_api", 1],
  ]);
  assert.deepEqual(await by("workspace_id"), [[platform.workspace_id, 5]]);
  assert.deepEqual(await by("session_id"), [[null, 5]]);
  const { data } = await analytics("usage", { group_by: ["actor"], order_by: "requests" });
  assert.deepEqual(
    data.map((row: UsageRow) => row.group["actor"]),
    [
      null,
      { type: "api_actor", api_key_id: "apikey_one" },
      { type: "api_actor", api_key_id: "apikey_two" },
      { type: "service_account_actor", service_account_id: "svac_1" },
      { type: "user_actor", user_id: user, name: null, email_address: null, deleted: true },
    ],
  );
  const present = await analytics("usage", { group_by: ["actor"], exclude_deleted_users: true });
  assert.equal(present.data.length, 4);
});

test("[REP4] filters take any of their values, and none where an empty one is among them", async () => {
  const count = async (query: Query) => (await analytics("usage", query)).data[0]?.usage.requests;
  assert.equal(await count({ models: ["sim-small", "sim-tiny"] }), 1);
  assert.equal(await count({ models: ["claude-opus-4-8"] }), 4);
  assert.equal(await count({ api_key_ids: ["apikey_two"] }), 1);
  assert.equal(await count({ api_key_ids: ["", "apikey_two"] }), 2);
  assert.equal(await count({ inference_geos: ["not_available"] }), 4);
  assert.equal(await count({ actor_ids: ["apikey_one", user] }), 2);
  assert.equal(await count({ actor_types: ["service_account_actor"], models: ["sim-small"] }), 1);
  assert.equal(await count({ workspace_ids: [other.workspace_id] }), undefined);
  assert.equal(await count({ session_ids: ["sesn_1"] }), undefined);
});

test("[REP5] rows come by the measure that is named, either way, and by time", async () => {
  const order = async (query: Query) =>
    (await analytics("cost", { group_by: ["api_key_id"], ...query })).data.map(
      ({ group }: UsageRow) => group["api_key_id"],
    );
  assert.deepEqual(await order({}), ["apikey_one", "apikey_two", null]);
  assert.deepEqual(await order({ order: "asc" }), [null, "apikey_two", "apikey_one"]);
  const days = { time_bucket_width: "1d", order_by: "time" };
  assert.deepEqual(await order(days), [
    "apikey_two",
    "apikey_one",
    null,
    "apikey_one",
    "apikey_one",
  ]);
});

test("[REP6] classes of tokens add up to the whole, also of a batch that was rounded up", async () => {
  const whole = { input: 5, output: 2, cacheWrite5m: 1, cacheWrite1h: 0, cacheRead: 2 };
  const noted = { input: 3, output: 15, cacheWrite5m: 4, cacheWrite1h: 6, cacheRead: 1 };
  const hop = { kind: "batch" as const, model: "priced", prices: noted };
  const noon = at("2028-03-05T00:00:00Z");
  await writeAttempts(house, [
    {
      at: noon,
      tenant: platform,
      hop,
      settlement: { counts: whole, amountNano: 26, listAmountNano: 51 },
    },
  ]);
  const query = { models: ["priced"], group_by: ["token_type", "cost_type"] };
  const { data } = await analytics("cost", query);
  const shown = data.map(({ group, cost: { amount, list_amount, requests } }: CostRow) => [
    group["cost_type"],
    group["token_type"],
    amount,
    list_amount,
    requests,
  ]);
  assert.deepEqual(shown, [
    ["tokens", "uncached_input_tokens", "0.00000075", "0.0000015", null],
    ["tokens", "output_tokens", "0.00000155", "0.000003", null],
    ["tokens", "cache_creation.ephemeral_5m_input_tokens", "0.0000002", "0.0000004", null],
    ["tokens", "cache_creation.ephemeral_1h_input_tokens", "0", "0", null],
    ["tokens", "cache_read_input_tokens", "0.0000001", "0.0000002", null],
  ]);
  const attempt = attemptOf({ at: noon, tenant: platform, hop: { model: "untold" } });
  const { prices: _, ...payer } = attempt.hop.payer;
  const untold = { ...attempt.hop, payer };
  const ledger = ledgerOf(house.world);
  void ledger.open(untold);
  const settlement = { counts: whole, amountNano: 26, listAmountNano: 51 };
  await ledger.close(untold.id, { outcome: "served", estimated: false, ...settlement });
  const untoldCost = await analytics("cost", { ...query, models: ["untold"] });
  const amounts = untoldCost.data.map(({ group, cost: each }: CostRow) => [
    group["token_type"],
    each.amount,
  ]);
  assert.deepEqual(amounts.at(-1), [null, "0.0000026"]);
  assert.equal(amounts.filter(([, amount]: string[]) => amount !== "0").length, 1);
});

interface CostRow {
  group: Record<string, unknown>;
  cost: { amount: string; list_amount: string; requests: number | null };
}

test("[REP8] reports over the API are those of platform organizations; the console has them all", async () => {
  const { enterprise, cloud } = house.organizations;
  for (const tenant of [enterprise, cloud]) {
    const answer = await ask({ house, tenant }, "analytics/usage", range);
    assert.equal(answer.status, 404);
    const { cookie } = tenant;
    const path = `/console/api/analytics/usage?${queryOf(range)}`;
    assert.deepEqual((await house.ask("GET", path, { cookie })).body.data, []);
  }
  const year = { starting_at: "2027-03-12T00:00:00Z", ending_at: "2028-03-11T00:00:00Z" };
  const { cookie } = platform;
  const path = `/console/api/analytics/usage?${queryOf(year)}`;
  assert.equal((await house.ask("GET", path, { cookie })).status, 200);
  const forKey = await house.ask("GET", `/v1/organizations/analytics/usage?${queryOf(range)}`, {
    key: platform.api_key,
  });
  assert.equal(forKey.status, 403);
});

test("[REP7] a classic report lists every bucket, a page of so many", async () => {
  const reader = { house, tenant: platform };
  const query = {
    starting_at: "2028-02-28T10:00:00Z",
    ending_at: "2028-03-03T00:00:00Z",
    limit: 2,
  };
  interface Bucket {
    starting_at: string;
    results: Record<string, unknown>[];
  }
  const buckets = await readAll<Bucket>(reader, "usage_report/messages", query);
  assert.deepEqual(
    buckets.map(({ starting_at, results }) => [
      starting_at.slice(0, 10),
      results.map((result) => result["uncached_input_tokens"]),
    ]),
    [
      ["2028-02-28", []],
      ["2028-02-29", [7]],
      ["2028-03-01", [3]],
      ["2028-03-02", [300_004]],
    ],
  );
  const grouped = { ...query, group_by: ["account_id", "service_account_id", "service_tier"] };
  const last = (await readAll<Bucket>(reader, "usage_report/messages", grouped)).at(-1);
  assert.deepEqual(
    last?.results.map((result) => [
      result["service_account_id"],
      result["service_tier"],
      result["model"],
    ]),
    [
      ["svac_1", "standard", null],
      [null, "batch", null],
    ],
  );
  const costs = await readAll<Bucket>(reader, "cost_report", {
    ...query,
    group_by: ["workspace_id"],
  });
  assert.deepEqual(
    costs.map(({ results }) => results.map((result) => [result["amount"], result["workspace_id"]])),
    [
      [],
      [["1.0000001", platform.workspace_id]],
      [["0.0000008", platform.workspace_id]],
      [["0.0000018", platform.workspace_id]],
    ],
  );
  const described = await readAll<Bucket>(reader, "cost_report", {
    ...query,
    group_by: ["description"],
  });
  assert.deepEqual(
    described[1]?.results.map(({ description, token_type, amount }) => [
      description,
      token_type,
      amount,
    ]),
    [
      ["sim-large Usage - Input Tokens", "uncached_input_tokens", "0.0000021"],
      ["sim-large Usage - Output Tokens", "output_tokens", "0.999998"],
    ],
  );
  const long = { starting_at: "2028-01-01T00:00:00Z", ending_at: "2028-03-03T00:00:00Z" };
  const sized = async (more: Query) =>
    (await ask(reader, "usage_report/messages", { ...long, ...more })).body.data.length;
  assert.deepEqual([await sized({}), await sized({ limit: 32 })], [7, 31]);
  const hours = { bucket_width: "1h" };
  assert.deepEqual([await sized(hours), await sized({ ...hours, limit: 999 })], [24, 168]);
  const minutes = { bucket_width: "1m" };
  assert.deepEqual([await sized(minutes), await sized({ ...minutes, limit: 999 })], [60, 256]);
});

test("[REP4] who left has the name they had, and counts as deleted", async () => {
  await house.world.db.query({
    text: `insert into former_members (id, organization_id, email, name, role, added_at, removed_at)
      values ($1, $2, 'alice@left.example', 'Alice', 'user', now(), now())`,
    values: [user, platform.organization_id],
  });
  const query = { group_by: ["actor"], actor_ids: [user] };
  const { data } = await analytics("usage", query);
  const person = { user_id: user, name: "Alice", email_address: "alice@left.example" };
  assert.deepEqual(data[0].group.actor, { type: "user_actor", ...person, deleted: true });
  const present = await analytics("usage", { ...query, exclude_deleted_users: true });
  assert.deepEqual(present.data, []);
});
