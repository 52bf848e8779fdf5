// Rules ENV33 and ENV39 for late workers at each request, and SES130 for work that no worker answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "../../server/environments/work/limits.ts";
import { openHouse, type Ask, type House } from "../house.ts";
import { good, tokenOf, type Work, workOf } from "./environments-work-house.ts";
import { agentMemory, errorOf, memoryOf } from "./memory-house.ts";
import { computer, managedAgents, result, said, sessionsPath, wordsOf } from "./sessions-house.ts";
import { until } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { env, open, sessions, pass, sweep, resultsOf } = workOf(() => house);
const memory = memoryOf(() => house);

type Hosted = Awaited<ReturnType<typeof open>>;

const ackWith = (hosted: Hosted, work: string, token: string) =>
  env.call("POST", hosted.at(`/${work}/ack`), { key: token });

test("[ENV33] who acknowledges with the token of an earlier handing-out is refused, and nothing changes", async () => {
  const hosted = await open();
  await hosted.calling();
  const late = await hosted.waited();
  await pass(late.id, 5);
  const next = await hosted.waited();
  assert.equal(next.id, late.id);
  errorOf(await ackWith(hosted, late.id, tokenOf(late)), 409, "work_lease_lost");
  assert.equal((await hosted.read(late.id)).state, "queued");
  assert.equal(good(await ackWith(hosted, next.id, tokenOf(next))).state, "starting");
  errorOf(await ackWith(hosted, late.id, tokenOf(late)), 409, "work_not_queued");
});

test("[ENV39] who acknowledges with a token holds the work before the first heartbeat", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling();
  const late = await hosted.waited();
  await pass(late.id, 5);
  const next = await hosted.waited();
  good(await ackWith(hosted, next.id, tokenOf(next)));
  const asLate = { key: tokenOf(late), headers: managedAgents };
  assert.equal((await hosted.tryBeat(late.id, tokenOf(late), "NO_HEARTBEAT")).status, 412);
  for (const force of [true, false])
    errorOf(await hosted.tryStop(late.id, tokenOf(late), { force }), 409, "work_lease_lost");
  const body = { events: [result(calls[0] ?? "", "late")] };
  errorOf(
    await house.ask("POST", `${sessionsPath}/${session}/events`, { ...asLate, body }),
    403,
    "work_lease_lost",
  );
  const { state, latest_heartbeat_at: beaten } = await hosted.read(next.id);
  assert.deepEqual([state, beaten], ["starting", null]);
  await hosted.beat(next.id, tokenOf(next));
});

test("[ENV39] a stop of an earlier handing-out ends nothing, also where a key has acknowledged the later one", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling();
  const late = await hosted.waited();
  await pass(late.id, 5);
  const { work, token } = await hosted.take();
  assert.equal(work.id, late.id);
  errorOf(await hosted.tryStop(late.id, tokenOf(late), { force: true }), 409, "work_lease_lost");
  const sent = await house.ask("POST", `${sessionsPath}/${session}/events`, {
    key: tokenOf(late),
    headers: managedAgents,
    body: { events: [result(calls[0] ?? "", "late")] },
  });
  errorOf(sent, 403, "work_lease_lost");
  assert.deepEqual(await resultsOf(session), []);
  assert.equal((await hosted.read(work.id)).state, "starting");
  await hosted.beat(work.id, token);
});

test("[ENV39] two workers, the first paused past its lease: nothing that it does then has an effect", async () => {
  const hosted = await open();
  const store = await memory.store();
  const agent = await sessions.agent({ tools: [computer()] });
  const { id: session } = await sessions.begin({
    agent: agent.id,
    environment_id: hosted.id,
    resources: [{ type: "memory_store", memory_store_id: store.id }],
    initial_events: [said('[[tools bash {"command": "ls"}]]')],
  });
  await sessions.idle(session);
  const paused = await hosted.take();
  const { last_heartbeat } = await hosted.beat(paused.work.id, paused.token);
  await pass(paused.work.id, 71);
  await sweep();
  // The outcome of its call is unknown; what the session is told next is queued anew, and another one takes it.
  await sessions.idle(session);
  await sessions.send(session, said('[[tools bash {"command": "pwd"}]]'));
  const next = await hosted.take();
  assert.notEqual(next.work.id, paused.work.id);
  const { last_heartbeat: held } = await hosted.beat(next.work.id, next.token);
  const before = await hosted.read(next.work.id);
  const asPaused = (method: string, path: string, asking: Ask = {}) =>
    house.ask(method, path, { key: paused.token, headers: managedAgents, ...asking });

  errorOf(await ackWith(hosted, paused.work.id, paused.token), 409, "work_not_queued");
  errorOf(await ackWith(hosted, next.work.id, paused.token), 404);
  const beat = await hosted.beat(paused.work.id, paused.token, last_heartbeat);
  assert.deepEqual([beat.state, beat.lease_extended], ["stopped", false]);
  assert.equal((await hosted.tryBeat(next.work.id, paused.token, held)).status, 404);
  const force = { force: true };
  errorOf(await hosted.tryStop(paused.work.id, paused.token, force), 409, "work_already_stopped");
  errorOf(await hosted.tryStop(next.work.id, paused.token, force), 404);
  const events = [result("sevt_none", "late")];
  errorOf(
    await asPaused("POST", `${sessionsPath}/${session}/events`, { body: { events } }),
    403,
    "work_lease_lost",
  );
  const memories = `/v1/memory_stores/${store.id}/memories`;
  const late = { path: "/late", content: "late" };
  for (const [method, asking] of [
    ["POST", { body: late }],
    ["GET", {}],
  ] as const)
    errorOf(
      await asPaused(method, memories, { ...asking, headers: agentMemory }),
      403,
      "work_lease_lost",
    );
  assert.deepEqual(await hosted.read(next.work.id), before);
  assert.deepEqual(await memory.versions(store.id), []);
  good(await house.ask("POST", memories, { key: next.token, headers: agentMemory, body: late }));
});

test("[SES130] calls that no worker answers are given up after twenty pieces of work that were queued for them, and the turn goes on", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling();
  const taken: string[] = [];
  // The first was queued when the session began to run, before it had a call.
  for (let tries = 0; tries <= limits.triesMax; tries++) {
    assert.deepEqual(await resultsOf(session), []);
    const { work, token } = await hosted.take();
    // Also one that is heard of no more before it has begun.
    if (tries === 3) {
      await pass(work.id, 61);
      await sweep();
    } else {
      if (tries % 2 === 0) await hosted.beat(work.id, token);
      good(await hosted.tryStop(work.id, token, { force: true }));
    }
    taken.push(work.id);
  }
  assert.equal(new Set(taken).size, limits.triesMax + 1);
  assert.equal(await hosted.poll(), undefined);
  await sweep();
  const [given, ...others] = await until(async () => {
    const results = await resultsOf(session);
    return results.length > 0 && results;
  }, "the end of it");
  assert.deepEqual([given?.["tool_use_id"], given?.["is_error"], others], [calls[0], true, []]);
  assert.match(JSON.stringify(given?.["content"]), /it is given up, and was not run/);
  assert.equal(wordsOf(await sessions.idle(session)).length, 1);
  const told = house.log.filter((line) =>
    JSON.stringify(line).includes("no worker answers were given up"),
  );
  assert.equal(told.length, 1);
});

test("[SES130] an answer begins the count anew", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling('bash {"command": "a"} | bash {"command": "b"}');
  const giveBack = async (times: number): Promise<Work | undefined> => {
    for (let tries = 0; tries < times; tries++) {
      const { work, token } = await hosted.take();
      good(await hosted.tryStop(work.id, token, { force: true }));
    }
    return undefined;
  };
  await giveBack(limits.triesMax - 1);
  const { work, token } = await hosted.take();
  await hosted.beat(work.id, token);
  const body = { events: [result(calls[0] ?? "", "files")] };
  const asWorker = { key: token, headers: managedAgents, body };
  good(await house.ask("POST", `${sessionsPath}/${session}/events`, asWorker));
  good(await hosted.tryStop(work.id, token, { force: true }));
  await giveBack(limits.triesMax - 1);
  await sweep();
  assert.equal((await resultsOf(session)).length, 1);
  const last = await hosted.take();
  assert.equal(last.work.data.id, session);
});
