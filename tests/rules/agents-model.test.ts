// Rules AGT11 to AGT14, over HTTP: the model of an agent.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { agentsOf, managedAgents, openAgentHouse, type AgentHouse } from "./agents-house.ts";
import { groupsOf } from "./groups-house.ts";
import { sentenceOf } from "./support.ts";

let a: AgentHouse;
before(async () => {
  a = await openAgentHouse();
});
after(() => a[Symbol.asyncDispose]());

const setModel = async (body: object) => {
  const { cookie } = a.platform;
  const { status } = await a.house.ask("POST", "/console/api/models", { cookie, body });
  assert.equal(status, 200);
};
const modelOf = async (model: unknown) => (await a.make({ model })).model;

test("[AGT11] a model is named by its id or an alias, and kept as it was named", async () => {
  for (const id of ["sim-small", "claude-opus-5-5", "claude-sonnet-5"]) {
    assert.equal((await modelOf(id)).id, id);
    assert.equal((await modelOf({ id })).id, id);
  }
  await setModel({ id: "old", upstream: "simulator", lifecycle: "retired" });
  await a.refuses([
    [{ model: "none" }, /^model: there is no model "none"; this server has sim-large, /],
    [{ model: { id: "none" } }, /^model\.id: there is no model "none"/],
    [{ model: "old" }, /^model: there is no model "old"/],
    [{ model: "" }, /^model: /],
    [{ model: "m".repeat(257) }, /^model: .*256 characters/],
    [{ model: { id: "sim-small", name: "x" } }, /^model\.name: is not known here/],
    [{ model: 7 }, /^model: must be/],
  ]);
  assert.match(sentenceOf(await a.call("POST", "", { body: { name: "a" } }), 400), /^model: /);
});

test("[AGT3] what an update does not name is not judged again", async () => {
  await setModel({ id: "short-lived", upstream: "simulator" });
  const { id } = await a.make({ model: "short-lived" });
  await setModel({ id: "short-lived", upstream: "simulator", lifecycle: "retired" });
  const tools = [{ type: "agent_toolset_20260401" }];
  assert.equal((await a.change(id, { name: "b", tools })).model.id, "short-lived");
  assert.match(sentenceOf(await a.update(id, { model: "short-lived" }), 400), /^model: /);
});

test("[AGT11] a model that the roles of a person do not give is refused", async () => {
  const { enterprise, house } = a;
  const actions = ["capability_agents", "model_access:sim-small"];
  const { cookie } = await groupsOf(house).managed(enterprise, actions);
  const create = (model: string) =>
    house.ask("POST", "/v1/agents", {
      cookie,
      headers: managedAgents,
      body: { name: "a", model },
    });
  assert.equal((await create("sim-small")).status, 200);
  assert.match(sentenceOf(await create("sim-large"), 403), /^model: your roles give no access/);
});

test("[AGT12] an effort is a word or an object, one that the model takes, or what it recommends", async () => {
  const effortOf = async (model: unknown) => (await modelOf(model)).effort;
  for (const effort of ["low", { type: "low" }])
    assert.deepEqual(await effortOf({ id: "sim-large", effort }), { type: "low" });
  for (const model of ["sim-medium", { id: "sim-medium" }, { id: "sim-medium", effort: null }])
    assert.deepEqual(await effortOf(model), { type: "medium" });
  assert.equal(await effortOf("sim-small"), undefined, "it takes none");
  await setModel({ id: "few", upstream: "simulator", efforts: ["low", "medium"] });
  assert.deepEqual(await effortOf("few"), { type: "medium" });
  await setModel({ id: "deaf", upstream: "simulator", ignores: ["effort"] });
  assert.deepEqual(await effortOf({ id: "deaf", effort: "max" }), { type: "max" });
  const asked = (id: string, effort: unknown) => ({ model: { id, effort } });
  await a.refuses([
    [
      asked("sim-medium", "xhigh"),
      /^model\.effort: must be one of low, medium, high, max for sim-/,
    ],
    [asked("sim-small", "low"), /^model\.effort: is not taken by sim-small/],
    [asked("sim-large", "huge"), /^model\.effort: must be one of "low"/],
    [asked("sim-large", { type: "huge" }), /^model\.effort\.type: must be one of "low"/],
  ]);
});

test("[AGT12] an update of the model keeps the effort that it does not name", async () => {
  const { id } = await a.make({ model: { id: "sim-large", effort: "low" } });
  const effortAfter = async (model: unknown) => (await a.change(id, { model })).model.effort;
  assert.deepEqual(await effortAfter("sim-medium"), { type: "low" });
  assert.deepEqual(await effortAfter({ id: "sim-large", effort: "xhigh" }), { type: "xhigh" });
  assert.deepEqual(await effortAfter("sim-medium"), { type: "medium" }, "it takes no xhigh");
  assert.deepEqual(await effortAfter({ id: "sim-large", effort: "max" }), { type: "max" });
  assert.deepEqual(await effortAfter({ id: "sim-large", effort: null }), { type: "xhigh" });
  assert.equal(await effortAfter("sim-small"), undefined);
});

test("[AGT13] speed and place are those that the model's upstream takes", async () => {
  const passing = { upstream: "plain", pass: ["speed", "inference_geo"] };
  const upstream = { name: "plain", kind: "messages", base_url: "http://127.0.0.1:9" };
  const { cookie } = a.platform;
  const set = await a.house.ask("POST", "/console/api/upstreams", { cookie, body: upstream });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  await setModel({ id: "fast", ...passing });
  await setModel({ id: "slow", upstream: "plain" });
  const fast = { id: "fast", speed: "fast", inference_geo: "us" };
  assert.deepEqual(await modelOf(fast), fast);
  assert.deepEqual(await modelOf("slow"), { id: "slow", speed: "standard" });
  const { id } = await a.make({ model: fast });
  assert.deepEqual((await a.change(id, { model: { id: "fast" } })).model, {
    id: "fast",
    speed: "standard",
  });
  await a.refuses([
    [{ model: { id: "slow", speed: "fast" } }, /^model\.speed: slow takes "standard" only/],
    [{ model: { id: "slow", inference_geo: "us" } }, /^model\.inference_geo: slow takes "global"/],
    [{ model: { id: "fast", speed: "slow" } }, /^model\.speed: must be one of/],
    [{ model: { id: "fast", inference_geo: "g".repeat(65) } }, /^model\.inference_geo: .*64 char/],
  ]);
});

test("[AGT13] a region is one that the workspace allows", async () => {
  const { cloud, house } = a;
  await house.world.db.tx((tx) =>
    tx.query(sql`
      update workspaces set allowed_inference_geos = '{us}', default_inference_geo = 'us'
      where organization_id = ${cloud.organization_id}`),
  );
  const create = (inference_geo: string) =>
    agentsOf(() => house).call("POST", "", {
      key: cloud.api_key,
      body: { name: "a", model: { id: "sim-large", inference_geo } },
    });
  assert.equal((await create("us")).status, 200);
  const refused = sentenceOf(await create("eu"), 400);
  assert.match(refused, /^model\.inference_geo: "eu" is not allowed in the workspace/);
});

test("[AGT14] tools need a model that takes tools", async () => {
  await setModel({ id: "talker", upstream: "simulator", tools: false });
  const tools = [{ type: "agent_toolset_20260401" }];
  await a.refuses([[{ model: "talker", tools }, /^tools: are not taken by talker/]]);
  const { id } = await a.make({ tools });
  assert.match(sentenceOf(await a.update(id, { model: "talker" }), 400), /^tools: /);
  await a.change(id, { model: "talker", tools: [] });
  assert.match(sentenceOf(await a.update(id, { tools }), 400), /^tools: are not taken by talker/);
});
