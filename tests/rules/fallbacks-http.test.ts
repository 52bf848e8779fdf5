// Rules FBK where they show over HTTP: what is answered, and what is charged.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  body,
  credit07,
  fallback06,
  fallback07,
  openFallbackHouse,
  streamed,
  type FallbackHouse,
} from "./fallbacks-house.ts";
import { sentenceOf } from "./support.ts";

let house: FallbackHouse["house"];
let wall: FallbackHouse["wall"];
let post: FallbackHouse["post"];
let hopsOf: FallbackHouse["hopsOf"];
before(async () => {
  ({ house, wall, post, hopsOf } = await openFallbackHouse());
});
after(() => house[Symbol.asyncDispose]());

const withFallbacks = { betas: [fallback07] };
const medium = { fallbacks: [{ model: "sim-medium" }] };

test("[FBK1] fallbacks need their beta, and what it grants", async () => {
  for (const [betas, fallbacks, status] of [
    [[], "default", 400],
    [[], [{ model: "sim-medium" }], 400],
    [[fallback06], "default", 400],
    [[fallback06], [{ model: "sim-medium" }], 200],
    [[fallback07], "default", 200],
    [[fallback07], [{ model: "sim-medium" }], 200],
    [["another-beta", fallback07], "default", 200],
  ] as const) {
    const answer = await post(body("Hello.", { fallbacks }), { betas });
    assert.equal(answer.status, status, JSON.stringify({ betas, fallbacks }));
    if (status === 400) assert.match(sentenceOf(answer, 400), /vendor-beta: server-side-fallback/);
  }
});

test("[FBK2] an organization of a third-party platform is told of the client's way", async () => {
  const { cloud } = house.organizations;
  const answer = await post(body("Hello.", medium), { ...withFallbacks, key: cloud.api_key });
  assert.match(sentenceOf(answer, 400), /middleware/);
  assert.match(sentenceOf(answer, 400), /fallback-credit-2026-07-01/);
  assert.deepEqual(await hopsOf(answer), []);
  // Credit tokens are for it, too.
  const refused = await post(body("[[refuse]]"), { betas: [credit07], key: cloud.api_key });
  assert.equal(typeof refused.body.stop_details.fallback_credit_token, "string");
});

test("[FBK3] [FBK4] [FBK5] [FBK10] a plan that cannot be is 400 before anything is asked or opened", async () => {
  const cases: [object, RegExp][] = [
    [{ fallbacks: [] }, /fallbacks: has 0 entries/],
    [{ fallbacks: [{ model: "sim-medium", top_k: 3 }] }, /fallbacks\.0\.top_k/],
    [{ fallbacks: [{ model: "claude-opus-4-8" }] }, /requested model itself/],
    [{ fallbacks: [{ model: "sim-medium" }, { model: "sim-medium" }] }, /same model/],
    [{ fallbacks: [{ model: "sim-classic" }] }, /no fallback of sim-large/],
    [{ model: "sim-small", fallbacks: [{ model: "sim-medium" }] }, /has no fallback models/],
    [{ fallbacks: [{ model: "sim-small", output_config: { effort: "extreme" } }] }, /fallbacks\.0/],
  ];
  for (const [fields, sentence] of cases) {
    const answer = await post(body("[[refuse]]", fields), withFallbacks);
    assert.match(sentenceOf(answer, 400), sentence);
    assert.deepEqual(await hopsOf(answer), []);
  }
  const alone = await post(
    body("Hello.", { model: "sim-small", fallbacks: "default" }),
    withFallbacks,
  );
  assert.equal(alone.status, 200);
});

test("[FBK7] [FBK9] what a fallback does not take is defaulted under 07-01 and refused under 06-01", async () => {
  const fields = {
    output_config: { effort: "xhigh" },
    thinking: { type: "between_tools" },
    ...medium,
  };
  const newer = await post(body("[[refuse]]", fields), withFallbacks);
  assert.equal(newer.body.model, "sim-medium");
  const older = await post(body("[[refuse]]", fields), { betas: [fallback06] });
  assert.match(sentenceOf(older, 400), /fallbacks\.0 \(sim-medium\)/);
});

test("[FBK12] [FBK13] default goes by the category of the refusal, once", async () => {
  for (const [category, model] of [
    ["cyber", "sim-medium"],
    ["none", "sim-medium"],
    ["frontier_llm", "sim-large"],
  ] as const) {
    const fields = { fallbacks: "default" };
    const answer = await post(body(`[[refuse category=${category}]]`, fields), withFallbacks);
    assert.equal(answer.body.model, model, category);
  }
  const both = "[[refuse category=bio models=sim-large,sim-medium]]";
  const answer = await post(body(both, { fallbacks: "default" }), withFallbacks);
  assert.deepEqual([answer.body.model, answer.body.stop_reason], ["sim-medium", "refusal"]);
});

test("[FBK14] [FBK15] boundaries and iterations, with the caller's own spelling", async () => {
  const sent = body("[[refuse category=bio models=sim-large,sim-medium]]", {
    model: "claude-opus-4-8",
    fallbacks: [{ model: "sim-medium" }, { model: "sim-small" }],
  });
  const { body: message } = await post(sent, withFallbacks);
  const trigger = { type: "refusal", category: "bio" };
  assert.deepEqual(message.content.slice(0, 2), [
    { type: "fallback", from: { model: "claude-opus-4-8" }, to: { model: "sim-medium" }, trigger },
    { type: "fallback", from: { model: "sim-medium" }, to: { model: "sim-small" }, trigger },
  ]);
  const { iterations, ...top } = message.usage;
  assert.deepEqual(
    iterations.map(({ type, model }: { type: string; model: string }) => [type, model]),
    [
      ["message", "sim-large"],
      ["message", "sim-medium"],
      ["fallback_message", "sim-small"],
    ],
  );
  // The serving hop's numbers stand at the top.
  assert.equal(iterations[2].output_tokens, top.output_tokens);
  assert.equal(iterations[2].input_tokens, top.input_tokens);
  for (const one of iterations)
    assert.deepEqual(Object.keys(one).toSorted(), [
      "cache_creation",
      "cache_creation_input_tokens",
      "cache_read_input_tokens",
      "input_tokens",
      "model",
      "output_tokens",
      "type",
    ]);
});

test("[FBK16] stop_details has its fields by the betas that were sent", async () => {
  const plain = ["category", "explanation", "type"];
  const more = ["fallback_credit_token", "fallback_has_prefill_claim", "recommended_model"];
  for (const [betas, fields, hasToken] of [
    [[], plain, false],
    [["another-beta"], plain, false],
    [[fallback06], [...plain, ...more], false],
    [[fallback07], [...plain, ...more], true],
    [[credit07], [...plain, ...more], true],
    [["fallback-credit-2026-06-01"], [...plain, ...more], true],
  ] as const) {
    const sent = body("[[refuse category=bio]]");
    const whole = (await post(sent, { betas })).body.stop_details;
    const inStream = streamed(await post({ ...sent, stream: true }, { betas })).end.delta
      .stop_details;
    for (const details of [whole, inStream]) {
      assert.deepEqual(Object.keys(details).toSorted(), [...fields].sort(), String(betas));
      if (fields.length === 3) continue;
      assert.equal(typeof details.fallback_credit_token === "string", hasToken);
      // Nothing was written that could be continued.
      assert.equal(details.fallback_has_prefill_claim, hasToken ? false : null);
      assert.equal(details.recommended_model, null);
    }
  }
  const small = await post(body("[[refuse models=*]]", { model: "sim-small" }), withFallbacks);
  assert.equal(small.body.stop_details.fallback_credit_token, null);
});

test("[FBK18] with a format the next model begins anew behind the boundary", async () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  const sent = body("[[refuse after=1]]", {
    ...medium,
    stream: true,
    output_config: { format: { type: "json_schema", schema } },
  });
  const { events } = streamed(await post(sent, withFallbacks));
  const texts = ["", "", ""];
  for (const { type, index, delta } of events)
    if (type === "content_block_delta") texts[index] += delta.text;
  assert.ok(texts[0]?.startsWith("{"));
  assert.equal(typeof JSON.parse(texts[2] ?? "").a, "string");
});

test("[FBK19] each hop has a row, and the amount that its client received", async () => {
  const content = '[[refuse category=bio after=3]] [[say "abcdefghijklmnopqrst"]]';
  const whole = await hopsOf(await post(body(content, medium), withFallbacks));
  const input = whole[1]?.input ?? 0;
  assert.deepEqual(whole, [
    { model: "sim-large", outcome: "declined", input: 0, output: 0, nano: 0 },
    { model: "sim-medium", outcome: "served", input, output: 5, nano: input * 3_000 + 5 * 15_000 },
  ]);
  const inStream = await hopsOf(
    await post(body(content, { ...medium, stream: true }), withFallbacks),
  );
  // The continuation reads what was written: 12 bytes and 3 for the message.
  assert.deepEqual(inStream, [
    { model: "sim-large", outcome: "declined", input, output: 3, nano: input * 5_000 + 3 * 25_000 },
    {
      model: "sim-medium",
      outcome: "served",
      input: input + 3 + 3,
      output: 2,
      nano: (input + 6) * 3_000 + 2 * 15_000,
    },
  ]);
  const nothing = await hopsOf(
    await post({ ...body("[[refuse]]", medium), stream: true }, withFallbacks),
  );
  assert.deepEqual([nothing[0]?.nano, nothing[1]?.outcome], [0, "served"]);
  // A last refusal is charged for what was written, and for nothing otherwise.
  const [refused] = await hopsOf(await post(body("[[refuse]]")));
  assert.deepEqual([refused?.outcome, refused?.nano], ["served", 0]);
  const [partly] = await hopsOf(await post(body("[[refuse after=2]]")));
  assert.equal(partly?.nano, (partly?.input ?? 0) * 5_000 + 2 * 25_000);
});

test("[FBK20] 429 and 529 of a fallback are recommended, other errors surface", async () => {
  const busy = { fallbacks: [{ model: "busy" }, { model: "sim-small" }] };
  const sent = body("[[refuse after=2]]", busy);
  const whole = await post(sent, withFallbacks);
  assert.equal(whole.body.stop_details.recommended_model, "busy");
  assert.equal(whole.body.usage.iterations.length, 1);
  const rows = await hopsOf(whole);
  assert.deepEqual(
    rows.map(({ model, outcome, nano }) => [model, outcome, nano > 0]),
    [
      ["sim-large", "served", true],
      ["busy", "failed", false],
    ],
  );
  const { end, events } = streamed(await post({ ...sent, stream: true }, withFallbacks));
  assert.equal(end.delta.stop_details.recommended_model, "busy");
  assert.ok(!events.some(({ content_block: block }) => block?.type === "fallback"));
});

test("[FBK24] [FBK29] a moved boundary is 400, and another organization knows nothing of it", async () => {
  const first = body("[[refuse category=bio]]", medium);
  const answer = await post(first, withFallbacks);
  const [block, text] = answer.body.content;
  const turn = (content: object[]) => ({
    ...first,
    messages: [
      ...first.messages,
      { role: "assistant", content },
      { role: "user", content: "And now?" },
    ],
  });
  assert.equal((await post(turn([block, text]), withFallbacks)).body.model, "sim-medium");
  assert.match(sentenceOf(await post(turn([text, block]), withFallbacks), 400), /messages\.1/);
  const { other } = house.organizations;
  const elsewhere = { ...withFallbacks, key: other.api_key };
  assert.equal((await post(turn([text, block]), elsewhere)).body.model, "sim-large");
  wall.advance(61 * 60_000);
  assert.equal((await post(turn([block, text]), withFallbacks)).body.model, "sim-large");
});

test("[SML9] a model goes on from another's answer to a tool with that answer", async () => {
  const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
  const sent = body("Look. [[tool look {}]] [[refuse after=3]]", { stream: true, ...medium });
  const messages = [
    ...sent.messages,
    { role: "assistant", content: [call] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Rain" }] },
  ];
  const { events, end } = streamed(await post({ ...sent, messages }, withFallbacks));
  const said = events.map(({ delta }) => delta?.text ?? "").join("");
  assert.match(said, /^look answered: "Rain"/);
  assert.equal(end.usage.iterations.length, 2);
});
