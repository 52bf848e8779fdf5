// Rules ENV40 and ENV42 to ENV44: what workers reach, lists and figures of work, checks, and what is recorded.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type Ask, type House } from "../house.ts";
import { good, workOf, type Work } from "./environments-work-house.ts";
import { errorOf, memoryOf } from "./memory-house.ts";
import { interrupt, managedAgents, result, said, sessionsPath } from "./sessions-house.ts";
import { eventsOf, sentenceOf } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open, sessions, env, pass, sweep } = workOf(() => house);
const memory = memoryOf(() => house);

const as = (key: string, method: string, path: string, asking: Ask = {}) =>
  house.ask(method, path, { key, headers: managedAgents, ...asking });
const storeHeaders = { "vendor-beta": "agent-memory-2026-07-22" };

test("[ENV40] a token reads its session and sends results, and nothing else", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling();
  const { work, token } = await hosted.take();
  await hosted.beat(work.id, token);
  const path = `${sessionsPath}/${session}`;
  for (const key of [token, hosted.key]) {
    assert.equal(good<{ id: string }>(await as(key, "GET", path)).id, session);
    good(await as(key, "GET", `${path}/events?limit=1000`));
    for (const event of [said("I am a worker"), interrupt])
      assert.match(
        sentenceOf(await as(key, "POST", `${path}/events`, { body: { events: [event] } }), 403),
        /^events\.0: .*worker/,
      );
    for (const [method, refused] of [
      ["POST", path],
      ["DELETE", path],
      ["POST", `${path}/archive`],
      ["GET", sessionsPath],
      ["GET", `${path}/resources`],
      ["GET", "/v1/environments"],
      ["GET", `/v1/environments/${hosted.id}`],
      ["GET", `/v1/environments/${hosted.id}/keys`],
      ["GET", `/v1/environments${hosted.at(`/${work.id}`)}`],
      ["POST", `/v1/environments${hosted.at(`/${work.id}`)}`],
      ["POST", `/v1/environments/${hosted.id}/check`],
      ["GET", "/v1/agents"],
      ["POST", "/v1/messages"],
    ] as const)
      errorOf(await as(key, method, refused), 403);
  }
  errorOf(await as(token, "GET", `/v1/environments${hosted.at("/poll")}`), 403);
  errorOf(await as(token, "GET", `/v1/environments${hosted.at("")}`), 403);
  const events = [result(calls[0] ?? "", "files")];
  good(await as(token, "POST", `${path}/events`, { body: { events } }));
});

test("[ENV40] an API key reads, changes and stops work, and does not list, take or keep it", async () => {
  const hosted = await open();
  await hosted.calling();
  const { work } = await hosted.take();
  assert.equal((await hosted.read(work.id)).id, work.id);
  for (const [method, path] of [
    ["GET", "/poll"],
    ["GET", ""],
    ["POST", `/${work.id}/ack`],
    ["POST", `/${work.id}/heartbeat`],
  ] as const)
    errorOf(await env.call(method, hosted.at(path)), 403);
});

test("[ENV40] what is another environment's, session's or workspace's does not exist", async () => {
  const [hosted, other] = [await open(), await open()];
  const { session } = await hosted.calling();
  const theirs = await other.calling();
  const { work, token } = await hosted.take();
  await hosted.beat(work.id, token);
  const foreign = await other.take();
  for (const key of [hosted.key, token]) {
    errorOf(await as(key, "GET", `${sessionsPath}/${theirs.session}`), 404);
    errorOf(await other.tryBeat(foreign.work.id, key), 404);
    errorOf(await other.tryStop(foreign.work.id, key), 404);
    errorOf(await hosted.tryStop(foreign.work.id, key), 404);
  }
  errorOf(await as(hosted.key, "GET", `/v1/environments${other.at("/poll")}`), 404);
  errorOf(await as(hosted.key, "GET", `/v1/environments${other.at("")}`), 404);
  errorOf(
    await as(hosted.key, "POST", `/v1/environments${other.at(`/${foreign.work.id}/ack`)}`),
    404,
  );
  // Of its own environment, and yet not what this token is for.
  const second = await hosted.calling();
  errorOf(await as(token, "GET", `${sessionsPath}/${second.session}`), 404);
  good(await as(hosted.key, "GET", `${sessionsPath}/${second.session}`));
  const next = await hosted.take();
  errorOf(await hosted.tryBeat(next.work.id, token, "NO_HEARTBEAT"), 404);
  const { api_key: key } = house.organizations.cloud;
  for (const path of [`/${work.id}`, "/stats"])
    errorOf(await env.call("GET", hosted.at(path), { key }), 404);
  errorOf(await env.call("POST", hosted.at(`/${work.id}/stop`), { key, body: {} }), 404);
  errorOf(await env.call("POST", `/${hosted.id}/check`, { key }), 404);
  assert.equal((await hosted.read(work.id)).state, "active");
  good(await as(token, "GET", `${sessionsPath}/${session}`));
});

test("[ENV40] a token has the stores of its session, and writes none that is read only", async () => {
  const hosted = await open();
  const [kept, shown, foreign] = [await memory.store(), await memory.store(), await memory.store()];
  const agent = await sessions.agent();
  const { id } = await sessions.begin({
    agent: agent.id,
    environment_id: hosted.id,
    resources: [
      { type: "memory_store", memory_store_id: kept.id },
      { type: "memory_store", memory_store_id: shown.id, access: "read_only" },
    ],
    initial_events: [said("hello")],
  });
  const { work, token } = await hosted.take();
  await hosted.beat(work.id, token);
  const at = (key: string, method: string, store: string, asking: Ask = {}) =>
    house.ask(method, `/v1/memory_stores/${store}/memories`, {
      key,
      headers: storeHeaders,
      ...asking,
    });
  const body = { path: "/notes", content: "of a worker" };
  const made = good<{ id: string }>(await at(token, "POST", kept.id, { body }));
  const versions = await memory.versions(kept.id);
  assert.deepEqual(versions[0]?.created_by, { type: "session_actor", session_id: id });
  good(await at(token, "GET", shown.id));
  errorOf(await at(token, "POST", shown.id, { body }), 403);
  for (const method of ["GET", "POST"])
    errorOf(await at(token, method, foreign.id, method === "POST" ? { body } : {}), 404);
  errorOf(await at(hosted.key, "GET", kept.id), 403);
  const path = `/v1/memory_stores/${kept.id}`;
  for (const [method, refused] of [
    ["GET", path],
    ["DELETE", path],
    ["GET", `${path}/memory_versions`],
  ] as const)
    errorOf(await house.ask(method, refused, { key: token, headers: storeHeaders }), 403);
  assert.equal((await memory.memories(kept.id))[0]?.id, made.id);
  await sessions.idle(id);
});

test("[ENV40] a key that is revoked takes nothing any more", async () => {
  const hosted = await open();
  assert.equal(await hosted.poll(), undefined);
  await env.good("POST", `/${hosted.id}/keys/${hosted.keyId}/revoke`);
  errorOf(await env.call("GET", hosted.at("/poll"), { key: hosted.key }), 401);
});

test("[ENV42] work is listed newest first, its metadata is patched, and the queue is counted", async () => {
  const hosted = await open();
  const stats = (more: object) => ({
    type: "work_queue_stats",
    depth: 0,
    pending: 0,
    oldest_queued_at: null,
    workers_polling: 0,
    ...more,
  });
  const count = () => env.good<object>("GET", hosted.at("/stats"));
  assert.deepEqual(await count(), stats({}));
  const made = [await hosted.calling(), await hosted.calling(), await hosted.calling()];
  const all = await hosted.list();
  assert.deepEqual(
    all.map(({ data }) => data.id),
    made.map(({ session }) => session).toReversed(),
  );
  const headers = { "anthropic-worker-id": "one" };
  for (const id of ["one", "one", "two"]) {
    const asking = { key: hosted.key, headers: { ...headers, "anthropic-worker-id": id } };
    await env.call("GET", hosted.at("/poll?reclaim_older_than_ms=60000"), asking);
  }
  const oldest = all.at(-1)?.created_at;
  assert.deepEqual(
    await count(),
    stats({ pending: 3, oldest_queued_at: oldest, workers_polling: 2 }),
  );
  good(await hosted.tryAck(all.at(-1)?.id ?? ""));
  const second = all.at(-2)?.created_at;
  assert.deepEqual(
    await count(),
    stats({ pending: 2, oldest_queued_at: second, workers_polling: 2 }),
  );
  const pages = await env.all<Work>(hosted.at(""), { limit: 1 }, { key: hosted.key });
  assert.deepEqual(
    pages.map(({ id }) => id),
    all.map(({ id }) => id),
  );
  const patch = (metadata: object) =>
    env.call("POST", hosted.at(`/${all[0]?.id}`), { body: { metadata } });
  assert.deepEqual(good(await patch({ a: "1", b: "2" })).metadata, { a: "1", b: "2" });
  assert.deepEqual(good(await patch({ a: null, c: "3" })).metadata, { b: "2", c: "3" });
  errorOf(await patch({ a: "x".repeat(513) }), 400, "invalid_metadata");
});

test("[ENV43] a check is answered by the next worker, one at a time, and queued again when its worker dies", async () => {
  const hosted = await open();
  const check = () => env.good<Work>("POST", `/${hosted.id}/check`);
  const asked = await check();
  assert.deepEqual([asked.state, asked.data.type], ["queued", "healthcheck"]);
  assert.deepEqual(await check(), asked);
  const dead = await hosted.take();
  assert.equal(dead.work.id, asked.id);
  await pass(asked.id, 61);
  await sweep();
  assert.equal((await hosted.read(asked.id)).state, "stopped");
  const { work, token } = await hosted.take();
  assert.notEqual(work.id, asked.id);
  assert.deepEqual(work.data, asked.data);
  good(await hosted.tryStop(work.id, token, { force: true }));
  assert.equal(await hosted.poll(), undefined);
  assert.notEqual((await check()).id, work.id);
  const cloud = await env.make();
  assert.match(sentenceOf(await env.call("POST", `/${cloud.id}/check`), 400), /cloud environment/);
});

test("[ENV44] what API keys do to work is recorded, and what workers do is not", async () => {
  const hosted = await open();
  const { platform } = house.organizations;
  const recorded = async () =>
    (await eventsOf(house, platform)).filter(({ action }) =>
      action.startsWith("environment_work."),
    );
  const before = (await recorded()).length;
  await hosted.calling();
  const { work, token } = await hosted.take();
  await hosted.beat(work.id, token);
  good(await hosted.tryStop(work.id, token, { force: true }));
  assert.equal((await recorded()).length, before);
  const check = await env.good<Work>("POST", `/${hosted.id}/check`);
  await env.good("POST", hosted.at(`/${check.id}`), { body: { metadata: { a: "1" } } });
  good(await hosted.tryStop(check.id, undefined));
  const added = (await recorded()).slice(0, 3).map(({ action }) => action);
  assert.deepEqual(
    added.toSorted(),
    ["created", "stopped", "updated"].map((verb) => `environment_work.${verb}`),
  );
});
