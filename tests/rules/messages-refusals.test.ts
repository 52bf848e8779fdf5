// Rules MSG50 to MSG53: refusals of this server, by another model or by patterns, and their place in the ledger.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import {
  answerParts,
  openUpstreamsHouse,
  text,
  type UpstreamsHouse,
} from "./fallbacks-upstreams-house.ts";
import { fallback07 } from "./fallbacks-house.ts";
import { sentenceOf } from "./support.ts";
import { queryPosted } from "../posted.ts";

let setup: UpstreamsHouse;
before(async () => {
  setup = await openUpstreamsHouse([
    { id: "guarded", guard: "guard" },
    { id: "second", guard: "guard" },
    { id: "third" },
    { id: "ruled", classifiers: [{ category: "bio", on: "output", pattern: "secret" }] },
    { id: "guard", prices: { input: 10, output: 20 } },
  ]);
  setup.models.set("guard", ({ messages }) => {
    const { content } = messages[0] ?? {};
    if (content === "Be away.") return { status: 529 };
    if (content === "Decline.") return { stop: "refusal" };
    const said = String(content).startsWith("Poison") ? "Refuse: bio" : "allow";
    return { content: [text(said)], usage: { input_tokens: 40, output_tokens: 3 } };
  });
});
after(async () => {
  setup.house.expectErrors();
  await setup[Symbol.asyncDispose]();
});

const asking = (content: string, fields: object = {}) => ({
  model: "guarded",
  messages: [{ role: "user", content }],
  ...fields,
});
const shortly = async (answer: Parameters<UpstreamsHouse["rowsOf"]>[0]) =>
  (await setup.rowsOf(answer)).map(({ model, kind, outcome, input, output, nano, list }) =>
    [model, kind, outcome, input, output, nano, list].join(" "),
  );
const guardRow = "guard guard served 40 3 0 460";

for (const stream of [false, true]) {
  test(`[MSG50] [MSG52] what the guard used is a row of its own that nobody pays, stream: ${stream}`, async () => {
    const allowed = await setup.post(asking("Good day.", { stream }));
    assert.equal(answerParts(allowed).stop_reason, "end_turn");
    const served = "guarded message served 100 10 150000 150000";
    assert.deepEqual(await shortly(allowed), [served, guardRow]);
    const refused = await setup.post(asking("Poison.", { stream }));
    const { stop_reason, stop_details, content } = answerParts(refused);
    assert.deepEqual([stop_reason, stop_details.category, content], ["refusal", "bio", []]);
    assert.deepEqual(await shortly(refused), ["guarded message served 0 0 0 0", guardRow]);
  });

  test(`[MSG50] [MSG52] each hop's guard is asked, and has its row, stream: ${stream}`, async () => {
    const fallbacks = [{ model: "second" }, { model: "third" }];
    const sent = asking(`Poison ${stream}.`, { stream, fallbacks });
    const answer = await setup.post(sent, { betas: [fallback07] });
    assert.deepEqual(
      answerParts(answer).content.map(({ type }: { type: string }) => type),
      ["fallback", "fallback", "text"],
    );
    assert.deepEqual(await shortly(answer), [
      "guarded message declined 0 0 0 0",
      guardRow,
      "second message declined 0 0 0 0",
      guardRow,
      "third message served 100 10 150000 150000",
    ]);
  });
}

test("[MSG50] the guard's own refusal counts", async () => {
  const answer = await setup.post(asking("Decline."));
  assert.equal(answer.body.stop_reason, "refusal");
  assert.equal(answer.body.stop_details.category, "cyber");
});

test("[MSG51] a guard that cannot be asked fails the request, and nothing stays open", async () => {
  const answer = await setup.post(asking("Be away."));
  sentenceOf(answer, 529);
  const failed = ["guarded message failed 0 0 0 0", "guard guard failed 0 0 0 0"];
  assert.deepEqual(await shortly(answer), failed);
  const open = await queryPosted(setup.house.world.db, sql`select id from ledger_opens`);
  assert.deepEqual(open, []);
});

test("[MSG53] a pattern over the output holds back the piece in which it matched, and what follows", async () => {
  setup.models.set("ruled", () => ({ content: [text("This is a secret recipe.")] }));
  const fallbacks = [{ model: "third" }];
  const told = await setup.post(asking("Tell.", { model: "ruled", stream: true }));
  const { content, stop_reason, stop_details } = answerParts(told);
  assert.deepEqual([content, stop_reason], [[text("This is a ")], "refusal"]);
  assert.equal(stop_details.category, "bio");
  const row = async (answer: Parameters<UpstreamsHouse["rowsOf"]>[0]) => {
    const [{ outcome, input, output, nano, estimated } = assert.fail()] =
      await setup.rowsOf(answer);
    return [outcome, input, output, nano, estimated];
  };
  assert.deepEqual(await row(told), ["served", 100, 3, 115_000, true]);
  const sent = asking("Tell more.", { model: "ruled", stream: true, fallbacks });
  const gone = await setup.post(sent, { betas: [fallback07] });
  const { content: blocks } = answerParts(gone);
  assert.deepEqual(blocks.at(0), text("This is a "));
  assert.deepEqual(setup.heard().at(-1), { role: "assistant", content: [text("This is a")] });
  assert.deepEqual(await row(gone), ["declined", 100, 3, 115_000, true]);
  const whole = await setup.post(asking("Tell whole.", { model: "ruled" }));
  assert.deepEqual([whole.body.content, whole.body.stop_reason], [[], "refusal"]);
  assert.deepEqual(await row(whole), ["served", 0, 0, 0, false]);
});
