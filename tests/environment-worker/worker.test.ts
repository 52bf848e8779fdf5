// Rules EWK1, EWK2, EWK6, EWK10, EWK15, EWK17 and EWK19: what a worker does with the sessions that it takes.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import {
  computer,
  confirm,
  customResult,
  interrupt,
  ofType,
  said,
} from "../rules/sessions-house.ts";
import { folder, formOf, skillsPath } from "../rules/skills-house.ts";
import { until } from "../rules/support.ts";
import { openStepProxy } from "./step-proxy.ts";
import { bash, sleeping, textOf, workersOf } from "./worker-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open, start, sessions, turnEnd, results, call, env } = workersOf(() => house);

test("[EWK1] one session from the poll to the stop, with all six tools, over the wire of the official worker", async () => {
  const hosted = await open();
  const calls = [
    bash("mkdir -p a && echo one >a/b.txt && pwd"),
    'read {"file_path": "a/b.txt"}',
    'write {"file_path": "c.txt", "content": "two"}',
    'edit {"file_path": "c.txt", "old_string": "two", "new_string": "three"}',
    'glob {"pattern": "**/*.txt"}',
    'grep {"pattern": "thr.e"}',
  ];
  const { session, calls: ids } = await hosted.calling(calls.join(" | "));
  await using proxy = await openStepProxy(house.url);
  const worker = start(hosted, { baseUrl: proxy.url, sessionsMax: 1 });
  const events = await turnEnd(session);
  const done = await worker.tells("done");
  assert.equal(done.reason, "it rests");
  const made = ofType(events, "user.tool_result");
  assert.deepEqual(
    made.map(({ tool_use_id, is_error }) => [tool_use_id, is_error]),
    ids.map((id) => [id, false]),
  );
  const texts = made.map(textOf);
  assert.equal(texts[0], "/workspace");
  assert.match(texts[1] ?? "", /one/);
  assert.match(texts[4] ?? "", /a\/b\.txt/);
  assert.match(texts[5] ?? "", /three/);
  const [item, ...others] = await hosted.list();
  assert.deepEqual([item?.state, others], ["stopped", []]);
  await until(async () => proxy.seen.at(-1) === "GET work poll", "the next poll");
  await worker.stop();
  const seen = proxy.seen.filter((what, at, all) => what !== all[at - 1]);
  const first = seen.findIndex((what) => what === "POST work ack");
  assert.deepEqual(
    seen.slice(first - 1).filter((what) => what !== "POST work heartbeat"),
    [
      "GET work poll",
      "POST work ack",
      "GET sessions",
      "GET sessions events stream",
      "GET sessions events",
      "POST sessions events",
      "POST work stop",
      "GET work poll",
    ],
  );
  assert.equal(seen[first + 1], "POST work heartbeat");
  const types = worker.told.map(({ type }) => type);
  assert.deepEqual(types.slice(0, 4), ["connected", "took", "ran", "sent"]);
});

test("[EWK2] a call that asks is run when it is allowed, and not when it is denied; custom tools are left alone", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling(
    `${bash("echo allowed >>said; cat said")} | ${bash("echo denied >>said")} | look {"at": 1} | ${bash("cat said")}`,
    "always_ask",
  );
  const [first = "", denied = "", look = "", last = ""] = calls;
  await sessions.send(session, confirm(first, "allow"));
  const worker = start(hosted);
  await worker.tells("sent", (report) => report.call === first);
  await sessions.send(session, confirm(denied, "deny"));
  await sessions.send(session, confirm(last, "allow"));
  await worker.tells("sent", (report) => report.call === last);
  await sessions.send(session, customResult(look, "seen"));
  await turnEnd(session);
  assert.deepEqual(await results(session), ["allowed", "allowed"]);
  assert.equal(worker.told.filter(({ type }) => type === "ran").length, 2);
  await worker.stop();
});

test("[EWK2] calls are run one after the other, in their order", async () => {
  const hosted = await open();
  const step = (name: string) =>
    bash(`echo begin ${name} >>log; sleep 0.2; echo end ${name} >>log; cat log`);
  const { session } = await hosted.calling(["a", "b", "c"].map(step).join(" | "));
  const worker = start(hosted);
  await turnEnd(session);
  await worker.stop();
  const last = (await results(session)).at(-1);
  assert.equal(last, "begin a\nend a\nbegin b\nend b\nbegin c\nend c");
});

test("[EWK6] the call of a session that is archived ends at once", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(bash("sleep 100001"));
  const worker = start(hosted);
  await until(async () => sleeping(100_001) === 1, "the call to run");
  await sessions.archive(session);
  await until(async () => sleeping(100_001) === 0, "its processes to be gone");
  await worker.stop();
});

test("[EWK6] an interrupt ends the call that runs at once, and the session goes on in the same files", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(bash("echo begun >mark; sleep 100000"));
  const worker = start(hosted);
  await worker.tells("took");
  await until(async () => sleeping(100_000) === 1, "the call to run");
  await sessions.send(session, interrupt);
  const dropped = await worker.tells("dropped");
  assert.equal(dropped.reason, "it was answered meanwhile");
  await until(async () => sleeping(100_000) === 0, "its processes to be gone");
  assert.deepEqual(await results(session), []);
  await call(session, bash("cat mark"));
  await worker.tells("sent");
  await turnEnd(session);
  assert.deepEqual(
    (await results(session)).map((words) => words.split("\n")[0]),
    ["begun"],
  );
  await worker.stop();
});

test("[EWK10] a check is answered, and the server counts this worker by its name", async () => {
  const hosted = await open();
  const worker = start(hosted);
  await worker.tells("connected");
  const check = await env.good<{ id: string }>("POST", `/${hosted.id}/check`);
  const { work } = await worker.tells("checked");
  assert.equal(work, check.id);
  assert.equal((await hosted.read(check.id)).state, "stopped");
  const stats = await env.good<{ workers_polling: number }>("GET", `/${hosted.id}/work/stats`);
  assert.equal(stats.workers_polling, 1);
  await worker.stop();
});

test("[EWK15] the skills of the agent lie where its model is told, executable ones too", async () => {
  const hosted = await open();
  const key = house.organizations.platform.api_key;
  const body = formOf(folder({ "pdf-forms/run.sh": "#!/bin/sh\necho ran" }));
  const made = await fetch(`${house.url}${skillsPath}`, {
    method: "POST",
    body,
    headers: { "x-api-key": key, "vendor-version": "2026-10-21" },
  });
  const skill = (await made.json()) as { id: string };
  assert.equal(made.status, 200, JSON.stringify(skill));
  const agent = await sessions.agent({
    tools: [computer()],
    skills: [{ type: "custom", skill_id: skill.id, version: "latest" }],
  });
  const session = await sessions.begin({
    agent: agent.id,
    environment_id: hosted.id,
    initial_events: [
      said(
        `[[tools ${bash("head -2 skills/pdf-forms/SKILL.md; sh skills/pdf-forms/run.sh; ls -a skills")}]]`,
      ),
    ],
  });
  const worker = start(hosted);
  await turnEnd(session.id);
  assert.deepEqual(await results(session.id), ["---\nname: pdf-forms\nran\n.\n..\npdf-forms"]);
  assert.deepEqual(ofType(worker.told, "failed"), []);
  await worker.stop();
});

test("[EWK17] with one place a second session is taken when the first one rests", async () => {
  const hosted = await open();
  const first = await hosted.calling(bash("echo first"));
  const second = await hosted.calling(bash("echo second"));
  const worker = start(hosted, { sessionsMax: 1 });
  for (const { session } of [first, second]) await turnEnd(session);
  await worker.tells("done", ({ session }) => session === second.session);
  const steps = worker.told.flatMap((report) =>
    report.type === "took" || report.type === "done" ? [`${report.type} ${report.session}`] : [],
  );
  assert.deepEqual(steps, [
    `took ${first.session}`,
    `done ${first.session}`,
    `took ${second.session}`,
    `done ${second.session}`,
  ]);
  await worker.stop();
});

test("[EWK19] sandboxes reach what the worker allows, and refusals are told once", async () => {
  const target = createServer((_request, response) => response.end("reached"));
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  after(() => target.close());
  const { port } = target.address() as AddressInfo;
  const hosted = await open();
  const ask = (host: string) =>
    `curl -sS --noproxy '' --proxy http://127.0.0.1:3128 http://${host}:${port}/ 2>&1; echo`;
  const { session } = await hosted.calling(
    [ask("127.0.0.1"), ask("other.example"), ask("other.example")].map(bash).join(" | "),
  );
  const worker = start(hosted, {
    sections: { network: { allow_private_addresses: ["127.0.0.1"] } },
    network: { type: "limited", hosts: [{ host: "127.0.0.1" }] },
  });
  const texts = ofType(await turnEnd(session), "user.tool_result").map(textOf);
  assert.equal(texts[0], "reached");
  assert.match(texts[1] ?? "", /the worker of this session does not allow the host.*--hosts/);
  await worker.stop();
  const refused = worker.told.filter(({ type }) => type === "refused");
  assert.deepEqual(refused, [
    { type: "refused", session, host: "other.example", port, reason: "host" },
  ]);
});
