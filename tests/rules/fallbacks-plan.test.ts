// Rules FBK1 to FBK20: which models a request travels through, with which bodies, and what the answer says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure, invalid, unavailable } from "../../kernel/base/failure.ts";
import {
  continuationBody,
  declinedCounts,
  fallbackBlock,
  hopTo,
  isOverload,
  iterationsOf,
  nextHop,
  planHops,
  stopDetails,
} from "../../server/fallbacks/module.ts";
import type { MessageBody } from "../../server/models/module.ts";
import {
  assistant,
  catalog,
  classic,
  credit07,
  large,
  medium,
  now06,
  now07,
  plan,
  request,
  small,
  text,
  thinking,
  user,
  validateFor,
} from "./fallbacks-models.ts";

const none = new Set<string>();
const list = (...entries: unknown[]) => ({ fallbacks: entries });
const at = (hops: ReturnType<typeof plan>["hops"], index: number): MessageBody => {
  const hop = hops[index];
  assert.ok(hop);
  return hop.body;
};
const refused = (fields: Partial<MessageBody>, pattern: RegExp, betas = now07, model = large) =>
  assert.throws(
    () => plan(fields, betas, model),
    (error) => error instanceof Failure && error.status === 400 && pattern.test(error.message),
  );

test("[FBK1] each form needs its beta, and the 400 names the header", () => {
  refused(list({ model: "small" }), /vendor-beta: server-side-fallback-2026-07-01/, none);
  refused({ fallbacks: "default" }, /vendor-beta: server-side-fallback-2026-07-01/, none);
  refused({ fallbacks: "default" }, /"default" is in beta.*2026-07-01/, now06);
  refused(list({ model: "small" }), /vendor-beta/, credit07);
  assert.equal(plan(list({ model: "small" }), now06).mode, "list");
  assert.equal(plan(list({ model: "small" })).mode, "list");
  assert.equal(plan({ fallbacks: "default" }).mode, "default");
  assert.equal(plan({ fallbacks: null }, none).mode, "none");
});

test("[FBK2] a cloud platform is sent to the client-side way", () => {
  const ask = () =>
    planHops({
      body: request(list({ model: "small" })),
      betas: now07,
      model: large,
      catalog,
      organizationType: "platform_cloud",
      validateFor,
    });
  assert.throws(ask, /client.*fallback-credit-2026-07-01/);
});

test("[FBK3] entries are closed, one to three", () => {
  refused(list(), /fallbacks: has 0 entries; 1 to 3/);
  const four = ["medium", "small", "classic", "other"].map((model) => ({ model }));
  refused(list(...four), /has 4 entries/);
  assert.equal(plan(list(...four.slice(0, 3))).hops.length, 4);
  refused({ fallbacks: "always" }, /"default" or a list/);
  refused({ fallbacks: { model: "small" } }, /"default" or a list/);
  refused(list("small"), /fallbacks\.0: must be an object/);
  refused(list({ max_tokens: 5 }), /fallbacks\.0\.model: is missing/);
  refused(
    list({ model: "medium" }, { model: "small", top_p: 1 }),
    /fallbacks\.1\.top_p: .*max_tok/,
  );
  refused(list({ model: "small", toString: 1 }), /fallbacks\.0\.toString/);
  refused(list({ model: "small", max_tokens: 0 }), /fallbacks\.0\.max_tokens: must be a whole/);
  refused(list({ model: "small", speed: "slow" }), /fallbacks\.0\.speed: must be/);
  refused(list({ model: "small", thinking: "on" }), /fallbacks\.0\.thinking: must be/);
  refused(list({ model: "small", output_config: [] }), /fallbacks\.0\.output_config: must be/);
});

test("[FBK4] entries are distinct and allowed, by what their names resolve to", () => {
  refused(list({ model: "big" }), /fallbacks\.0\.model: big is the requested model/);
  refused(list({ model: "medium" }, { model: "middle" }), /fallbacks\.1\.model: .* fallbacks\.0/);
  refused(list({ model: "nobody" }), /nobody is no fallback of large; allowed are medium, small/);
  refused(list({ model: "classic" }), /classic is no fallback of medium/, now07, medium);
  assert.deepEqual(
    plan(list({ model: "middle" }, { model: "little" })).hops.map(({ model }) => model.id),
    ["large", "medium", "small"],
  );
});

test("[FBK5] a model without fallbacks: the list is 400, default runs it alone", () => {
  refused(list({ model: "large" }), /small has no fallback models/, now07, small);
  const alone = plan({ fallbacks: "default", model: "small" }, now07, small);
  assert.deepEqual([alone.hops.length, alone.routes.size], [1, 0]);
  assert.equal(nextHop(alone, alone.hops[0], "cyber"), undefined);
});

test("[FBK6] no hop carries what is ours alone", () => {
  const { hops } = plan({ ...list({ model: "small" }), fallback_credit_token: "x", top_k: 3 });
  for (const { body, model } of hops) {
    assert.equal(body["fallbacks"], undefined);
    assert.equal(body["fallback_credit_token"], undefined);
    assert.deepEqual([body["top_k"], body.model], [3, model.id]);
  }
  const body = request();
  const organizationType = "platform";
  const input = {
    body,
    betas: none,
    model: large,
    catalog,
    organizationType,
    validateFor,
  } as const;
  assert.equal(planHops(input).hops[0].body, body);
});

test("[FBK7] what is left out falls to the model's default where it does not take the request's", () => {
  const fields: Partial<MessageBody> = {
    max_tokens: 7_000,
    thinking: { type: "adaptive" },
    speed: "fast",
    output_config: { effort: "xhigh", task_budget: { type: "tokens", total: 9 }, format: { a: 1 } },
  };
  const { hops } = plan({ ...fields, ...list({ model: "medium" }, { model: "small" }) });
  const first = at(hops, 1);
  assert.deepEqual(
    [first.max_tokens, first.thinking, first.speed, first.output_config],
    [5_000, { type: "adaptive" }, undefined, { format: { a: 1 } }],
  );
  const second = at(hops, 2);
  assert.equal("thinking" in second || "speed" in second, false);
  assert.equal(second.max_tokens, 1_000);
  const kept = plan({ ...list({ model: "medium" }), output_config: { effort: "low" } }).hops;
  assert.deepEqual(at(kept, 1).output_config, { effort: "low" });
  // An effort is taken "with the attempt's thinking": beside a budget only where the model says so.
  const budget = { type: "enabled", budget_tokens: 50 };
  const entry = { model: "classic", thinking: budget };
  const beside = plan({ ...list(entry), output_config: { effort: "low" } });
  assert.deepEqual(at(beside.hops, 1).output_config, { effort: "low" });
  const never = { ...classic, effortWithBudget: false };
  const alone = planHops({
    body: request({ ...list(entry), output_config: { effort: "low" } }),
    betas: now07,
    model: large,
    catalog: { resolve: () => never },
    organizationType: "platform",
    validateFor,
  });
  assert.equal("output_config" in at(alone.hops, 1), false);
});

test("[FBK8] null is the model's default, and output_config merges field by field", () => {
  const fields: Partial<MessageBody> = {
    thinking: { type: "adaptive" },
    output_config: { effort: "low", format: { a: 1 } },
  };
  const merged = (entry: object) =>
    at(plan({ ...fields, ...list({ model: "medium", ...entry }) }).hops, 1);
  assert.equal("thinking" in merged({ thinking: null }), false);
  assert.deepEqual(merged({ output_config: { format: null } }).output_config, { effort: "low" });
  assert.deepEqual(merged({ output_config: { effort: null } }).output_config, { format: { a: 1 } });
  assert.deepEqual(merged({ output_config: { effort: "max" } }).output_config, {
    effort: "max",
    format: { a: 1 },
  });
  assert.equal("output_config" in merged({ output_config: null }), false);
  assert.deepEqual(merged({ max_tokens: null }).max_tokens, 100);
  assert.deepEqual(merged({ max_tokens: 50 }).max_tokens, 50);
  const between = { thinking: { type: "between_tools" } };
  assert.deepEqual(at(plan({ ...between, ...list({ model: "medium" }) }).hops, 1).thinking, {
    type: "disabled",
  });
  const classicBody = at(plan({ ...between, ...list({ model: "classic" }) }).hops, 1);
  assert.equal("thinking" in classicBody, false);
});

test("[FBK9] under 06-01 nothing is defaulted", () => {
  const ask = (fields: Partial<MessageBody>, entry: object) => () =>
    plan({ ...fields, ...list({ model: "small", ...entry }) }, now06);
  assert.throws(ask({ output_config: { effort: "low" } }, {}), /fallbacks\.0 \(small\): .*effort/);
  assert.throws(ask({ thinking: { type: "adaptive" } }, {}), /thinking\.type/);
  assert.throws(ask({ max_tokens: 2_000 }, {}), /max_tokens/);
  const patched = ask(
    { thinking: { type: "adaptive" }, output_config: { effort: "low", format: { a: 1 } } },
    { thinking: null, output_config: { effort: null }, max_tokens: null },
  )();
  assert.equal("thinking" in at(patched.hops, 1), false);
  assert.deepEqual(at(patched.hops, 1).output_config, { format: { a: 1 } });
  assert.equal(at(patched.hops, 1).max_tokens, 100);
  const both = new Set([...now06, ...now07]);
  assert.doesNotThrow(() => plan({ ...list({ model: "small" }), max_tokens: 2_000 }, both));
});

test("[FBK10] one entry that its model does not take rejects the whole request", () => {
  refused(
    list({ model: "medium" }, { model: "small", output_config: { effort: "low" } }),
    /fallbacks\.1 \(small\): output_config\.effort.*Nothing was sent/,
  );
  refused(list({ model: "medium", max_tokens: 5_001 }), /fallbacks\.0 \(medium\): max_tokens/);
});

test("[FBK11] each hop is merged with the request, and the request stays as it was", () => {
  const body = request({
    thinking: { type: "adaptive" },
    output_config: { effort: "low" },
    ...list(
      { model: "medium", output_config: { effort: "max" }, thinking: null },
      { model: "small", max_tokens: 5 },
    ),
  });
  const before = structuredClone(body);
  const { hops } = planHops({
    body,
    betas: now07,
    model: large,
    catalog,
    organizationType: "platform",
    validateFor,
  });
  assert.deepEqual(body, before);
  assert.deepEqual([at(hops, 1).max_tokens, at(hops, 2).max_tokens], [100, 5]);
  assert.equal("output_config" in at(hops, 2), false);
});

test("[FBK12] the list goes on in order; default has one target, by category", () => {
  const chain = plan(list({ model: "medium" }, { model: "small" }));
  const [first, second, third] = chain.hops;
  assert.ok(second && third);
  assert.equal(nextHop(chain, first, "cyber"), second);
  assert.equal(nextHop(chain, second, null), third);
  assert.equal(nextHop(chain, third, "cyber"), undefined);
  const routed = plan({ fallbacks: "default" });
  const target = (category: Parameters<typeof nextHop>[2]) =>
    nextHop(routed, routed.hops[0], category)?.model.id;
  assert.deepEqual(
    [target("cyber"), target("bio"), target("general_harms"), target(null)],
    ["medium", "medium", "small", "medium"],
  );
  assert.equal(target("frontier_llm"), undefined);
  const middle = hopTo(routed, "medium");
  assert.ok(middle);
  assert.equal(nextHop(routed, middle, "cyber"), undefined, "its own routing is not asked");
  assert.equal(routed.hops.length, 3, "each target once");
  assert.equal(hopTo(chain, "large"), undefined, "the requested model is no target");
});

test("[FBK13] default leaves out what is not allowed or cannot take the request", () => {
  const prefers = { ...large, fallbackRouting: { cyber: "small", bio: "medium" } } as const;
  const shut = { ...prefers, allowedFallbackModels: ["medium"] };
  const routed = plan({ fallbacks: "default" }, now07, shut);
  assert.deepEqual([...routed.routes.keys()], ["bio"]);
  const strict = planHops({
    body: request({ fallbacks: "default" }),
    betas: now07,
    model: prefers,
    catalog,
    organizationType: "platform",
    validateFor: ({ id }) => (id === "medium" ? invalid("No pictures.") : undefined),
  });
  assert.deepEqual([...strict.routes.keys()], ["cyber"]);
});

test("[FBK14] a boundary has the caller's spelling of the requested model, else ids", () => {
  const chain = plan({ model: "big", ...list({ model: "middle" }, { model: "little" }) });
  const [first, second, third] = chain.hops;
  assert.ok(second && third);
  assert.deepEqual(fallbackBlock(chain, first, second, "cyber"), {
    type: "fallback",
    from: { model: "big" },
    to: { model: "medium" },
    trigger: { type: "refusal", category: "cyber" },
  });
  const { from, trigger } = fallbackBlock(chain, second, third, null);
  assert.deepEqual([from.model, trigger.category], ["medium", null]);
});

test("[FBK15] iterations: a message for each that declined, fallback_message for a fallback that served", () => {
  const [first, second] = plan(list({ model: "medium" })).hops;
  assert.ok(second);
  const usage = {
    input_tokens: 3,
    output_tokens: 4,
    cache_creation_input_tokens: null,
    cache_read_input_tokens: 2,
  };
  const types = (...hops: (typeof first)[]) =>
    iterationsOf(hops.map((hop) => ({ hop, usage }))).map(({ type, model }) => `${type} ${model}`);
  assert.deepEqual(types(first), ["message large"]);
  assert.deepEqual(types(first, second), ["message large", "fallback_message medium"]);
  assert.deepEqual(types(second), ["fallback_message medium"]);
  assert.deepEqual(iterationsOf([{ hop: second, usage }])[0], {
    type: "fallback_message",
    model: "medium",
    input_tokens: 3,
    output_tokens: 4,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 2,
    cache_creation: null,
  });
});

test("[FBK16] the fields of fallback stand in stop_details with a beta only", () => {
  const facts = { category: "bio", explanation: null } as const;
  assert.deepEqual(stopDetails(facts, none), { type: "refusal", ...facts });
  const empty = {
    type: "refusal",
    ...facts,
    fallback_credit_token: null,
    fallback_has_prefill_claim: null,
    recommended_model: null,
  };
  for (const betas of [now06, now07, credit07]) assert.deepEqual(stopDetails(facts, betas), empty);
  const credit = { token: "t", hasPrefillClaim: false };
  assert.deepEqual(stopDetails({ ...facts, credit, recommendedModel: "small" }, credit07), {
    ...empty,
    fallback_credit_token: "t",
    fallback_has_prefill_claim: false,
    recommended_model: "small",
  });
});

const orphan = { type: "tool_use", id: "toolu_1", name: "look", input: {} };

test("[FBK17] the continuation is the text so far, the last right-stripped", () => {
  const body = request();
  const one = [thinking("s"), text("One. "), orphan];
  const seen = continuationBody(body, [one, [text("Two.\n")]]);
  assert.deepEqual(seen.messages, [user("Hello."), assistant([text("One. "), text("Two.")])]);
  assert.equal(continuationBody(body, [[thinking("s"), orphan], [text(" \n")]]), body);
  const prefilled = request({ messages: [user("Hello."), assistant("So:")] });
  assert.deepEqual(continuationBody(prefilled, [one]).messages.at(-1), {
    role: "assistant",
    content: [text("So:"), text("One.")],
  });
});

test("[FBK18] a format or a forced tool is not continued", () => {
  for (const fields of [
    { output_config: { format: { type: "json_schema" } } },
    { tool_choice: { type: "any" } },
    { tool_choice: { type: "tool", name: "look" } },
  ]) {
    const body = request(fields);
    assert.equal(continuationBody(body, [[text("One.")]]), body);
  }
  const free = request({ tool_choice: { type: "auto" }, output_config: { format: null } });
  assert.equal(continuationBody(free, [[text("One.")]]).messages.length, 2);
});

test("[FBK19] a declined hop is charged for what the client received", () => {
  const counts = { input: 5, output: 6, cacheWrite5m: 1, cacheWrite1h: 2, cacheRead: 3 };
  assert.deepEqual(declinedCounts(counts, true), counts);
  assert.ok(Object.values(declinedCounts(counts, false)).every((count) => count === 0));
});

test("[FBK20] only an overloaded or limited fallback is recommended instead of failing", () => {
  const [first, second] = plan(list({ model: "medium" })).hops;
  assert.ok(second);
  const failing = (status: number) => new Failure("api_error", "No.", { status });
  assert.deepEqual(
    [429, 529, 500, 503, 400].map((status) => isOverload(second, failing(status))),
    [true, true, false, false, false],
  );
  assert.equal(isOverload(first, failing(529)), false);
  assert.equal(isOverload(second, unavailable("Away.")), false);
});
