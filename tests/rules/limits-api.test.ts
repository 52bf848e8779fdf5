// Rule LIM17 over HTTP: rate limits of organizations and workspaces.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { sentenceOf } from "./support.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse({
    sections: { limits: { organization: { requests: 100, output_tokens: 50_000 } } },
  });
  ({ platform, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: unknown, tenant = platform) =>
  house.ask(method, `/v1/organizations/${path}`, {
    key: tenant.admin_api_key,
    ...(body !== undefined && { body }),
  });

interface Entry {
  id: string;
  rate_limit_id: string;
  group: { id: string; display_name: string };
  limits: Record<string, unknown>[];
  models: string[];
}

const entries = async (path = "rate_limits", tenant = platform): Promise<Entry[]> => {
  const { status, body } = await call("GET", path, undefined, tenant);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
};
const large = async (tenant = platform) => {
  const found = (await entries("rate_limits", tenant)).find(
    ({ group }) => group.display_name === "sim-large",
  );
  return found ?? assert.fail("there is no sim-large");
};
const ofWorkspace = () => `workspaces/${platform.workspace_id}/rate_limits`;

test("[LIM17] an organization's limits are those that hold, by group, with ids that stay", async () => {
  const { id, group, limits, models } = await large();
  assert.deepEqual(limits, [
    { type: "requests_per_minute", value: 100 },
    { type: "input_tokens_per_minute_cache_aware", value: 10_000_000_000 },
    { type: "output_tokens_per_minute", value: 50_000 },
  ]);
  assert.ok(models.includes("sim-large"));
  const again = await large();
  assert.deepEqual([again.id, again.group.id], [id, group.id]);
  const elsewhere = await large(other);
  assert.equal(elsewhere.group.id, group.id);
  assert.notEqual(elsewhere.id, id);
  assert.deepEqual(await entries("rate_limits?group_type=batch"), []);
  assert.deepEqual(
    (await entries("rate_limits?model=sim-large")).map((entry) => entry.id),
    [id],
  );
  const [byAlias] = await entries("rate_limits?model=claude-opus-4-8");
  assert.equal(byAlias?.id, id);
  assert.equal((await call("GET", "rate_limits?model=nothing")).status, 404);
});

test("[LIM17] a workspace's own limit is set, shown beside the organization's, enforced and cleared", async () => {
  const { id } = await large();
  const set = await call("POST", `${ofWorkspace()}/${id}`, {
    limits: [
      { type: "requests_per_minute", value: 1 },
      { type: "output_tokens_per_minute", value: 60_000 },
    ],
  });
  assert.deepEqual(set.body.limits, [
    { type: "requests_per_minute", value: 1, org_limit: 100, source: { type: "workspace" } },
    {
      type: "output_tokens_per_minute",
      value: 60_000,
      org_limit: 50_000,
      source: { type: "workspace" },
    },
  ]);
  assert.deepEqual(await entries(ofWorkspace()), [set.body]);
  const [whole] = (await entries(`${ofWorkspace()}?include_inherited=true`)).filter(
    ({ rate_limit_id }) => rate_limit_id === id,
  );
  assert.deepEqual(
    whole?.limits.map(({ source }) => source),
    [{ type: "workspace" }, { type: "organization" }, { type: "workspace" }],
  );
  const ask = (tokens: number) =>
    house.ask("POST", "/v1/messages", {
      key: platform.api_key,
      body: {
        model: "sim-large",
        max_tokens: tokens,
        messages: [{ role: "user", content: "[[tokens 1]]" }],
      },
    });
  const first = await ask(10);
  assert.equal(first.status, 200);
  // The organization's limit of output governs beside the larger one of the workspace.
  assert.equal(first.headers.get("vendor-ratelimit-output-tokens-limit"), "50000");
  assert.match(sentenceOf(await ask(10), 429), /1 requests a minute of this workspace/);
  const cleared = await call("POST", `${ofWorkspace()}/${id}`, {
    limits: [
      { type: "requests_per_minute", value: null },
      { type: "output_tokens_per_minute", value: null },
    ],
  });
  assert.deepEqual(cleared.body.limits, []);
  assert.deepEqual(await entries(ofWorkspace()), []);
});

test("[LIM17] what nothing enforces, knows or owns is refused", async () => {
  const { id } = await large();
  const refusal = async (type: string) =>
    sentenceOf(await call("POST", `${ofWorkspace()}/${id}`, { limits: [{ type, value: 1 }] }), 400);
  assert.match(
    await refusal("tokens_per_day"),
    /nothing here enforces tokens_per_day.*requests_per_minute/,
  );
  assert.match(await refusal("input_tokens_per_minute"), /input_tokens_per_minute_cache_aware/);
  const some = { limits: [{ type: "requests_per_minute", value: 1 }] };
  assert.equal((await call("POST", `${ofWorkspace()}/rlg_unknown`, some)).status, 404);
  const theirs = (await large(other)).id;
  assert.equal((await call("POST", `${ofWorkspace()}/${theirs}`, some)).status, 404);
  const foreign = `workspaces/${other.workspace_id}/rate_limits`;
  assert.equal((await call("GET", foreign)).status, 404);
  assert.equal((await call("POST", `${foreign}/${id}`, some)).status, 404);
  const { enterprise } = house.organizations;
  assert.equal((await call("GET", "rate_limits", undefined, enterprise)).status, 404);
});
