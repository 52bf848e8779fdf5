// Rules FBK and CRD where they show over HTTP: what is answered, what is charged, what a token is worth.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setClock, systemClock, type Clock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { makeKey, sentenceOf } from "./support.ts";

const wall = setClock(new Date("2026-11-20T12:00:00Z"));
/** The wall clock is set; leases and waits go on as usual. */
const clock: Clock = { ...systemClock, now: () => wall.now() };

let house: House;
let platform: Tenant;
before(async () => {
  house = await openHouse({
    clock,
    sections: {
      models: {
        upstreams: { busy: { kind: "simulator", scenario: [{ fail: { status: 529 } }] } },
        models: [
          { id: "busy", upstream: "busy", max_tokens: 64_000 },
          { id: "sim-large", allowed_fallback_models: ["sim-medium", "sim-small", "busy"] },
        ],
      },
    },
  });
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const fallback07 = "server-side-fallback-2026-07-01";
const fallback06 = "server-side-fallback-2026-06-01";
const credit07 = "fallback-credit-2026-07-01";

interface Asking {
  betas?: readonly string[];
  key?: string;
}

let count = 0;
/** Bodies that are never the same twice, unless they are sent again. */
const body = (content: string, fields: object = {}) => ({
  model: "sim-large",
  max_tokens: 300,
  messages: [{ role: "user", content: `${++count}: ${content}` }],
  ...fields,
});

const post = (sent: object, { betas = [], key = platform.api_key }: Asking = {}): Promise<Answer> =>
  house.ask("POST", "/v1/messages", {
    key,
    headers: betas.length > 0 ? { "anthropic-beta": betas.join(",") } : {},
    body: sent,
  });

interface Hop {
  model: string;
  outcome: string;
  input: number;
  output: number;
  nano: number;
}
const hopsOf = ({ headers }: Answer) =>
  house.world.db.query<Hop>(sql`select model, outcome, input_tokens as input,
    output_tokens as output, amount_nano as nano from ledger
    where request_id = ${headers.get("request-id")} order by id`);

/** The last data of a stream with `stop_details`, and everything that came. */
function streamed(answer: Answer) {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const events = String(answer.body)
    .trimEnd()
    .split("\n\n")
    .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)));
  return { events, end: events.find(({ type }) => type === "message_delta") };
}

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

// Credit.

const creditBetas = { betas: [credit07] };
/** A refused request and its token. */
async function refusal(
  fields: object = {},
  content = "[[refuse category=bio]]",
  asking: Asking = creditBetas,
) {
  const sent = body(content, fields);
  const answer = await post(sent, asking);
  assert.equal(answer.body.stop_reason, "refusal", JSON.stringify(answer.body));
  const token = answer.body.stop_details.fallback_credit_token as string;
  return { sent, token, answer };
}
const retry = (sent: object, token: unknown, fields: object = {}) => ({
  ...sent,
  model: "sim-medium",
  fallback_credit_token: token,
  ...fields,
});
const bestEffort = (token: string) => ({ token, mode: "best_effort" });
const statusOf = ({ body: { usage } }: Answer) => usage.fallback_credit?.status;

test("[CRD1] [CRD5] a token redeems, whole and as a stream, and none is shown where none was sent", async () => {
  const { sent, token } = await refusal();
  const whole = await post(retry(sent, token), creditBetas);
  assert.deepEqual(statusOf(whole), { type: "redeemed" });
  const { end } = streamed(await post(retry(sent, token, { stream: true }), creditBetas));
  assert.deepEqual(end.usage.fallback_credit, { status: { type: "redeemed" } });
  const without = await post(body("Hello."), creditBetas);
  assert.equal(without.body.usage.fallback_credit, undefined);
});

test("[CRD2] [CRD3] [CRD4] what is malformed, or stands beside fallbacks, is 400 in both modes", async () => {
  const { sent, token } = await refusal();
  const changed = `${token.slice(0, -2)}${token.endsWith("A") ? "B" : "A"}${token.at(-1)}`;
  for (const mode of ["strict", "best_effort"]) {
    const wrong = await post(retry(sent, { token: changed, mode }), creditBetas);
    assert.match(sentenceOf(wrong, 400), /is not a token of this server/);
    const both = await post(retry(sent, { token, mode }, { fallbacks: [{ model: "sim-small" }] }), {
      betas: [credit07, fallback07],
    });
    assert.match(sentenceOf(both, 400), /cannot stand beside fallbacks/);
  }
  assert.match(sentenceOf(await post(retry(sent, token)), 400), /vendor-beta: fallback-credit/);
  const object = await post(retry(sent, bestEffort(token)), { betas: [fallback07] });
  assert.match(sentenceOf(object, 400), /the object form needs the header/);
});

type Change = (facts: { sent: Record<string, unknown>; token: string }) => {
  sent: object;
  asking?: Asking;
};

const partial = { role: "assistant", content: [{ type: "text", text: "something else" }] };
const reasons: Record<string, { fields?: object; change: Change; sentence: RegExp }> = {
  body_mismatch: {
    change: ({ sent }) => ({ sent: { ...sent, messages: [{ role: "user", content: "Other." }] } }),
    sentence: /does not match the refused request.*Retry without the token/,
  },
  variant_fields_present: {
    change: ({ sent }) => ({ sent: { ...sent, system: "Be brief." } }),
    sentence: /did not have system\. Remove that/,
  },
  invalid_target_model: {
    change: ({ sent }) => ({ sent: { ...sent, model: "sim-classic" } }),
    sentence: /sim-classic is not among the allowed_fallback_models/,
  },
  continuation_excluded: {
    fields: {
      tools: [{ name: "look", input_schema: { type: "object" } }],
      tool_choice: { type: "any" },
    },
    change: ({ sent }) => ({
      sent: { ...sent, model: "sim-small", messages: [...(sent["messages"] as object[]), partial] },
    }),
    sentence: /continuation is not available/,
  },
};

for (const [reason, { fields = {}, change, sentence }] of Object.entries(reasons))
  test(`[CRD5] [CRD15] ${reason}: 400 when strict, served and told when best effort`, async () => {
    const { sent, token } = await refusal(fields, '[[refuse category=bio]] [[say "ok"]]');
    const changed = change({ sent: retry(sent, token), token });
    const strict = await post(changed.sent, creditBetas);
    assert.match(sentenceOf(strict, 400), sentence);
    assert.equal(strict.body.error.details.reason, reason);
    assert.deepEqual(await hopsOf(strict), []);
    const lenient = { ...changed.sent, fallback_credit_token: bestEffort(token) };
    const served = await post(lenient, creditBetas);
    assert.equal(served.status, 200, JSON.stringify(served.body));
    assert.equal(statusOf(served).type, "not_applied");
    assert.equal(statusOf(served).reason, reason);
    const named = reason === "variant_fields_present" ? ["system"] : undefined;
    assert.deepEqual(statusOf(served).remove_to_redeem, named);
  });

test("[CRD7] betas are compared without those of fallbacks", async () => {
  const { sent, token } = await refusal();
  const mismatch = await post(retry(sent, token), { betas: [credit07, "another-2026-01-01"] });
  assert.match(sentenceOf(mismatch, 400), /the request body does not match/);
  for (const betas of [
    [credit07, fallback07],
    ["fallback-credit-2026-06-01"],
    [credit07, fallback06],
  ])
    assert.equal((await post(retry(sent, token), { betas })).status, 200, String(betas));
});

test("[CRD8] [CRD17] the appended answer redeems, and only a token makes it a prefill", async () => {
  const { sent, token, answer } = await refusal(
    {},
    '[[refuse after=3]] [[say "abcdefghijklmnopqrst"]]',
  );
  assert.equal(answer.body.stop_details.fallback_has_prefill_claim, true);
  const appended = [...sent.messages, { role: "assistant", content: "abcdefghijkl" }];
  const whole = await post(retry(sent, token, { messages: appended }), creditBetas);
  assert.deepEqual(
    [statusOf(whole), whole.body.content[0].text],
    [{ type: "redeemed" }, "mnopqrst"],
  );
  const spaced = [...sent.messages, { role: "assistant", content: "abcdefghijkl \n" }];
  const trimmed = await post(retry(sent, token, { messages: spaced }), creditBetas);
  assert.deepEqual(statusOf(trimmed), { type: "redeemed" });
  const plain = { ...sent, model: "sim-medium", messages: appended };
  assert.match(sentenceOf(await post(plain, creditBetas), 400), /messages\.1/);
  const other = [...sent.messages, { role: "assistant", content: "abcdefghijk" }];
  const wrong = await post(retry(sent, token, { messages: other }), creditBetas);
  assert.match(sentenceOf(wrong, 400), /Send the refused body unchanged, with the same token/);
});

test("[CRD11] a token lives for five minutes, and 30 seconds more", async () => {
  const { sent, token } = await refusal();
  wall.advance(5 * 60_000 + 30_000);
  assert.deepEqual(statusOf(await post(retry(sent, token), creditBetas)), { type: "redeemed" });
  wall.advance(1);
  const late = await post(retry(sent, token), creditBetas);
  assert.match(sentenceOf(late, 400), /expired.*Retry without the token/);
  const served = await post(retry(sent, bestEffort(token)), creditBetas);
  assert.deepEqual(statusOf(served), { type: "not_applied", reason: "expired" });
  // Minted by a clock that goes ahead of ours: the same request, again.
  const ahead = await refusal();
  wall.jumpTo(new Date(wall.now().getTime() - 31_000));
  const early = await post(retry(ahead.sent, ahead.token), creditBetas);
  assert.match(sentenceOf(early, 400), /temporarily unavailable\. Send the same request again/);
  wall.advance(1_000);
  const again = await post(retry(ahead.sent, ahead.token), creditBetas);
  assert.deepEqual(statusOf(again), { type: "redeemed" });
});

test("[CRD12] a token is worth nothing in another organization, platform or workspace", async () => {
  const { sent, token } = await refusal();
  const { other, cloud } = house.organizations;
  const elsewhere = await insertWorkspace(platform);
  const key = await makeKey(house, platform, { kind: "api" });
  await house.world.db.tx((tx) =>
    tx.query(sql`update keys set workspace_id = ${elsewhere} where id = ${key.id}`),
  );
  for (const [at, reason] of [
    [other.api_key, "wrong_organization"],
    [cloud.api_key, "wrong_organization"],
    [key.secret, "wrong_workspace"],
  ] as const) {
    const strict = await post(retry(sent, token), { ...creditBetas, key: at });
    assert.equal(strict.status, 400, JSON.stringify(strict.body));
    assert.equal(strict.body.error.details.reason, reason);
    const served = await post(retry(sent, bestEffort(token)), { ...creditBetas, key: at });
    assert.deepEqual(statusOf(served), { type: "not_applied", reason });
  }
  // The organization has become another platform's since.
  const organizationId = platform.organization_id;
  const become = (type: string) =>
    house.world.db.tx((tx) =>
      tx.query(sql`update organizations set type = ${type} where id = ${organizationId}`),
    );
  await become("platform_cloud");
  await using neighbour = await house.neighbour();
  const moved = await fetch(`${neighbour.url}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": platform.api_key,
      "anthropic-beta": credit07,
    },
    body: JSON.stringify(retry(sent, bestEffort(token))),
  });
  const { usage } = (await moved.json()) as { usage: { fallback_credit: object } };
  await become("platform");
  assert.deepEqual(usage.fallback_credit, {
    status: { type: "not_applied", reason: "wrong_platform" },
  });
});

async function insertWorkspace(tenant: Tenant): Promise<string> {
  const id = house.world.ids.next("wrkspc_");
  await house.world.db.tx((tx) =>
    tx.query(sql`insert into workspaces (id, organization_id, name, is_default, created_at)
      values (${id}, ${tenant.organization_id}, 'Elsewhere', false, now())`),
  );
  return id;
}

test("[CRD13] a refused model that has no fallbacks any more gives no credit", async () => {
  const { sent, token } = await refusal(
    { model: "sim-medium" },
    "[[refuse category=bio models=*]]",
  );
  const set = (allowed: string[]) =>
    house.ask("POST", "/console/api/models", {
      cookie: platform.cookie,
      body: { id: "sim-medium", allowed_fallback_models: allowed, fallback_routing: {} },
    });
  assert.equal((await set([])).status, 200);
  const retried = retry(sent, bestEffort(token), { model: "sim-small" });
  const served = await post(retried, creditBetas);
  assert.deepEqual(statusOf(served), { type: "not_applied", reason: "not_enabled" });
  assert.equal((await set(["sim-small"])).status, 200);
  assert.deepEqual(statusOf(await post(retried, creditBetas)), { type: "redeemed" });
});

test("[CRD16] warm writes become reads, token for token, in usage and in money", async () => {
  // 8,000 bytes are 2,000 tokens.
  const system = [{ type: "text", text: "s".repeat(8_000), cache_control: { type: "ephemeral" } }];
  const first = body("Warm it up.", { system });
  assert.equal((await post(first)).body.usage.cache_creation_input_tokens, 2_000);
  const { sent, token, answer } = await refusal({ system });
  assert.equal(answer.body.usage.cache_read_input_tokens, 2_000);
  const retried = await post(retry(sent, token), creditBetas);
  const { usage } = retried.body;
  assert.deepEqual([usage.cache_creation_input_tokens, usage.cache_read_input_tokens], [0, 2_000]);
  const [row] = await hopsOf(retried);
  assert.equal(row?.nano, usage.input_tokens * 3_000 + 2_000 * 300 + usage.output_tokens * 15_000);
  // A cold one, without a token, writes.
  const cold = body("And plain.", { system: [{ ...system[0], text: "t".repeat(8_000) }] });
  const written = await post({ ...cold, model: "sim-medium" });
  assert.equal(written.body.usage.cache_creation_input_tokens, 2_000);
});
