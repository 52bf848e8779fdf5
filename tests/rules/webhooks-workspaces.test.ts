// Rules WHK1, WHK3, WHK12, WHK14 to WHK18 for webhooks of a workspace: what happens in it is told once, and to them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { workspaceEventTypes } from "../../server/webhooks/event-types.ts";
import { workspaceEvent } from "../../server/webhooks/module.ts";
import type { House, Tenant } from "../house.ts";
import { localNetwork } from "./federation-house.ts";
import {
  custom,
  customResult,
  openSessionHouse,
  said,
  type SessionHouse,
} from "./sessions-house.ts";
import { eventsOf, sentenceOf, until } from "./support.ts";
import { openReceiver, webhooksOf, type Made, type Receiver } from "./webhooks-house.ts";

let it: SessionHouse;
let house: House;
let platform: Tenant;
let receiver: Receiver;
let all: Made;
before(async () => {
  it = await openSessionHouse({ sections: localNetwork });
  ({ house } = it);
  ({ platform } = house.organizations);
  receiver = await openReceiver();
  all = await hooks.make(platform, receiver.url, { enabled_events: [...workspaceEventTypes] });
});
after(async () => {
  await house[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const hooks = webhooksOf(() => house, "workspace");
const ofOrganization = webhooksOf(() => house);

interface Told {
  type: string;
  id: string;
  organization_id: string;
  workspace_id: string;
  [field: string]: string;
}

/** What endpoints were told of a thing, in the order in which it happened. */
const toldOf = async (id: string, endpoint = all.id): Promise<Told[]> => {
  const rows = await house.world.db.query<{ body: string }>(sql`
    select body from webhook_deliveries where endpoint_id = ${endpoint} order by id`);
  const told = rows.map(({ body }) => (JSON.parse(body) as { data: Told }).data);
  return told.filter((data) => data.id === id);
};
const typesTold = async (id: string) => (await toldOf(id)).map(({ type }) => type);
const workspaceId = async () => {
  const [row] = await house.world.db.query<{ id: string }>(sql`
    select id from workspaces where organization_id = ${platform.organization_id} and is_default`);
  return row?.id ?? "";
};

const running = ["session.running", "session.status_run_started"];
const idled = ["session.idled", "session.status_idled"];

test("[WHK16] a session tells what it does, once each, in its order", async () => {
  const session = await it.make({ tools: [custom("ask")] });
  assert.deepEqual(await typesTold(session.id), ["session.created"]);
  await it.update(session.id, { title: "Named" });
  await it.update(session.id, { title: "Named" });
  await it.turn(session.id, said("Hello"));
  assert.deepEqual(await typesTold(session.id), [
    "session.created",
    "session.updated",
    ...running,
    ...idled,
  ]);
  await it.turn(session.id, said("[[tool ask {}]]"));
  const call = await it.seen(session.id, "agent.custom_tool_use");
  await it.turn(session.id, customResult(call.id, "Yes"));
  await it.archive(session.id);
  await it.archive(session.id);
  assert.equal((await it.remove(session.id)).status, 200);
  assert.deepEqual((await typesTold(session.id)).slice(6), [
    ...running,
    ...idled,
    "session.requires_action",
    ...running,
    ...idled,
    "session.status_terminated",
    "session.archived",
    "session.deleted",
  ]);
});

test("[WHK16] [WHK15] a budget, an outcome and other agents' threads are told, and nothing but ids", async () => {
  const outcome = await it.make();
  const rubric = { type: "text", content: "[[grade satisfied]]" };
  await it.send(outcome.id, { type: "user.define_outcome", description: "Do it", rubric });
  await it.seen(outcome.id, "span.outcome_evaluation_end");
  await it.idle(outcome.id);
  const ended = (await it.events(outcome.id, { types: "span.outcome_evaluation_end" })).length;
  const told = (await typesTold(outcome.id)).filter((type) => type.includes("outcome"));
  assert.deepEqual(told, Array<string>(ended).fill("session.outcome_evaluation_ended"));
  const { id: member } = await it.agent({ name: "Writer" });
  const boss = await it.make({ multiagent: { type: "coordinator", agents: [member] } });
  await it.turn(boss.id, said('[[tool send_to_agent {"agent":"Writer","message":"Hi"}]]'));
  const threads = (await it.events(boss.id)).filter(({ type }) => type.includes("thread_created"));
  const of = { id: boss.id, organization_id: platform.organization_id };
  const common = { ...of, workspace_id: await workspaceId() };
  const session_thread_id = String(threads[0]?.session_thread_id);
  const ofThreads = (await toldOf(boss.id)).filter(({ type }) => type.includes("thread"));
  assert.deepEqual(ofThreads, [
    { ...common, session_thread_id, type: "session.thread_created" },
    { ...common, session_thread_id, type: "session.thread_idled" },
  ]);
  await it.good("POST", `/${boss.id}/threads/${session_thread_id}/archive`);
  assert.deepEqual((await toldOf(boss.id)).at(-1), {
    ...common,
    session_thread_id,
    type: "session.thread_terminated",
  });
  const [first] = await toldOf(boss.id);
  assert.deepEqual(first, { ...common, type: "session.created" });
});

test("[WHK16] what is taken back is told to no endpoint", async () => {
  const session = await it.make();
  const refused = await it.trySend(session.id, [said("Hello"), customResult("sevt_none", "No")]);
  assert.equal(refused.status, 400);
  assert.deepEqual(await typesTold(session.id), ["session.created"]);
  const event = { workspaceId: await workspaceId(), type: "agent.deleted", id: "agent_1" } as const;
  const taken = house.world.db.tx(async (tx) => {
    await workspaceEvent(tx, house.world, event);
    throw new Error("taken back");
  });
  await assert.rejects(taken, /taken back/);
  assert.deepEqual(await typesTold("agent_1"), []);
});

test("[WHK17] agents, environments and memory stores tell what becomes of them", async () => {
  const { id: agent } = await it.agent();
  const change = (path: string, body: object = {}) => it.askGood("POST", path, { body });
  await change(`/v1/agents/${agent}`, { name: "Other" });
  await change(`/v1/agents/${agent}`, { name: "Other" });
  await change(`/v1/agents/${agent}/archive`);
  assert.deepEqual(await typesTold(agent), ["agent.created", "agent.updated", "agent.archived"]);
  const { id: environment } = await it.environment();
  await change(`/v1/environments/${environment}`, { name: "Other" });
  await change(`/v1/environments/${environment}/archive`);
  await it.askGood("DELETE", `/v1/environments/${environment}`);
  assert.deepEqual(
    await typesTold(environment),
    ["created", "updated", "archived", "deleted"].map((verb) => `environment.${verb}`),
  );
  const headers = { "vendor-beta": "agent-memory-2026-07-22" };
  const key = platform.api_key;
  const store = (method: string, path = "", body?: object) =>
    house.ask(method, `/v1/memory_stores${path}`, { key, headers, body });
  const { body: made } = await store("POST", "", { name: "Notes" });
  await store("POST", `/${made.id}`, { name: "Other" });
  await store("POST", `/${made.id}/archive`, {});
  await store("DELETE", `/${made.id}`);
  assert.deepEqual(
    await typesTold(made.id as string),
    ["created", "archived", "deleted"].map((verb) => `memory_store.${verb}`),
  );
});

test("[WHK15] [WHK6] an event goes to its workspace's endpoints that want it, and to no other one", async () => {
  const url = receiver.url;
  const wants = await hooks.make(platform, url, { enabled_events: ["agent.created"] });
  const other = await hooks.make(platform, url, { enabled_events: ["agent.archived"] });
  const off = await hooks.make(platform, url, { enabled_events: ["agent.created"] });
  await hooks.call(platform, "POST", `/${off.id}`, { state: "disabled" });
  const stranger = await hooks.make(house.organizations.other, url, {
    enabled_events: ["agent.created"],
  });
  const whole = await ofOrganization.make(platform, url);
  const { id } = await it.agent();
  for (const [{ id: endpoint }, count] of [
    [wants, 1],
    [other, 0],
    [off, 0],
    [stranger, 0],
    [whole, 0],
  ] as const)
    assert.equal((await toldOf(id, endpoint)).length, count, endpoint);
  const delivered = await hooks.settled(platform, wants.id, 1);
  assert.equal(delivered.state, "delivered");
  const post = receiver.received.find(
    ({ headers }) => headers["webhook-id"] === delivered.event_id,
  );
  assert.deepEqual(JSON.parse(post?.body ?? "").data.id, id);
  for (const made of [wants, other, off]) await hooks.remove(platform, made.id);
  await hooks.remove(house.organizations.other, stranger.id);
  await ofOrganization.remove(platform, whole.id);
});

test("[WHK3] an endpoint is absent for another workspace, and on the organization's routes", async () => {
  const stranger = house.organizations.other;
  const acts: [string, string, object?][] = [
    ["GET", ""],
    ["POST", "", { name: "Mine" }],
    ["DELETE", ""],
    ["POST", "/rotate_secret"],
    ["POST", "/test", {}],
    ["GET", "/deliveries"],
    ["POST", "/deliveries/whdl_1/replay"],
  ];
  for (const [method, path, body] of acts) {
    const { status } = await hooks.call(stranger, method, `/${all.id}${path}`, body);
    assert.equal(status, 404, `${method} ${path}`);
  }
  const { body: page } = await hooks.call(stranger, "GET");
  assert.deepEqual(page.data, []);
  assert.equal((await ofOrganization.call(platform, "GET", `/${all.id}`)).status, 404);
  assert.deepEqual((await ofOrganization.call(platform, "GET")).body.data, []);
  const whole = await ofOrganization.make(platform, receiver.url);
  assert.equal((await hooks.call(platform, "GET", `/${whole.id}`)).status, 404);
  await ofOrganization.remove(platform, whole.id);
});

test("[WHK1] a workspace has 32 endpoints beside those of its organization, of its own types", async () => {
  const { other } = house.organizations;
  await ofOrganization.make(other, receiver.url);
  for (let count = 0; count < 32; count++) await hooks.make(other, receiver.url);
  const body = { url: receiver.url, enabled_events: ["session.created"] };
  const refused = sentenceOf(await hooks.call(other, "POST", "", body), 400);
  assert.equal(
    refused,
    "The workspace has 32 webhook endpoints, the most there may be. Delete one first.",
  );
  for (const type of ["external_key.failed", "session.nothing"]) {
    const wrong = await hooks.call(platform, "POST", "", { ...body, enabled_events: [type] });
    assert.match(sentenceOf(wrong, 400), /enabled_events/);
  }
  const named = await hooks.call(platform, "POST", "", {
    ...body,
    url: "https://me:word@hooks.example/",
  });
  assert.match(sentenceOf(named, 400), /^url: /);
});

test("[WHK12] a test event of a workspace says so in a header, and holds the fields of its type", async () => {
  const types = ["session.thread_idled", "vault_credential.refresh_failed"];
  const { id } = await hooks.make(platform, receiver.url, { enabled_events: types });
  for (const event_type of types) {
    const sent = await hooks.sendTest(platform, id, { event_type });
    assert.deepEqual([sent.status, sent.body.is_test], [200, true]);
    const post = await until(
      () =>
        Promise.resolve(
          receiver.received.find(({ headers }) => headers["webhook-id"] === sent.body.event_id),
        ),
      "the test event",
    );
    assert.equal(post.headers["plinth-webhook-test"], "true");
    const { data } = JSON.parse(post.body) as { data: Told };
    const more: Record<string, string> =
      event_type === types[0]
        ? { id: "sesn_test", session_thread_id: "sthr_test" }
        : { id: "vcrd_test", vault_id: "vlt_test" };
    const { organization_id } = platform;
    assert.deepEqual(data, {
      ...more,
      type: event_type,
      organization_id,
      workspace_id: await workspaceId(),
    });
  }
  await hooks.remove(platform, id);
});

test("[WHK18] endpoints of a workspace that is archived are silent, also with what was on its way", async () => {
  const asOwner = (path: string, body?: object) =>
    house.ask("POST", path, { cookie: platform.cookie, body });
  const { body: workspace } = await asOwner("/v1/organizations/workspaces", { name: "Ends" });
  const id = String(workspace.id);
  const headers = { "anthropic-workspace-id": id };
  const { body: made } = await house.ask("POST", "/v1/webhooks", {
    cookie: platform.cookie,
    headers,
    body: { url: receiver.url, enabled_events: ["agent.created"] },
  });
  receiver.answers(500);
  const happen = (agent: string) =>
    house.world.db.tx((tx) =>
      workspaceEvent(tx, house.world, { workspaceId: id, type: "agent.created", id: agent }),
    );
  await happen("agent_before");
  const attempts = async () => {
    const [row] = await house.world.db.query<{ attempts: number }>(sql`
      select attempts from webhook_deliveries where endpoint_id = ${made.id}`);
    return row?.attempts;
  };
  await until(async () => (await attempts()) === 1, "the first attempt");
  receiver.answers(200);
  assert.equal((await asOwner(`/v1/organizations/workspaces/${id}/archive`)).status, 200);
  await happen("agent_after");
  await hooks.hasten();
  const jobs = () =>
    house.world.db.query(sql`
      select job.id from jobs as job
      join webhook_deliveries as delivery on delivery.id = job.payload ->> 'delivery_id'
      where delivery.endpoint_id = ${made.id}`);
  await until(async () => (await jobs()).length === 0, "the job to end");
  assert.equal(await attempts(), 1);
  assert.equal((await toldOf("agent_after", made.id as string)).length, 0);
});

test("[WHK14] what is done with an endpoint of a workspace is in the audit log", async () => {
  const { id } = await hooks.make(platform, receiver.url);
  await hooks.call(platform, "POST", `/${id}/rotate_secret`);
  await hooks.remove(platform, id);
  const actions = (await eventsOf(house, platform))
    .filter(({ target }) => target?.id === id)
    .map(({ action }) => action);
  assert.deepEqual(actions.toSorted(), [
    "webhook_endpoint.created",
    "webhook_endpoint.deleted",
    "webhook_endpoint.signing_secret_regenerated",
  ]);
});
