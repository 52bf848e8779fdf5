// Rules DEP12 and DEP4 over HTTP: what could begin no session is refused when it is said, and updates without a change.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openDeploymentHouse, type DeploymentHouse } from "./deployments-house.ts";
import { withServers } from "./mcp-house.ts";
import { errorOf } from "./memory-house.ts";
import { minutes } from "./support.ts";

let d: DeploymentHouse;
before(async () => {
  d = await openDeploymentHouse();
});
after(() => d[Symbol.asyncDispose]());

const change = (id: string, body: object) => d.call("POST", `/v1/deployments/${id}`, { body });
const repository = { type: "github_repository", url: "https://github.com/owner/name" };

test("[DEP12] resources in a self-hosted environment are refused, and its run fails where they are there", async () => {
  const hosted = await d.makeEnvironment({ type: "self_hosted" });
  const code = "self_hosted_resources_unsupported";
  const resources = [repository];
  const refused = await d.create({ environment_id: hosted.id, resources });
  assert.match(errorOf(refused, 400, code).message, /^resources: .* name a cloud environment\.$/);
  const bare = await d.make({ environment_id: hosted.id });
  errorOf(await change(bare.id, { resources }), 400, code);
  const inCloud = await d.make({ resources });
  errorOf(await change(inCloud.id, { environment_id: hosted.id }), 400, code);
  assert.equal((await d.read(inCloud.id)).environment_id, d.environment.id);
  // What is changed together is judged together.
  const moved = await d.update(inCloud.id, { environment_id: hosted.id, resources: [] });
  assert.deepEqual([moved.environment_id, moved.resources], [hosted.id, []]);
  const back = await d.update(inCloud.id, { environment_id: d.environment.id, resources });
  assert.deepEqual(back.resources, resources);
  // One from before this was judged still says why it does not run, and the rest of it can be changed.
  await d.house.world.db.query(
    sql`update deployments set environment_id = ${hosted.id} where id = ${inCloud.id}`,
  );
  assert.equal((await d.run(inCloud.id)).error?.type, `${code}_error`);
  assert.equal((await d.update(inCloud.id, { name: "Other" })).name, "Other");
});

test("[DEP3] what is not there is 404, whatever it is", async () => {
  const missing: [object, string | undefined, RegExp][] = [
    [
      { resources: [{ type: "memory_store", memory_store_id: "memstore_none" }] },
      "memory_store_not_found",
      /no memory store memstore_none/,
    ],
    [{ resources: [{ type: "file", file_id: "file_none" }] }, undefined, /no file file_none/],
    [{ vault_ids: ["vlt_none"] }, "vault_not_found", /no vault vlt_none/],
  ];
  const { id } = await d.make();
  for (const [body, code, words] of missing)
    for (const answer of [await d.create(body), await change(id, body)])
      assert.match(errorOf(answer, 404, code).message, words);
});

test("[DEP4] an update that names the same token changes nothing, and another one is kept", async () => {
  const withToken = (token: string) => ({
    resources: [{ ...repository, authorization_token: token }],
  });
  const made = await d.make(withToken("ghp_one"));
  const { id } = made;
  const stored = async () => {
    const [row] = await d.house.world.db.query<{ tokens: string }>(
      sql`select tokens from deployments where id = ${id}`,
    );
    return row?.tokens ?? "";
  };
  const opened = async () =>
    d.house.world.secrets.decrypt(await stored(), `tokens of a deployment ${id}`).toString();
  const before = await stored();
  d.wall.advance(minutes(1));
  assert.deepEqual(await d.update(id, { ...made, ...withToken("ghp_one") }), made);
  assert.equal(await stored(), before);
  const changed = await d.update(id, withToken("ghp_two"));
  assert.notEqual(changed.updated_at, made.updated_at);
  assert.deepEqual(JSON.parse(await opened()), { 0: "ghp_two" });
  // Another place of the same repository is a change, and keeps the token.
  const moved = { ...repository, mount_path: "/workspace/other" };
  assert.deepEqual((await d.update(id, { resources: [moved] })).resources, [moved]);
  assert.deepEqual(JSON.parse(await opened()), { 0: "ghp_two" });
});

test("[DEP4] why it is paused is told, and set by pausing alone", async () => {
  const { id } = await d.make();
  const manual = { type: "manual" };
  const refused = await change(id, { paused_reason: manual });
  const { message } = errorOf(refused, 400);
  assert.match(
    message,
    /^paused_reason: is not set by an update; use POST ….*\/pause or …\/unpause\.$/,
  );
  await d.update(id, { paused_reason: null });
  await d.good("POST", `/v1/deployments/${id}/pause`);
  const paused = await d.read(id);
  assert.deepEqual(await d.update(id, { ...paused }), paused);
  errorOf(await change(id, { paused_reason: null }), 400);
  const error = { type: "environment_archived_error" };
  errorOf(await change(id, { paused_reason: { type: "error", error } }), 400);
  assert.deepEqual((await d.read(id)).paused_reason, manual);
});

test("[DEP12] an MCP server that the environment does not let through is refused, of the agent and its members", async () => {
  const limited = (more: object) =>
    d.makeEnvironment({ type: "cloud", networking: { type: "limited", ...more } });
  const agentWith = (url: string, more: object = {}) =>
    d.good<{ id: string }>("POST", "/v1/agents", {
      body: { name: "Helper", model: "sim-large", ...withServers({ url }), ...more },
    });
  const agent = await agentWith("https://mcp.example/mcp");
  const closed = await limited({ allowed_hosts: ["docs.example"] });
  const code = "mcp_egress_blocked";
  const there = { agent: agent.id, environment_id: closed.id };
  const words = /^environment_id: does not allow mcp\.example, .*allow_mcp_servers\.$/;
  assert.match(errorOf(await d.create(there), 400, code).message, words);
  const open = await limited({ allowed_hosts: ["mcp.example"] });
  const made = await d.make({ agent: agent.id, environment_id: open.id });
  errorOf(await change(made.id, { environment_id: closed.id }), 400, code);
  const other = await agentWith("https://other.example/mcp");
  errorOf(await change(made.id, { agent: other.id }), 400, code);
  const leader = { multiagent: { type: "coordinator", agents: [other.id] } };
  const led = await agentWith("https://mcp.example/mcp", leader);
  assert.match(
    errorOf(await change(made.id, { agent: led.id }), 400, code).message,
    /its member "Helper" has/,
  );
  const all = await limited({ allow_mcp_servers: true });
  assert.equal(
    (await d.update(made.id, { agent: led.id, environment_id: all.id })).name,
    made.name,
  );
  // An environment may change later: then its runs say so, and what else the deployment has can be changed.
  await d.good("POST", `/v1/environments/${all.id}`, {
    body: { config: { type: "cloud", networking: { type: "limited", allow_mcp_servers: false } } },
  });
  assert.equal((await d.run(made.id)).error?.type, `${code}_error`);
  assert.equal((await d.update(made.id, { name: "Other" })).name, "Other");
});
