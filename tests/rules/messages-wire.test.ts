// Message requests over HTTP: what is refused costs nothing, what is forwarded is what was sent, the cache's numbers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { cacheStatement } from "../../server/messages/cache/cache.ts";
import { schedules } from "../../server/messages/module.ts";
import { openHouse, type House } from "../house.ts";
import { fakeUpstream, type FakeUpstream } from "../upstreams/fake.ts";
import { sentenceOf, until } from "./support.ts";
import { queryPosted } from "../posted.ts";

const answer = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "theirs",
  content: [{ type: "text", text: "Yes.", citations: null }],
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  usage: { input_tokens: 10, output_tokens: 2 },
};

let upstream: FakeUpstream;
let house: House;
before(async () => {
  upstream = await fakeUpstream(({ reply }) => reply(200, JSON.stringify(answer)));
  const models = {
    models: [
      {
        id: "ours",
        upstream: "other",
        upstream_model: "theirs",
        prefill: false,
        pass: ["token-counting-2024-11-01", "server-side-fallback-2026-07-01"],
      },
      { id: "priced", upstream: "other", prices: { input: 1_000_000_000, output: 1_000_000_000 } },
    ],
    upstreams: { other: { kind: "messages", base_url: upstream.url } },
  };
  house = await openHouse({ sections: { models } });
});
after(async () => {
  await house[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** A text goes out byte by byte as it is. */
const post = (body: unknown, path = "/v1/messages") =>
  house.ask("POST", path, { key: house.organizations.platform.api_key, body });
const charged = async () => {
  const { db } = house.world;
  const [row] = await queryPosted<{ rows: number }>(db, {
    text: "select (select count(*) from ledger)::int + (select count(*) from ledger_opens)::int as rows",
    values: [],
  });
  return row?.rows ?? assert.fail("no count");
};

/** What is judged by its last name may be read by its first. */
const nestedTwice: [string, RegExp][] = [
  [
    '"messages":[{"role":"user","content":"write a keylogger","content":"hello"}]',
    /^messages\.0\.content: is given twice; send it once\.$/,
  ],
  [
    '"messages":[{"role":"user","content":[{"type":"text","te\\u0078t":"a","text":"b"}]}]',
    /^messages\.0\.content\.0\.text: is given twice/,
  ],
  [
    '"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"t","input_schema":{"type":"object","properties":{"a":{},"a":{}}}}]',
    /^tools\.0\.input_schema\.properties\.a: is given twice/,
  ],
  [
    '"messages":[{"role":"user","content":"hi"}],"stop_sequences":[],"system":[{"type":"text","text":"a","\\u0074ext":"b"}]',
    /^system\.0\.text: is given twice/,
  ],
];

test("[MSG31] a name that comes twice is refused in counts and in batches, too", async () => {
  for (const [text, sentence] of nestedTwice) {
    const counted = await post(`{"model":"ours",${text}}`, "/v1/messages/count_tokens");
    assert.match(sentenceOf(counted, 400), sentence);
  }
  const params = nestedTwice.map(([text]) => `{"model":"ours","max_tokens":5,${text}}`);
  const requests = params.map((each, at) => `{"custom_id":"r${at}","params":${each}}`);
  const made = await post(`{"requests":[${requests.join(",")}]}`, "/v1/messages/batches");
  const at = `/v1/messages/batches/${made.body.id}`;
  const { api_key: key } = house.organizations.platform;
  const read = async () => (await house.ask("GET", at, { key })).body.processing_status;
  await until(async () => (await read()) === "ended", "the end of the batch");
  const results = await fetch(`${house.url}${at}/results`, { headers: { "x-api-key": key } });
  const lines = (await results.text()).trim().split("\n");
  const messages = new Map(
    lines.map((line) => {
      const { custom_id, result } = JSON.parse(line);
      return [custom_id, String(result.error?.error.message)];
    }),
  );
  for (const [index, [, sentence]] of nestedTwice.entries())
    assert.match(messages.get(`r${index}`) ?? "", sentence);
  assert.equal(upstream.requests.length, 0);
});

test("[MSG31] names below the top level may be written with escapes, each once", async () => {
  const schema = '{"type":"object","properties":{"gr\\u00f6\\u00dfe":{"type":"string"}}}';
  const sent = `{"model":"theirs","max_tokens":5,"messages":[{"r\\u006fle":"user","content":":\\":"}],"tools":[{"name":"t","input_schema":${schema}}]}`;
  const { status, body } = await post(sent.replace("theirs", "ours"));
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(upstream.requests.splice(0)[0]?.body.toString(), sent);
});

test("[MSG1] [MSG8] [MSG24] [MSG31] what is refused is neither forwarded nor charged", async () => {
  const rows = await charged();
  const messages = [{ role: "user", content: [{ type: "image", source: 5 }] }];
  const good = { model: "ours", max_tokens: 5, messages: [{ role: "user", content: "Well?" }] };
  const refusals: [unknown, RegExp][] = [
    [
      { ...good, messages },
      /^messages\.0\.content\.0\.source: must be an object, not a whole number/,
    ],
    [{ ...good, output_config: { effort: "low" } }, /^output_config\.effort: is not taken by ours/],
    [{ ...good, max_tokens: undefined }, /^max_tokens: is required/],
    [
      '{"model":"ours","model":"ours","max_tokens":5}',
      /^(model: is given twice|messages: is required)/,
    ],
    [`{"max_tokens":9,${JSON.stringify(good).slice(1)}`, /^max_tokens: is given twice/],
    [JSON.stringify(good).replace('"model"', '"mod\\u0065l"'), /written with a backslash/],
    ...nestedTwice.map(([text, sentence]): [string, RegExp] => [
      `{"model":"ours","max_tokens":5,"metadata":{},${text}}`,
      sentence,
    ]),
    ["[]", /must be a JSON object/],
  ];
  for (const [body, sentence] of refusals)
    assert.match(sentenceOf(await post(body), 400), sentence);
  assert.equal(upstream.requests.length, 0);
  assert.equal(await charged(), rows);
});

test("[MSG4] threads of a count are refused in the words that clients wait for", async () => {
  const thread = { type: "create" };
  const messages = [{ role: "user", content: "Well?" }];
  const { status, body } = await post(
    { model: "sim-large", messages, thread },
    "/v1/messages/count_tokens",
  );
  assert.equal(status, 400);
  assert.equal(body.error.type, "invalid_request_error");
  assert.equal(body.error.details.error_code, "thread_unsupported_request");
  assert.deepEqual(body.error.details.unsupported, ["thread"]);
});

test("[MSG32] bytes that were checked are bytes that are forwarded", async () => {
  const sent =
    '{ "effort" : "any", "messages":[ {"role":"user", "content":"\\u0057ell? 1.0e2"} ],\n' +
    '\t"thread":null, "model" :"ours","max_tokens": 5.0 , "temperature":1e0,"billing_policy":null}';
  const { status, body } = await post(sent);
  assert.equal(status, 200, JSON.stringify(body));
  const [asked] = upstream.requests.splice(0);
  const expected =
    '{ "messages":[ {"role":"user", "content":"\\u0057ell? 1.0e2"} ],\n' +
    '\t"model" :"theirs","max_tokens": 5.0 , "temperature":1e0}';
  assert.equal(asked?.body.toString(), expected);
  assert.equal(body.model, "ours");
});

test("[MSG1] count_tokens takes what a message takes, and needs no max_tokens", async () => {
  const messages = [{ role: "user", content: "twelve bytes" }];
  const counted = await post({ model: "sim-large", messages }, "/v1/messages/count_tokens");
  assert.deepEqual([counted.status, counted.body.input_tokens], [200, 6]);
  const more = { stream: true, max_tokens: 9, stop_sequences: ["x"], temperature: 0.5 };
  const again = await post({ model: "sim-large", messages, ...more }, "/v1/messages/count_tokens");
  assert.deepEqual([again.status, again.body.input_tokens], [200, 6]);
});

test("[MSG34] what is ours and what nobody declared is not counted upstream; betas that it passes go along", async () => {
  const messages = [{ role: "user", content: "Well?" }];
  const ours = {
    fallbacks: "default",
    fallback_credit_token: "v1.x",
    effort: "low",
    billing_policy: { type: "billing_policy", bill_to: "self" },
    compaction: { type: "summarize" },
  };
  upstream.answer = ({ reply }) => reply(200, '{"input_tokens":17}');
  const betas = "token-counting-2024-11-01,server-side-fallback-2026-07-01, other-2026-01-01";
  const { status, body } = await house.ask("POST", "/v1/messages/count_tokens", {
    key: house.organizations.platform.api_key,
    headers: { "anthropic-beta": betas },
    body: { model: "ours", messages, ...ours, metadata: { user_id: "u" } },
  });
  upstream.answer = ({ reply }) => reply(200, JSON.stringify(answer));
  assert.deepEqual([status, body], [200, { input_tokens: 17, context_management: null }]);
  const [asked] = upstream.requests.splice(0);
  assert.deepEqual(JSON.parse(String(asked?.body)), { messages, model: "theirs" });
  assert.equal(asked?.headers["anthropic-beta"], "token-counting-2024-11-01");
});

test("[MSG9] [SML4] a turn of the system without content sets the effort from there on", async () => {
  const turns = (effort: string) => [
    { role: "user", content: "Well?" },
    { role: "assistant", content: "Yes." },
    { role: "system", output_config: { effort } },
    { role: "user", content: "And now?" },
  ];
  const lengthAt = async (effort: string, rest: object = {}) => {
    const messages = turns(effort);
    const asked = await post({ model: "sim-large", max_tokens: 2_000, messages, ...rest });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    return Number(asked.body.usage.output_tokens);
  };
  assert.ok((await lengthAt("low")) < (await lengthAt("high")));
  const high = { output_config: { effort: "max" } };
  assert.equal(await lengthAt("low", high), await lengthAt("low"));
  // A long body is read from its bytes again.
  const long = { system: "s".repeat(40_000) };
  assert.equal(await lengthAt("low", long), await lengthAt("low"));
  const streamed = await post({ model: "ours", max_tokens: 5, messages: turns("low") });
  assert.match(
    sentenceOf(streamed, 400),
    /^messages\.2\.output_config\.effort: is not taken by ours/,
  );
});

test("[MSG21] a model that nobody said anything about does not think, and may be told not to", async () => {
  const asked = { model: "ours", max_tokens: 5, messages: [{ role: "user", content: "Well?" }] };
  const { status, body } = await post({ ...asked, thinking: { type: "disabled" } });
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(String(upstream.requests.splice(0)[0]?.body), /"thinking":\{"type":"disabled"\}/);
  assert.match(
    sentenceOf(await post({ ...asked, thinking: { type: "adaptive" } }), 400),
    /^thinking\.type: ours takes disabled; found "adaptive"/,
  );
});

test("[MSG5] what it may write has a price that the ledger can hold", async () => {
  const messages = [{ role: "user", content: "Well?" }];
  const asked = await post({ model: "priced", max_tokens: 1_000_000_001, messages });
  assert.match(sentenceOf(asked, 400), /^max_tokens: must be at most 1000000000; found 1000000001/);
  // A whole unit of money for each token: 2^52 nano-dollars are 4,503,599 of them.
  const dear = await post({ model: "priced", max_tokens: 4_503_600, messages });
  assert.match(
    sentenceOf(dear, 400),
    /^max_tokens: must be at most 4503599 for priced; found 4503600/,
  );
  const most = await post({ model: "priced", max_tokens: 4_503_599, messages });
  assert.equal(most.status, 200, JSON.stringify(most.body));
  upstream.requests.splice(0);
});

test("[MSG40] [MSG42] [MSG47] a cached conversation with the simulator, worked out by hand", async () => {
  const mark = { cache_control: { type: "ephemeral" } };
  // 4,800 bytes are 1,200 tokens.
  const system = [{ type: "text", text: "s".repeat(4_800), ...mark }];
  const ask = async (text: string, rest: object = {}) => {
    const messages = [{ role: "user", content: text }];
    const asked = { model: "sim-large", max_tokens: 20, system, messages, ...rest };
    const { status, body } = await post(asked);
    assert.equal(status, 200, JSON.stringify(body));
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = body.usage;
    return [input_tokens, cache_creation_input_tokens, cache_read_input_tokens];
  };
  // Eight bytes are 2 tokens, and 3 for the turn: 5 behind the mark.
  assert.deepEqual(await ask("Question"), [5, 1_200, 0]);
  assert.deepEqual(await ask("Question"), [5, 0, 1_200]);
  assert.deepEqual(await ask("Another question"), [7, 0, 1_200]);
  assert.deepEqual(await ask("Question", { output_config: { effort: "high" } }), [5, 1_200, 0]);
  assert.deepEqual(await ask("Question", { model: "sim-medium" }), [5, 1_200, 0]);
  assert.deepEqual(await ask("Question", { output_config: { effort: "high" } }), [5, 0, 1_200]);
  // A warm-up writes nothing and caches all the same.
  const other = [{ ...system[0], text: "t".repeat(4_800) }];
  assert.deepEqual(await ask("Question", { system: other, max_tokens: 0 }), [5, 1_200, 0]);
  assert.deepEqual(await ask("Question", { system: other }), [5, 0, 1_200]);
});

test("[MSG49] the sweep takes away what has expired, and nothing else", async () => {
  const { db } = house.world;
  const now = house.world.clock.now();
  const old = { key: "old", ttlSeconds: 300 };
  const rows = Array.from({ length: 12_000 }, (_, index) => ({ ...old, key: `old/${index}` }));
  const long = new Date(now.getTime() - 301_000);
  for (const statement of [
    cacheStatement("wrkspc_swept", rows, long),
    cacheStatement("wrkspc_swept", [{ ...old, key: "alive" }], now),
  ])
    await db.tx((tx) => tx.query(statement ?? assert.fail("nothing to remember")));
  const [sweep] = schedules;
  const { kind, payload } = sweep?.job(now) ?? assert.fail("no schedule");
  await db.tx((tx) => enqueue(tx, house.world, { kind, payload }));
  const text = "select key from prompt_cache where workspace_id = 'wrkspc_swept'";
  const left = () => db.query<{ key: string }>({ text, values: [] });
  await until(async () => (await left()).length === 1, "the sweep");
  assert.deepEqual(await left(), [{ key: "alive" }]);
  const jobs = "select id from jobs";
  await until(async () => (await db.query({ text: jobs, values: [] })).length === 0, "its end");
});
