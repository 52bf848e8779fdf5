// Rules BAT28 to BAT30, over HTTP: what a batch costs, and how the limits hold for it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { BatchAccounting } from "../../server/messages/module.ts";
import type { Settlement } from "../../server/usage/module.ts";
import { hopOf } from "../flat-hop.ts";
import type { Tenant } from "../house.ts";
import {
  type BatchHouse,
  type Item,
  items,
  openBatchHouse,
  params,
  same,
} from "./batches-house.ts";
import { until } from "./support.ts";
import { queryPosted } from "../posted.ts";

let b: BatchHouse;
before(async () => {
  const dear = { input: 0, output: 10_000_000 };
  b = await openBatchHouse({
    sections: {
      batches: { upstreams: { narrow: 4 } },
      models: {
        upstreams: { narrow: { kind: "simulator" } },
        models: [
          { id: "odd", upstream: "simulator", prices: { input: 3, output: 7, cache_write_1h: 1 } },
          { id: "dear", upstream: "narrow", prices: dear },
        ],
      },
    },
  });
});
after(() => b[Symbol.asyncDispose]());

const odd = (content: string, fields: object = {}) => params(content, { model: "odd", ...fields });
const listed = (bodies: Readonly<Record<string, object>>): Item[] =>
  Object.entries(bodies).map(([custom_id, body]) => ({ custom_id, params: body }));

/** What the ledger says of each item: by the request that its result names, or by its price. */
const sums = async ({ workspace_id }: Tenant) => {
  const [row] = await queryPosted<Record<string, number>>(
    b.house.world.db,
    sql`
    select coalesce(sum(amount_nano), 0)::bigint as ledger,
      (select coalesce(sum(amount_nano), 0)::bigint from usage_days
        where workspace_id = ${workspace_id}) as days,
      (select coalesce(sum(spent_nano), 0)::bigint from spend_months
        where workspace_id = ${workspace_id}) as months
    from ledger where workspace_id = ${workspace_id}`,
  );
  return row ?? assert.fail();
};

test("[BAT28] what succeeded costs half of the message, rounded up, and is told with its full price", async () => {
  const tenant = b.platform;
  const before = await sums(tenant);
  const results = await b.run(
    listed({
      one: odd("[[tokens 1]]"),
      two: odd("[[tokens 2]]"),
      five: odd("[[tokens 5]] Some more words."),
      late: odd("[[refuse category=cyber models=* after=3]] Words that go on for a while."),
    }),
  );
  const expected = ["one", "two", "five", "late"].map((id) => {
    const { usage } = results.get(id)?.message ?? assert.fail(id);
    const list = usage.input_tokens * 3 + usage.output_tokens * 7;
    return { kind: "batch", outcome: "served", nano: Math.ceil(list / 2), list };
  });
  assert.ok(
    expected.some(({ list }) => list % 2 === 1) && expected.some(({ list }) => list % 2 === 0),
  );
  const byPrice = (rows: readonly { list: number }[]) => rows.toSorted((x, y) => x.list - y.list);
  const rows = (await b.charged(tenant.workspace_id)).map(({ kind, outcome, nano, list }) => ({
    kind,
    outcome,
    nano,
    list,
  }));
  assert.deepEqual(byPrice(rows), byPrice(expected));
  const paid = expected.reduce((sum, { nano }) => sum + nano, 0);
  const after = await sums(tenant);
  for (const sum of ["ledger", "days", "months"])
    assert.equal((after[sum] ?? 0) - (before[sum] ?? 0), paid, sum);
  // The same as a message costs its full price.
  const { body } = await b.house.ask("POST", "/v1/messages", {
    key: tenant.api_key,
    body: odd("[[tokens 5]] Some more words."),
  });
  assert.deepEqual(body.usage.output_tokens, results.get("five")?.message.usage.output_tokens);
  const full = await sums(tenant);
  assert.equal((full["ledger"] ?? 0) - (after["ledger"] ?? 0), expected[2]?.list);
});

test("[BAT28] a read from the cache costs a tenth, and half of that in a batch", async () => {
  const tenant = b.other;
  const asking = { key: tenant.api_key };
  const cache_control = { type: "ephemeral", ttl: "1h" };
  const system = [{ type: "text", text: "s".repeat(4_800), cache_control }];
  const body = odd("[[tokens 1]] Hi", { model: "sim-large", system });
  for (const _ of [1, 2]) await b.run([{ custom_id: "a", params: body }], asking);
  const [wrote, read] = await b.charged(tenant.workspace_id);
  // sim-large: 5,000 nano-dollars an input token, 10,000 to write it for an hour, 500 to read it.
  const rest = (wrote?.list ?? 0) - 1_200 * 10_000;
  assert.ok(rest > 0 && rest < 200_000, `${rest} for the turn and its answer`);
  assert.equal(read?.list, rest + 1_200 * 500);
  assert.deepEqual([wrote?.nano, read?.nano], [(wrote?.list ?? 0) / 2, (read?.list ?? 0) / 2]);
});

test("[BAT28] whatever did not succeed costs nothing, and neither does a refusal before any output", async () => {
  const tenant = b.cloud;
  const asking = { key: tenant.api_key };
  const bodies = listed({
    wrong: {},
    stream: odd("Hi", { stream: true }),
    upstream: odd("[[fail status=400]]"),
    broken: odd("[[fail status=403 after=5]] Words that go on for a while."),
    refused: odd("[[refuse category=bio models=*]]"),
  });
  const { id } = await b.create(bodies, asking);
  await b.ended(id, asking);
  const waiting = same(80, "[[tokens 4]] [[rate 4]]");
  const canceled = await b.create(waiting, asking);
  await b.cancel(canceled.id, asking);
  const done = await b.ended(canceled.id, asking);
  const { succeeded } = done.request_counts;
  const rows = await b.charged(tenant.workspace_id);
  assert.equal(rows.filter(({ nano }) => nano > 0).length, succeeded);
  for (const { kind, outcome, nano, list } of rows)
    if (outcome !== "served" || nano === 0) assert.deepEqual([kind, nano, list], ["batch", 0, 0]);
  // What was asked of an upstream is in the ledger under the request_id of the error.
  const results = await b.results(id, asking);
  const asked = results.get("upstream")?.error.request_id as string;
  const found = rows.filter(({ request }) => request === asked);
  assert.deepEqual(
    found.map(({ outcome }) => outcome),
    ["failed"],
  );
});

test("[BAT28] an item that was tried several times costs as much as once", async () => {
  const before = (await b.charged(b.platform.workspace_id)).length;
  const results = await b.run(listed({ a: odd("[[fail status=500 times=2]] [[tokens 9]]") }));
  assert.equal(results.get("a")?.type, "succeeded");
  const rows = (await b.charged(b.platform.workspace_id)).slice(before);
  assert.deepEqual(
    rows.map(({ outcome }) => outcome),
    ["served"],
  );
});

const limit = ({ cookie }: Tenant, noun: string, body: object) =>
  b.house.ask("POST", `/console/api/${noun}`, { cookie, body });

const spendLimit = async (tenant: Tenant, amount: string, scope: object) => {
  const { status, body } = await limit(tenant, "spend_limits", { scope, amount });
  assert.equal(status, 200, JSON.stringify(body));
};

test("[BAT29] where a spend limit is reached nothing more begins, and items are told so", async () => {
  const tenant = b.enterprise;
  const asking = { key: tenant.api_key };
  const { workspace_id } = tenant;
  await spendLimit(tenant, "5", { type: "workspace", workspace_id });
  // Two tokens cost two hundredths, half of that in a batch: five items reach the limit.
  const dear = (content: string) => params(content, { model: "dear" });
  const requests = same(150, "").map((item) => ({
    ...item,
    params: dear("[[tokens 2]] [[rate 20]]"),
  }));
  const results = [...(await b.run(requests, asking)).values()];
  const succeeded = results.filter(({ type }) => type === "succeeded").length;
  // Four at a time: when the fifth reaches it, three others are under way.
  assert.ok(succeeded >= 5 && succeeded <= 8, `${succeeded} succeeded`);
  const { ledger } = await sums(tenant);
  assert.equal(ledger, succeeded * 10_000_000);
  const errors = results.filter(({ type }) => type === "errored").map(({ error }) => error.error);
  assert.equal(errors.length, 150 - succeeded);
  for (const { type, message, details } of errors) {
    assert.equal(type, "rate_limit_error");
    assert.match(message, /spend limit of this workspace/);
    assert.deepEqual(details, { error_code: "enforced_spend_limit_reached" });
  }
  // It is the same limit for everybody, and once there is room again there is for batches too.
  const message = await b.house.ask("POST", "/v1/messages", {
    ...asking,
    body: dear("[[tokens 1]]"),
  });
  assert.equal(message.status, 429);
  await spendLimit(tenant, "100000", { type: "workspace", workspace_id });
  const again = await b.run([{ custom_id: "a", params: dear("[[tokens 1]]") }], asking);
  assert.equal(again.get("a")?.type, "succeeded");
});

test("[BAT30] items neither wait for rate limits nor use them up", async () => {
  const tenant = b.other;
  const asking = { key: tenant.api_key };
  const rates = (value: number | null) =>
    limit(tenant, "rate_limits", {
      group: "sim-classic",
      limits: ["requests", "input_tokens", "output_tokens"].map((type, index) => ({
        type: `${type}_per_minute`,
        value: value === null ? null : [value, 100, 200][index],
      })),
    });
  assert.equal((await rates(2)).status, 200);
  const body = params("[[tokens 30]] Hello", { model: "sim-classic", max_tokens: 40 });
  const requests = items(...Array.from({ length: 60 }, () => "")).map((item) => ({
    ...item,
    params: body,
  }));
  const results = [...(await b.run(requests, asking)).values()];
  assert.ok(results.every(({ type }) => type === "succeeded"));
  const used = async () => {
    const { body } = await b.house.ask("GET", "/console/api/rate_limits", {
      cookie: tenant.cookie,
    });
    const entry = body.data.find(
      (each: { group: { id: string } }) => each.group.id === "sim-classic",
    );
    return (entry.limits as { used: number }[]).map((each) => each.used);
  };
  assert.deepEqual(await used(), [0, 0, 0]);
  const ask = () => b.house.ask("POST", "/v1/messages", { ...asking, body });
  assert.deepEqual(
    [(await ask()).status, (await ask()).status, (await ask()).status],
    [200, 200, 429],
  );
  // Nor does it hold them up that nothing is left.
  const { id } = await b.create(requests.slice(0, 20), asking);
  await until(
    async () => (await b.retrieve(id, asking)).request_counts.succeeded === 20,
    "all 20",
    3_000,
  );
  assert.equal((await rates(null)).status, 200);
});

test("[USE10] an amount that is not whole, or negative, is not kept with a result", async () => {
  const accounting = new BatchAccounting();
  const ledger = accounting.ledger(b.house.world);
  const hop = hopOf({
    id: "hop_1",
    requestId: "req_1",
    organizationId: "org_1",
    workspaceId: "wrkspc_1",
    credentialId: "key_1",
    userId: null,
    model: "odd",
    upstream: "simulator",
    reserveNano: 0,
    at: new Date("2026-03-01T12:00:00Z"),
    kind: "message",
  });
  const counts = { input: 1, output: 1, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
  const settled = (amountNano: number): Settlement => ({
    outcome: "served",
    counts,
    amountNano,
    listAmountNano: 10,
    estimated: false,
  });
  await ledger.open(hop);
  for (const amountNano of [-1, 0.5, Number.NaN])
    await assert.rejects(ledger.close(hop.id, settled(amountNano)), RangeError);
  assert.deepEqual(accounting.settledHops, []);
  await ledger.close(hop.id, settled(5));
  assert.equal(accounting.settledHops.length, 1);
});
