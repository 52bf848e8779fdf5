// Rule REP10: reports by who made a key, by member, origin, session, agent, deployment and environment.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { advanceSums } from "../../server/usage/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import type { FlatHop } from "../flat-hop.ts";
import { ask, writeAttempts, type Query } from "./reports-house.ts";
import { makePerson } from "./workspaces-house.ts";

const clock = makeManualClock(new Date("2028-03-10T12:00:00Z"));
let house: House;
let platform: Tenant;
let maker: { id: string; name: string; email: string };

const session = (id: string, some: Partial<FlatHop> = {}): Partial<FlatHop> => ({
  credentialId: "apikey_agents",
  kind: "agent",
  origin: "session",
  sessionId: `sesn_${id}`,
  agentId: "agent_1",
  environmentId: "env_1",
  ...some,
});

before(async () => {
  house = await openHouse({ clock });
  ({ platform } = house.organizations);
  const person = await makePerson(house, platform);
  const key = platform.admin_api_key;
  maker = (await house.ask("GET", `/v1/organizations/users/${person.id}`, { key })).body;
  const hops: Partial<FlatHop>[] = [
    { credentialId: "apikey_old" },
    { credentialId: "apikey_one", keyMakerId: maker.id, origin: "api" },
    { credentialId: "apikey_two", keyMakerId: maker.id, origin: "api" },
    { credentialId: "signin_1", userId: maker.id, origin: "console" },
    { credentialId: "signin_2", userId: maker.id },
    { credentialId: "apikey_two", kind: "batch", keyMakerId: maker.id, origin: "batch" },
    { credentialId: "oauth_1", userId: "svac_1", origin: "api" },
    session("1"),
    session("1", { deploymentId: "depl_1" }),
    session("2", { agentId: "agent_2", kind: "guard" }),
  ];
  await writeAttempts(
    house,
    hops.map((hop, at) => ({ tenant: platform, at: new Date(Date.UTC(2028, 2, 1 + at)), hop })),
  );
});
after(() => house[Symbol.asyncDispose]());

interface Row {
  group: Record<string, unknown>;
  usage: { requests: number };
}
const range = { starting_at: "2028-02-20T00:00:00Z", ending_at: "2028-03-11T00:00:00Z" };

async function counts(dimension: string, query: Query = {}): Promise<unknown[]> {
  const asked = { ...range, group_by: [dimension], order_by: "requests", ...query };
  const { status, body } = await ask({ house, tenant: platform }, "analytics/usage", asked);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ group, usage }: Row) => [group[dimension], usage.requests]);
}

async function expectAll(): Promise<void> {
  const { id, name, email } = maker;
  const person = { type: "user_actor", user_id: id, name, email_address: email, deleted: false };
  const service = { type: "service_account_actor", service_account_id: "svac_1" };
  const keyOf = (key: string) => ({ type: "api_actor", api_key_id: key });
  assert.deepEqual(await counts("key_maker"), [
    [null, 7],
    [person, 3],
  ]);
  assert.deepEqual(await counts("member"), [
    [person, 5],
    [keyOf("apikey_agents"), 3],
    [keyOf("apikey_old"), 1],
    [service, 1],
  ]);
  assert.deepEqual(await counts("actor"), [
    [keyOf("apikey_agents"), 3],
    [keyOf("apikey_two"), 2],
    [person, 2],
    [keyOf("apikey_old"), 1],
    [keyOf("apikey_one"), 1],
    [service, 1],
  ]);
  assert.deepEqual(await counts("origin"), [
    ["api", 4],
    ["session", 3],
    ["console", 2],
    ["batch", 1],
  ]);
  assert.deepEqual(await counts("product"), [
    ["messages_api", 4],
    ["managed_agents_api", 3],
    ["claude_console", 2],
    ["message_batches_api", 1],
  ]);
  assert.deepEqual(await counts("session_id"), [
    [null, 7],
    ["sesn_1", 2],
    ["sesn_2", 1],
  ]);
  assert.deepEqual(await counts("agent_id"), [
    [null, 7],
    ["agent_1", 2],
    ["agent_2", 1],
  ]);
  assert.deepEqual(await counts("deployment_id"), [
    [null, 9],
    ["depl_1", 1],
  ]);
  assert.deepEqual(await counts("environment_id"), [
    [null, 7],
    ["env_1", 3],
  ]);
  const whole = async (query: Query) => (await counts("inference_geo", query))[0];
  assert.deepEqual(await whole({ session_ids: ["sesn_1", "sesn_2"] }), [null, 3]);
  assert.deepEqual(await whole({ session_ids: ["sesn_1"], agent_ids: ["agent_1"] }), [null, 2]);
  assert.deepEqual(await whole({ session_ids: ["sesn_3"] }), undefined);
  assert.deepEqual(await whole({ deployment_ids: ["depl_1"] }), [null, 1]);
  assert.deepEqual(await whole({ environment_ids: ["env_1"] }), [null, 3]);
  assert.deepEqual(await whole({ key_maker_ids: [maker.id] }), [null, 3]);
  assert.deepEqual(await whole({ member_ids: [maker.id, "apikey_old"] }), [null, 6]);
  assert.deepEqual(await whole({ origins: ["console", "batch"] }), [null, 3]);
}

test("[REP10] every dimension of a payer groups and filters, before and after it is summed up", async () => {
  await expectAll();
  for (const _ of [1, 2, 3]) await advanceSums(house.world, { heardMs: 0, lateMs: 0 });
  const late = await ask({ house, tenant: platform }, "analytics/usage", range);
  assert.equal(late.status, 200);
  await expectAll();
});
