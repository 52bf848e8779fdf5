// Rules ENV30 to ENV35: work is queued, handed out, acknowledged, kept by heartbeats and stopped.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { good, tokenOf, workOf } from "./environments-work-house.ts";
import { errorOf } from "./memory-house.ts";
import { confirm, customResult, result, said } from "./sessions-house.ts";
import { sentenceOf, until } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open, sessions, env, pass } = workOf(() => house);

test("[ENV30] a session that begins to run has work, one that was told nothing has none", async () => {
  const hosted = await open();
  const agent = await sessions.agent();
  const quiet = await sessions.begin({ agent: agent.id, environment_id: hosted.id });
  assert.deepEqual(await hosted.list(), []);
  await sessions.send(quiet.id, said("hello"));
  const [item, ...others] = await hosted.list();
  assert.deepEqual(
    [item?.state, item?.data, others],
    ["queued", { type: "session", id: quiet.id }, []],
  );
  const begun = await sessions.begin({
    agent: agent.id,
    environment_id: hosted.id,
    initial_events: [said("hello")],
  });
  assert.deepEqual(
    (await hosted.list()).map(({ data }) => data.id),
    [begun.id, quiet.id],
  );
  for (const { id } of [quiet, begun]) await sessions.idle(id);
});

test("[ENV30] the work of a session is queued by the transaction that appends its cause", async () => {
  const hosted = await open();
  const { session } = await hosted.calling();
  const [row] = await house.world.db.query<{ same: boolean }>(sql`
    select work.xmin = event.xmin as same from environment_work as work
    join sessions on sessions.id = work.session_id
    join log_events as event on event.stream = sessions.thread_id and event.type = 'user.message'
    where work.session_id = ${session}`);
  assert.deepEqual(row, { same: true });
});

test("[ENV30] a session has one piece of live work, whatever is sent to it", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling('look {"at": 1} | bash {"command": "ls"}');
  const [first = "", second = ""] = calls;
  await sessions.send(session, customResult(first, "seen"));
  await sessions.send(session, result(second, "files"));
  await sessions.idle(session);
  await Promise.all([1, 2, 3, 4].map((n) => sessions.send(session, said(`message ${n}`))));
  await sessions.idle(session);
  assert.equal((await hosted.list()).length, 1);
});

test("[ENV30] a call that waits for a person has no work until it is allowed", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling('bash {"command": "ls"}', "always_ask");
  const { work, token } = await hosted.take();
  good(await hosted.tryStop(work.id, token, { force: true }));
  assert.equal(await hosted.poll(), undefined);
  await sessions.send(session, confirm(calls[0] ?? "", "allow"));
  assert.equal((await hosted.waited()).data.id, session);
});

test("[ENV31] a poll hands out the oldest first, each once, and 204 where there is none", async () => {
  const hosted = await open();
  const made = [(await hosted.calling()).session, (await hosted.calling()).session];
  const handed = [await hosted.poll(), await hosted.poll()];
  assert.deepEqual(
    handed.map((work) => work?.data.id),
    made,
  );
  const { status, body } = await env.call("GET", hosted.at("/poll"), { key: hosted.key });
  assert.deepEqual([status, body], [204, ""]);
  assert.equal((await hosted.read(handed[0]?.id ?? "")).state, "queued");
});

test("[ENV31] work that is queued while a poll waits ends the wait", async () => {
  const hosted = await open();
  const agent = await sessions.agent();
  const { id } = await sessions.begin({ agent: agent.id, environment_id: hosted.id });
  const found = await until(async () => {
    const polling = hosted.poll("?block_ms=999");
    await sessions.send(id, said("hello"));
    return polling;
  }, "a poll to be woken");
  assert.equal(found.data.id, id);
  await sessions.idle(id);
});

test("[ENV31] what is not acknowledged is handed out again when it is old enough", async () => {
  const hosted = await open();
  await hosted.calling();
  const first = await hosted.waited();
  assert.equal(await hosted.poll("?reclaim_older_than_ms=60000"), undefined);
  await pass(first.id, 4);
  assert.equal(await hosted.poll(), undefined);
  await pass(first.id, 1);
  const second = await hosted.poll();
  assert.equal(second?.id, first.id);
  assert.notEqual(tokenOf(second), tokenOf(first));
  good(await hosted.tryAck(first.id));
  assert.equal(await hosted.poll("?reclaim_older_than_ms=0"), undefined);
});

test("[ENV31] what a poll may ask has bounds", async () => {
  const hosted = await open();
  for (const query of ["block_ms=0", "block_ms=1000", "reclaim_older_than_ms=-1", "other=1"]) {
    const answer = await env.call("GET", hosted.at(`/poll?${query}`), { key: hosted.key });
    assert.match(sentenceOf(answer, 400), new RegExp(`^${query.split("=")[0]}`));
  }
});

test("[ENV32] the secret is in the reply of a poll alone, and kept as a hash", async () => {
  const hosted = await open();
  await hosted.calling();
  const { work, token } = await hosted.take();
  assert.match(token, /^sk-plinth-ses-[0-9A-Za-z]{49}$/);
  assert.match(work.secret ?? "", /^[\w-]+$/);
  const read = JSON.parse(Buffer.from(work.secret ?? "", "base64url").toString()) as object;
  assert.deepEqual(read, { sessions_token: token, api_base_url: house.world.publicUrl });
  assert.equal((await hosted.read(work.id)).secret, null);
  assert.deepEqual((await hosted.list())[0]?.secret, null);
  const rows = await house.world.db.query<{ row: string }>(
    sql`select token::text as row from environment_work_tokens as token where work_id = ${work.id}`,
  );
  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify([rows, house.log]).includes(token));
});

test("[ENV33] acknowledging takes work off the queue, once", async () => {
  const hosted = await open();
  await hosted.calling();
  const work = await hosted.waited();
  assert.equal(work.acknowledged_at, null);
  const taken = good(await hosted.tryAck(work.id));
  assert.equal(taken.state, "starting");
  assert.ok(taken.acknowledged_at !== null && taken.started_at === null);
  errorOf(await hosted.tryAck(work.id), 409, "work_not_queued");
  assert.deepEqual(await hosted.read(work.id), taken);
  errorOf(await hosted.tryAck("work_none"), 404);
});

test("[ENV34] heartbeats name the one before, and each gets a later time", async () => {
  const hosted = await open();
  await hosted.calling();
  const { work, token } = await hosted.take();
  const first = await hosted.beat(work.id, token);
  assert.deepEqual(
    { ...first, last_heartbeat: "" },
    {
      type: "work_heartbeat",
      state: "active",
      last_heartbeat: "",
      ttl_seconds: 60,
      lease_extended: true,
    },
  );
  const read = await hosted.read(work.id);
  assert.deepEqual([read.state, read.latest_heartbeat_at], ["active", first.last_heartbeat]);
  assert.notEqual(read.started_at, null);
  let last = first.last_heartbeat;
  for (let n = 0; n < 3; n++) {
    const next = await hosted.beat(work.id, token, last);
    assert.ok(next.last_heartbeat > last);
    last = next.last_heartbeat;
  }
  for (const expected of ["NO_HEARTBEAT", first.last_heartbeat, "never"]) {
    const { status, body } = await hosted.tryBeat(work.id, token, expected);
    assert.equal(status, 412);
    assert.deepEqual((body["error"] as { details: unknown }).details, {
      error_code: "heartbeat_precondition_failed",
      current_state: {
        state: "active",
        last_heartbeat: last,
        ttl_seconds: 60,
        lease_extended: false,
      },
    });
  }
  assert.equal((await hosted.read(work.id)).latest_heartbeat_at, last);
});

test("[ENV34] a worker says how long it wants, within bounds; what is not acknowledged is not kept", async () => {
  const hosted = await open();
  await hosted.calling();
  const waiting = await hosted.waited();
  const refused = await hosted.tryBeat(waiting.id, tokenOf(waiting), "NO_HEARTBEAT");
  assert.equal(refused.status, 412);
  assert.match(JSON.stringify(refused.body), /"state":"queued","last_heartbeat":null/);
  good(await hosted.tryAck(waiting.id));
  let last = "NO_HEARTBEAT";
  for (const [wanted, granted] of [
    [1, 5],
    [20, 20],
    [600, 60],
  ]) {
    const said = await hosted.beat(
      waiting.id,
      tokenOf(waiting),
      last,
      `&desired_ttl_seconds=${wanted}`,
    );
    assert.equal(said.ttl_seconds, granted);
    last = said.last_heartbeat;
  }
});

test("[ENV35] a stop tells the worker, a forced one ends work at once, and a second one is 409", async () => {
  const hosted = await open();
  await hosted.calling();
  const { work, token } = await hosted.take();
  await hosted.beat(work.id, token);
  const stopping = good(await hosted.tryStop(work.id, undefined));
  assert.equal(stopping.state, "stopping");
  assert.ok(stopping.stop_requested_at !== null && stopping.stopped_at === null);
  // It is not compared any more.
  const told = await hosted.beat(work.id, token, "NO_HEARTBEAT");
  assert.deepEqual([told.state, told.lease_extended], ["stopping", true]);
  const stopped = good(await hosted.tryStop(work.id, token, { force: true }));
  assert.equal(stopped.state, "stopped");
  assert.notEqual(stopped.stopped_at, null);
  const over = await hosted.beat(work.id, token, "whatever");
  assert.deepEqual(
    [over.state, over.lease_extended, over.last_heartbeat],
    ["stopped", false, told.last_heartbeat],
  );
  const again = await hosted.tryStop(work.id, token, { force: true });
  errorOf(again, 409, "work_already_stopped");
  assert.equal(again.headers.get("x-should-retry"), "false");
  assert.deepEqual(await hosted.read(work.id), stopped);
});

test("[ENV35] work that waits is stopped without a worker", async () => {
  const hosted = await open();
  const { session } = await hosted.calling();
  const [work] = await hosted.list();
  await sessions.send(session, { type: "user.interrupt" });
  await sessions.idle(session);
  assert.equal(good(await hosted.tryStop(work?.id ?? "", undefined)).state, "stopped");
  assert.equal(await hosted.poll(), undefined);
});
