// Rules BAT7 to BAT12 and MSG54, over HTTP: what becomes of the items of a batch.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/batches/limits.ts";
import {
  type BatchHouse,
  items,
  newerVersion,
  openBatchHouse,
  params,
  type Result,
} from "./batches-house.ts";

let b: BatchHouse;
before(async () => {
  b = await openBatchHouse();
});
after(() => b[Symbol.asyncDispose]());

const turns = (content: unknown) => [{ role: "user", content }];

/** What an item with these params is told, which must be an error. */
interface Told {
  type: string;
  message: string;
  details?: { error_code: string };
}

async function refusals(bodies: Readonly<Record<string, unknown>>): Promise<Record<string, Told>> {
  const names = Object.keys(bodies);
  const results = await b.run(
    names.map((name, index) => ({ custom_id: `item-${index}`, params: bodies[name] })),
  );
  const ids = new Set<string>();
  const told = names.map((name, index) => {
    const result = results.get(`item-${index}`);
    assert.equal(result?.type, "errored", `${name}: ${JSON.stringify(result)}`);
    assert.deepEqual(Object.keys(result).sort(), ["error", "type"]);
    const { type, error, request_id, ...rest } = result.error;
    assert.deepEqual([type, rest], ["error", {}]);
    assert.match(String(request_id), /^req_[0-9a-z]{26}$/);
    ids.add(request_id as string);
    return [name, error as Told];
  });
  assert.equal(ids.size, names.length, "two errors have one request_id");
  return Object.fromEntries(told);
}

test("[MSG54] what a batch cannot do for an item is refused, field by field, when it has ended", async () => {
  const taken = "is not taken within a batch; leave it out.";
  const refused: Record<string, [object, string]> = {
    stream: [
      { stream: true },
      "stream: cannot be true within a batch: its results are read when it has ended.",
    ],
    speed: [{ speed: "fast" }, `speed: ${taken}`],
    "speed standard": [{ speed: "standard" }, `speed: ${taken}`],
    store: [{ store: true }, `store: ${taken}`],
    "store false": [{ store: false }, `store: ${taken}`],
    previous: [{ previous_thread_event_id: "evt_1" }, `previous_thread_event_id: ${taken}`],
    cache_hint: [{ cache_hint: { ttl: "1h" } }, `cache_hint: ${taken}`],
    context_hint: [{ context_hint: "large" }, `context_hint: ${taken}`],
    max_tokens: [
      { max_tokens: 0 },
      "max_tokens: cannot be 0 within a batch: warm the cache with a request of its own.",
    ],
    preview: [
      { research_preview_2026_02: "active" },
      "research_preview_2026_02: cannot be active within a batch; leave it out.",
    ],
    fallbacks: [{ fallbacks: "default" }, `fallbacks: ${taken}`],
    "a list of fallbacks": [{ fallbacks: [{ model: "sim-medium" }] }, `fallbacks: ${taken}`],
    "no fallbacks": [{ fallbacks: [] }, `fallbacks: ${taken}`],
    thread: [{ thread: { id: "thread_1" } }, `thread: ${taken}`],
  };
  const bodies = Object.entries(refused).map(([name, [fields]]) => [name, params("Hi", fields)]);
  const told = await refusals(Object.fromEntries(bodies));
  for (const [name, [, message]] of Object.entries(refused))
    assert.deepEqual(told[name], { type: "invalid_request_error", message }, name);
  // Nothing was asked, and what is null or off is not there.
  const nothing = { stream: false, speed: null, fallbacks: null, thread: null };
  const [result] = (await b.run([{ custom_id: "a", params: params("Hi", nothing) }])).values();
  assert.equal(result?.type, "succeeded", JSON.stringify(result));
});

test("[BAT7] what POST /v1/messages refuses is errored, in the same words", async () => {
  const bodies: Record<string, unknown> = {
    nothing: {},
    "no model": { ...params("Hi"), model: undefined },
    "model of no kind": params("Hi", { model: 7 }),
    "unknown model": params("Hi", { model: "sim-huge" }),
    "no max_tokens": { ...params("Hi"), max_tokens: undefined },
    "negative max_tokens": params("Hi", { max_tokens: -1 }),
    "too many max_tokens": params("Hi", { max_tokens: 64_001 }),
    "no messages": params("Hi", { messages: [] }),
    "messages of no kind": params("Hi", { messages: "Hi" }),
    "unknown role": params("Hi", { messages: [{ role: "robot", content: "Hi" }] }),
    "assistant first": params("Hi", { messages: [{ role: "assistant", content: "Hi" }] }),
    "unknown block": params("Hi", { messages: turns([{ type: "song", text: "la" }]) }),
    "unasked result": params("Hi", {
      messages: turns([{ type: "tool_result", tool_use_id: "toolu_1", content: "5" }]),
    }),
    "unknown field": params("Hi", { max_token: 7 }),
    "stream of no kind": params("Hi", { stream: "yes" }),
    "preview switched off": params("Hi", { research_preview_2026_02: "inactive" }),
    "effort of no level": params("Hi", { model: "sim-large", output_config: { effort: "huge" } }),
    "effort where none is": params("Hi", { output_config: { effort: "low" } }),
    "budget too small": params("Hi", { thinking: { type: "enabled", budget_tokens: 5 } }),
    "tools twice": params("Hi", {
      tools: [1, 2].map(() => ({ name: "add", input_schema: { type: "object" } })),
    }),
    "forced tool that is none": params("Hi", { tool_choice: { type: "tool", name: "add" } }),
    "marks in a bad order": params("Hi", {
      system: ["5m", "1h"].map((ttl) => ({
        type: "text",
        text: "s",
        cache_control: { type: "ephemeral", ttl },
      })),
    }),
    "too much input": params("word ".repeat(200_000), { model: "sim-large" }),
    "what the upstream refuses": params("[[fail status=400]]"),
    "what the upstream does not find": params("[[fail status=404]]"),
    "what the upstream will not take": params("[[fail status=413]]"),
    "what the upstream wants paid": params("[[fail status=402]]"),
    "what the upstream forbids": params("[[fail status=403]]"),
    "a prototype": JSON.parse(`{"__proto__":{},"model":"sim-small"}`),
    "half a character": params("\ud800"),
    "deep nesting": params("Hi", {
      metadata: JSON.parse(`${'{"a":'.repeat(600)}1${"}".repeat(600)}`),
    }),
  };
  const told = await refusals(bodies);
  const key = b.platform.api_key;
  for (const [name, body] of Object.entries(bodies)) {
    const answer = await b.house.ask("POST", "/v1/messages", { key, body });
    assert.ok(answer.status >= 400, name);
    assert.deepEqual(told[name], answer.body.error, name);
  }
});

test("[BAT7] an item whose bytes a message would not take is errored too", async () => {
  const double = JSON.stringify(params("Hi")).replace("{", '{"max_tokens":5,');
  const escaped = JSON.stringify(params("Hi")).replace("max_tokens", "max_token\\u0073");
  const bodies = [double, escaped];
  const requests = bodies.map((body, index) => `{"custom_id":"item-${index}","params":${body}}`);
  const made = await b.call("POST", "", { body: `{"requests":[${requests.join()}]}` });
  assert.equal(made.status, 200);
  await b.ended(made.body.id);
  const results = await b.results(made.body.id);
  for (const [index, body] of bodies.entries()) {
    const { status, body: reply } = await b.house.ask("POST", "/v1/messages", {
      key: b.platform.api_key,
      body,
    });
    assert.equal(status, 400);
    assert.deepEqual(results.get(`item-${index}`)?.error.error, reply.error);
  }
});

test("[BAT7] an item that is too long is errored without its params being read", async () => {
  const { blobs } = b.house.world;
  const { read } = blobs;
  let reads = 0;
  blobs.read = (...asked) => {
    if (asked[0].endsWith("/requests")) reads += 1;
    return read(...asked);
  };
  try {
    const long = "x".repeat(limits.paramsBytesMax);
    const [result] = (await b.run([{ custom_id: "long", params: params(long) }])).values();
    assert.equal(result?.error.error.type, "invalid_request_error");
    assert.match(result?.error.error.message, /^params: has 33554\d{3} bytes; .* at most 33554432/);
    assert.equal(reads, 0);
  } finally {
    blobs.read = read;
  }
});

const add = { name: "add", description: "Adds.", input_schema: { type: "object" } };
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const source = { type: "base64", media_type: "image/png", data: pixel };

test("[BAT7] [BAT10] what a message may have, an item may have: the answers are the same", async () => {
  const large = { model: "sim-large", max_tokens: 3_000 };
  const bodies: object[] = [
    params("Hello there.", { system: "Be brief.", temperature: 0.3, metadata: { user_id: "u" } }),
    params("What is this?", {
      ...large,
      messages: turns([
        { type: "image", source },
        { type: "text", text: '[[say "A dot."]]' },
      ]),
    }),
    params('[[tool add {"a":1}]]', { ...large, tools: [add] }),
    params("", {
      ...large,
      tools: [add],
      messages: [
        { role: "user", content: 'How much? [[tool add {"a":1}]] [[say "Two."]]' },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "add", input: {} }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "2" }] },
      ],
    }),
    params("[[think 30]] Why?", { ...large, thinking: { type: "adaptive" } }),
    params("As JSON.", {
      ...large,
      output_config: {
        effort: "low",
        format: {
          type: "json_schema",
          schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        },
      },
    }),
    params("[[tokens 50]]", { max_tokens: 7 }),
    params('[[say "one two three"]]', { stop_sequences: ["two"] }),
  ];
  const asking = { headers: newerVersion };
  const requests = bodies.map((body, index) => ({ custom_id: `item-${index}`, params: body }));
  const results = await b.run(requests, asking);
  const plain = ({ message }: Result) => {
    const { id, usage, ...rest } = message;
    assert.match(String(id), /^msg_/);
    const { service_tier, ...counts } = usage;
    // Each call has an id of its own.
    const said = JSON.parse(JSON.stringify(rest).replaceAll(/toolu_\w+/g, "toolu"));
    return [said, counts, service_tier];
  };
  for (const [index, body] of bodies.entries()) {
    const result = results.get(`item-${index}`);
    assert.equal(result?.type, "succeeded", JSON.stringify(result));
    const { body: message } = await b.house.ask("POST", "/v1/messages", {
      key: b.platform.api_key,
      ...asking,
      body,
    });
    const [said, counts, tier] = plain(result);
    const [expected, expectedCounts] = plain({ type: "succeeded", message });
    assert.deepEqual([said, counts], [expected, expectedCounts], `item-${index}`);
    assert.equal(tier, "batch");
  }
});

const betas = ["fallback-credit-2026-07-01", "server-side-fallback-2026-07-01"];
const beta = (...names: string[]) => ({ headers: { "anthropic-beta": names.join() } });

test("[BAT8] a refusal is succeeded, and brings no credit token whichever betas were sent", async () => {
  // This model has others to fall back to: a message gets a token for the way there.
  const refused = (content: string) => params(content, { model: "sim-large" });
  const early = refused("[[refuse category=bio]]");
  const message = await b.house.ask("POST", "/v1/messages", {
    key: b.platform.api_key,
    ...beta(...betas),
    body: early,
  });
  assert.ok(message.body.stop_details.fallback_credit_token.length > 20);
  const refusing = [
    { custom_id: "a", params: early },
    { custom_id: "b", params: refused("[[refuse category=cyber after=5]]") },
  ];
  for (const asking of [{}, ...betas.map((name) => beta(name)), beta(...betas)]) {
    const results = await b.run(refusing, asking);
    const [first, second] = [results.get("a"), results.get("b")];
    assert.deepEqual([first?.type, second?.type], ["succeeded", "succeeded"]);
    assert.deepEqual(first?.message.content, []);
    for (const [result, category] of [
      [first, "bio"],
      [second, "cyber"],
    ] as const) {
      const { stop_reason, stop_details, usage } = result?.message ?? {};
      assert.equal(stop_reason, "refusal");
      assert.deepEqual([stop_details.type, stop_details.category], ["refusal", category]);
      assert.equal(stop_details.fallback_credit_token ?? null, null);
      assert.equal(usage.fallback_credit, undefined);
      assert.equal(usage.service_tier, "batch");
    }
  }
});

test("[BAT9] a credit token of any form is taken, and means nothing", async () => {
  const refused = params("[[refuse category=bio]] A question.", { model: "sim-large" });
  const { body } = await b.house.ask("POST", "/v1/messages", {
    key: b.platform.api_key,
    ...beta(...betas),
    body: refused,
  });
  const token = body.stop_details.fallback_credit_token as string;
  assert.ok(token.length > 20);
  const tokens: unknown[] = [
    token,
    { token, mode: "best_effort" },
    { token, mode: "strict" },
    "no token at all",
    "",
    { anything: [1, 2] },
    null,
  ];
  const retried = { ...refused, model: "sim-medium" };
  const plain = await b.run([{ custom_id: "plain", params: retried }], beta(...betas));
  const expected = plain.get("plain")?.message;
  for (const asking of [{}, beta(...betas)]) {
    const results = await b.run(
      tokens.map((fallback_credit_token, index) => ({
        custom_id: `item-${index}`,
        params: { ...retried, fallback_credit_token },
      })),
      asking,
    );
    for (const [id, result] of results) {
      assert.equal(result.type, "succeeded", `${id}: ${JSON.stringify(result)}`);
      assert.deepEqual(result.message.usage, expected.usage);
      assert.deepEqual(result.message.content, expected.content);
      assert.ok(!("fallback_credit" in result.message.usage));
    }
  }
  // It was not used up: outside of batches it is as good as before.
  const redeemed = await b.house.ask("POST", "/v1/messages", {
    key: b.platform.api_key,
    ...beta(...betas),
    body: { ...retried, fallback_credit_token: token },
  });
  assert.deepEqual(redeemed.body.usage.fallback_credit, { status: { type: "redeemed" } });
});

test("[BAT11] an item reads what an item before, another batch or a message has cached", async () => {
  const cache_control = { type: "ephemeral", ttl: "1h" };
  // 4,800 bytes are 1,200 tokens; eight bytes are 2, and 3 for the turn.
  const cached = (letter: string, text = "Question") =>
    params(text, {
      model: "sim-large",
      max_tokens: 20,
      system: [{ type: "text", text: letter.repeat(4_800), cache_control }],
    });
  const usage = ({ message }: { message?: Result["message"] }) => {
    const { input_tokens, cache_creation, cache_read_input_tokens } = message.usage;
    return [input_tokens, cache_creation?.ephemeral_1h_input_tokens ?? 0, cache_read_input_tokens];
  };
  const run = async (letter: string, text?: string, key?: string) => {
    const asking = key === undefined ? {} : { key };
    const results = await b.run([{ custom_id: "a", params: cached(letter, text) }], asking);
    return usage(results.get("a") ?? assert.fail());
  };
  const ask = async (letter: string) => {
    const body = cached(letter);
    const answer = await b.house.ask("POST", "/v1/messages", { key: b.platform.api_key, body });
    return usage({ message: answer.body });
  };
  assert.deepEqual(await run("s"), [5, 1_200, 0]);
  assert.deepEqual(await run("s"), [5, 0, 1_200]);
  assert.deepEqual(await ask("s"), [5, 0, 1_200]);
  assert.deepEqual(await ask("t"), [5, 1_200, 0]);
  assert.deepEqual(await run("t", "Another question"), [7, 0, 1_200]);
  assert.deepEqual(await run("s", "Question", b.other.api_key), [5, 1_200, 0]);
  // Within one batch: whatever comes after the first answers finds what they wrote.
  const many = Array.from({ length: 200 }, (_, index) => ({
    custom_id: `item-${index}`,
    params: cached("u"),
  }));
  const results = [...(await b.run(many)).values()].map(usage);
  const written = results.filter(([, wrote]) => wrote === 1_200).length;
  const read = results.filter(([, , read]) => read === 1_200).length;
  assert.equal(written + read, 200);
  assert.ok(written >= 1 && read >= 1, `${written} wrote, ${read} read`);
});

test("[BAT12] each item has exactly one result, and each line stands where its row says", async () => {
  const texts = Array.from({ length: 1_203 }, (_, index) =>
    index % 3 === 0 ? "[[fail status=400]]" : `[[say "${"é".repeat(index % 50)}${index}"]]`,
  );
  const { id } = await b.create(items(...texts));
  const { request_counts } = await b.ended(id);
  assert.deepEqual([request_counts.succeeded, request_counts.errored], [802, 401]);
  const results = await b.results(id);
  assert.equal(results.size, 1_203);
  for (const [index, text] of texts.entries()) {
    const result = results.get(`item-${index}`);
    assert.equal(result?.type, index % 3 === 0 ? "errored" : "succeeded");
    if (result?.type === "succeeded") assert.ok(text.includes(result.message.content[0].text));
  }
  const { bytes } = await b.download(id);
  const [sums] = await b.house.world.db.query<Record<string, number>>(sql`
    select count(*)::int as rows, sum(length)::int as bytes from batch_results
    where batch_id = ${id}`);
  assert.deepEqual(sums, { rows: 1_203, bytes: bytes.length });
});
