// Rules FBK and CRD where an upstream of somebody else's stands behind the models, and does what it likes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answered, openBarn, refusing, type Barn } from "./fallbacks-barn.ts";
import { fallback07 } from "./fallbacks-house.ts";

let barn: Barn;
before(async () => {
  barn = await openBarn([{ id: "first" }, { id: "second" }, { id: "third" }]);
});
after(() => barn[Symbol.asyncDispose]());

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
      barn.models.set("first", () => refusing("One two ", { output_tokens }));
      const answer = await barn.post(asking({ stream, ...toSecond }), withFallbacks);
      assert.equal(answered(answer).stop_reason, "end_turn");
      const [declined, served] = await barn.rowsOf(answer);
      const sent = stream ? { input: 100, output: 2 } : { input: 0, output: 0 };
      const { model, outcome, input, output } = declined ?? {};
      assert.deepEqual(
        { model, outcome, input, output },
        { model: "first", outcome: "declined", ...sent },
      );
      assert.deepEqual([served?.outcome, served?.nano], ["served", 150_000]);
      const alone = await barn.post(asking({ stream }));
      const [row] = await barn.rowsOf(alone);
      assert.deepEqual([row?.outcome, row?.input, row?.output], ["served", 100, 2]);
    }
  for (const input_tokens of [-1, 0.5, undefined]) {
    barn.models.set("first", () => ({ usage: { input_tokens } }));
    const answer = await barn.post(asking());
    const [row] = await barn.rowsOf(answer);
    assert.deepEqual([row?.outcome, row?.input, row?.output], ["served", 6, 10]);
  }
});
