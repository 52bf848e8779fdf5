// Rules CRD where they show over HTTP: what a token is worth, to whom, and for how long.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import type { Answer, Tenant } from "../house.ts";
import {
  body,
  credit07,
  fallback06,
  fallback07,
  openFallbackHouse,
  streamed,
  type Asking,
  type FallbackHouse,
} from "./fallbacks-house.ts";
import { makeKey, sentenceOf } from "./support.ts";

let house: FallbackHouse["house"];
let platform: FallbackHouse["platform"];
let wall: FallbackHouse["wall"];
let post: FallbackHouse["post"];
let hopsOf: FallbackHouse["hopsOf"];
before(async () => {
  ({ house, platform, wall, post, hopsOf } = await openFallbackHouse());
});
after(() => house[Symbol.asyncDispose]());

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
  const changed = `${token.slice(0, -2)}${token.at(-2) === "A" ? "B" : "A"}${token.at(-1)}`;
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

test("[CRD7] betas are compared without those of fallbacks and of credit", async () => {
  for (const minted of [[credit07], [fallback07]]) {
    const { sent, token } = await refusal({}, "[[refuse category=bio]]", { betas: minted });
    const mismatch = await post(retry(sent, token), { betas: [credit07, "another-2026-01-01"] });
    assert.match(sentenceOf(mismatch, 400), /the request body does not match/);
    for (const betas of [
      [credit07],
      [fallback07],
      [credit07, fallback07],
      ["fallback-credit-2026-06-01"],
      [credit07, fallback06],
    ]) {
      const served = await post(retry(sent, token), { betas });
      assert.deepEqual(statusOf(served), { type: "redeemed" }, [minted, betas].join(" "));
    }
  }
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

test("[CRD11] a token lives for five minutes, and 30 seconds more, and redeems as often", async () => {
  const { sent, token } = await refusal();
  for (const _again of [1, 2])
    assert.deepEqual(statusOf(await post(retry(sent, token), creditBetas)), { type: "redeemed" });
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
  await using neighbour = await house.openSecondServer();
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
