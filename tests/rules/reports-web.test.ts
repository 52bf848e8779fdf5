// Rule REP11: searches and pages of agents in reports, whose models did none of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { advanceSums } from "../../server/usage/module.ts";
import type { FlatHop } from "../flat-hop.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { ask, writeAttempts, type Query } from "./reports-house.ts";

const clock = makeManualClock(new Date("2028-03-10T12:00:00Z"));
let house: House;
let tenant: Tenant;

const ofSession = { origin: "session", sessionId: "sesn_1" } as const;
/** As they are written: without prices of tokens. */
const ofWeb = (kind: "web_search" | "web_fetch"): Partial<FlatHop> => ({
  ...ofSession,
  kind,
  model: kind,
  upstream: "x",
  prices: undefined as never,
});
const noTokens = { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
const costing = (nano: number) => ({
  counts: noTokens,
  amountNano: nano,
  listAmountNano: 2 * nano,
});

before(async () => {
  house = await openHouse({ clock });
  tenant = house.organizations.platform;
  const at = (day: number) => new Date(Date.UTC(2028, 2, day, 10));
  await writeAttempts(house, [
    { tenant, at: at(8), hop: { ...ofSession, kind: "agent" } },
    { tenant, at: at(8), hop: ofWeb("web_search"), settlement: costing(10_000_000) },
    { tenant, at: at(9), hop: ofWeb("web_search"), settlement: costing(10_000_000) },
    { tenant, at: at(9), hop: ofWeb("web_fetch"), settlement: costing(5) },
  ]);
});
after(() => house[Symbol.asyncDispose]());

const range = { starting_at: "2028-03-08T00:00:00Z", ending_at: "2028-03-10T00:00:00Z" };

interface UsageRow {
  group: Record<string, unknown>;
  usage: { requests: number; total_tokens: number; server_tool_use: object };
}
interface CostRow {
  group: Record<string, unknown>;
  cost: { amount: string; list_amount: string; requests: number | null };
}

async function report<Row>(path: string, query: Query): Promise<Row[]> {
  const asked = { ...range, ...query };
  const { status, body } = await ask({ house, tenant }, `analytics/${path}`, asked);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data as Row[];
}

async function expectAll(filter: Query): Promise<void> {
  const byModel = await report<UsageRow>("usage", { ...filter, group_by: ["model", "product"] });
  assert.deepEqual(
    byModel.map(({ group, usage: { requests, total_tokens, server_tool_use } }) => [
      group["model"],
      group["product"],
      requests,
      total_tokens,
      server_tool_use,
    ]),
    [
      ["sim-large", "managed_agents_api", 1, 38, { web_search_requests: 0 }],
      [null, "managed_agents_api", 0, 0, { web_search_requests: 2 }],
    ],
  );
  assert.deepEqual(await report<UsageRow>("usage", { ...filter, models: ["web_search"] }), []);
  const costs = async (...group_by: string[]) =>
    (await report<CostRow>("cost", { ...filter, group_by })).map(({ group, cost }) => ({
      model: group["model"],
      type: group["cost_type"],
      token: group["token_type"],
      ...cost,
    }));
  const nanoOf = (rows: { amount: string }[]) =>
    rows.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 1e8), 0);
  const [whole] = await costs("origin");
  assert.equal(whole?.requests, 1);
  const web = {
    model: null,
    type: "web_search",
    token: null,
    amount: "2.0000005",
    list_amount: "4.000001",
  };
  const money = { currency: "USD", requests: null };
  const byType = await costs("cost_type");
  assert.deepEqual(
    byType.map(({ type }) => type),
    ["tokens", "web_search"],
  );
  assert.deepEqual(byType[1], { ...web, ...money });
  assert.equal(nanoOf(byType), nanoOf(whole === undefined ? [] : [whole]));
  const byToken = await costs("model", "token_type");
  assert.deepEqual(byToken[0], { ...web, ...money });
  assert.equal(byToken.length, 6, "and five classes of tokens");
  assert.equal(nanoOf(byToken), nanoOf(byType));
}

test("[REP11] they are no model's, and cost what the web costs, before and after it is summed up", async () => {
  const ofOne = { session_ids: ["sesn_1"] };
  for (const filter of [{}, ofOne]) await expectAll(filter);
  for (const _ of [1, 2, 3]) await advanceSums(house.world, { heardMs: 0, lateMs: 0 });
  for (const filter of [{}, ofOne]) await expectAll(filter);
});

test("[REP11] a classic report tells them, too", async () => {
  const get = async <Result>(path: string, query: Query): Promise<Result[]> => {
    const asked = { starting_at: range.starting_at, ending_at: range.ending_at, ...query };
    const { status, body } = await ask({ house, tenant }, path, asked);
    assert.equal(status, 200, JSON.stringify(body));
    return (body.data as { results: Result[] }[]).flatMap(({ results }) => results);
  };
  const usage = await get<{ server_tool_use: object }>("usage_report/messages", {
    bucket_width: "1d",
  });
  assert.deepEqual(
    usage.map(({ server_tool_use }) => server_tool_use),
    [{ web_search_requests: 1 }, { web_search_requests: 1 }],
  );
  interface Cost {
    amount: string;
    cost_type: string | null;
    description: string | null;
    model: string | null;
  }
  const described = await get<Cost>("cost_report", { group_by: ["description"] });
  assert.deepEqual(
    described
      .filter(({ cost_type }) => cost_type === "web_search")
      .map(({ amount, description, model }) => [amount, description, model]),
    [
      ["1", "Web Search Usage", null],
      ["1.0000005", "Web Search Usage", null],
    ],
  );
  assert.equal((await get<Cost>("cost_report", {})).length, 2, "one sum for each day");
});
