// Upstreams of our own wire that get it wrong: what can be mended is, and the rest is a clean failure.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { StreamEvent } from "../../server/models/types.ts";
import { messagesAdapter } from "../../server/models/upstreams/messages.ts";
import { collect, fakeUpstream, request, streamOf, world } from "./fake.ts";
import { plainFrame, plainStream, sampleEvents } from "./sample.ts";

async function upstream(t: TestContext) {
  const fake = await fakeUpstream();
  const adapter = messagesAdapter({ ...world, baseUrl: fake.url, key: "sk-up" });
  t.after(async () => {
    await adapter.close();
    await fake[Symbol.asyncDispose]();
  });
  return { fake, adapter };
}

type Fields = Record<string, unknown>;

/** The sample with other counts at its start and at its end. */
const streamWith = (atStart: unknown, atEnd: unknown) =>
  sampleEvents
    .map((event): StreamEvent => {
      if (event.type === "message_delta") return { ...event, usage: atEnd };
      if (event.type !== "message_start") return event;
      return { ...event, message: { ...(event["message"] as Fields), usage: atStart } };
    })
    .map(plainFrame)
    .join("");

const deltas = sampleEvents.filter(({ type }) => type === "content_block_delta").length;

test("counts that are none are estimated or left out, in a stream", async (t) => {
  const { fake, adapter } = await upstream(t);
  const ask = async (atStart: unknown, atEnd: unknown) => {
    fake.answer = streamOf(streamWith(atStart, atEnd));
    const attempt = await adapter.attempt(request());
    if (attempt.kind !== "stream") return assert.fail(attempt.kind);
    const { events, error } = await collect(attempt.events);
    assert.equal(error, undefined);
    const all = events.map((event) => event.data());
    const start = all.find(({ type }) => type === "message_start")?.["message"] as Fields;
    return [
      start["usage"],
      all.find(({ type }) => type === "message_delta")?.["usage"],
    ] as Fields[];
  };
  for (const [atStart, atEnd] of [
    [undefined, undefined],
    [null, null],
    [{}, {}],
    [[], "none"],
    [
      { input_tokens: "a", output_tokens: -3 },
      { input_tokens: -1, output_tokens: 1.5, cache_read_input_tokens: "x" },
    ],
    [
      { input_tokens: 1e300, output_tokens: 2e9 },
      { output_tokens: 1e15, cache_creation_input_tokens: Number.MAX_SAFE_INTEGER },
    ],
  ]) {
    const [start, end] = await ask(atStart, atEnd);
    assert.ok(Number(start?.["input_tokens"]) > 0, JSON.stringify([atStart, start]));
    assert.equal(start?.["output_tokens"], 0);
    assert.deepEqual(end, { output_tokens: deltas });
  }
  const odd = {
    input_tokens: 5,
    output_tokens: 1,
    cache_creation: { ephemeral_1h_input_tokens: "x" },
  };
  const [start, end] = await ask(odd, { output_tokens: 7, something: "new", input_tokens: null });
  assert.deepEqual(start, { ...odd, cache_creation: null });
  assert.deepEqual(end, { output_tokens: 7, something: "new", input_tokens: null });
});

test("a stream without its beginning, or without the fields of one, is refused before output", async (t) => {
  const { fake, adapter } = await upstream(t);
  const [, ...rest] = sampleEvents;
  for (const events of [
    rest,
    [{ type: "ping" }, ...rest],
    [{ type: "message_start", message: null }, ...rest],
    [{ type: "message_start" }, ...rest],
    [{ type: "message_stop" }],
  ]) {
    fake.answer = streamOf(events.map((event) => plainFrame(event)).join(""));
    const attempt = await adapter.attempt(request());
    const failure = attempt.kind === "stream" ? (await collect(attempt.events)).error : attempt;
    assert.match(
      String(failure instanceof Error ? failure.message : (failure as { failure: Error }).failure),
      /out of order, or without its fields/,
    );
  }
  for (const broken of [{ index: "0" }, { index: undefined }, { content_block: null }]) {
    const started = sampleEvents.map((event) =>
      event.type === "content_block_start" ? { ...event, ...broken } : event,
    );
    fake.answer = streamOf(started.map(plainFrame).join(""));
    const attempt = await adapter.attempt(request());
    const { error } = await collect(attempt.kind === "stream" ? attempt.events : assert.fail());
    assert.match(String(error), /content_block_start out of order, or without its fields/);
  }
  const endless = sampleEvents.map((event) =>
    event.type === "message_delta" ? { ...event, delta: null } : event,
  );
  fake.answer = streamOf(endless.map(plainFrame).join(""));
  const attempt = await adapter.attempt(request());
  const { error } = await collect(attempt.kind === "stream" ? attempt.events : assert.fail());
  assert.match(String(error), /message_delta out of order, or without its fields/);
});

test("an end in several events is one: later counts hold, and nothing that was said is lost", async (t) => {
  const { fake, adapter } = await upstream(t);
  const ask = async (ends: object[], last: object[] = [{ type: "message_stop" }]) => {
    const before = sampleEvents.filter(({ type }) => !/^message_(delta|stop)$/.test(type));
    const events = [...before, ...ends, ...last] as StreamEvent[];
    fake.answer = streamOf(events.map(plainFrame).join(""));
    const attempt = await adapter.attempt(request());
    const { events: seen, error } = await collect(
      attempt.kind === "stream" ? attempt.events : assert.fail(),
    );
    const said = seen.map((event) => event.data()).filter(({ type }) => type !== "ping");
    return { error, said: said.slice(before.filter(({ type }) => type !== "ping").length) };
  };
  const end = (delta: object, usage: object) => ({ type: "message_delta", delta, usage });
  const [early, late] = [
    end({ stop_reason: null, stop_sequence: null }, { output_tokens: 3, input_tokens: 8 }),
    end({ stop_reason: "tool_use" }, { output_tokens: 9, input_tokens: null }),
  ];
  const delta = { stop_reason: "tool_use", stop_sequence: null };
  const merged = end(delta, { output_tokens: 9, input_tokens: 8 });
  const stop = { type: "message_stop" };
  assert.deepEqual((await ask([early, { type: "ping" }, late])).said, [merged, stop]);
  // The last word of some servers is missing: the end is good all the same.
  const cut = await ask([early, late], []);
  assert.deepEqual(cut.said, [merged]);
  const failing = { type: "error", error: { type: "overloaded_error", message: "busy" } };
  assert.deepEqual((await ask([late], [failing])).said, [late, failing]);
  for (const none of [end({}, {}), end({ stop_reason: null }, {}), { type: "message_delta" }])
    assert.match(String((await ask([none])).error), /message_delta out of order, or without/);
});

test("a stream that is sound is not touched", async (t) => {
  const { fake, adapter } = await upstream(t);
  fake.answer = streamOf(plainStream);
  const attempt = await adapter.attempt(request());
  const { events } = await collect(attempt.kind === "stream" ? attempt.events : assert.fail());
  assert.equal(events.map(({ raw }) => raw).join(""), plainStream);
});

test("counts and content of a whole message", async (t) => {
  const { fake, adapter } = await upstream(t);
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "12345678" }],
    stop_reason: "end_turn",
  };
  const ask = async (patch: object) => {
    fake.answer = ({ reply }) => reply(200, JSON.stringify({ ...message, ...patch }));
    return adapter.attempt(request({ stream: false }));
  };
  for (const usage of [undefined, null, {}, { input_tokens: "a", output_tokens: -5 }, 7]) {
    const attempt = await ask({ usage });
    if (attempt.kind !== "message") assert.fail(JSON.stringify(usage));
    assert.ok(attempt.message.usage.input_tokens > 0);
    assert.equal(attempt.message.usage.output_tokens, 2);
  }
  const usage = { input_tokens: 3, output_tokens: 4 };
  const good = await ask({ usage });
  assert.deepEqual(good.kind === "message" && good.message.usage, usage);
  for (const content of [[null], ["x"], [{ text: "x" }], {}, null])
    assert.equal((await ask({ usage, content })).kind, "failure");
});

test("the key goes out under both names that servers of this wire ask for", async (t) => {
  const { fake, adapter } = await upstream(t);
  fake.answer = ({ reply }) => reply(200, "{}");
  await adapter.attempt(request({ stream: false }));
  const { headers } = fake.asked[0] ?? assert.fail();
  assert.deepEqual([headers["x-api-key"], headers["authorization"]], ["sk-up", "Bearer sk-up"]);
});
