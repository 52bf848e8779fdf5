// Rules AGT33 to AGT36, over HTTP: whose agents there are, how many, and what they leave in the audit log.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/agents/limits.ts";
import {
  agentPath,
  agentsOf,
  custom,
  managedAgents,
  openAgentHouse,
  type Agent,
  type AgentHouse,
} from "./agents-house.ts";
import { addWorkspace, errorOf, statusesOf } from "./memory-house.ts";
import { eventsOf, sentenceOf } from "./support.ts";

let a: AgentHouse;
before(async () => {
  a = await openAgentHouse();
});
after(() => a[Symbol.asyncDispose]());

test("[AGT33] the beta is wanted, under either name of the header", async () => {
  const { house, platform } = a;
  const { id } = await a.make();
  for (const [method, path] of [
    ["GET", ""],
    ["POST", ""],
    ["GET", `/${id}`],
    ["POST", `/${id}`],
    ["POST", `/${id}/archive`],
    ["GET", `/${id}/versions`],
  ] as const) {
    const ask = (headers: Record<string, string>) =>
      house.ask(method, agentPath + path, {
        key: platform.api_key,
        headers,
        ...(method === "POST" && { body: { none: 1 } }),
      });
    for (const headers of [{}, { "vendor-beta": "agent-memory-2026-07-22" }])
      assert.match(
        sentenceOf(await ask(headers), 400),
        /send the header vendor-beta: managed-agents-/,
      );
    const beta = managedAgents["vendor-beta"];
    for (const headers of [{ "anthropic-beta": `other, ${beta}` }, managedAgents])
      assert.doesNotMatch(JSON.stringify((await ask(headers)).body), /vendor-beta/);
  }
});

test("[AGT33] to other workspaces and organizations an agent does not exist", async () => {
  const { house, platform, other } = a;
  const { id } = await a.make();
  const beside = await addWorkspace(house, platform.organization_id, "wrkspc_beside");
  const { call } = agentsOf(() => house);
  for (const asking of [{ key: other.api_key }, { cookie: platform.cookie, ...beside }]) {
    for (const [method, path] of [
      ["GET", `/${id}`],
      ["GET", `/${id}?version=1`],
      ["GET", `/${id}?version=9`],
      ["POST", `/${id}`],
      ["POST", `/${id}/archive`],
      ["GET", `/${id}/versions`],
    ] as const) {
      const body = method === "POST" && !path.endsWith("archive") ? { body: { name: "b" } } : {};
      const answer = await call(method, path, { ...asking, ...body });
      assert.equal(sentenceOf(answer, 404), `There is no agent ${id}.`, path);
    }
    const { data } = await a.good<{ data: Agent[] }>("GET", "?include_archived=true", asking);
    assert.deepEqual(data, []);
  }
  assert.equal((await a.read(id, { cookie: platform.cookie })).id, id, "its own console reads it");
});

test("[AGT34] a page ends where its configurations would grow too large", async () => {
  const { house, enterprise } = a;
  const asking = { key: enterprise.api_key };
  const big = (name: string) => {
    const description = "x".repeat(16_000);
    const tools = Array.from({ length: 100 }, (_, at) => custom(`tool-${at}`, { description }));
    return a.make({ name, tools }, asking);
  };
  const names = ["one", "two", "three", "four"];
  for (const name of names) await big(name);
  const page = (query: string) =>
    a.good<{ data: Agent[]; next_page: string | null }>("GET", `?${query}`, asking);
  const first = await page("limit=100");
  assert.deepEqual(
    first.data.map(({ name }) => name),
    ["four", "three"],
  );
  const second = await page(`limit=100&page=${first.next_page}`);
  assert.deepEqual(
    second.data.map(({ name }) => name),
    ["two", "one"],
  );
  assert.equal(second.next_page, null);
  const id = first.data[0]?.id ?? "";
  await a.good("POST", `/${id}`, { ...asking, body: { name: "five" } });
  await a.good("POST", `/${id}`, { ...asking, body: { name: "six" } });
  const versions = await a.good<{ data: Agent[]; next_page: string | null }>(
    "GET",
    `/${id}/versions`,
    asking,
  );
  assert.deepEqual(
    versions.data.map(({ name }) => name),
    ["six", "five"],
  );
  assert.notEqual(versions.next_page, null);
  // What is larger than a page is a page: as when the limit is lowered.
  await house.world.db.tx(async (tx) => {
    await tx.query(sql`alter table agent_versions disable trigger agent_versions_stay`);
    await tx.query(sql`update agent_versions set bytes = ${limits.pageBytesMax + 1}`);
    await tx.query(sql`alter table agent_versions enable trigger agent_versions_stay`);
  });
  assert.equal((await page("limit=100")).data.length, 1);
});

test("[AGT34] a body of more than 2 MiB is refused", async () => {
  const padded = (bytes: number) => {
    const body = JSON.stringify({ name: "a", model: "sim-small" });
    return a.call("POST", "", { body: body.replace("{", `{${" ".repeat(bytes - body.length)}`) });
  };
  assert.equal((await padded(2 * 1024 * 1024)).status, 200);
  errorOf(await padded(2 * 1024 * 1024 + 1), 413);
});

test("[AGT35] what changes an agent leaves an event with its name of then", async () => {
  const { house, cloud } = a;
  const asking = { key: cloud.api_key };
  const { id } = await a.make({ name: "One" }, asking);
  const change = (body: object) => a.good("POST", `/${id}`, { ...asking, body });
  await change({ name: "Two", system: "Be brief.", description: null });
  await change({ name: "Two" });
  await a.archive(id, asking);
  await a.archive(id, asking);
  const events = (await eventsOf(house, cloud)).filter(
    ({ target }) => target?.id === id,
  ) as (Awaited<ReturnType<typeof eventsOf>>[number] & { details: object })[];
  assert.deepEqual(
    events.map(({ action, target, details }) => [action, target?.type, details]),
    [
      ["agent.archived", "agent", { name: "Two", version: 2 }],
      ["agent.updated", "agent", { name: "Two", version: 2, changed: ["name", "system"] }],
      ["agent.created", "agent", { name: "One", version: 1 }],
    ],
  );
});

test("[AGT36] a workspace has at most 10,000 agents that are not archived", async () => {
  const { house, other } = a;
  const asking = { key: other.api_key };
  const { id } = await a.make({}, asking);
  await house.world.db.tx(async (tx) => {
    await tx.query(sql`
      insert into agents (id, organization_id, workspace_id, version, created_at, archived_at)
      select 'agent_' || n, organization_id, workspace_id, 1, created_at,
        case when n >= ${limits.agentsPerWorkspace - 1} then created_at end
      from agents, generate_series(1, ${limits.agentsPerWorkspace + 3}) as n where id = ${id}`);
  });
  await a.make({}, asking);
  const create = () => a.call("POST", "", { ...asking, body: { name: "a", model: "sim-small" } });
  const { message } = errorOf(await create(), 400, "agent_limit_exceeded");
  assert.match(message, /has 10000 agents, and may have 10000: archive one\./);
  await a.good("POST", `/${id}`, { ...asking, body: { name: "b" } });
  await a.archive(id, asking);
  const answers = await Promise.all([create(), create(), create()]);
  assert.deepEqual(statusesOf(answers), [200, 400, 400]);
});
