// Rules EWK3, EWK4, EWK7, EWK8 and EWK12: several workers, work that is taken away, and servers that are away.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { good, tokenOf } from "../rules/environments-work-house.ts";
import { ofType } from "../rules/sessions-house.ts";
import { until } from "../rules/support.ts";
import { openStepProxy } from "./step-proxy.ts";
import { bash, sleeping, workersOf } from "./worker-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open, start, turnEnd, results, call } = workersOf(() => house);

test("[EWK3] two workers that race run each call of several sessions once, and no session has both", async () => {
  const hosted = await open();
  const workers = [start(hosted), start(hosted)];
  for (const worker of workers) await worker.tells("connected");
  const begun = await Promise.all(
    [1, 2, 3, 4].map((at) => hosted.calling(`${bash(`echo ${at}a`)} | ${bash(`echo ${at}b`)}`)),
  );
  for (const { session } of begun) await turnEnd(session);
  for (const [at, { session }] of begun.entries())
    assert.deepEqual(await results(session), [`${at + 1}a`, `${at + 1}b`]);
  await Promise.all(workers.map((worker) => worker.stop()));
  const ran = workers.map(({ told }) => ofType(told, "ran") as { session: string; call: string }[]);
  const calls = ran.flat().map(({ call }) => call);
  assert.deepEqual(calls.toSorted(), begun.flatMap((each) => each.calls).toSorted());
  const [one, two] = ran.map((each) => new Set(each.map(({ session }) => session)));
  assert.ok(one?.isDisjointFrom(two ?? new Set()));
});

test("[EWK3] work that another worker acknowledges first is left to it", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(bash("echo mine"));
  await using proxy = await openStepProxy(house.url);
  let isTaken = false;
  proxy.before = async (what) => {
    if (what !== "POST work ack" || isTaken) return undefined;
    isTaken = true;
    const work = await hosted.poll("?reclaim_older_than_ms=0");
    assert.equal(work?.data.id, session);
    good(await hosted.tryAck(work.id));
    await hosted.beat(work.id, tokenOf(work));
    return undefined;
  };
  const worker = start(hosted, { baseUrl: proxy.url });
  await until(async () => isTaken && proxy.seen.at(-1) === "GET work poll", "the next poll");
  await worker.stop();
  assert.deepEqual(
    worker.told.map(({ type }) => type),
    ["connected", "stopping"],
  );
  assert.deepEqual(await results(session), []);
});

test("[EWK3][EWK4] where another worker was faster and no answer says so, the session is left alone", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(bash("echo mine"));
  await using proxy = await openStepProxy(house.url);
  let isTaken = false;
  proxy.before = async (what) => {
    if (what !== "POST work ack" || isTaken) return undefined;
    isTaken = true;
    const work = (await hosted.poll("?reclaim_older_than_ms=0")) ?? assert.fail("no work");
    good(await hosted.tryAck(work.id));
    await hosted.beat(work.id, tokenOf(work));
    // It may have counted: the next one is refused, and the first heartbeat tells whose the work is.
    return "cut";
  };
  const worker = start(hosted, { baseUrl: proxy.url });
  const { reason } = await worker.tells("lost");
  assert.equal(reason, "Another worker holds it.");
  await worker.stop();
  assert.ok(!proxy.seen.includes("GET sessions"));
  assert.ok(!proxy.seen.includes("POST work stop"));
  assert.deepEqual(await results(session), []);
});

test("[EWK4] work that somebody stops at once ends all that runs of it", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(`${bash("sleep 300001")} | ${bash("echo never >mark")}`);
  const worker = start(hosted);
  const { work } = await worker.tells("took");
  await until(async () => sleeping(300_001) === 1, "the call to run");
  good(await hosted.tryStop(work, undefined, { force: true }));
  await worker.tells("lost", (report) => report.work === work);
  await until(async () => sleeping(300_001) === 0, "its processes to be gone");
  await turnEnd(session);
  const words = await results(session);
  assert.equal(words.length, 2);
  for (const each of words) assert.match(each, /^error: .*the outcome is unknown/);
  assert.ok(!worker.told.some(({ type }) => type === "sent"));
  await worker.stop();
});

test("[EWK12] work that somebody asks to stop has its time, and the call is answered", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(bash("sleep 300002"));
  const worker = start(hosted, { graceMs: 200 });
  const { work } = await worker.tells("took");
  await until(async () => sleeping(300_002) === 1, "the call to run");
  good(await hosted.tryStop(work, undefined, {}));
  const done = await worker.tells("done", (report) => report.work === work);
  assert.equal(done.reason, "the worker was asked to stop");
  await turnEnd(session);
  assert.match(
    (await results(session)).join(),
    /^error: The worker was stopped while this call ran/,
  );
  assert.equal(sleeping(300_002), 0);
  await worker.stop();
});

test("[EWK7] a call goes on while the server is away, and its result gets to the one that comes back", async () => {
  const hosted = await open();
  await using proxy = await openStepProxy(house.url);
  await using second = await house.openSecondServer();
  const { session } = await hosted.calling(bash("sleep 3.25; echo ended"));
  const worker = start(hosted, { baseUrl: proxy.url });
  await until(async () => sleeping(3.25) === 1, "the call to run");
  proxy.lead(undefined);
  await worker.tells("ran");
  assert.deepEqual(await results(session), []);
  await worker.tells("waiting");
  proxy.lead(second.url);
  await worker.tells("sent");
  await turnEnd(session);
  assert.deepEqual(await results(session), ["ended"]);
  assert.equal(ofType(worker.told, "lost").length, 0);
  await worker.stop();
});

test("[EWK7] a result whose answer was lost is sent again, and was taken", async () => {
  const hosted = await open();
  await using proxy = await openStepProxy(house.url);
  let sent = 0;
  proxy.after = (what) => (what === "POST sessions events" && ++sent === 1 ? "cut" : undefined);
  // The stream tells nothing of it meanwhile.
  proxy.before = (what) =>
    what === "GET sessions events stream" && sent > 0 && sent < 2 ? "cut" : undefined;
  const { session } = await hosted.calling(bash("echo once"));
  const worker = start(hosted, { baseUrl: proxy.url });
  await worker.tells("sent");
  await turnEnd(session);
  assert.deepEqual(await results(session), ["once"]);
  assert.deepEqual(ofType(worker.told, "dropped"), []);
  await worker.stop();
});

test("[EWK7] what was said while the connection was broken is read from the list", async () => {
  const hosted = await open();
  await using proxy = await openStepProxy(house.url);
  const { session } = await hosted.calling(bash("echo first"));
  const worker = start(hosted, { baseUrl: proxy.url });
  await worker.tells("sent");
  await turnEnd(session);
  proxy.lead(undefined);
  await worker.tells("waiting", ({ reason }) => reason.startsWith(session));
  await call(session, bash("echo second"));
  await until(async () => ofType(await hosted.list(), "work").length === 1, "one piece of work");
  proxy.lead(house.url);
  await until(async () => (await results(session)).length === 2, "the second call");
  await turnEnd(session);
  assert.equal(ofType(worker.told, "took").length, 1);
  await worker.stop();
});

test("[EWK8] a heartbeat whose answer was lost is taken for the worker's own", async () => {
  const hosted = await open();
  await using proxy = await openStepProxy(house.url);
  let beats = 0;
  proxy.after = (what) => (what === "POST work heartbeat" && ++beats === 1 ? "cut" : undefined);
  const { session } = await hosted.calling(bash("echo kept"));
  const worker = start(hosted, { baseUrl: proxy.url });
  await worker.tells("sent");
  await turnEnd(session);
  assert.deepEqual(await results(session), ["kept"]);
  assert.equal(beats, 3);
  assert.deepEqual(ofType(worker.told, "lost"), []);
  await worker.stop();
});
