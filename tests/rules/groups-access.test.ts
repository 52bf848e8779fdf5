// Rules GRP12 and GRP15 to GRP17, over HTTP: what managed members have, and from when on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { batchesOf } from "./batches-house.ts";
import { groupsOf } from "./groups-house.ts";
import { addSignedIn } from "./members-house.ts";

let house: House;
let enterprise: Tenant;
before(async () => {
  house = await openHouse();
  ({ enterprise } = house.organizations);
});
after(async () => {
  await batchesOf(house).idle();
  await house[Symbol.asyncDispose]();
});

const managed = (actions: readonly string[]) => groupsOf(house).managed(enterprise, actions);
const question = (model = "sim-small") => ({
  model,
  max_tokens: 8,
  messages: [{ role: "user", content: "[[tokens 1]]" }],
});
const memoryBeta = { "vendor-beta": "agent-memory-2026-07-22" };
const agentBeta = { "vendor-beta": "managed-agents-2026-04-01" };

/** What each act answers somebody with this cookie. */
const acts = {
  messages: { method: "POST", path: "/v1/messages", body: question() },
  count: { method: "POST", path: "/v1/messages/count_tokens", body: question() },
  batches: { method: "GET", path: "/v1/messages/batches" },
  files: { method: "GET", path: "/v1/files" },
  memory: { method: "GET", path: "/v1/memory_stores", headers: memoryBeta },
  agents: { method: "GET", path: "/v1/agents", headers: agentBeta },
  models: { method: "GET", path: "/v1/models" },
  users: { method: "GET", path: "/v1/organizations/users" },
  audit: { method: "GET", path: "/console/api/audit" },
  account: { method: "GET", path: "/console/api/me" },
};
const what = async (cookie: string, url?: string): Promise<string[]> => {
  const answers = Object.entries(acts).map(async ([name, act]) => {
    const { method, path, ...rest } = act;
    const answer =
      url === undefined
        ? await house.ask(method, path, { cookie, ...rest })
        : await elsewhere(url, act, cookie);
    assert.ok([200, 403].includes(answer.status), `${name}: ${answer.status}`);
    return answer.status === 200 ? [name] : [];
  });
  return (await Promise.all(answers)).flat();
};
const elsewhere = async (url: string, act: object, cookie: string) => {
  const { method, path, body, headers } = act as {
    method: string;
    path: string;
    body?: object;
    headers?: object;
  };
  const json = { "content-type": "application/json" };
  return fetch(url + path, {
    method,
    headers: { cookie, origin: url, ...headers, ...(body && json) },
    ...(body && { body: JSON.stringify(body) }),
  });
};

test("[GRP12] without a group there is one's own account, and nothing else", async () => {
  const { cookie } = await addSignedIn(house, enterprise, "managed");
  assert.deepEqual(await what(cookie), ["account"]);
  const { body } = await house.ask("GET", "/console/api/me", { cookie });
  assert.deepEqual(body.permissions, ["console:use"]);
});

test("[GRP12] each action gives what it says, and several roles add up", async () => {
  const gives: Record<string, string[]> = {
    capability_messages: [],
    capability_batches: ["batches"],
    capability_files: ["files"],
    capability_memory: ["memory"],
    capability_agents: ["agents"],
    capability_access_all: ["batches", "files", "memory", "agents"],
    capability_access_all_ga: ["batches", "files"],
    model_access_all: ["models"],
    "model_access:sim-small": ["models"],
    permission_members_read: ["users"],
    permission_audit_read: ["audit"],
  };
  for (const [action, wanted] of Object.entries(gives)) {
    const { cookie } = await managed([action]);
    assert.deepEqual(await what(cookie), [...wanted, "account"], action);
  }
  const person = await managed(["capability_messages"]);
  const models = await groupsOf(house).role(enterprise, ["model_access_all"]);
  const other = await groupsOf(house).group(enterprise, "Models");
  await groupsOf(house).give(enterprise, other.id, [models, "rbac_role_auditor"]);
  await groupsOf(house).join(enterprise, other.id, person.id);
  assert.deepEqual(await what(person.cookie), [
    "messages",
    "count",
    "models",
    "users",
    "audit",
    "account",
  ]);
});

test("[GRP12] groups give nothing to members of another role", async () => {
  const { cookie, id } = await addSignedIn(house, enterprise, "user");
  const before = await what(cookie);
  const group = await groupsOf(house).group(enterprise);
  await groupsOf(house).give(enterprise, group.id, ["rbac_role_auditor"]);
  await groupsOf(house).join(enterprise, group.id, id);
  assert.deepEqual(await what(cookie), before);
});

test("[GRP12] a role in a workspace says where a managed member works, and gives nothing", async () => {
  const { cookie: owner } = enterprise;
  const at = "/console/api/workspaces";
  const post = (path: string, cookie: string, body: object) =>
    house.ask("POST", path, { cookie, body });
  const workspace = (await post(at, owner, { name: "Search" })).body.id as string;
  const person = await managed(["capability_files"]);
  const member = { user_id: person.id, workspace_role: "workspace_developer" };
  assert.equal((await post(`${at}/${workspace}/members`, owner, member)).status, 200);
  const role = { workspace_role: "workspace_admin" };
  assert.equal((await post(`${at}/${workspace}/members/${person.id}`, owner, role)).status, 200);
  const { cookie } = person;
  const headers = { "anthropic-workspace-id": workspace };
  assert.equal((await house.ask("GET", "/v1/files", { cookie, headers })).status, 200);
  assert.equal((await house.ask("GET", "/v1/messages/batches", { cookie, headers })).status, 403);
  const { body: me } = await house.ask("GET", "/console/api/me", { cookie });
  assert.deepEqual(me.permissions.toSorted(), ["console:use", "files:use"]);
  const key = { name: "Mine", kind: "api", workspace_id: workspace };
  assert.equal((await post("/console/api/keys", cookie, key)).status, 403);
  assert.equal((await house.ask("GET", "/console/api/keys", { cookie })).status, 403);
  assert.equal((await post(`${at}/${workspace}/members`, cookie, member)).status, 403);
});

test("[GRP12] an action that this version does not know gives nothing", async () => {
  const { cookie, roleId } = await managed(["capability_files"]);
  await house.world.db.tx((tx) =>
    tx.query({
      text: "insert into rbac_role_permissions (role_id, action) values ($1, 'capability_of_tomorrow')",
      values: [roleId],
    }),
  );
  assert.deepEqual(await what(cookie), ["files", "account"]);
});

test("[GRP15] what is given and taken holds at once, in every process", async () => {
  await using neighbour = await house.openSecondServer();
  const person = await managed(["capability_files"]);
  const soon = async (wanted: string[]) => {
    assert.deepEqual(await what(person.cookie), wanted, "here");
    const since = performance.now();
    let seen: string[] = [];
    let askedMs = 0;
    do {
      askedMs = performance.now() - since;
      seen = await what(person.cookie, neighbour.url);
    } while (seen.join() !== wanted.join() && askedMs < 1_500);
    assert.deepEqual(seen, wanted, "in another process");
  };
  const { call, inConsole, give, role, join } = groupsOf(house);
  await soon(["files", "account"]);
  const body = { actions: ["capability_batches"] };
  await inConsole(enterprise, "POST", `rbac_roles/${person.roleId}`, { body });
  await soon(["batches", "account"]);
  await give(enterprise, person.groupId, []);
  await soon(["account"]);
  await give(enterprise, person.groupId, [await role(enterprise, ["capability_memory"])]);
  await soon(["memory", "account"]);
  await call(enterprise, "DELETE", `/${person.groupId}/members/${person.id}`);
  await soon(["account"]);
  await join(enterprise, person.groupId, person.id);
  await soon(["memory", "account"]);
  await call(enterprise, "DELETE", `/${person.groupId}`);
  await soon(["account"]);
});

test("[GRP16] models that the roles do not name are on no list and answer nobody", async () => {
  const { cookie } = await managed(["capability_access_all", "model_access:sim-small"]);
  const { body } = await house.ask("GET", "/v1/models", { cookie });
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    ["sim-small"],
  );
  const at = async (path: string) => (await house.ask("GET", path, { cookie })).status;
  assert.equal(await at("/v1/models/sim-small"), 200);
  assert.equal(await at("/v1/models/sim-large"), 404);
  for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
    const post = (model: string) => house.ask("POST", path, { cookie, body: question(model) });
    assert.equal((await post("sim-small")).status, 200, path);
    const refused = await post("sim-large");
    assert.equal(refused.status, 403, path);
    assert.match(refused.body.error.message, /^model: your roles give no access to .* sim-large/);
    const unknown = await post("sim-nothing");
    assert.equal(unknown.status, 404);
    assert.ok(!unknown.body.error.message.includes("sim-large"), unknown.body.error.message);
  }
});

test("[GRP16] fallbacks lead to no model that the roles do not name", async () => {
  const target = "sim-medium";
  const person = await managed(["capability_messages", "model_access:sim-large"]);
  const headers = { "vendor-beta": "server-side-fallback-2026-07-01" };
  const ask = (fallbacks: unknown) => {
    const content = "[[refuse]]";
    const messages = [{ role: "user", content }];
    const body = { ...question("sim-large"), messages, fallbacks };
    return house.ask("POST", "/v1/messages", { cookie: person.cookie, headers, body });
  };
  const named = await ask([{ model: target }]);
  assert.equal(named.status, 403);
  assert.match(named.body.error.message, /^fallbacks\.0\.model: your roles give no access/);
  const left = await ask("default");
  assert.equal(left.status, 200, JSON.stringify(left.body));
  assert.equal(left.body.model, "sim-large");
  const body = { actions: ["capability_messages", "model_access_all"] };
  await groupsOf(house).inConsole(enterprise, "POST", `rbac_roles/${person.roleId}`, { body });
  assert.notEqual((await ask([{ model: target }])).status, 403);
});

test("[GRP16] a batch asks no model that its maker's roles do not name, as they are when it asks", async () => {
  const person = await managed(["capability_batches", "model_access:sim-small"]);
  const { cookie } = person;
  const requests = ["sim-small", "sim-large"].map((model) => ({
    custom_id: model,
    params: question(model),
  }));
  const results = async () => {
    const made = await house.ask("POST", "/v1/messages/batches", { cookie, body: { requests } });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const asking = { key: enterprise.api_key };
    await batchesOf(house).ended(made.body.id, asking);
    return batchesOf(house).results(made.body.id, asking);
  };
  const first = await results();
  assert.equal(first.get("sim-small")?.type, "succeeded");
  assert.equal(first.get("sim-large")?.type, "errored");
  assert.match(
    JSON.stringify(first.get("sim-large")),
    /permission_error.*no access to the model sim-large/,
  );
  const body = { actions: ["capability_batches", "model_access:sim-large"] };
  await groupsOf(house).inConsole(enterprise, "POST", `rbac_roles/${person.roleId}`, { body });
  const second = await results();
  assert.equal(second.get("sim-small")?.type, "errored");
  assert.equal(second.get("sim-large")?.type, "succeeded");
});
