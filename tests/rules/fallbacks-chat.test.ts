// Fallbacks to models of chat completions: what has no words there is known before any model is asked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { fakeUpstream, type FakeUpstream } from "../upstreams/fake.ts";
import { sentenceOf } from "./support.ts";

const answer = {
  choices: [{ message: { content: "Yes." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2 },
};

let upstream: FakeUpstream;
let house: House;
before(async () => {
  upstream = await fakeUpstream(({ reply }) => reply(200, JSON.stringify(answer)));
  const first = {
    id: "first",
    upstream: "simulator",
    thinking: ["adaptive", "disabled"],
    allowed_fallback_models: ["other"],
    fallback_routing: { bio: "other" },
  };
  const models = [first, { id: "other", upstream: "chat" }];
  const upstreams = { chat: { kind: "chat", base_url: upstream.url } };
  house = await openHouse({ sections: { models: { models, upstreams } } });
});
after(async () => {
  await house[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const ask = (content: unknown, fields: object) =>
  house.ask("POST", "/v1/messages", {
    key: house.organizations.platform.api_key,
    headers: { "anthropic-beta": "server-side-fallback-2026-07-01" },
    body: { model: "first", max_tokens: 60, messages: [{ role: "user", content }], ...fields },
  });

const text = { type: "text", text: "[[refuse category=bio models=first]] Where?" };
const found = { type: "search_result", source: "s", title: "t", content: [text] };
const list = { fallbacks: [{ model: "other" }] };

test("a list is refused up front where a model of it has no words for the request", async () => {
  const refused = await ask([found, text], list);
  assert.match(
    sentenceOf(refused, 400),
    /^fallbacks\.0 \(other\): messages\.0\.content\.0: the model other does not take this/,
  );
  assert.match(
    sentenceOf(await ask([text], { ...list, top_k: 5 }), 400),
    /^fallbacks\.0 .* top_k: /,
  );
  assert.equal(upstream.requests.length, 0);
});

test("the default route is left out where its model has none, and taken where it has", async () => {
  const alone = await ask([found, text], { fallbacks: "default" });
  assert.deepEqual([alone.body.model, alone.body.stop_reason], ["first", "refusal"]);
  assert.equal(upstream.requests.length, 0);
  for (const fields of [{ fallbacks: "default" }, list]) {
    const { body } = await ask([text], fields);
    assert.deepEqual([body.model, body.stop_reason], ["other", "end_turn"], JSON.stringify(body));
  }
});

test("what the next model does not get to see is no reason to refuse", async () => {
  const back = [
    { type: "thinking", thinking: "…", signature: "s" },
    { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} },
    { type: "fallback", from: { model: "first" }, to: { model: "other" } },
    { type: "text", text: "Yes." },
  ];
  const messages = [
    { role: "user", content: "Well?" },
    { role: "assistant", content: back },
    { role: "user", content: [text] },
  ];
  const { status, body } = await ask("", { ...list, messages });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.model, "other");
});
