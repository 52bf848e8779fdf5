// Rules SES1 to SES4: what a session begins with, and what of it changes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addWorkspace, errorOf } from "./memory-house.ts";
import {
  computer,
  custom,
  ofType,
  openSessionHouse,
  rowsOf,
  said,
  sessionsOf,
  slowly,
  toolset,
  typesOf,
  wordsOf,
  interrupt,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { withoutSandboxes } from "./fake-sandboxes.ts";
import { openUpstreamsHouse } from "./fallbacks-upstreams-house.ts";
import { sentenceOf } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

test("[SES1] a session has its agent at the newest version, or at the one that is named", async () => {
  const { id } = await it.agent({ system: "First." });
  await it.askGood("POST", `/v1/agents/${id}`, { body: { system: "Second." } });
  const environment_id = (await it.environment()).id;
  const pinned = async (agent: unknown) => (await it.begin({ agent, environment_id })).agent;
  const versionOf = async (agent: unknown) => {
    const { id: of, version, system, name } = await pinned(agent);
    assert.deepEqual([of, name], [id, "Helper"]);
    return [version, system];
  };
  assert.deepEqual(await versionOf(id), [2, "Second."]);
  assert.deepEqual(await versionOf({ type: "agent", id }), [2, "Second."]);
  assert.deepEqual(await versionOf({ type: "agent", id, version: null }), [2, "Second."]);
  assert.deepEqual(await versionOf({ type: "agent", id, version: 1 }), [1, "First."]);
  const missing = await it.tryBegin({ agent: { type: "agent", id, version: 3 }, environment_id });
  assert.match(sentenceOf(missing, 404), /version 3 of the agent.*newest is 2/);
  const shown = await pinned(id);
  for (const field of ["metadata", "created_at", "updated_at", "archived_at"])
    assert.ok(!(field in shown), field);
});

test("[SES1] what a session overrides replaces fields of the agent, under the rules of agents", async () => {
  const { id } = await it.agent({ system: "First.", tools: [custom("look")] });
  const environment_id = (await it.environment()).id;
  const overriding = (more: object) => ({
    agent: { type: "agent_with_overrides", id, ...more },
    environment_id,
  });
  const { agent } = await it.begin(overriding({ system: "Mine.", model: "sim-large" }));
  assert.deepEqual(
    [agent.version, agent.system, agent.model.id, agent.tools],
    [1, "Mine.", "sim-large", [custom("look")]],
  );
  const cleared = await it.begin(overriding({ system: null, tools: [] }));
  assert.deepEqual([cleared.agent.system, cleared.agent.tools], [null, []]);
  const wrong: [object, RegExp][] = [
    [{ model: "no-such-model" }, /no-such-model/],
    [{ tools: [custom("look"), custom("look")] }, /look/],
    [{ skills: [{ type: "custom", skill_id: "skill_none" }] }, /skill_none/],
  ];
  const before = await rowsOf(it.house);
  for (const [more, words] of wrong) {
    const { status, body } = await it.tryBegin(overriding(more));
    assert.ok(status === 400 || status === 404, JSON.stringify(body));
    assert.match(JSON.stringify(body), words);
  }
  assert.deepEqual(await rowsOf(it.house), before);
  // The agent itself is as it was.
  const kept = await it.askGood<{ version: number }>("GET", `/v1/agents/${id}`);
  assert.equal(kept.version, 1);
});

test("[SES1] a later version changes nothing of a session that has begun", async () => {
  await using opened = await openUpstreamsHouse([{ id: "watched" }, { id: "other" }]);
  const own = sessionsOf(() => opened.house);
  const { id } = await own.agent({ model: "watched", system: "First." });
  const session = await own.begin({ agent: id, environment_id: (await own.environment()).id });
  await own.askGood("POST", `/v1/agents/${id}`, { body: { model: "other", system: "Second." } });
  await own.turn(session.id, said("Hello"));
  const asked = JSON.parse(String(opened.upstream.requests.at(-1)?.body)) as {
    model: string;
    system: { text: string }[];
  };
  assert.equal(asked.model, "watched");
  assert.deepEqual(
    asked.system.map(({ text }) => text),
    ["First."],
  );
  assert.deepEqual((await own.read(session.id)).agent, session.agent);
});

test("[SES1] more sessions begin at once than there are connections to the database", async () => {
  const body = await it.bodyOf();
  const initial_events = [said("[[tokens 1]]")];
  const begun = Array.from({ length: 40 }, () => it.tryBegin({ ...body, initial_events }));
  for (const answer of await Promise.all(begun))
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
});

test("[SES2] agent and environment are of the workspace; what is refused leaves nothing behind", async () => {
  const { agent, environment_id } = await it.bodyOf();
  const theirs = await it.bodyOf({}, { key: it.other.api_key });
  const beside = await addWorkspace(it.house, it.platform.organization_id, "wrkspc_ses2");
  const { cookie } = it.platform;
  const besides = await it.bodyOf({}, { cookie, ...beside });
  const before = await rowsOf(it.house);
  const none = { agent: "agent_none", environment_id: "env_none" };
  for (const other of [theirs, besides, none]) {
    const noAgent = await it.tryBegin({ agent: other.agent, environment_id });
    assert.match(sentenceOf(noAgent, 404), new RegExp(`agent.*${other.agent}`));
    const noEnvironment = await it.tryBegin({ agent, environment_id: other.environment_id });
    assert.match(
      sentenceOf(noEnvironment, 404),
      new RegExp(`environment.*${other.environment_id}`),
    );
  }
  assert.deepEqual(await rowsOf(it.house), before);
});

test("[SES2] what is archived begins no session, and what has begun goes on without it", async () => {
  const body = await it.bodyOf();
  const session = await it.begin(body);
  await it.askGood("POST", `/v1/agents/${body.agent}/archive`);
  const fresh = await it.bodyOf();
  const withAgent = { agent: body.agent, environment_id: fresh.environment_id };
  errorOf(await it.tryBegin(withAgent), 400, "agent_archived");
  await it.askGood("POST", `/v1/environments/${body.environment_id}/archive`);
  const within = { agent: fresh.agent, environment_id: body.environment_id };
  errorOf(await it.tryBegin(within), 400, "environment_archived");
  assert.deepEqual(wordsOf(await it.turn(session.id, said('[[say "Still here."]]'))), [
    "Still here.",
  ]);
  await it.askGood("DELETE", `/v1/environments/${body.environment_id}`);
  assert.deepEqual(wordsOf(await it.turn(session.id, said('[[say "And here."]]'))), ["And here."]);
});

test("[SES2] a model that is gone is named, unless the session overrides it", async () => {
  const { cookie } = it.platform;
  const entry = { id: "passing", upstream: "simulator" };
  const set = await it.house.ask("POST", "/console/api/models", { cookie, body: entry });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  const body = await it.bodyOf({ model: "passing" });
  const session = await it.begin(body);
  const gone = await it.house.ask("DELETE", "/console/api/models/passing", { cookie });
  assert.equal(gone.status, 204);
  const refused = errorOf(await it.tryBegin(body), 400, "model_not_found");
  assert.match(refused.message, /"passing"/);
  await it.begin({
    ...body,
    agent: { type: "agent_with_overrides", id: body.agent, model: "sim-small" },
  });
  // It was begun with it, and is shown with it.
  assert.equal((await it.read(session.id)).agent.model.id, "passing");
});

test("[SES2] a model that is retired is named", async () => {
  const { cookie } = it.platform;
  const set = (more: object) =>
    it.house.ask("POST", "/console/api/models", {
      cookie,
      body: { id: "ageing", upstream: "simulator", ...more },
    });
  assert.equal((await set({})).status, 200);
  const body = await it.bodyOf({ model: "ageing" });
  await it.begin(body);
  assert.equal((await set({ lifecycle: "retired" })).status, 200);
  const before = await rowsOf(it.house);
  const refused = errorOf(await it.tryBegin(body), 400, "model_retired");
  assert.match(refused.message, /"ageing"/);
  assert.deepEqual(await rowsOf(it.house), before);
});

test("[SES3] what this server does not run is refused with what it is, and leaves nothing behind", async () => {
  const own = await it.bodyOf();
  const cloud = (await it.environment("cloud")).id;
  const { id: member } = await it.agent();
  const advised = {
    type: "coordinator",
    agents: [member, { type: "advisor", model: "sim-large" }],
  };
  const newer = { type: "multiagent_20261001" };
  const members = { type: "enabled", predefined_agents: [member] };
  const off = { type: "disabled" };
  const identity = { type: "aws_role", role_arn: "arn:aws:iam::123456789012:role/one" };
  const agents: [object, RegExp][] = [
    [{ multiagent: advised }, /advisor/],
    [{ multiagent: { ...newer, subagents: members, workflows: { type: "enabled" } } }, /workflows/],
    [{ multiagent: { ...newer, subagents: { type: "enabled" }, workflows: off } }, /inline/],
    [{ execution_identity: identity }, /execution_identity/],
  ];
  const bodies: [object, RegExp][] = [];
  for (const [fields, words] of agents)
    bodies.push([{ ...own, agent: (await it.agent(fields)).id }, words]);
  const { id: handy } = await it.agent({ tools: [{ type: toolset }] });
  withoutSandboxes(it.house);
  bodies.push([{ agent: handy, environment_id: cloud }, /cloud environment.* none can be made/]);
  const before = await rowsOf(it.house);
  for (const [body, words] of bodies)
    assert.match(errorOf(await it.tryBegin(body), 400, "unsupported").message, words);
  assert.deepEqual(await rowsOf(it.house), before);
  await it.begin({ ...own, vault_ids: [] });
});

test("[SES3] a cloud environment takes agents that have no tools of a computer", async () => {
  withoutSandboxes(it.house);
  const environment_id = (await it.environment("cloud")).id;
  const off = { type: toolset, default_config: { enabled: false } };
  const { id: agent } = await it.agent({ tools: [custom("look"), off] });
  const session = await it.begin({ agent, environment_id });
  const update = { agent: { tools: [computer()] } };
  errorOf(await it.tryUpdate(session.id, update), 400, "unsupported");
  assert.deepEqual((await it.read(session.id)).agent, session.agent);
});

test("[SES4] a title has at most 256 characters, and metadata is that of agents", async () => {
  const body = await it.bodyOf();
  const made = await it.begin({ ...body, title: "t".repeat(256), metadata: { team: "red" } });
  assert.equal(made.title, "t".repeat(256));
  assert.deepEqual(made.metadata, { team: "red" });
  const before = await rowsOf(it.house);
  const long = { title: "t".repeat(257) };
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`key${at}`, "v"]));
  const wrong = [long, { metadata: many }, { metadata: { ["k".repeat(65)]: "v" } }];
  for (const fields of wrong) {
    sentenceOf(await it.tryBegin({ ...body, ...fields }), 400);
    sentenceOf(await it.tryUpdate(made.id, fields), 400);
  }
  sentenceOf(await it.tryUpdate(made.id, { vault_ids: [] }), 400);
  assert.deepEqual(await rowsOf(it.house), before);
  assert.deepEqual({ ...(await it.read(made.id)), stats: null }, { ...made, stats: null });
});

test("[SES4] what changes is told in a session.updated, and nothing where nothing changes", async () => {
  const session = await it.make({}, { title: "One", metadata: { a: "1", b: "2" } });
  const { id } = session;
  const changed = await it.update(id, { title: "Two", metadata: { b: null, c: "3" } });
  assert.equal(changed.title, "Two");
  assert.deepEqual(changed.metadata, { a: "1", c: "3" });
  await it.update(id, { title: "Two", metadata: { a: "1", b: null }, agent: {} });
  await it.update(id, {});
  await it.update(id, { title: null });
  const tools = [custom("look")];
  await it.update(id, { agent: { tools } });
  const [first, second, third, ...more] = await it.events(id);
  assert.deepEqual(more, []);
  const told = ({ id: _id, processed_at: at, ...rest }: NonNullable<typeof first>) => {
    assert.ok(at !== null);
    return rest;
  };
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const type = "session.updated";
  assert.deepEqual(told(first), { type, title: "Two", metadata: { a: "1", c: "3" } });
  assert.deepEqual(told(second), { type, title: null });
  assert.deepEqual(Object.keys(told(third)), ["type", "agent"]);
  assert.deepEqual(third["agent"].tools, tools);
  assert.equal(third["agent"].name, "Helper");
});

test("[SES4] an update is shown in the reader's version of the API, whoever made it", async () => {
  const older = { "vendor-version": "2023-06-01" };
  const { id, agent } = await it.make({ model: { id: "sim-large", effort: "low" } });
  await using newerStream = await it.stream(id, { headers: { "vendor-version": "2026-10-21" } });
  await using olderStream = await it.stream(id, { headers: older });
  const tools = (name: string) => ({ agent: { tools: [custom(name)] } });
  await it.good("POST", `/${id}`, { body: tools("one"), headers: older });
  await it.update(id, tools("two"));
  const isTold = (told: readonly SessionEvent[], effort: unknown) => {
    assert.deepEqual(
      ofType(told, "session.updated").map((event) => event["agent"].model),
      [1, 2].map(() => ({ ...agent.model, effort })),
    );
  };
  const [thread] = (await it.good<{ data: { id: string }[] }>("GET", `/${id}/threads`)).data;
  for (const path of [`/${id}/events`, `/${id}/threads/${thread?.id}/events`]) {
    const list = async (headers = {}) =>
      (await it.good<{ data: SessionEvent[] }>("GET", path, { headers })).data;
    isTold(await list(), { type: "low" });
    isTold(await list(older), "low");
  }
  for (const [stream, effort] of [
    [newerStream, { type: "low" }],
    [olderStream, "low"],
  ] as const) {
    await stream.through("session.updated", (await stream.through("session.updated")).length);
    isTold(stream.events, effort);
  }
});

test("[SES4] a session that runs takes another title, and no other tools", async () => {
  const { id } = await it.make({ tools: [custom("look")] });
  await it.send(id, said(slowly));
  const running = await it.update(id, { title: "While it runs", metadata: { a: "1" } });
  assert.deepEqual([running.status, running.title], ["running", "While it runs"]);
  errorOf(await it.tryUpdate(id, { agent: { tools: [] } }), 400, "session_running");
  assert.equal((await it.read(id)).agent.tools.length, 1);
  await it.turn(id, interrupt);
  await it.update(id, { agent: { tools: [] } });
  assert.deepEqual((await it.read(id)).agent.tools, []);
});

test("[SES4] other tools are those of the next call of the model", async () => {
  const { id } = await it.make();
  const call = said('[[tool look {"at": "the sky"}]]');
  const [denied] = ofType(await it.turn(id, call), "agent.tool_use");
  assert.equal(denied?.["evaluated_permission"], "deny");
  await it.update(id, { agent: { tools: [custom("look")] } });
  const again = await it.turn(id, call);
  assert.ok(typesOf(again).includes("agent.custom_tool_use"), JSON.stringify(typesOf(again)));
});
