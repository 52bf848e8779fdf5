// Every input that takes a client's JSON: a value that is nested too deep is refused before any walk.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../kernel/base/limits.ts";
import { parseJson } from "../../kernel/http/input/body.ts";
import { parseAssertion } from "../../server/federation/exchange/assertion.ts";
import { parseInput } from "../../server/models/stream-events.ts";
import { chatAdapter } from "../../server/models/chat/adapter.ts";
import { inputOf } from "../../server/models/chat/reply.ts";
import { errorFieldsOf } from "../../server/models/upstreams/failures.ts";
import { messagesAdapter } from "../../server/models/messages/adapter.ts";
import { collectEvents, fakeUpstream, request, streamedReply, world } from "../upstreams/fake.ts";

/** Far beyond the limit, and one level beyond it. */
const depths = [30_000, limits.jsonDepthMax + 1];
const deep = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
const part = (text: string) => Buffer.from(text).toString("base64url");

test("bodies, assertions, tools' arguments and errors of upstreams", () => {
  for (const levels of depths) {
    const json = deep(levels);
    assert.throws(() => parseJson(json), /nested deeper than 128 levels/);
    assert.throws(() => inputOf(json, false), /arguments are no JSON object/);
    assert.deepEqual(parseInput(json), {});
    assert.deepEqual(errorFieldsOf(json), {});
  }
  const json = deep(4_500);
  const good = part('{"alg":"ES256"}');
  for (const parts of [
    [good, part(json)],
    [part(json), good],
  ])
    assert.match(
      JSON.stringify(parseAssertion([...parts, "AA"].join("."))),
      /nested deeper than 128/,
    );
});

test("answers of upstreams: whole, as a stream, as a count, of either wire", async (t) => {
  const fake = await fakeUpstream();
  const options = { ...world, baseUrl: fake.url, key: "sk-up" };
  const [messages, chat] = [
    messagesAdapter(options),
    chatAdapter({ ...options, estimate: () => 1 }),
  ];
  t.after(async () => {
    await messages.close();
    await chat.close();
    await fake[Symbol.asyncDispose]();
  });
  for (const levels of depths) {
    const json = deep(levels);
    fake.answer = ({ reply }) => reply(200, json.replace("{", '{"type":"message","content":[],'));
    for (const adapter of [messages, chat]) {
      const whole = await adapter.attempt(request({ stream: false }));
      assert.ok(whole.kind === "failure");
      assert.match(whole.failure.message, /reply that is no/);
    }
    assert.equal(await messages.countTokens(request({ stream: false })), undefined);
    fake.answer = streamedReply(`event: message_start\ndata: ${json}\n\n`);
    for (const adapter of [messages, chat]) {
      const attempt = await adapter.attempt(request());
      const failure =
        attempt.kind === "stream"
          ? (await collectEvents(attempt.events)).error
          : attempt.kind === "failure" && attempt.failure;
      assert.match(String(failure), /no JSON object/);
    }
  }
});
