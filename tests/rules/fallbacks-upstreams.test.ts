// Rules FBK and CRD where an upstream that this server does not control stands behind the models.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  answerParts,
  openUpstreamsHouse,
  refusalWith,
  text,
  type UpstreamsHouse,
  type AskedBody,
} from "./fallbacks-upstreams-house.ts";
import { credit07, fallback07 } from "./fallbacks-house.ts";
import { sentenceOf } from "./support.ts";

let setup: UpstreamsHouse;
before(async () => {
  setup = await openUpstreamsHouse([
    { id: "first", fallback_routing: { cyber: "old" } },
    { id: "second", pass: ["web_search_20250305"], structured_outputs: true },
    { id: "searches", pass: ["web_search_20250305"], structured_outputs: true },
    { id: "third" },
    { id: "strict", prefill: false },
    { id: "old", lifecycle: "retired" },
  ]);
});
after(async () => {
  for (const { status } of setup.house.expectErrors()) assert.equal(status, 500);
  await setup[Symbol.asyncDispose]();
});

const withFallbacks = { betas: [fallback07] };
let count = 0;
const asking = (fields: object = {}) => ({
  model: "first",
  messages: [{ role: "user", content: `Question ${++count}.` }],
  ...fields,
});
const toSecond = { fallbacks: [{ model: "second" }] };

test("[FBK31] counters that are no counts are not taken for any: the output is counted here", async () => {
  for (const output_tokens of [1.5, -5, 1e300, "7", null])
    for (const stream of [true, false]) {
      setup.models.set("first", () => refusalWith("One two ", { output_tokens }));
      const answer = await setup.post(asking({ stream, ...toSecond }), withFallbacks);
      assert.equal(answerParts(answer).stop_reason, "end_turn");
      const [declined, served] = await setup.rowsOf(answer);
      const sent = stream ? { input: 100, output: 2 } : { input: 0, output: 0 };
      const { model, outcome, input, output } = declined ?? {};
      assert.deepEqual(
        { model, outcome, input, output },
        { model: "first", outcome: "declined", ...sent },
      );
      assert.deepEqual([served?.outcome, served?.nano], ["served", 150_000]);
      const alone = await setup.post(asking({ stream }));
      const [row] = await setup.rowsOf(alone);
      assert.deepEqual([row?.outcome, row?.input, row?.output], ["served", 100, 2]);
    }
  for (const input_tokens of [-1, 0.5, undefined]) {
    setup.models.set("first", () => ({ usage: { input_tokens } }));
    const answer = await setup.post(asking());
    const [row] = await setup.rowsOf(answer);
    assert.deepEqual([row?.outcome, row?.input, row?.output], ["served", 6, 10]);
  }
  // 6 tokens for the question, and 5 for what the second model goes on from.
  setup.models.set("first", () => refusalWith("One two "));
  setup.models.set("second", () => ({ usage: { input_tokens: null } }));
  const continued = await setup.post(asking({ stream: true, ...toSecond }), withFallbacks);
  assert.equal((await setup.rowsOf(continued)).at(-1)?.input, 11);
  setup.models.delete("second");
});

test("[FBK4] [FBK13] a retired model is no fallback, and not named as one", async () => {
  setup.models.set("first", () => refusalWith(""));
  const listed = await setup.post(asking({ fallbacks: [{ model: "old" }] }), withFallbacks);
  assert.match(sentenceOf(listed, 400), /^fallbacks\.0\.model: old is retired/);
  const { body: info } = await setup.house.ask("GET", "/v1/models/first", {
    key: setup.house.organizations.platform.api_key,
    headers: { "anthropic-beta": fallback07 },
  });
  assert.deepEqual(info.allowed_fallback_models, ["second", "searches", "third", "strict"]);
  const routed = await setup.post(asking({ fallbacks: "default" }), withFallbacks);
  assert.equal(routed.body.stop_reason, "refusal");
});

const goesOn = ({ messages }: AskedBody) => ({
  content: [text(messages.at(-1)?.role === "assistant" ? "and four." : "All of it.")],
});
const doesNot = (body: AskedBody) =>
  body.messages.at(-1)?.role === "assistant" ? { status: 400 } : refusalWith("From scratch: one ");

test("[FBK32] a continuation that the next upstream refuses does not end the turn", async () => {
  setup.models.set("first", () => refusalWith("One two three ", { output_tokens: 3 }));
  setup.models.set("second", (body) => ({ ...doesNot(body), stop: "end_turn" }));
  const answer = await setup.post(asking({ stream: true, ...toSecond }), withFallbacks);
  const { content, stop_reason, usage } = answerParts(answer);
  assert.equal(stop_reason, "end_turn");
  const [one, boundary, two] = content;
  assert.deepEqual(
    [one, boundary?.type, two],
    [text("One two three "), "fallback", text("From scratch: one ")],
  );
  assert.deepEqual(
    usage.iterations.map(({ type, model }: Record<string, string>) => [type, model]),
    [
      ["message", "first"],
      ["fallback_message", "second"],
    ],
  );
  assert.deepEqual(
    (await setup.rowsOf(answer)).map(({ model, outcome, nano }) => [model, outcome, nano]),
    [
      ["first", "declined", 115_000],
      ["second", "failed", 0],
      ["second", "served", 150_000],
    ],
  );
  // Later hops go on from its text alone.
  setup.models.set("second", doesNot);
  setup.models.set("third", goesOn);
  const chain = { stream: true, fallbacks: [{ model: "second" }, { model: "third" }] };
  const longer = answerParts(await setup.post(asking(chain), withFallbacks));
  assert.deepEqual(longer.content.at(-1), text("and four."));
  assert.deepEqual(setup.heard().at(-1), {
    role: "assistant",
    content: [text("From scratch: one")],
  });
  // What is wrong with the request itself comes out as it is.
  setup.models.set("second", () => ({ status: 400 }));
  const wrong = await setup.post(asking({ stream: true, ...toSecond }), withFallbacks);
  assert.match(String(wrong.body), /event: error\n.*Not like this/);
});

const looked = [
  text("Let me look. "),
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
  text("So it is "),
];

for (const stream of [false, true])
  test(`[CRD10] a refusal after a server's tool has run redeems by its continuation only, stream: ${stream}`, async () => {
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    const betas = [credit07];
    setup.models.set("searches", () => ({ content: looked, stop: "refusal" }));
    setup.models.set("second", goesOn);
    const sent = asking({ model: "searches", stream, tools });
    const { content, stop_details } = answerParts(await setup.post(sent, { betas }));
    assert.equal(stop_details.fallback_has_prefill_claim, true);
    const token = stop_details.fallback_credit_token;
    const same = { ...sent, model: "second", fallback_credit_token: token };
    const strict = await setup.post(same, { betas });
    assert.match(sentenceOf(strict, 400), /must be redeemed by continuing the partial response/);
    assert.equal(strict.body.error.details.reason, "continuation_only");
    const lenient = { ...same, fallback_credit_token: { token, mode: "best_effort" } };
    assert.deepEqual(
      answerParts(await setup.post(lenient, { betas })).usage.fallback_credit.status,
      {
        type: "not_applied",
        reason: "continuation_only",
      },
    );
    const appended = [...sent.messages, { role: "assistant", content }];
    const served = answerParts(await setup.post({ ...same, messages: appended }, { betas }));
    assert.deepEqual(served.usage.fallback_credit.status, { type: "redeemed" });
    assert.deepEqual(setup.heard().at(-1), {
      role: "assistant",
      content: [...looked.slice(0, 3), text("So it is")],
    });
    // A call without its result is no loop: nothing has run.
    setup.models.set("searches", () => ({ content: looked.slice(0, 2), stop: "refusal" }));
    const early = asking({ model: "searches", stream, tools });
    const other = answerParts(await setup.post(early, { betas })).stop_details
      .fallback_credit_token;
    const retry = { ...early, model: "second", fallback_credit_token: other };
    assert.equal((await setup.post(retry, { betas })).status, 200);
    // With a format for the output neither shape redeems, and the 400 says so.
    setup.models.set("searches", () => ({ content: looked, stop: "refusal" }));
    const format = { type: "json_schema", schema: { type: "object" } };
    const formed = asking({ model: "searches", stream, tools, output_config: { format } });
    const stuck = answerParts(await setup.post(formed, { betas })).stop_details;
    assert.equal(stuck.fallback_has_prefill_claim, false);
    const neither = {
      ...formed,
      model: "second",
      fallback_credit_token: stuck.fallback_credit_token,
    };
    assert.match(sentenceOf(await setup.post(neither, { betas }), 400), /Retry without the token/);
  });

test("[FBK24] [FBK30] the same question may have had several answers: each of them comes back in its own shape", async () => {
  let signed = 0;
  const thinking = () => ({ type: "thinking", thinking: "Hm.", signature: `mark-${++signed}` });
  // Both are asked before either is answered: else the second one is sticky.
  const both = Promise.withResolvers<void>();
  let asked = 0;
  setup.models.set("first", async () => {
    if (++asked === 2) both.resolve();
    await both.promise;
    return { content: [thinking(), text("One two ")], stop: "refusal" };
  });
  setup.models.set("second", () => ({ content: [thinking(), text("and three.")] }));
  const sent = asking({ stream: true, ...toSecond });
  const [one, two] = await Promise.all([1, 2].map(() => setup.post(sent, withFallbacks)));
  assert.ok(one && two);
  // The third one is sticky, and has no boundary.
  const answers = [one, two, await setup.post(sent, withFallbacks)].map(
    (each) => answerParts(each).content,
  );
  const goOn = (content: object[], fields: object = toSecond) => {
    const turns = [
      { role: "assistant", content },
      { role: "user", content: "And?" },
    ];
    return setup.post(
      { ...sent, ...fields, stream: false, messages: [...sent.messages, ...turns] },
      withFallbacks,
    );
  };
  for (const content of answers) assert.equal((await goOn(content)).status, 200);
  for (const content of answers.slice(0, 2)) {
    const dropped = content.filter(({ type }: { type: string }) => type !== "fallback");
    assert.match(sentenceOf(await goOn(dropped), 400), /messages\.1\.content: the fallback block/);
    assert.match(sentenceOf(await goOn(dropped, { fallbacks: null }), 400), /messages\.1\.content/);
  }
});

test("[CRD8] [MSG11] the appended answer may hold the call that was left open: the target does not see it", async () => {
  const call = { type: "tool_use", id: "toolu_1", name: "look", input: { at: 1 } };
  const tools = [{ name: "look", input_schema: { type: "object" } }];
  const betas = [credit07];
  setup.models.set("first", () => ({ content: [text("Calling "), call], stop: "refusal" }));
  setup.models.set("second", goesOn);
  const sent = asking({ stream: true, tools });
  const { content, stop_details } = answerParts(await setup.post(sent, { betas }));
  assert.equal(stop_details.fallback_has_prefill_claim, true);
  const fallback_credit_token = stop_details.fallback_credit_token;
  const messages = [...sent.messages, { role: "assistant", content }];
  const retry = { ...sent, model: "second", messages, fallback_credit_token };
  const served = answerParts(await setup.post(retry, { betas }));
  assert.deepEqual(served.usage.fallback_credit.status, { type: "redeemed" });
  assert.deepEqual(setup.heard().at(-1), { role: "assistant", content: [text("Calling")] });
  // Without a token that authorizes it, it is a call without its result.
  for (const token of [undefined, { token: fallback_credit_token, mode: "best_effort" }]) {
    const other = [...messages.slice(0, -1), { role: "assistant", content: [text("Else."), call] }];
    const wrong = await setup.post(
      { ...retry, messages: other, fallback_credit_token: token },
      { betas },
    );
    assert.match(sentenceOf(wrong, 400), /messages\.1\.content\.1: is a tool_use without/);
  }
});

test("[FBK20] an error behind message_start is one before output, too", async () => {
  for (const words of ["", "One two "])
    for (const error of ["overloaded_error", "rate_limit_error"]) {
      setup.models.set("first", () => refusalWith(words));
      setup.models.set("second", () => ({ error }));
      const sent = asking({ stream: true, ...toSecond });
      const answer = await setup.post(sent, withFallbacks);
      const { content, stop_reason, stop_details, usage } = answerParts(answer);
      assert.deepEqual([stop_reason, stop_details.recommended_model], ["refusal", "second"]);
      assert.deepEqual(content, words === "" ? [] : [text(words)]);
      assert.deepEqual(usage.iterations.length, 1);
      assert.deepEqual(
        (await setup.rowsOf(answer)).map(({ outcome, nano }) => [outcome, nano]),
        [
          ["served", words === "" ? 0 : 150_000],
          ["failed", 0],
        ],
      );
    }
  // Any other error is the answer, with a status of its own where nothing has been said.
  setup.models.set("first", () => refusalWith(""));
  setup.models.set("second", () => ({ error: "api_error" }));
  const broken = await setup.post(asking({ stream: true, ...toSecond }), withFallbacks);
  assert.match(sentenceOf(broken, 500), /Not now/);
});

test("[CRD17] a token that was not applied makes no continuation of the caller's own prefill", async () => {
  const betas = [credit07];
  setup.models.set("first", () => refusalWith(""));
  setup.models.set("second", goesOn);
  const early = asking();
  const { stop_details } = answerParts(await setup.post(early, { betas }));
  const prefilled = { messages: [...asking().messages, { role: "assistant", content: "So:" }] };
  const lenient = { token: stop_details.fallback_credit_token, mode: "best_effort" };
  setup.models.set("third", () => refusalWith(""));
  const unapplied = { ...prefilled, model: "third", fallback_credit_token: lenient };
  const refused = answerParts(await setup.post(unapplied, { betas }));
  assert.equal(refused.usage.fallback_credit.status.reason, "body_mismatch");
  const token = refused.stop_details.fallback_credit_token;
  const retry = { ...prefilled, fallback_credit_token: token };
  const strict = await setup.post({ ...retry, model: "strict" }, { betas });
  assert.match(sentenceOf(strict, 400), /messages\.1: must be a user turn/);
  const served = await setup.post({ ...retry, model: "second" }, { betas });
  assert.deepEqual(served.body.usage.fallback_credit.status, { type: "redeemed" });
  // One that redeemed the continuation of a partial answer does.
  setup.models.set("first", () => refusalWith("One two "));
  setup.models.set("strict", goesOn);
  const partly = asking();
  const half = answerParts(await setup.post(partly, { betas }));
  const messages = [...partly.messages, { role: "assistant", content: half.content }];
  const continued = (model: string, { stop_details: details }: typeof half) =>
    setup.post(
      { model, messages, fallback_credit_token: details.fallback_credit_token },
      { betas },
    );
  const again = answerParts(await continued("third", half));
  assert.equal(again.stop_reason, "refusal");
  const last = answerParts(await continued("strict", again));
  assert.deepEqual(last.content, [text("and four.")]);
});
