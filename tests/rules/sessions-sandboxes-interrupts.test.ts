// Rules SES63 and SES64: what ends calls in sandboxes before they are done.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { errorOf } from "./memory-house.ts";
import { computer, interrupt, ofType, said, type SessionEvent } from "./sessions-house.ts";
import {
  commandsOf,
  inNewShell,
  openCloudHouse,
  resultsOf,
  shell,
  type CloudHouse,
} from "./sessions-sandboxes-house.ts";
import { seconds, until } from "./support.ts";

let it: CloudHouse;
before(async () => {
  it = await openCloudHouse({ sandbox: { running_max: 1 } });
});
afterEach(() => assert.deepEqual(it.machine.faults, []));
after(() => it[Symbol.asyncDispose]());

const beforeItBegan = "error: Interrupted before it began: it was not run.";
const endedByIt = "error: [It was interrupted; files stay as they are.]";

/** Interrupts, and has the session idle within a second; all its events. */
async function stop(id: string): Promise<SessionEvent[]> {
  await it.send(id, interrupt);
  const events = await it.idle(id);
  const [asked] = ofType(events, "user.interrupt");
  const ms = Date.parse(events.at(-1)?.processed_at ?? "") - Date.parse(asked?.processed_at ?? "");
  assert.ok(ms < seconds(1), `idle after ${ms} ms`);
  assert.equal(events.at(-1)?.["stop_reason"].type, "end_turn");
  return events;
}

test("[SES63] an interrupt while a call runs ends it, and what waited behind it is not run", async () => {
  const id = await it.cloud();
  await it.send(id, said(shell("wait one of two", "append two")));
  await it.began("wait one of two");
  const events = await stop(id);
  assert.deepEqual(resultsOf(events), [endedByIt, beforeItBegan]);
  assert.deepEqual(commandsOf(it.machine, id), ["wait one of two"]);
  assert.equal(it.machine.running().get(id), undefined);
  assert.deepEqual(resultsOf(await it.turn(id, said(shell("append three")))), [
    inNewShell("three"),
  ]);
  assert.deepEqual(it.machine.workspaces.get(id), ["three"]);
});

test("[SES63] while a call waits for that of another thread: the one is ended, the other is not run", async () => {
  const { id: worker } = await it.agent({ name: "Worker", tools: [computer()] });
  const multiagent = { type: "coordinator", agents: [worker] };
  const id = await it.cloud({ name: "Lead", multiagent });
  const work = (name: string) =>
    `send_to_agent ${JSON.stringify({ agent: "Worker", message: shell(`wait ${name}`) })}`
      .replaceAll("[", "\\u005b")
      .replaceAll("]", "\\u005d");
  await it.send(id, said(`[[tools ${work("left")} | ${work("right")}]]`));
  await until(async () => commandsOf(it.machine, id).length === 1, "a call to run");
  await until(
    async () => ofType(await it.events(id), "agent.tool_use").length === 2,
    "the other one to wait",
  );
  const events = await stop(id);
  const results = resultsOf(events).filter((each) => !each.includes("another agent"));
  assert.deepEqual(results.toSorted(), [endedByIt, beforeItBegan].toSorted());
  assert.equal(commandsOf(it.machine, id).length, 1);
});

test("[SES63] while a call waits for room: it is not run, and who has the room goes on", async () => {
  const [busy, id] = [await it.cloud(), await it.cloud()];
  await it.send(busy, said(shell("wait room")));
  await it.began("wait room");
  await it.send(id, said(shell("append too late")));
  await it.seen(id, "agent.tool_use");
  assert.deepEqual(resultsOf(await stop(id)), [beforeItBegan]);
  it.machine.release("room");
  assert.deepEqual(resultsOf(await it.idle(busy)), ["room"]);
  assert.deepEqual(commandsOf(it.machine, id), []);
  // The place that it did not take is there for others.
  assert.deepEqual(resultsOf(await it.turn(id, said(shell("say now")))), ["now"]);
});

test("[SES63] while it waits for a sandbox that another process has: it is not run", async () => {
  const { db } = it.house.world;
  const id = await it.cloud();
  await it.turn(id, said(shell("append one")));
  await it.turn(await it.cloud(), said(shell("say other")));
  const lend = (owner: string | null) =>
    db.tx((tx) =>
      tx.query(sql`
        update session_sandboxes set lease_owner = ${owner}, lease_epoch = lease_epoch + 1,
          lease_until = statement_timestamp() + interval '1 hour' where session_id = ${id}`),
    );
  await until(async () => (await it.placeOf(id))?.owner === null, "its sandbox to be given back");
  await lend("another");
  await it.send(id, said(shell("append two")));
  await until(
    async () => ofType(await it.events(id), "agent.tool_use").length === 2,
    "the call to wait",
  );
  const events = await stop(id);
  assert.deepEqual(resultsOf(events).slice(1), [beforeItBegan]);
  await db.tx((tx) =>
    tx.query(sql`update session_sandboxes set lease_until = null where session_id = ${id}`),
  );
  assert.deepEqual(it.machine.workspaces.get(id), ["one"]);
});

test("[SES63] while its sandbox is made: what is said not to be run is not run, then or later", async () => {
  const id = await it.cloud();
  const made = Promise.withResolvers<void>();
  it.machine.making = made.promise;
  await it.send(id, said(shell("append too late")));
  await until(async () => (await it.placeOf(id))?.owner, "its sandbox to be taken");
  assert.deepEqual(resultsOf(await stop(id)), [beforeItBegan]);
  it.machine.making = undefined;
  made.resolve();
  const turn = await it.turn(id, said(shell("list")));
  assert.deepEqual(resultsOf(turn), [""]);
  assert.deepEqual(commandsOf(it.machine, id), ["list"]);
});

test("[SES64] archiving a session ends the call that runs; its sandbox stops, its files stay", async () => {
  const id = await it.cloud();
  await it.turn(id, said(shell("append kept")));
  await it.send(id, said(shell("wait archived")));
  await it.began("wait archived");
  await it.archive(id);
  await until(async () => !it.machine.running().has(id), "the sandbox to stop");
  assert.equal((await it.read(id)).status, "terminated");
  assert.deepEqual(it.machine.workspaces.get(id), ["kept"]);
  await until(async () => (await it.placeOf(id))?.owner === null, "the sandbox to be given back");
});

test("[SES64] a session whose call runs is not deleted; after an interrupt it is, with its files", async () => {
  const id = await it.cloud();
  await it.send(id, said(shell("append one", "wait deleted")));
  await it.began("wait deleted");
  errorOf(await it.remove(id), 409, "session_running");
  assert.deepEqual(it.machine.workspaces.get(id), ["one"]);
  assert.deepEqual(resultsOf(await stop(id)), ["one", endedByIt]);
  assert.equal((await it.remove(id)).status, 200);
  await until(async () => !it.machine.workspaces.has(id), "its files to go");
  await until(async () => (await it.placeOf(id)) === undefined, "its row to go");
});
