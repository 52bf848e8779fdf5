// Thinking that comes back in the history, over HTTP: which is shown to a model, which is dropped, which is refused.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { batchesOf } from "./batches-house.ts";
import {
  openUpstreamsHouse,
  refusalWith,
  type UpstreamsHouse,
  type ScriptedAnswer,
} from "./fallbacks-upstreams-house.ts";
import { credit07, fallback07, streamed } from "./fallbacks-house.ts";

let setup: UpstreamsHouse;
before(async () => {
  setup = await openUpstreamsHouse([{ id: "plain" }, { id: "steady", prefill: false }]);
});
after(() => setup[Symbol.asyncDispose]());

const text = (words: string) => ({ type: "text", text: words });
const unsigned = [
  { type: "thinking", thinking: "Hm." },
  { type: "thinking", thinking: "Hm.", signature: null },
  { type: "thinking", thinking: "Hm.", signature: "" },
];
const asked = (model: string, ...turns: [role: string, content: unknown][]) => ({
  model,
  messages: turns.map(([role, content]) => ({ role, content })),
});
const history = (model: string, content: unknown) =>
  asked(model, ["user", "Well?"], ["assistant", content], ["user", "And?"]);

const count = (body: object) =>
  setup.house.ask("POST", "/v1/messages/count_tokens", {
    key: setup.house.organizations.platform.api_key,
    body,
  });

test("[MSG62] a signature that is missing or null is an empty one, for each model, in counts and batches", async () => {
  const batches = batchesOf(setup.house);
  for (const model of ["plain", "sim-large"]) {
    const without = history(model, [text("So.")]);
    const { body: known } = await setup.post(without);
    const { body: counted } = await count(without);
    for (const block of unsigned) {
      const turns = history(model, [block, text("So.")]);
      const { status, body } = await setup.post(turns);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.usage.input_tokens, known.usage.input_tokens);
      if (model === "plain") assert.deepEqual(setup.heard(), without.messages);
      const answer = await count(turns);
      assert.deepEqual([answer.status, answer.body], [200, counted]);
    }
    const items = unsigned.map((block, at) => ({
      custom_id: `item-${at}`,
      params: { max_tokens: 300, ...history(model, [block, text("So.")]) },
    }));
    for (const { type, message } of (await batches.run(items)).values()) {
      assert.equal(type, "succeeded");
      assert.deepEqual(message.content, known.content);
    }
    const { status, body } = await setup.post(history(model, [{ ...unsigned[0], signature: 5 }]));
    assert.equal(status, 400);
    assert.match(body.error.message, /^messages\.1\.content\.0\.signature: must be a string/);
  }
  await batches.idle();
});

test("[MSG58] [MSG62] credit compares thinking without a signature as it was sent", async () => {
  setup.models.set("plain", () => refusalWith(""));
  const refused = history("plain", [unsigned[0], text("So.")]);
  const { body } = await setup.post(refused, { betas: [credit07] });
  const { fallback_credit_token } = body.stop_details;
  const retry = (content: unknown) => ({ ...history("steady", content), fallback_credit_token });
  const changed = await setup.post(retry([unsigned[2], text("So.")]), { betas: [credit07] });
  assert.match(changed.body.error.message, /does not match the refused request/);
  const { body: served } = await setup.post(retry([unsigned[0], text("So.")]), {
    betas: [credit07],
  });
  assert.deepEqual(served.usage.fallback_credit, { status: { type: "redeemed" } });
  setup.models.delete("plain");
});

test("[SML11] thinking of the simulator's own that was changed is 400 in a count, too", async () => {
  const thinking = { type: "adaptive" };
  const { body } = await setup.post({ ...asked("sim-large", ["user", "Well?"]), thinking });
  const [own, said] = body.content;
  assert.equal((await count(history("sim-large", [own, said]))).status, 200);
  const changed = history("sim-large", [{ ...own, thinking: "Something else." }, said]);
  const [refused, uncounted] = [await setup.post(changed), await count(changed)];
  assert.deepEqual([refused.status, uncounted.status], [400, 400]);
  assert.match(
    uncounted.body.error.message,
    /^messages\.1\.content\.0\.signature: does not belong/,
  );
  assert.equal(uncounted.body.error.message, refused.body.error.message);
  assert.equal((await count({ ...changed, model: "plain" })).status, 200);
});

test("[MSG13] [MSG62] a last turn of thinking that is not shown is no prefill, for any model", async () => {
  const own = await setup.post({
    ...asked("sim-large", ["user", "Well?"]),
    thinking: { type: "adaptive" },
  });
  const [simulated] = own.body.content;
  const foreign = { ...unsigned[0], signature: "ErUBCkYIBxgCIkD0" };
  const ended = (model: string, ...content: object[]) =>
    asked(model, ["user", "Well?"], ["assistant", content]);
  for (const [model, other] of [
    ["plain", simulated],
    ["steady", simulated],
    ["sim-large", foreign],
  ])
    for (const block of [...unsigned, other]) {
      const { status, body } = await setup.post(ended(model, block, text(" ")));
      assert.equal(status, 200, JSON.stringify(body));
      if (model !== "sim-large") assert.deepEqual(setup.heard(), ended(model).messages.slice(0, 1));
    }
  for (const turns of [ended("steady", foreign), ended("sim-large", simulated)]) {
    const { status, body } = await setup.post(turns);
    assert.equal(status, 400);
    assert.match(body.error.message, /^messages\.1: must be a user turn/);
  }
  const fallbacks = [{ model: "steady" }];
  const shown = { ...ended("plain", foreign), fallbacks };
  assert.equal((await setup.post(shown, { betas: [fallback07] })).status, 400);
  const hidden = { ...ended("plain", simulated), fallbacks };
  assert.equal((await setup.post(hidden, { betas: [fallback07] })).status, 200);
});

test("[MSG75] thinking of an answer has a signature, empty where the upstream left it out", async () => {
  const kinds: [object, string][] = [
    ...unsigned.map((block): [object, string] => [block, ""]),
    [{ ...unsigned[0], signature: "ErUB" }, "ErUB"],
  ];
  for (const [block, signature] of kinds) {
    const said: ScriptedAnswer = { content: [block as { type: string }, text("So.")] };
    setup.models.set("plain", () => said);
    const turns = asked("plain", ["user", "Well?"]);
    const { body } = await setup.post(turns);
    assert.deepEqual(body.content[0], { ...unsigned[0], signature });
    const { events } = streamed(await setup.post({ ...turns, stream: true }));
    const start = events.find(({ type }) => type === "content_block_start");
    assert.deepEqual(start.content_block, { ...unsigned[0], signature });
  }
  setup.models.delete("plain");
});
