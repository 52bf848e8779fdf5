// Streams of chat completions: each server's shape, cut at every byte, gives the same message.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import { chatAdapter } from "../../server/models/chat/adapter.ts";
import { chatReader } from "../../server/models/chat/stream.ts";
import { accumulate } from "./accumulate.ts";
import { collectEvents, fakeUpstream, request, streamedReply, waitUntil, world } from "./fake.ts";
import { transcripts } from "./transcripts.ts";

async function upstream(t: { after(fn: () => Promise<void>): void }) {
  const fake = await fakeUpstream();
  const adapter = chatAdapter({
    baseUrl: `${fake.url}/v1`,
    key: "sk-up",
    estimate: () => 11,
    ...world,
  });
  t.after(async () => {
    await adapter.close();
    await waitUntil("no connection is left", () => fake.open() === 0);
    await fake[Symbol.asyncDispose]();
  });
  return { fake, adapter };
}

/** All that the reader says of these pieces, as parsed events. */
function eventsOf(pieces: readonly Buffer[]) {
  const { scanner, eventsOf, end } = chatReader(request(), 11);
  const events = pieces.flatMap((piece) => scanner.push(piece).flatMap((block) => eventsOf(block)));
  const rest = eventsOf(scanner.end());
  const seen = [...events, ...rest];
  const all = seen.at(-1)?.name === "message_stop" ? seen : [...seen, ...end()];
  return all.map((event) => event.data());
}

for (const [name, { text, content, stopReason, usage }] of Object.entries(transcripts)) {
  test(`over a socket: ${name}`, async (t) => {
    const { fake, adapter } = await upstream(t);
    fake.answer = streamedReply(text);
    const attempt = await adapter.attempt(request());
    const seen = attempt.kind === "stream" ? await collectEvents(attempt.events) : assert.fail();
    assert.equal(seen.error, undefined);
    const message = accumulate(seen.events.map((event) => event.data()));
    assert.deepEqual(message["content"], content);
    assert.equal(message["stop_reason"], stopReason);
    assert.equal(message["model"], "house-large");
    const counts = message["usage"] as Record<string, number>;
    assert.deepEqual(
      [counts["input_tokens"], counts["cache_read_input_tokens"], counts["output_tokens"]],
      usage,
    );
    const details = { type: "refusal", category: null, explanation: null };
    assert.deepEqual(message["stop_details"], stopReason === "refusal" ? details : null);
  });

  test(`cut at every byte: ${name}`, () => {
    const bytes = Buffer.from(text);
    const whole = eventsOf([bytes]);
    for (let cut = 1; cut < bytes.length; cut++)
      assert.deepEqual(eventsOf([bytes.subarray(0, cut), bytes.subarray(cut)]), whole, `${cut}`);
    assert.deepEqual(eventsOf([...bytes].map((byte) => Buffer.from([byte]))), whole);
  });
}

test("what goes out first names its input by estimate; pieces of an answer go out as they come", () => {
  const text = transcripts["calls that interleave"]?.text ?? "";
  const { scanner, eventsOf } = chatReader(request(), 11);
  const [first = "", second = ""] = scanner.push(Buffer.from(text));
  const names = eventsOf(first).map(({ name }) => name);
  assert.deepEqual(names, ["message_start", "content_block_start", "content_block_delta"]);
  // The second call waits until the first is whole.
  const [stop, start, delta, ...none] = eventsOf(second).map((event) => event.data());
  assert.equal(stop?.type, "content_block_stop");
  assert.deepEqual(start, {
    type: "content_block_start",
    index: 1,
    content_block: {
      type: "tool_use",
      id: "a",
      name: "one",
      input: {},
      caller: { type: "direct" },
    },
  });
  assert.deepEqual(delta?.["delta"], { type: "input_json_delta", partial_json: '{"x"' });
  assert.deepEqual(none, []);
});

const chunk = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const start = chunk({ id: "x", choices: [{ index: 0, delta: { content: "Hi" } }] });

const callOf = (text: string) =>
  chunk({
    choices: [{ delta: { tool_calls: [{ id: "a", function: { name: "t", arguments: text } }] } }],
  });
const whole = `${chunk({ choices: [{ delta: {}, finish_reason: "tool_calls" }] })}data: [DONE]\n\n`;

test("a call that was cut is no fault where the answer was; only the first choice is read; thoughts are counted", () => {
  const cut = chunk({ choices: [{ delta: {}, finish_reason: "length" }] });
  const other = chunk({
    choices: [{ index: 1, delta: { content: "no" }, finish_reason: "stop" }],
    usage: { completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 4 } },
  });
  const { scanner, eventsOf } = chatReader(request(), 11);
  const events = scanner
    .push(Buffer.from(`${start}${other}${callOf('{"k":')}${cut}data: [DONE]\n\n`))
    .flatMap((block) => eventsOf(block).map((event) => event.data()));
  const text = events.map(({ delta }) => (delta as { text?: string } | undefined)?.text ?? "");
  assert.equal(text.join(""), "Hi");
  const end = events.find(({ type }) => type === "message_delta");
  assert.equal(
    (end?.["delta"] as Record<string, unknown> | undefined)?.["stop_reason"],
    "max_tokens",
  );
  const usage = end?.["usage"] as Record<string, unknown>;
  assert.deepEqual(
    [usage["output_tokens"], usage["output_tokens_details"]],
    [9, { thinking_tokens: 4 }],
  );
});

test("breaks and errors in the middle are clean failures, after what was said", async (t) => {
  const { fake, adapter } = await upstream(t);
  const cases: [string, RegExp, string][] = [
    [start, /broke off/, "api_error"],
    [`${start}data: {"id":`, /no JSON object/, "api_error"],
    [`${start}error: {"code":500}\n\n`, /broke off/, "api_error"],
    [start + chunk({ error: { code: 529, message: "busy" } }), /^busy$/, "overloaded_error"],
    [start + chunk({ error: { code: 429, message: "slow" } }), /^slow$/, "rate_limit_error"],
    [start + chunk({ error: "Overloaded" }), /^Overloaded$/, "overloaded_error"],
    [
      `${start}${chunk({ choices: [{ delta: {}, finish_reason: "error" }] })}data: [DONE]\n\n`,
      /failed within/,
      "api_error",
    ],
    [
      `${start}${chunk({ choices: [{ delta: { tool_calls: [{ index: 0, id: "a", function: { arguments: "{}" } }] } }] })}data: [DONE]\n\n`,
      /has no name/,
      "api_error",
    ],
    [start + callOf('{"k":') + whole, /arguments are no JSON object/, "api_error"],
    [start + callOf("[1]") + whole, /arguments are no JSON object/, "api_error"],
  ];
  for (const [text, sentence, type] of cases) {
    fake.answer = streamedReply(text);
    const attempt = await adapter.attempt(request());
    if (attempt.kind === "failure") assert.match(attempt.failure.message, sentence);
    if (attempt.kind !== "stream") continue;
    const { events, error } = await collectEvents(attempt.events);
    assert.ok(error instanceof Failure, text);
    assert.match(error.message, sentence);
    assert.equal(error.type, type);
    assert.ok(events.length >= 3);
  }
  fake.answer = streamedReply(chunk({ error: { message: "no memory", code: 503 } }));
  const early = await adapter.attempt(request());
  assert.equal(early.kind === "failure" && early.failure.status, 503);
});
