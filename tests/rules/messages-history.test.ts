// What of a conversation a model gets to see over HTTP: fields that it does not read, and what comes back empty.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openUpstreamsHouse,
  refusalWith,
  type UpstreamsHouse,
} from "./fallbacks-upstreams-house.ts";
import { credit07, fallback07, streamed } from "./fallbacks-house.ts";

let setup: UpstreamsHouse;
before(async () => {
  setup = await openUpstreamsHouse([
    { id: "plain" },
    { id: "edits", pass: ["context_management"] },
    { id: "steady", prefill: false },
  ]);
});
after(() => setup[Symbol.asyncDispose]());

const messages = [{ role: "user", content: "Well?" }];
const context_management = { edits: [{ type: "clear_tool_uses_20250919" }] };
const nothingApplied = { applied_edits: [] };

/** The body that the upstream was sent last. */
const heard = () => JSON.parse(String(setup.upstream.requests.at(-1)?.body));

test("[MSG60] a model that edits no conversation does not see context_management, and nothing was applied", async () => {
  for (const model of ["plain", "sim-large"]) {
    const asked = { model, messages, context_management };
    const whole = await setup.post(asked);
    assert.equal(whole.status, 200, JSON.stringify(whole.body));
    assert.deepEqual(whole.body.context_management, nothingApplied);
    const { end } = streamed(await setup.post({ ...asked, stream: true }));
    assert.deepEqual(end.context_management, nothingApplied);
    const without = await setup.post({ ...asked, context_management: null });
    assert.equal(without.body.context_management ?? null, null);
  }
  assert.equal(setup.upstream.requests.length, 3);
  for (const { body } of setup.upstream.requests)
    assert.equal(JSON.parse(String(body)).context_management ?? null, null);
});

test("[MSG60] one whose upstream edits them sees it as it came, and says itself what was applied", async () => {
  const asked = await setup.post({ model: "edits", messages, context_management });
  assert.equal(asked.status, 200);
  assert.deepEqual(heard().context_management, context_management);
  assert.equal(asked.body.context_management, null);
  const fields = { messages, context_management, stream: true };
  const { end } = streamed(await setup.post({ model: "edits", ...fields }));
  assert.equal(end.context_management, null);
});

test("[MSG60] through fallbacks each model sees what it takes, and credit compares what was sent", async () => {
  const fallbacks = [{ model: "edits" }];
  setup.models.set("plain", () => refusalWith(""));
  const asked = { model: "plain", messages, context_management };
  const served = await setup.post({ ...asked, fallbacks }, { betas: [fallback07] });
  assert.equal(served.body.model, "edits");
  assert.deepEqual(heard().context_management, context_management);
  assert.equal(served.body.context_management, null);
  const { body } = await setup.post(asked, { betas: [credit07] });
  assert.deepEqual(body.context_management, nothingApplied);
  const fallback_credit_token = body.stop_details.fallback_credit_token;
  const retry = { ...asked, model: "steady", fallback_credit_token };
  const changed = { ...retry, context_management: { edits: [] } };
  const mismatch = await setup.post(changed, { betas: [credit07] });
  assert.match(mismatch.body.error.message, /does not match the refused request/);
  const redeemed = await setup.post(retry, { betas: [credit07] });
  assert.deepEqual(redeemed.body.usage.fallback_credit, { status: { type: "redeemed" } });
  setup.models.delete("plain");
});

test("[MSG60] count_tokens counts without it, and says that the count is the original one", async () => {
  const count = (fields: object) =>
    setup.house.ask("POST", "/v1/messages/count_tokens", {
      key: setup.house.organizations.platform.api_key,
      body: { model: "sim-large", messages, ...fields },
    });
  const { body } = await count({ context_management });
  assert.deepEqual(body.context_management, { original_input_tokens: body.input_tokens });
  assert.equal((await count({})).body.context_management, null);
});

const text = (words: string) => ({ type: "text", text: words });
const asked = (...turns: [role: string, content: unknown][]) => ({
  model: "plain",
  messages: turns.map(([role, content]) => ({ role, content })),
});

test("[MSG61] a user turn without a word is 400, in the words that clients know", async () => {
  const contents: [unknown, string][] = [
    ["", "messages.0.content"],
    [" \n", "messages.0.content"],
    [[], "messages.0.content"],
    [[text("Well?"), text("")], "messages.0.content.1"],
    [[text("\t "), text("Well?")], "messages.0.content.0"],
  ];
  const before = setup.upstream.requests.length;
  for (const [content, place] of contents)
    for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
      const { status, body } = await setup.house.ask("POST", path, {
        key: setup.house.organizations.platform.api_key,
        body: { max_tokens: 9, ...asked(["user", content]) },
      });
      assert.equal(status, 400);
      const sentence = "messages: text content blocks must be non-empty";
      assert.equal(body.error.message, `${sentence}; ${place} is empty or blank.`);
    }
  assert.equal(setup.upstream.requests.length, before);
});

const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
const resultOf = (content: unknown) => ({
  type: "tool_result",
  tool_use_id: "toolu_1",
  ...(content !== undefined && { content }),
});

test("[MSG61] results of tools may be empty, and so may system turns that set an effort", async () => {
  for (const content of [undefined, "", [], [text("")]]) {
    const turns = asked(["user", "Well?"], ["assistant", [call]], ["user", [resultOf(content)]]);
    assert.equal((await setup.post(turns)).status, 200, JSON.stringify(content));
    assert.deepEqual(setup.heard(), turns.messages);
  }
  const system = { role: "system", output_config: { effort: "low" } };
  const turns = { model: "sim-large", messages: [...messages, system] };
  assert.equal((await setup.post(turns)).status, 200);
});

const final = ["user", "And?"] as [string, unknown];

test("[MSG62] what comes back empty is not shown to the model, nor a turn of which nothing is left", async () => {
  const shown: [unknown, unknown][] = [
    [[text(""), call, text(" ")], [call]],
    [[text(""), text("So.")], [text("So.")]],
    ["", undefined],
    [[], undefined],
    [[text("\n"), text("")], undefined],
  ];
  for (const [content, seen] of shown) {
    const isCalled = JSON.stringify(content).includes("toolu_1");
    const last: [string, unknown] = isCalled ? ["user", [resultOf("x")]] : final;
    const turns = asked(["user", "Well?"], ["assistant", content], last);
    const { status, body } = await setup.post(turns);
    assert.equal(status, 200, JSON.stringify(body));
    const [first, , third] = turns.messages;
    const between = seen === undefined ? [] : [{ role: "assistant", content: seen }];
    assert.deepEqual(setup.heard(), [first, ...between, third]);
  }
});

test("[MSG13] [MSG62] an empty last turn of the assistant is no prefill, for any model", async () => {
  for (const content of ["", [], [text("")]])
    for (const model of ["plain", "steady"]) {
      const turns = { ...asked(["user", "Well?"], ["assistant", content]), model };
      assert.equal((await setup.post(turns)).status, 200);
      assert.deepEqual(setup.heard(), messages);
    }
  const said = { ...asked(["user", "Well?"], ["assistant", [text(""), text("So")]]) };
  assert.equal((await setup.post({ ...said, model: "steady" })).status, 400);
  assert.equal((await setup.post(said)).status, 200);
  assert.deepEqual(setup.heard()[1], { role: "assistant", content: [text("So")] });
});

const thought = (signature: string, thinking = "Hm.") => ({
  type: "thinking",
  thinking,
  signature,
});

test("[MSG62] thinking without a signature, or with another kind of upstream's, is not shown", async () => {
  const thinking = { type: "adaptive" };
  const own = await setup.post({ model: "sim-large", messages, thinking });
  const [simulated, said] = own.body.content;
  assert.equal(simulated.type, "thinking");
  const turns = (...content: object[]) => asked(["user", "Well?"], ["assistant", content], final);
  for (const [block, isShown] of [
    [thought(""), false],
    [simulated, false],
    [thought("ErUBCkYIBxgCIkD0"), true],
  ] as const) {
    assert.equal((await setup.post(turns(block, said))).status, 200);
    assert.deepEqual(setup.heard()[1]?.content, isShown ? [block, said] : [said]);
  }
  const simulator = (block: object) =>
    setup.post({ ...turns(block, said), model: "sim-large", thinking });
  for (const block of [thought(""), thought("ErUBCkYIBxgCIkD0")]) {
    const { status, body } = await simulator(block);
    assert.equal(status, 200, JSON.stringify(body));
    const without = await setup.post({ ...turns(said), model: "sim-large", thinking });
    assert.equal(body.usage.input_tokens, without.body.usage.input_tokens);
  }
  assert.equal((await simulator(simulated)).status, 200);
  const changed = await simulator({ ...simulated, thinking: "Something else." });
  assert.equal(changed.status, 400);
  assert.match(changed.body.error.message, /^messages\.1\.content\.0\.signature: does not belong/);
});

test("[MSG58] [MSG62] credit compares what was sent, what is not shown included", async () => {
  setup.models.set("plain", () => refusalWith(""));
  const content = [thought(""), text(""), text("So.")];
  const refused = asked(["user", "Well?"], ["assistant", content], final);
  const { body } = await setup.post(refused, { betas: [credit07] });
  const retry = {
    ...refused,
    model: "steady",
    fallback_credit_token: body.stop_details.fallback_credit_token,
  };
  const cleaned = { ...retry, messages: setup.heard() };
  assert.equal((await setup.post(cleaned, { betas: [credit07] })).status, 400);
  const { body: served } = await setup.post(retry, { betas: [credit07] });
  assert.deepEqual(served.usage.fallback_credit, { status: { type: "redeemed" } });
  setup.models.delete("plain");
});

test("[FBK34] no answer has an empty block before a boundary", async () => {
  const hidden = thought("s", "");
  const contents: [object[], string[]][] = [
    [[text("")], ["fallback", "text"]],
    [[text(" \n")], ["fallback", "text"]],
    [
      [text(""), text("")],
      ["fallback", "text"],
    ],
    [
      [hidden, text("")],
      ["thinking", "fallback", "text"],
    ],
    [
      [text(""), hidden, text("So ")],
      ["thinking", "text", "fallback", "text"],
    ],
  ];
  for (const [at, [content, kinds]] of contents.entries()) {
    const said = content as { type: string }[];
    setup.models.set("plain", () => ({ content: said, stop: "refusal" }));
    const answer = await setup.post(
      {
        ...asked(["user", `Well, ${at}?`]),
        fallbacks: [{ model: "steady" }],
        stream: true,
      },
      { betas: [fallback07] },
    );
    const { events } = streamed(answer);
    const starts = events.filter(({ type }) => type === "content_block_start");
    assert.deepEqual(
      starts.map(({ content_block: block }) => block.type),
      kinds,
    );
    assert.deepEqual(
      starts.map(({ index }) => index),
      [...kinds.keys()],
    );
    const stops = events.filter(({ type }) => type === "content_block_stop");
    assert.deepEqual(
      stops.map(({ index }) => index),
      [...kinds.keys()],
    );
    const [declined] = await setup.rowsOf(answer);
    const isCharged = kinds[0] !== "fallback";
    assert.deepEqual([declined?.outcome, declined?.input], ["declined", isCharged ? 100 : 0]);
  }
  setup.models.delete("plain");
});
