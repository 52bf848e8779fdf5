// Rules ENV36 to ENV39 and ENV41: workers that are lost at every step, late ones, and what becomes of their sessions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { good, tokenOf, workOf, type Hosted } from "./environments-work-house.ts";
import { errorOf } from "./memory-house.ts";
import { managedAgents, result, said, sessionsPath, wordsOf } from "./sessions-house.ts";
import { until } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open, sessions, pass, sweep, resultsOf } = workOf(() => house);

/** A process has looked: this work is over, and other work of its session waits. */
async function replaced(hosted: Hosted, id: string): Promise<string> {
  await sweep();
  assert.equal((await hosted.read(id)).state, "stopped");
  const live = (await hosted.list()).filter(({ state }) => state !== "stopped");
  assert.equal(live.length, 1);
  assert.notEqual(live[0]?.id, id);
  return live[0]?.id ?? "";
}

const sendAs = (token: string, session: string, events: readonly object[]) =>
  house.ask("POST", `${sessionsPath}/${session}/events`, {
    key: token,
    headers: managedAgents,
    body: { events },
  });

/** What the model made of the results. */
const isAnswered = async (session: string) => {
  const last = (await sessions.idle(session)).at(-1);
  return (last?.["stop_reason"] as { type: string } | undefined)?.type === "end_turn";
};

test("[ENV36] a worker that dies after the poll loses nothing: another one gets the same work", async () => {
  const hosted = await open();
  await hosted.calling();
  const dead = await hosted.waited();
  await pass(dead.id, 5);
  const { work, token } = await hosted.take();
  assert.equal(work.id, dead.id);
  await hosted.beat(work.id, token);
});

test("[ENV36] what was acknowledged and never kept ends within 90 seconds, its calls open", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling();
  const { work } = await hosted.take();
  const [due] = await house.world.db.query<{ seconds: number }>(sql`
    select extract(epoch from due_at - acknowledged_at)::float as seconds
    from environment_work where id = ${work.id}`);
  assert.ok(Math.abs((due?.seconds ?? 0) - 60) < 1, JSON.stringify(due));
  await pass(work.id, 59);
  await sweep();
  assert.equal((await hosted.read(work.id)).state, "starting");
  await pass(work.id, 2);
  // No test asks for this one: the processes of the server look by themselves.
  await until(async () => (await hosted.read(work.id)).state === "stopped", "the end");
  await replaced(hosted, work.id);
  assert.deepEqual(await resultsOf(session), []);
  const second = await hosted.take();
  await hosted.beat(second.work.id, second.token);
  good(await sendAs(second.token, session, [result(calls[0] ?? "", "files")]));
  assert.ok(await isAnswered(session));
});

test("[ENV36][ENV38] where heartbeats end, open calls get an unknown outcome and the session goes on", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling(
    'bash {"command": "a"} | look {"at": 1} | bash {"command": "b"}',
  );
  const { work, token } = await hosted.take();
  const { last_heartbeat } = await hosted.beat(
    work.id,
    token,
    "NO_HEARTBEAT",
    "&desired_ttl_seconds=30",
  );
  const [due] = await house.world.db.query<{ seconds: number }>(sql`
    select extract(epoch from due_at - latest_heartbeat_at)::float as seconds
    from environment_work where id = ${work.id}`);
  assert.ok(Math.abs((due?.seconds ?? 0) - 40) < 1, JSON.stringify(due));
  // It had answered one of them before it was lost.
  good(await sendAs(token, session, [result(calls[2] ?? "", "done")]));
  await pass(work.id, 39);
  await sweep();
  assert.equal((await hosted.read(work.id)).state, "active");
  await pass(work.id, 2);
  await sweep();
  const results = await resultsOf(session);
  assert.deepEqual(
    results.map(({ tool_use_id, is_error = false }) => [tool_use_id, is_error ?? false]),
    [
      [calls[2], false],
      [calls[0], true],
    ],
  );
  assert.match(JSON.stringify(results[1]?.["content"]), /outcome is unknown/);
  const last = (await sessions.idle(session)).at(-1);
  assert.deepEqual(last?.["stop_reason"], { type: "requires_action", event_ids: [calls[1]] });
  // Nobody but the client is waited for.
  assert.ok((await hosted.list()).every(({ state }) => state === "stopped"));
  const late = await hosted.beat(work.id, token, last_heartbeat);
  assert.deepEqual([late.state, late.lease_extended], ["stopped", false]);
});

test("[ENV38] the model is shown that the outcome is unknown, and its next calls have work", async () => {
  const hosted = await open();
  const { session } = await hosted.calling();
  const { work, token } = await hosted.take();
  await hosted.beat(work.id, token);
  await pass(work.id, 71);
  await sweep();
  assert.equal((await resultsOf(session)).length, 1);
  const events = await sessions.idle(session);
  assert.equal(wordsOf(events).length, 1);
  // It ran again when it was answered: a worker is to be there for what the model wants next.
  assert.notEqual((await hosted.list())[0]?.id, work.id);
});

test("[ENV37][ENV38] a worker that stops its work leaves the calls open, and new work waits at once", async () => {
  for (const hasBeaten of [false, true]) {
    const hosted = await open();
    const { session } = await hosted.calling();
    const { work, token } = await hosted.take();
    if (hasBeaten) await hosted.beat(work.id, token);
    good(await hosted.tryStop(work.id, token, { force: true }));
    const next = await hosted.poll();
    assert.equal(next?.data.id, session);
    assert.notEqual(next.id, work.id);
    assert.deepEqual(await resultsOf(session), []);
  }
});

test("[ENV37] work that its worker stops where nothing waits is not followed by any", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling();
  const { work, token } = await hosted.take();
  await hosted.beat(work.id, token);
  good(await sendAs(token, session, [result(calls[0] ?? "", "files")]));
  assert.ok(await isAnswered(session));
  good(await hosted.tryStop(work.id, token, { force: true }));
  assert.equal((await hosted.list()).length, 1);
  await sessions.send(session, said("more"));
  assert.equal((await hosted.list()).length, 2);
  await sessions.idle(session);
});

test("[ENV38] a worker that leaves gently and is gone leaves its calls open; a person's force does not", async () => {
  const left = await open();
  const leaving = await left.calling();
  const one = await left.take();
  await left.beat(one.work.id, one.token);
  assert.equal(good(await left.tryStop(one.work.id, one.token)).state, "stopping");
  await pass(one.work.id, 11);
  await replaced(left, one.work.id);
  assert.deepEqual(await resultsOf(leaving.session), []);

  const forced = await open();
  const { session } = await forced.calling();
  const other = await forced.take();
  await forced.beat(other.work.id, other.token);
  assert.equal(
    good(await forced.tryStop(other.work.id, undefined, { force: true })).state,
    "stopped",
  );
  await sweep();
  assert.deepEqual(
    (await resultsOf(session)).map(({ is_error }) => is_error),
    [true],
  );
});

test("[ENV39] of two that were handed the same work the first that keeps it holds it", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling();
  const slow = await hosted.waited();
  await pass(slow.id, 5);
  const fast = await hosted.waited();
  good(await hosted.tryAck(fast.id));
  const { last_heartbeat } = await hosted.beat(fast.id, tokenOf(fast));
  for (const expected of [undefined, "NO_HEARTBEAT", last_heartbeat])
    assert.equal((await hosted.tryBeat(slow.id, tokenOf(slow), expected)).status, 412);
  errorOf(await hosted.tryStop(slow.id, tokenOf(slow), { force: true }), 409, "work_lease_lost");
  const events = [result(calls[0] ?? "", "late")];
  errorOf(await sendAs(tokenOf(slow), session, events), 403, "work_lease_lost");
  assert.deepEqual(await resultsOf(session), []);
  assert.equal((await hosted.read(fast.id)).latest_heartbeat_at, last_heartbeat);
  good(await sendAs(tokenOf(fast), session, events));
});

test("[ENV39] a token of work that was taken away does nothing any more", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling();
  const late = await hosted.take();
  await pass(late.work.id, 61);
  const next = await replaced(hosted, late.work.id);
  errorOf(await hosted.tryAck(late.work.id), 409, "work_not_queued");
  errorOf(await hosted.tryStop(late.work.id, late.token), 409, "work_already_stopped");
  errorOf(
    await sendAs(late.token, session, [result(calls[0] ?? "", "late")]),
    403,
    "work_lease_lost",
  );
  errorOf(
    await house.ask("GET", `${sessionsPath}/${session}`, {
      key: late.token,
      headers: managedAgents,
    }),
    403,
    "work_lease_lost",
  );
  assert.equal((await hosted.read(next)).state, "queued");
  assert.deepEqual(await resultsOf(session), []);
});

test("[ENV36] what several processes find at once is ended once", async () => {
  const hosted = await open();
  const made = await Promise.all([1, 2, 3, 4].map(() => hosted.calling()));
  const taken = [];
  for (const _ of made) taken.push(await hosted.take());
  for (const { work, token } of taken) await hosted.beat(work.id, token);
  await Promise.all(taken.map(({ work }) => pass(work.id, 71)));
  await sweep(3);
  for (const { session } of made) {
    await sessions.idle(session);
    assert.equal((await resultsOf(session)).length, 1);
  }
  assert.deepEqual(
    house.log.filter((line) => JSON.stringify(line).includes("could not be ended")),
    [],
  );
});

test("[ENV41] a session that is archived wants no worker, and who has it is told", async () => {
  const hosted = await open();
  const waiting = await hosted.calling();
  await sessions.archive(waiting.session);
  assert.equal(await hosted.poll(), undefined);
  const worked = await hosted.calling();
  const { work, token } = await hosted.take();
  const { last_heartbeat } = await hosted.beat(work.id, token);
  await sessions.archive(worked.session);
  const told = await hosted.beat(work.id, token, last_heartbeat);
  assert.equal(told.state, "stopping");
  await pass(work.id, 71);
  await sweep();
  assert.equal((await hosted.read(work.id)).state, "stopped");
  assert.deepEqual(await resultsOf(worked.session), []);
  assert.equal(await hosted.poll(), undefined);
});

test("[ENV41] work of a session that is deleted is over", async () => {
  const hosted = await open();
  const { session } = await hosted.calling();
  const { work } = await hosted.take();
  good(await sessions.remove(session));
  assert.equal((await hosted.read(work.id)).state, "stopped");
  assert.equal(await hosted.poll(), undefined);
});
