// The official client reads usage and cost, and sets limits.
import Anthropic from "@anthropic-ai/sdk";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { writeAttempts } from "../rules/reports-house.ts";

let house: House;
let client: Anthropic;
let enterprise: Anthropic;
before(async () => {
  house = await openHouse();
  const { platform, enterprise: company } = house.organizations;
  client = new Anthropic({ baseURL: house.url, apiKey: platform.admin_api_key });
  const authToken = company.oauth_access_token;
  enterprise = new Anthropic({ baseURL: house.url, apiKey: null, authToken });
  const at = new Date(Date.now() - 86_400_000);
  await writeAttempts(
    house,
    ["one", "two", "three"].map((model) => ({ tenant: platform, at, hop: { model } })),
  );
});
after(() => house[Symbol.asyncDispose]());

const starting_at = new Date(Date.now() - 3 * 86_400_000).toISOString();

test("analytics.usage and analytics.cost come in pages", async () => {
  const { usage, cost } = client.beta.organization.analytics;
  const models: (string | null)[] = [];
  for await (const row of usage.list({ starting_at, group_by: ["model"], limit: 1 }))
    models.push(row.group.model);
  assert.deepEqual(new Set(models), new Set(["one", "three", "two"]));
  assert.equal(models.length, 3);
  const page = await cost.list({ starting_at, group_by: ["model", "token_type"], limit: 1 });
  assert.equal(page.data.length, 5);
  assert.equal(page.has_more, true);
  assert.ok(page.data_refreshed_at);
});

test("rate limits are listed, set for a workspace and cleared", async () => {
  const { workspace_id } = house.organizations.platform;
  const [entry] = (await client.organization.rateLimits.list({ model: "sim-large" })).data;
  assert.ok(entry);
  const { rateLimits } = client.organization.workspaces;
  const set = (value: number | null) =>
    rateLimits.update(entry.id, { workspace_id, limits: [{ type: "requests_per_minute", value }] });
  assert.equal((await set(900)).limits[0]?.value, 900);
  assert.equal((await rateLimits.list(workspace_id)).data[0]?.rate_limit_id, entry.id);
  assert.deepEqual((await set(null)).limits, []);
});

test("spend limits of a member are set, seen and taken away", async () => {
  const { spendLimits } = enterprise.beta.organization;
  const [summary] = (await enterprise.organization.spendLimits.effective.list()).data;
  assert.ok(summary?.actor.type === "user_actor");
  const scope = { type: "user" as const, user_id: summary.actor.user_id };
  const limit = await spendLimits.set({ scope, amount: "50000", period: "weekly" });
  assert.deepEqual((await spendLimits.list({ scope_type: ["user"] })).data, [limit]);
  assert.deepEqual(await spendLimits.retrieve(limit.id), limit);
  assert.equal((await spendLimits.delete(limit.id)).type, "spend_limit_deleted");
  const requests = await enterprise.organization.spendLimits.increaseRequests.list();
  assert.deepEqual(requests.data, []);
});

test("a platform organization without the operator's switch has no spend limits over the API", async () => {
  await assert.rejects(client.beta.organization.spendLimits.list(), Anthropic.NotFoundError);
});
