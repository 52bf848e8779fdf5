// Rules SES65 to SES67: how long sandboxes run, how many at a time, and what becomes of their files.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import { computer, confirm, said } from "./sessions-house.ts";
import {
  callsIn,
  commandsOf,
  inNewShell,
  openCloudHouse,
  resultsOf,
  shell,
  type CloudHouse,
} from "./sessions-sandboxes-house.ts";
import { until } from "./support.ts";

let it: CloudHouse;
before(async () => {
  it = await openCloudHouse({ sandbox: { idle_seconds: 1, running_max: 2 } });
});
after(async () => {
  assert.deepEqual(it.machine.faults, []);
  await it[Symbol.asyncDispose]();
});

test("[SES65] a sandbox that is idle for so long stops, and its files are there for the next call", async () => {
  const id = await it.cloud();
  await it.turn(id, said(shell("append kept")));
  await until(async () => !it.machine.running().has(id), "the sandbox to stop");
  await until(async () => (await it.placeOf(id))?.owner === null, "it to be given back");
  assert.deepEqual(resultsOf(await it.turn(id, said(shell("list")))), [inNewShell("kept")]);
});

test("[SES65] one whose call runs is not idle, however long that takes", async () => {
  const [id, other] = [await it.cloud(), await it.cloud()];
  await it.send(id, said(shell("wait long")));
  await it.began("wait long");
  await it.turn(other, said(shell("say other")));
  await until(async () => !it.machine.running().has(other), "the other one to stop");
  assert.ok(it.machine.running().has(id));
  it.machine.release("long");
  assert.deepEqual(resultsOf(await it.idle(id)), ["long"]);
});

test("[SES66] the files of a deleted session go at once, also while its sandbox runs", async () => {
  const id = await it.cloud();
  await it.turn(id, said(shell("append secret")));
  assert.equal((await it.remove(id)).status, 200);
  await until(async () => !it.machine.workspaces.has(id), "its files to go");
  await until(async () => (await it.placeOf(id)) === undefined, "its row to go");
  assert.equal(it.machine.running().has(id), false);
});

test("[SES66] also those of one that was deleted while no server was there to hear of it", async () => {
  const id = await it.cloud();
  await it.turn(id, said(shell("append secret")));
  const { hints } = it.house.world;
  const { send: tell } = hints;
  hints.send = () => {};
  assert.equal((await it.remove(id)).status, 200);
  hints.send = tell;
  // The next look finds it, whoever's session is asked about then.
  tell("sandboxes", "another");
  await until(async () => !it.machine.workspaces.has(id), "its files to go");
  await until(async () => (await it.placeOf(id)) === undefined, "its row to go");
});

test("[SES66] what lies there of sessions that nobody knows goes when sandboxes are first made", async (t) => {
  const second = await it.house.openSecondServer();
  await using _closing = second;
  const directory = join(second.world.dataDirectory, "sandboxes", "sessions");
  const kept = await it.cloud();
  for (const name of ["sesn_nobody", kept])
    mkdirSync(join(directory, name, "files"), { recursive: true });
  const fault = await sandboxesPart.of(second.world).fault();
  if (fault !== undefined) return t.skip(fault);
  assert.equal(existsSync(join(directory, "sesn_nobody")), false);
  assert.equal(existsSync(join(directory, kept)), true);
});

test("[SES67] no more run at a time than may: those that are idle make room, the others are waited for", async () => {
  const ids = [await it.cloud(), await it.cloud(), await it.cloud()];
  const [first = "", second = "", third = ""] = ids;
  await it.send(first, said(shell("wait m1")));
  await it.turn(second, said(shell("append two")));
  await it.began("wait m1");
  assert.equal(it.machine.running().size, 2);
  // The second is idle, and gives way at once.
  await it.send(third, said(shell("wait m3")));
  await it.began("wait m3");
  assert.deepEqual([...it.machine.running().keys()].toSorted(), [first, third].toSorted());
  await it.send(second, said(shell("list")));
  await it.seen(second, "agent.tool_use");
  assert.deepEqual(commandsOf(it.machine, second), ["append two"]);
  it.machine.release("m1");
  assert.deepEqual(resultsOf(await it.idle(second)), ["two", inNewShell("two")]);
  it.machine.release("m3");
  await it.idle(third);
  assert.ok(it.machine.running().size <= 2);
});

test("[SES67] one workspace that wants more than there is leaves room for others in turn", async () => {
  const own = await Promise.all(Array.from({ length: 6 }, () => it.cloud()));
  const who = { key: it.other.api_key };
  const id = await it.cloud({}, {}, who);
  for (const [at, each] of own.entries()) {
    await it.send(each, said(shell(`wait own${at}`)));
    // Else others might have all the room before it asks.
    if (at === 0) await it.began("wait own0");
  }
  for (const each of own) await it.seen(each, "agent.tool_use");
  const sent = await it.trySend(id, [said(shell("say mine"))], who);
  assert.equal(sent.status, 200);
  await until(async () => {
    const { body } = await it.call("GET", `/${id}/events`, who);
    return (body as { data: { type: string }[] }).data.some(
      ({ type }) => type === "agent.tool_use",
    );
  }, "the other workspace's call");
  const waits = () => it.machine.calls.filter(({ command }) => command.startsWith("wait own"));
  const ended = () => commandsOf(it.machine, id).length === 1;
  for (let released = 0; released < 4 && !ended(); released++) {
    it.machine.release(waits()[released]?.command.slice(5) ?? "");
    await until(async () => ended() || waits().length >= released + 3, "the next one");
  }
  assert.ok(ended(), "four others were served first");
  for (let at = 0; at < own.length; at++) it.machine.release(`own${at}`);
  for (const each of own) await it.idle(each);
});

test("[SES67] what waits for a person occupies no room", async () => {
  const ids = [];
  for (let count = 0; count < 3; count++)
    ids.push(await it.cloud({ tools: [computer("always_ask")] }));
  for (const id of ids) await it.turn(id, said(shell("say asked")));
  for (const id of ids) assert.equal(await it.placeOf(id), undefined);
  for (const id of ids) {
    const [call = ""] = callsIn(await it.events(id));
    assert.deepEqual(resultsOf(await it.turn(id, confirm(call, "allow"))), ["asked"]);
  }
});
