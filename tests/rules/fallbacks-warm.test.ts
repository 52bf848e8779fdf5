// Rules FBK33, CRD16 and CRD18 where upstreams count their own caches: what is credited, in usage and in money.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer } from "../house.ts";
import {
  answerParts,
  openUpstreamsHouse,
  refusalWith,
  type UpstreamsHouse,
  type ModelAnswer,
} from "./fallbacks-upstreams-house.ts";
import { credit07, fallback07 } from "./fallbacks-house.ts";

let setup: UpstreamsHouse;
before(async () => {
  setup = await openUpstreamsHouse([
    { id: "first" },
    { id: "second" },
    { id: "third" },
    { id: "plain", reports_cache: false, cache_tokens_min: 10 },
    { id: "dear", prices: { input: 1_000, output: 5_000, cache_read: 2_000 } },
  ]);
  setup.models.set("first", () => refusalWith("", { cache_read_input_tokens: 5_000 }));
  setup.models.set("second", writes);
  setup.models.set("third", writes);
  setup.models.set("dear", writes);
});
after(() => setup[Symbol.asyncDispose]());

const writes: ModelAnswer = () => ({ usage: { cache_creation_input_tokens: 5_000 } });
const written = 100 * 1_000 + 10 * 5_000 + 5_000 * 1_250;
const read = 100 * 1_000 + 10 * 5_000 + 5_000 * 100;

let count = 0;
const asking = (fields: object = {}) => ({
  model: "first",
  system: [{ type: "text", text: "s".repeat(400), cache_control: { type: "ephemeral" } }],
  messages: [{ role: "user", content: `Question ${++count}.` }],
  ...fields,
});
const betas = [credit07];
const tokenOf = (answer: Answer) =>
  answerParts(answer).stop_details.fallback_credit_token as string;
async function paid(answer: Answer) {
  const { usage } = answerParts(answer);
  const row = (await setup.rowsOf(answer)).at(-1);
  assert.deepEqual(
    [usage.cache_creation_input_tokens, usage.cache_read_input_tokens],
    [row?.written, row?.read],
    "usage and ledger",
  );
  return { written: row?.written, read: row?.read, nano: row?.nano };
}

for (const stream of [false, true]) {
  test(`[CRD16] what an upstream read is credited on another, stream: ${stream}`, async () => {
    const sent = asking({ stream });
    const fallback_credit_token = tokenOf(await setup.post(sent, { betas }));
    const retry = await setup.post({ ...sent, model: "second", fallback_credit_token }, { betas });
    assert.deepEqual(answerParts(retry).usage.fallback_credit, { status: { type: "redeemed" } });
    assert.deepEqual(await paid(retry), { written: 0, read: 5_000, nano: read });
    const plainly = await setup.post({ ...sent, model: "second" });
    assert.deepEqual(await paid(plainly), { written: 5_000, read: 0, nano: written });
  });

  test(`[FBK33] and in the same answer, also over two refusals, stream: ${stream}`, async () => {
    const one = await setup.post(asking({ stream, fallbacks: [{ model: "second" }] }), {
      betas: [fallback07],
    });
    assert.deepEqual(await paid(one), { written: 0, read: 5_000, nano: read });
    setup.models.set("second", () => refusalWith("", { cache_creation_input_tokens: 5_000 }));
    const chain = [{ model: "second" }, { model: "third" }];
    const two = await setup.post(asking({ stream, fallbacks: chain }), { betas: [fallback07] });
    assert.deepEqual(await paid(two), { written: 0, read: 5_000, nano: read });
    setup.models.set("second", writes);
  });
}

test("[FBK33] a token of a second refusal holds what the first one held", async () => {
  const sent = asking();
  const token = tokenOf(await setup.post(sent, { betas }));
  setup.models.set("second", () => refusalWith("", { cache_creation_input_tokens: 5_000 }));
  const refused = await setup.post(
    { ...sent, model: "second", fallback_credit_token: token },
    { betas },
  );
  setup.models.set("second", writes);
  assert.equal(answerParts(refused).stop_reason, "refusal");
  const again = { ...sent, model: "third", fallback_credit_token: tokenOf(refused) };
  assert.deepEqual(await paid(await setup.post(again, { betas })), {
    written: 0,
    read: 5_000,
    nano: read,
  });
});

test("[CRD16] what the refused attempt wrote counts where it was paid for", async () => {
  const usage = { cache_read_input_tokens: 3_000, cache_creation_input_tokens: 2_000 };
  const redeemed = async (words: string) => {
    setup.models.set("first", () => refusalWith(words, usage));
    const sent = asking();
    const fallback_credit_token = tokenOf(await setup.post(sent, { betas }));
    const retry = { ...sent, model: "second", fallback_credit_token };
    return await paid(await setup.post(retry, { betas }));
  };
  const some = 150_000 + 2_000 * 1_250 + 3_000 * 100;
  assert.deepEqual(await redeemed(""), { written: 2_000, read: 3_000, nano: some });
  assert.deepEqual(await redeemed("Partly."), { written: 0, read: 5_000, nano: read });
  setup.models.set("first", () => refusalWith("", { cache_read_input_tokens: 5_000 }));
});

test("[CRD16] between a model whose cache the house counts and one that counts its own", async () => {
  // 105 tokens of ours in all, 100 of them behind the mark; the upstream counts 1,050.
  const question = { messages: [{ role: "user", content: "Question" }] };
  const usage = { input_tokens: 1_050 };
  setup.models.set("plain", () => ({ usage }));
  const sent = asking({ model: "plain", ...question });
  assert.deepEqual(await paid(await setup.post(sent)), {
    written: 1_000,
    read: 0,
    nano: 1_350_000,
  });
  setup.models.set("plain", () => refusalWith("", usage));
  const refused = await setup.post(sent, { betas });
  assert.equal(refused.body.usage.cache_read_input_tokens, 1_000);
  const theirs = { ...sent, model: "second", fallback_credit_token: tokenOf(refused) };
  assert.deepEqual(await paid(await setup.post(theirs, { betas })), {
    written: 0,
    read: 5_000,
    nano: read,
  });
  // And the other way round, on a prompt that this server does not know yet.
  setup.models.set("plain", () => ({ usage }));
  const system = [{ type: "text", text: "t".repeat(400), cache_control: { type: "ephemeral" } }];
  const other = asking({ system, ...question });
  const fallback_credit_token = tokenOf(await setup.post(other, { betas }));
  const ours = await setup.post({ ...other, model: "plain", fallback_credit_token }, { betas });
  assert.deepEqual(await paid(ours), { written: 0, read: 1_000, nano: 50_000 + 50_000 + 100_000 });
});

test("[CRD18] where reading costs more than writing nothing is credited", async () => {
  const sent = asking();
  const token = tokenOf(await setup.post(sent, { betas }));
  const retry = { ...sent, model: "dear", fallback_credit_token: token };
  const strict = await setup.post(retry, { betas });
  assert.equal(strict.status, 400);
  assert.equal(strict.body.error.details.reason, "reprice_unavailable");
  const lenient = { ...retry, fallback_credit_token: { token, mode: "best_effort" } };
  const served = await setup.post(lenient, { betas });
  assert.deepEqual(served.body.usage.fallback_credit.status, {
    type: "not_applied",
    reason: "reprice_unavailable",
  });
  assert.deepEqual(await paid(served), { written: 5_000, read: 0, nano: written });
  const own = await setup.post(asking({ fallbacks: [{ model: "dear" }] }), { betas: [fallback07] });
  assert.deepEqual(await paid(own), { written: 5_000, read: 0, nano: written });
});
