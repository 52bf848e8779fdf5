// A stream may end in several message_delta events: the last one holds the final usage.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openHouse } from "../house.ts";
import { fakeUpstream, streamOf } from "../upstreams/fake.ts";
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
  upstream.answer = streamOf(events.map(plainFrame).join(""));
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
