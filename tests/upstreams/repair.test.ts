// Upstreams of our own wire that get it wrong: what can be mended is, and the rest is a clean failure.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { StreamEvent } from "../../server/models/types.ts";
import { messagesAdapter } from "../../server/models/messages/adapter.ts";
import { collectEvents, fakeUpstream, request, streamedReply, world } from "./fake.ts";
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
    fake.answer = streamedReply(events.map((event) => plainFrame(event)).join(""));
    const attempt = await adapter.attempt(request());
    const failure =
      attempt.kind === "stream" ? (await collectEvents(attempt.events)).error : attempt;
    assert.match(
      String(failure instanceof Error ? failure.message : (failure as { failure: Error }).failure),
      /out of order, or without its fields/,
    );
  }
  for (const broken of [{ index: "0" }, { index: undefined }, { content_block: null }]) {
    const started = sampleEvents.map((event) =>
      event.type === "content_block_start" ? { ...event, ...broken } : event,
    );
    fake.answer = streamedReply(started.map(plainFrame).join(""));
    const attempt = await adapter.attempt(request());
    const { error } = await collectEvents(
      attempt.kind === "stream" ? attempt.events : assert.fail(),
    );
    assert.match(String(error), /content_block_start out of order, or without its fields/);
  }
  const endless = sampleEvents.map((event) =>
    event.type === "message_delta" ? { ...event, delta: null } : event,
  );
  fake.answer = streamedReply(endless.map(plainFrame).join(""));
  const attempt = await adapter.attempt(request());
  const { error } = await collectEvents(attempt.kind === "stream" ? attempt.events : assert.fail());
  assert.match(String(error), /message_delta out of order, or without its fields/);
});

test("an end in several events is one: later counts hold, and nothing that was said is lost", async (t) => {
  const { fake, adapter } = await upstream(t);
  const ask = async (ends: object[], last: object[] = [{ type: "message_stop" }]) => {
    const before = sampleEvents.filter(({ type }) => !/^message_(delta|stop)$/.test(type));
    const events = [...before, ...ends, ...last] as StreamEvent[];
    fake.answer = streamedReply(events.map(plainFrame).join(""));
    const attempt = await adapter.attempt(request());
    const { events: seen, error } = await collectEvents(
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
  fake.answer = streamedReply(plainStream);
  const attempt = await adapter.attempt(request());
  const { events } = await collectEvents(
    attempt.kind === "stream" ? attempt.events : assert.fail(),
  );
  assert.equal(events.map(({ raw }) => raw).join(""), plainStream);
});

test("a whole message holds blocks", async (t) => {
  const { fake, adapter } = await upstream(t);
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", usage: {} };
  const ask = async (content: unknown) => {
    fake.answer = ({ reply }) => reply(200, JSON.stringify({ ...message, content }));
    return (await adapter.attempt(request({ stream: false }))).kind;
  };
  for (const content of [[null], ["x"], [{ text: "x" }], {}, null])
    assert.equal(await ask(content), "failure");
  assert.equal(await ask([{ type: "text", text: "x" }]), "message");
});

test("the key goes out under both names that servers of this wire ask for", async (t) => {
  const { fake, adapter } = await upstream(t);
  fake.answer = ({ reply }) => reply(200, "{}");
  await adapter.attempt(request({ stream: false }));
  const { headers } = fake.requests[0] ?? assert.fail();
  assert.deepEqual([headers["x-api-key"], headers["authorization"]], ["sk-up", "Bearer sk-up"]);
});
