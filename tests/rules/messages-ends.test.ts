// A stream may end in several message_delta events: the last one holds the final usage.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { openHouse } from "../house.ts";
import { until } from "../kernel/sql-harness.ts";
import { fakeUpstream, request, streamedReply, world } from "../upstreams/fake.ts";
import { messagesAdapter } from "../../server/models/messages/adapter.ts";
import { plainFrame, sampleEvents } from "../upstreams/sample.ts";

test("the usage of the last message_delta counts, though an earlier one has the reason", async () => {
  await using upstream = await fakeUpstream();
  const models = {
    models: [{ id: "ours", upstream: "other", prices: { input: 1, output: 1 } }],
    upstreams: { other: { kind: "messages", base_url: upstream.url } },
  };
  await using house = await openHouse({ sections: { models } });
  const early = {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 3 },
  };
  const late = { type: "message_delta", delta: {}, usage: { output_tokens: 42 } };
  const before = sampleEvents.filter(({ type }) => !/^message_(delta|stop)$/.test(type));
  const events = [...before, early, late, { type: "message_stop" }];
  upstream.answer = streamedReply(events.map(plainFrame).join(""));
  const { body } = await house.ask("POST", "/v1/messages", {
    key: house.organizations.platform.api_key,
    body: {
      model: "ours",
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: "Well?" }],
    },
  });
  assert.match(String(body), /"stop_reason":"tool_use".*"output_tokens":42/);
});

test("an end without a last word is the answer's all the same, after five seconds of silence", async () => {
  await using upstream = await fakeUpstream();
  const clock = makeManualClock(new Date(0));
  const adapter = messagesAdapter({ ...world, clock, baseUrl: upstream.url });
  upstream.answer = ({ head, chunk }) => {
    head(200);
    chunk(sampleEvents.slice(0, -1).map(plainFrame).join(""));
  };
  const attempt = await adapter.attempt(request());
  assert.equal(attempt.kind, "stream");
  const names: string[] = [];
  let hasEnded = false;
  const all = (async () => {
    for await (const batch of attempt.events) names.push(...batch.map(({ name }) => name));
  })().finally(() => (hasEnded = true));
  const isRejected = assert.rejects(all, { status: 503, message: /broke off .*END_TIMEOUT/ });
  await until("the event before the last", () => names.at(-1) === "message_delta");
  clock.advance(4_999);
  await nextLoopIteration();
  assert.equal(hasEnded, false);
  clock.advance(1);
  await isRejected;
  assert.equal(names.at(-1), "message_delta");
  await adapter.close();
});
