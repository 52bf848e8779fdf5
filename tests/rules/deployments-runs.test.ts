// Rules DRN1 to DRN4, DRN8 and DRN10, over HTTP: what comes of deployments, by hand and by the clock.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { newSigningSecret } from "../../server/webhooks/deliveries/signature.ts";
import { queryPosted } from "../posted.ts";
import {
  daily,
  hello,
  minutely,
  openDeploymentHouse,
  type DeploymentHouse,
} from "./deployments-house.ts";
import { hours, makeKey, minutes, seconds, sentenceOf, until } from "./support.ts";

let d: DeploymentHouse;
before(async () => {
  d = await openDeploymentHouse();
});
after(() => d[Symbol.asyncDispose]());
beforeEach(() => d.nextMorning());

const older = { "vendor-version": "2023-06-01" };
const sessionsOf = async (id: string) =>
  (await d.good<{ data: { id: string }[] }>("GET", `/v1/sessions?deployment_id=${id}`)).data.map(
    (session) => session.id,
  );

test("[DRN1] by hand a session begins now, also while it is paused", async () => {
  const { id } = await d.make({ schedule: daily });
  const run = await d.run(id);
  assert.match(run.id, /^drun_\w+$/);
  const { agent } = d;
  assert.deepEqual(run, {
    id: run.id,
    type: "deployment_run",
    deployment_id: id,
    agent: { id: agent.id, type: "agent", version: 1 },
    session_id: run.session_id,
    error: null,
    trigger_context: { type: "manual" },
    created_at: d.at(0),
  });
  assert.deepEqual(await d.good("GET", `/v1/deployment_runs/${run.id}`), run);
  await d.act(id, "pause");
  const second = await d.run(id);
  assert.deepEqual(await sessionsOf(id), [second.session_id, run.session_id]);
  const { status, schedule } = await d.read(id);
  assert.deepEqual([status, schedule?.last_run_at], ["paused", null]);
  sentenceOf(await d.call("GET", "/v1/deployment_runs/drun_none"), 404);
  sentenceOf(await d.act("depl_none", "run"), 404);
});

test("[DRN1] a run by hand that fails is answered with its error, and pauses nothing", async () => {
  const { id: closed } = await d.makeEnvironment();
  const { id } = await d.make({ environment_id: closed, schedule: daily });
  await d.archive(`/v1/environments/${closed}`);
  const run = await d.run(id);
  assert.equal(run.session_id, null);
  assert.equal(run.error?.type, "environment_archived_error");
  assert.match(run.error?.message ?? "", /is archived/);
  assert.equal((await d.read(id)).status, "active");
  assert.deepEqual(await d.good("GET", `/v1/deployment_runs/${run.id}`), run);
  const named = await d.good<typeof run>("GET", `/v1/deployment_runs/${run.id}`, {
    headers: older,
  });
  assert.equal(named.error?.type, "environment_archived");
});

test("[DRN2] the error of a run names what is wrong", async () => {
  const errorOf = async (id: string) => (await d.run(id)).error?.type;
  const agent: { id: string } = await d.good("POST", "/v1/agents", {
    body: { name: "a", model: "sim-large" },
  });
  const ofAgent = await d.make({ agent: agent.id });
  await d.archive(`/v1/agents/${agent.id}`);
  assert.equal(await errorOf(ofAgent.id), "agent_archived_error");
  const { id: gone } = await d.makeEnvironment();
  const ofEnvironment = await d.make({ environment_id: gone });
  await d.good("DELETE", `/v1/environments/${gone}`);
  assert.equal(await errorOf(ofEnvironment.id), "environment_not_found_error");
  const store = (name: string) =>
    d.good<{ id: string }>("POST", "/v1/memory_stores", {
      body: { name },
      headers: { "vendor-beta": "agent-memory-2026-07-22" },
    });
  const [kept, lost] = [await store("kept"), await store("lost")];
  const withStore = (memory_store_id: string) =>
    d.make({ resources: [{ type: "memory_store", memory_store_id }] });
  const [ofKept, ofLost] = [await withStore(kept.id), await withStore(lost.id)];
  const memory = { headers: { "vendor-beta": "agent-memory-2026-07-22" } };
  await d.good("POST", `/v1/memory_stores/${kept.id}/archive`, memory);
  await d.good("DELETE", `/v1/memory_stores/${lost.id}`, memory);
  assert.equal(await errorOf(ofKept.id), "memory_store_archived_error");
  assert.equal(await errorOf(ofLost.id), "session_resource_not_found_error");
  const hosted = await d.makeEnvironment({ type: "self_hosted" });
  const url = "https://github.com/owner/name";
  const ofHosted = await d.make({
    environment_id: hosted.id,
    resources: [{ type: "github_repository", url }],
  });
  assert.equal(await errorOf(ofHosted.id), "self_hosted_resources_unsupported_error");
  const refused = await d.makeRefused();
  assert.equal(await errorOf(refused.id), "session_creation_rejected_error");
});

test("[DRN3] the session has what the deployment says, and the ledger names the deployment", async () => {
  const budget = { type: "limit", max_list_cost: { amount: "250", currency: "USD" } };
  const url = "https://github.com/owner/name";
  const { id } = await d.make({
    name: "Nightly",
    budget,
    resources: [{ type: "github_repository", url, authorization_token: "ghp_x" }],
  });
  const { session_id: sessionId } = await d.run(id);
  const session = await d.good<Record<string, unknown>>("GET", `/v1/sessions/${sessionId}`);
  assert.deepEqual(
    [session["deployment_id"], session["title"], session["budget"]],
    [id, "Nightly", budget],
  );
  const resources = session["resources"] as { url: string }[];
  assert.deepEqual(
    resources.map((each) => each.url),
    [url],
  );
  const plain = await d.make();
  const run = await d.run(plain.id);
  const { data } = await d.good<{ data: { type: string; content: unknown }[] }>(
    "GET",
    `/v1/sessions/${run.session_id}/events`,
  );
  assert.deepEqual(data.find(({ type }) => type === "user.message")?.content, hello[0]?.content);
  await until(async () => {
    const rows = await queryPosted<{ id: string }>(
      d.house.world.db,
      sql`select deployment_id as id from ledger
        where session_id = ${run.session_id} and kind = 'agent'`,
    );
    return rows.length > 0 && rows.every((row) => row.id === plain.id);
  }, "an attempt of the session in the ledger");
});

test("[DRN4] runs are listed by deployment, error, trigger and time", async () => {
  const { id: closed } = await d.makeEnvironment();
  const { id } = await d.make({ environment_id: closed, schedule: daily });
  const good = await d.run(id);
  d.wall.advance(hours(24) - seconds(30));
  await d.fire();
  const [scheduled] = await d.seenRuns(id, 2);
  await d.archive(`/v1/environments/${closed}`);
  d.wall.advance(minutes(1));
  const failed = await d.run(id);
  const list = async (query: string) =>
    (
      await d.good<{ data: { id: string }[] }>(
        "GET",
        `/v1/deployment_runs?deployment_id=${id}&${query}`,
      )
    ).data.map((run) => run.id);
  assert.deepEqual(await list(""), [failed.id, scheduled?.id, good.id]);
  assert.deepEqual(await list("has_error=true"), [failed.id]);
  assert.deepEqual(await list("has_error=false"), [scheduled?.id, good.id]);
  assert.deepEqual(await list("trigger_type=schedule"), [scheduled?.id]);
  assert.deepEqual(await list("trigger_type=manual"), [failed.id, good.id]);
  const time = scheduled?.created_at ?? "";
  assert.deepEqual(await list(`created_at[gt]=${time}`), [failed.id]);
  assert.deepEqual(await list(`created_at[gte]=${time}`), [failed.id, scheduled?.id]);
  assert.deepEqual(await list(`created_at[lt]=${time}`), [good.id]);
  assert.deepEqual(await list(`created_at[lte]=${time}`), [scheduled?.id, good.id]);
  assert.deepEqual(
    (await d.good<{ data: [] }>("GET", "/v1/deployment_runs?deployment_id=depl_none")).data,
    [],
  );
  const page: { next_page: string } = await d.good(
    "GET",
    `/v1/deployment_runs?deployment_id=${id}&limit=2`,
  );
  assert.deepEqual(await list(`page=${page.next_page}`), [good.id]);
});

test("[DRN8] scheduled sessions work in the name of who said last what the deployment does", async () => {
  const key = await makeKey(d.house, await d.signedIn(), { kind: "api" });
  const { id } = await d.make({ schedule: minutely });
  await d.good("POST", `/v1/deployments/${id}`, { key: key.secret, body: { name: "Mine" } });
  await d.act(id, "pause");
  await d.act(id, "unpause");
  d.wall.advance(minutes(1));
  await d.fire();
  const [scheduled] = await d.seenRuns(id, 1);
  const byHand = await d.run(id);
  const credentialOf = async (sessionId = "") => {
    const [row] = await d.house.world.db.query<{ id: string }>(
      sql`select credential_id as id from sessions where id = ${sessionId}`,
    );
    return row?.id;
  };
  assert.equal(await credentialOf(scheduled?.session_id ?? ""), key.id);
  assert.notEqual(await credentialOf(byHand.session_id ?? ""), key.id);
  await d.act(id, "archive");
});

test("[DRN10] webhooks of the workspace are told of deployments and of each run", async () => {
  const { db } = d.house.world;
  const types = ["created", "updated", "paused", "unpaused", "archived"].map(
    (verb) => `deployment.${verb}`,
  );
  const ofRuns = ["started", "succeeded", "failed"].map((verb) => `deployment_run.${verb}`);
  const { encrypted } = newSigningSecret(d.house.world, "whep_told");
  await db.tx((tx) =>
    tx.query(sql`
      insert into webhook_endpoints (id, organization_id, workspace_id, name, description, url,
        enabled_events, state, disabled_reason, signing_secret, created_at, updated_at)
      select 'whep_told', organization_id, workspace_id, 'Told', '', 'https://hooks.invalid/',
        ${[...types, ...ofRuns]}, 'enabled', '', ${encrypted}, now(), now()
      from agents where id = ${d.agent.id}`),
  );
  const { id: closed } = await d.makeEnvironment();
  const { id } = await d.make({ environment_id: closed, schedule: minutely });
  const good = await d.run(id);
  await d.update(id, { name: "Told" });
  await d.update(id, { name: "Told" });
  await d.archive(`/v1/environments/${closed}`);
  d.wall.advance(minutes(1));
  await d.fire();
  const [bad] = await d.seenRuns(id, 2);
  await d.act(id, "unpause");
  await d.act(id, "archive");
  const rows = await db.query<{ type: string; body: string }>(sql`
    select event_type as type, body from webhook_deliveries
    where endpoint_id = 'whep_told' order by id`);
  await db.tx((tx) => tx.query(sql`delete from webhook_endpoints where id = 'whep_told'`));
  const told = rows.map(
    ({ body }) => (JSON.parse(body) as { data: { id: string; type: string } }).data,
  );
  const of = (target: string | undefined) =>
    told.filter((each) => each.id === target).map(({ type }) => type);
  assert.deepEqual(of(good.id), ["deployment_run.started", "deployment_run.succeeded"]);
  assert.deepEqual(of(bad?.id), ["deployment_run.started", "deployment_run.failed"]);
  assert.deepEqual(of(id), types);
});
