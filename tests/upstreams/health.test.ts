// How an upstream fares, as its adapter sees it: rule MDL15 without HTTP in front.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { combineHealth } from "../../server/models/health/shown.ts";
import { makeSimulator } from "../../server/models/simulator/adapter.ts";
import type { Adapter, Attempt, AttemptRequest, StreamEvent } from "../../server/models/types.ts";
import { chatAdapter } from "../../server/models/chat/adapter.ts";
import { healthRecord, minuteOf, type UpstreamHealth } from "../../server/models/health/record.ts";
import { messagesAdapter } from "../../server/models/messages/adapter.ts";
import { collectEvents, fakeUpstream, request, streamedReply, waitUntil, world } from "./fake.ts";
import { plainFrame, sampleEvents } from "./sample.ts";

const messageText = JSON.stringify({ type: "message", content: [], usage: {} });
const counts = ({ minutes }: UpstreamHealth) => [
  minutes.reduce((sum, { answered }) => sum + answered, 0),
  minutes.reduce((sum, { failed }) => sum + failed, 0),
];
const plain = (events: readonly StreamEvent[]) => events.map(plainFrame).join("");

const eventsIn = (attempt: Attempt) =>
  attempt.kind === "stream" ? attempt.events : assert.fail(attempt.kind);

async function attemptAt(adapter: Adapter, given: Partial<AttemptRequest> = {}) {
  const attempt = await adapter.attempt(request(given));
  if (attempt.kind === "stream") await collectEvents(attempt.events);
  return attempt;
}

async function openUpstream(t: { after(fn: () => Promise<void>): void }) {
  const fake = await fakeUpstream();
  const adapter = messagesAdapter({ baseUrl: fake.url, ...world });
  t.after(async () => {
    await adapter.close();
    await fake[Symbol.asyncDispose]();
  });
  return { fake, adapter };
}

test("[MDL15] answers count when they are over, whole and streamed; both tell how long they took to begin", async (t) => {
  const { fake, adapter } = await openUpstream(t);
  assert.deepEqual(adapter.health(), {
    open: 0,
    lastSuccessAt: null,
    lastFailureAt: null,
    failingSince: null,
    lastFailure: null,
    answerMs: [],
    minutes: [],
  });
  fake.answer = ({ reply }) => reply(200, messageText);
  await attemptAt(adapter, { stream: false });
  assert.deepEqual(counts(adapter.health()), [1, 0]);
  const goOn = Promise.withResolvers<void>();
  fake.answer = async ({ head, chunk, end }) => {
    head(200);
    chunk(plain(sampleEvents.slice(0, 2)));
    await goOn.promise;
    chunk(plain(sampleEvents.slice(2)));
    end();
  };
  const attempt = await adapter.attempt(request());
  assert.equal(adapter.health().answerMs.length, 2);
  assert.deepEqual(counts(adapter.health()), [1, 0], "it has begun, and is not over");
  goOn.resolve();
  await collectEvents(eventsIn(attempt));
  assert.deepEqual(counts(adapter.health()), [2, 0]);
  assert.ok((adapter.health().lastSuccessAt ?? 0) > Date.now() - 60_000);
});

test("[MDL15] what the upstream refuses, breaks or does not say is a failure, with its code; what a request got wrong is none", async (t) => {
  const { fake, adapter } = await openUpstream(t);
  let failed = 0;
  let answered = 0;
  const expect = async (code: string | undefined, what: Partial<AttemptRequest> = {}) => {
    await attemptAt(adapter, what);
    if (code === undefined) answered++;
    else failed++;
    const health = adapter.health();
    assert.deepEqual(counts(health), [answered, failed], code ?? "answered");
    if (code !== undefined) assert.equal(health.lastFailure, code);
    assert.equal(health.failingSince !== null, code !== undefined);
  };
  for (const status of [400, 413, 422]) {
    fake.answer = ({ reply }) => reply(status, "{}");
    await expect(undefined);
  }
  for (const status of [301, 401, 403, 404, 429, 500, 529]) {
    fake.answer = ({ reply }) => reply(status, "{}");
    await expect(`status ${status}`);
  }
  const since = adapter.health().failingSince;
  fake.answer = streamedReply(plain(sampleEvents.slice(0, 2)));
  await expect("ENDED_EARLY");
  assert.equal(adapter.health().failingSince, since, "the first of a row says since when");
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "busy" } };
  fake.answer = streamedReply(plain([overloaded]));
  await expect("overloaded_error");
  fake.answer = streamedReply(plain([...sampleEvents.slice(0, 2), overloaded]));
  await expect("overloaded_error");
  fake.answer = ({ reply }) => reply(200, "<html>");
  await expect("api_error", { stream: false });
  await expect("api_error");
  fake.answer = streamedReply(plain(sampleEvents));
  await expect(undefined);
});

test("[MDL15] no connection is one failure, however often it was tried; whoever goes away is no failure", async (t) => {
  const { fake, adapter } = await openUpstream(t);
  const gone = await fakeUpstream();
  await gone[Symbol.asyncDispose]();
  const unreachable = messagesAdapter({ baseUrl: gone.url, ...world });
  await attemptAt(unreachable);
  assert.equal(unreachable.health().lastFailure, "ECONNREFUSED");
  assert.deepEqual(counts(unreachable.health()), [0, 1]);
  await unreachable.close();

  fake.answer = ({ head, chunk }) => {
    head(200);
    chunk(plain(sampleEvents.slice(0, 2)));
  };
  const leaving = new AbortController();
  const attempt = await adapter.attempt(request({ signal: leaving.signal }));
  const reading = collectEvents(eventsIn(attempt));
  assert.equal(adapter.health().open, 1);
  leaving.abort(new Error("gone"));
  await reading;
  await waitUntil("nothing is under way", () => adapter.health().open === 0);
  assert.deepEqual(counts(adapter.health()), [1, 0]);
});

test("[MDL15] a request that chat completions cannot say was never asked, and says nothing of the upstream", async (t) => {
  const fake = await fakeUpstream();
  const adapter = chatAdapter({ baseUrl: fake.url, estimate: () => 1, ...world });
  t.after(async () => {
    await adapter.close();
    await fake[Symbol.asyncDispose]();
  });
  const body = { ...request().body, top_k: 4 };
  assert.equal((await attemptAt(adapter, { body })).kind, "failure");
  assert.equal(fake.requests.length, 0);
  assert.deepEqual(counts(adapter.health()), [0, 0]);
});

test("[MDL15] the simulator fares as it is told to", async () => {
  let ids = 0;
  const adapter = makeSimulator({ ...world, ids: { next: (prefix) => `${prefix}${++ids}` } });
  const ask = (content: string, stream = false) =>
    attemptAt(adapter, {
      stream,
      body: { ...request().body, messages: [{ role: "user", content }] },
    });
  await ask("Hello");
  await ask("Hello", true);
  await ask("[[fail status=529]]");
  assert.equal(adapter.health().lastFailure, "status 529");
  await ask("[[fail status=500 after=2]] a longer answer than that", true);
  await ask("[[fail status=400]]");
  assert.deepEqual(counts(adapter.health()), [3, 2]);
  assert.equal(adapter.health().open, 0);
});

test("[MDL15] the numbers of several processes are added up, and the last outcome of any decides", () => {
  const clock = makeManualClock(new Date("2026-11-20T12:00:30Z"));
  const [one, two] = [healthRecord(clock), healthRecord(clock)];
  const now = () => combineHealth("barn", [one.read(), two.read()], minuteOf(clock.now()));
  assert.equal(now().state, "not_asked");
  assert.equal(now().answer_ms, null);
  assert.equal(combineHealth("barn", [], minuteOf(clock.now())).lately.by_minute.length, 30);

  one.opened();
  two.opened();
  two.opened();
  for (const ms of [10, 30, 20]) one.began(ms);
  for (const ms of [40, 1_000]) two.began(ms);
  one.succeeded();
  assert.deepEqual([now().state, now().open, now().answer_ms], ["works", 3, 30]);

  clock.advance(60_000);
  one.failed("status 500");
  const since = clock.now().toISOString();
  clock.advance(60_000);
  two.failed("status 529");
  assert.deepEqual([now().state, now().failing_since], ["failing", since]);
  assert.deepEqual(now().last_failure, { at: clock.now().toISOString(), code: "status 529" });
  assert.deepEqual(now().lately.by_minute.slice(-3), [
    { answered: 1, failed: 0 },
    { answered: 0, failed: 1 },
    { answered: 0, failed: 1 },
  ]);

  clock.advance(1_000);
  two.succeeded();
  assert.deepEqual([now().state, now().failing_since], ["works", null]);
  clock.advance(1_000);
  one.failed("status 500");
  assert.equal(now().failing_since, clock.now().toISOString(), "it worked in between");
  assert.deepEqual([now().lately.answered, now().lately.failed], [2, 3]);
  clock.advance(30 * 60_000);
  assert.deepEqual([now().lately.answered, now().lately.failed, now().state], [0, 0, "failing"]);
});
