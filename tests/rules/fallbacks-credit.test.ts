// Rules CRD1 to CRD17: the token of a refusal, and what a retry with it gets.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import { creditUsage, mint, redeem, reprice } from "../../server/fallbacks/module.ts";
import type { MintInput, NotApplied, Redeemed } from "../../server/fallbacks/module.ts";
import type { MessageBody, Model } from "../../server/models/module.ts";
import {
  assistant,
  catalog,
  credit07,
  large,
  makeCaller,
  medium,
  now06,
  now07,
  request,
  small,
  text,
  thinking,
  user,
  type Caller,
} from "./fallbacks-models.ts";
import { minutes, seconds } from "./support.ts";

let caller: Awaited<ReturnType<typeof makeCaller>>;
before(async () => {
  caller = await makeCaller();
});

const refusedBody = request({ system: "Be kind.", thinking: { type: "adaptive" } });

const minted = (options: Partial<MintInput> = {}) =>
  mint({
    context: caller,
    body: refusedBody,
    betas: credit07,
    model: large,
    partial: [],
    cacheBreakpoints: [],
    ...options,
  });

function tokenOf(options: Partial<MintInput> = {}): string {
  const made = minted(options);
  assert.ok(made);
  return made.token;
}

interface Retry {
  context?: Caller;
  betas?: ReadonlySet<string>;
  model?: Model;
  mode?: "strict" | "best_effort";
  names?: typeof catalog;
}

/** Strict with a string, best effort with an object, as clients send it. */
function retried(token: unknown, body: MessageBody = refusedBody, retry: Retry = {}) {
  const { context = caller, betas = credit07, model = medium, names = catalog, mode } = retry;
  const param = mode === undefined ? token : { token, mode };
  return redeem({
    context,
    body: { ...body, model: model.id, fallback_credit_token: param },
    betas,
    model,
    catalog: names,
  });
}

/** The reason, which both modes agree on, and the sentence of the strict one. */
function denied(...[token, body, retry]: Parameters<typeof retried>) {
  const soft = retried(token, body, { ...retry, mode: "best_effort" });
  const hard = retried(token, body, { ...retry, mode: "strict" });
  assert.ok(hard instanceof Failure && hard.status === 400, "strict is 400");
  assert.ok(soft !== undefined && !(soft instanceof Failure) && soft.status === "not_applied");
  assert.equal(hard.options.details?.["reason"], soft.reason);
  return { reason: soft.reason, message: hard.message, remove: soft.remove_to_redeem };
}

function redeemed(outcome: ReturnType<typeof redeem>): Redeemed {
  if (outcome instanceof Failure) assert.fail(outcome.message);
  if (outcome?.status !== "redeemed") assert.fail(outcome?.reason ?? "no token was read");
  return outcome;
}

const with_ = (fields: Partial<MessageBody>) => ({ ...refusedBody, ...fields });
const appended = (content: Parameters<typeof assistant>[0], body = refusedBody) => ({
  ...body,
  messages: [...body.messages, assistant(content)],
});

test("[CRD1] a token needs a beta that grants it and a model that may fall back", () => {
  for (const beta of ["fallback-credit-2026-06-01", "server-side-fallback-2026-07-01"])
    assert.ok(minted({ betas: new Set([beta]) }));
  assert.equal(minted({ betas: now06 }), undefined);
  assert.equal(minted({ betas: new Set() }), undefined);
  assert.equal(minted({ model: small }), undefined);
  assert.equal(
    redeem({ context: caller, catalog, body: refusedBody, betas: credit07, model: medium }),
    undefined,
  );
});

test("[CRD2] what we did not encrypt as a token is 400 in both modes", () => {
  const alien = caller.secrets.encrypt("{}", "something else");
  for (const token of ["", "x", `${tokenOf()}x`, alien, "y".repeat(5_000)])
    for (const mode of ["strict", "best_effort"] as const) {
      const outcome = retried(token, refusedBody, { mode });
      assert.ok(outcome instanceof Failure);
      assert.match(outcome.message, /is not a token of this server/);
    }
  assert.ok(!tokenOf().includes("Be kind"));
});

test("[CRD3] a token beside fallbacks is 400 in both modes", () => {
  const betas = new Set([...credit07, ...now07]);
  for (const mode of ["strict", "best_effort"] as const) {
    const outcome = retried(tokenOf(), with_({ fallbacks: "default" }), { mode, betas });
    assert.ok(outcome instanceof Failure);
    assert.match(outcome.message, /cannot stand beside fallbacks/);
  }
});

test("[CRD4] a string, or an object under its beta; strict unless it says otherwise", () => {
  const old = new Set(["fallback-credit-2026-06-01"]);
  redeemed(retried(tokenOf(), refusedBody, { betas: old }));
  redeemed(retried({ token: tokenOf() }));
  const refusals: [unknown, ReadonlySet<string>, RegExp][] = [
    [{ token: tokenOf() }, old, /object form needs.*fallback-credit-2026-07-01/],
    [tokenOf(), new Set(), /vendor-beta: fallback-credit-2026-07-01/],
    [{ token: tokenOf(), mode: "loose" }, credit07, /mode: must be/],
    [{ token: tokenOf(), more: 1 }, credit07, /\.more: is no field/],
    [{ mode: "strict" }, credit07, /must be a string, or an object/],
    [7, credit07, /must be a string/],
  ];
  for (const [param, betas, pattern] of refusals) {
    const outcome = retried(param, refusedBody, { betas });
    assert.ok(outcome instanceof Failure);
    assert.match(outcome.message, pattern);
  }
  assert.ok(retried({ token: tokenOf() }, with_({ system: "Other." })) instanceof Failure);
});

test("[CRD5] strict is 400; best effort is served and says why", () => {
  const other = with_({ system: "Other." });
  assert.ok(retried(tokenOf(), other) instanceof Failure);
  const soft = retried(tokenOf(), other, { mode: "best_effort" }) as NotApplied;
  assert.deepEqual(creditUsage(soft), { status: { type: "not_applied", reason: "body_mismatch" } });
  assert.deepEqual(creditUsage(redeemed(retried(tokenOf()))), { status: { type: "redeemed" } });
});

test("[CRD6] what must match and what may change", () => {
  const token = tokenOf();
  const may = {
    max_tokens: 7,
    stop_sequences: ["x"],
    temperature: 0.5,
    top_p: 1,
    top_k: 1,
    stream: true,
    metadata: { user_id: "u" },
    service_tier: "auto",
    speed: "fast",
    inference_geo: "eu",
    diagnostics: {},
    billing_policy: {},
    effort: "low",
    tools: null,
  };
  redeemed(retried(token, with_(may as unknown as Partial<MessageBody>)));
  for (const fields of [
    { system: "Be kind. " },
    { system: [text("Be kind.")] },
    { messages: [user("Hello")] },
    { messages: [user("Hello."), user("More.")] },
    { thinking: { type: "adaptive", display: "omitted" } },
    { thinking: null },
  ])
    assert.equal(denied(token, with_(fields)).reason, "body_mismatch", JSON.stringify(fields));
  const reordered = { messages: [{ content: "Hello.", role: "user" as const }] };
  redeemed(retried(token, with_(reordered)));
  const between = with_({ thinking: { type: "between_tools" } });
  redeemed(retried(tokenOf({ body: between }), with_({ thinking: { type: "disabled" } })));
});

test("[CRD7] beta sets match, but for server-side-fallback, fallback-credit and oauth", () => {
  const grants = [[...now07], [...credit07], ["fallback-credit-2026-06-01", ...now07]];
  const pairs = grants.flatMap((minted) => grants.map((shown) => ({ minted, shown })));
  for (const { minted, shown } of pairs) {
    const token = tokenOf({ betas: new Set([...minted, "b", "a"]) });
    const betas = new Set(["a", "oauth-2025-04-20", "b", ...shown]);
    redeemed(retried(token, refusedBody, { betas }));
    for (const others of [["a"], ["a", "b", "c"], []]) {
      const refused = retried(token, refusedBody, { betas: new Set([...others, ...shown]) });
      assert.match(refused instanceof Failure ? refused.message : "", /body does not match/);
    }
  }
});

const looked = [
  { type: "server_tool_use", id: "s1", name: "web_search", input: { q: "x" } },
  { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
];
const orphan = { type: "tool_use", id: "t1", name: "look", input: {} };

test("[CRD8] the appended partial, modulo trailing whitespace, in exactly one message", () => {
  const partial = [thinking("s"), ...looked, text("So far. \n"), orphan];
  const made = minted({ partial });
  assert.equal(made?.hasPrefillClaim, true);
  const token = made?.token;
  const raw = { ...text("So far. \n"), citations: null };
  for (const content of [
    partial,
    [...looked, raw],
    [...looked, text("So far.")],
    [thinking("s"), ...looked, raw],
  ])
    assert.equal(redeemed(retried(token, appended(content))).rung, "appended");
  for (const content of [
    [...looked, text("So far: ")],
    [text("So far.")],
    [...looked],
    [...looked, text(" So far.")],
    [...looked, text("So far."), text("More.")],
    [],
  ])
    assert.equal(denied(token, appended(content)).reason, "body_mismatch");
  const two = appended([text("So far.")], appended(looked));
  assert.equal(denied(token, two).reason, "body_mismatch");
});

test("[CRD8] a second refusal: the first partial again, verbatim, and the second behind it", () => {
  const first = [text("One. "), orphan];
  const second = [text("Two. ")];
  const token = tokenOf({ body: appended(first), model: medium, partial: second });
  const retry = { model: small };
  const both = redeemed(retried(token, appended([...first, ...second]), retry));
  assert.deepEqual(both.messages.at(-1), assistant([text("One. "), text("Two.")]));
  assert.equal(redeemed(retried(token, appended(first), retry)).rung, "same");
  redeemed(retried(token, appended(second, appended(first)), retry));
  assert.equal(denied(token, appended(second), retry).reason, "body_mismatch");
  assert.equal(denied(token, refusedBody, retry).reason, "body_mismatch");
});

test("[CRD9] no continuation with a format or a forced tool, and no claim without output", () => {
  const partial = [text("So")];
  for (const fields of [
    { output_config: { format: { type: "json_schema" } } },
    { tool_choice: { type: "any" } },
    { tool_choice: { type: "tool", name: "look" } },
  ]) {
    const body = with_(fields);
    const made = minted({ body, partial });
    assert.equal(made?.hasPrefillClaim, false);
    assert.equal(denied(made?.token, appended(partial, body)).reason, "continuation_excluded");
    redeemed(retried(made?.token, body));
  }
  for (const nothing of [[], [thinking("s")], [orphan], [text(" \n")], [looked[0] ?? orphan]])
    assert.equal(minted({ partial: nothing })?.hasPrefillClaim, false);
  assert.equal(denied(tokenOf(), appended(partial)).reason, "body_mismatch");
});

test("[CRD10] minted among server tools: only the continuation redeems", () => {
  const token = tokenOf({ partial: looked, continuationOnly: true });
  const { reason, message } = denied(token);
  assert.equal(reason, "continuation_only");
  assert.match(message, /must be redeemed by continuing the partial response: append/);
  redeemed(retried(token, appended(looked)));
  redeemed(retried(tokenOf({ partial: [thinking("s")], continuationOnly: true })));
  const body = with_({ tool_choice: { type: "any" } });
  const stuck = tokenOf({ body, partial: looked, continuationOnly: true });
  assert.match(denied(stuck, body).message, /continuing the partial response.*without the token/);
});

test("[CRD11] five minutes and thirty seconds, and a clock ahead of ours is transient", async () => {
  const aged = async (ms: number) => {
    const context = await makeCaller();
    const { token } = minted({ context }) ?? {};
    context.clock.jumpTo(new Date(context.clock.now().getTime() + ms));
    return { token, retry: { context } };
  };
  for (const ms of [minutes(5) + seconds(30), -seconds(30), 0]) {
    const { token, retry } = await aged(ms);
    redeemed(retried(token, refusedBody, retry));
  }
  const late = await aged(minutes(5) + seconds(30) + 1);
  assert.equal(denied(late.token, refusedBody, late.retry).reason, "expired");
  const early = await aged(-seconds(30) - 1);
  const { reason, message } = denied(early.token, refusedBody, early.retry);
  assert.equal(reason, "temporarily_unavailable");
  assert.match(message, /Send the same request again with the same token/);
});

test("[CRD12] for the organization, platform and workspace of the refusal, else for its caller", () => {
  const as = (who: Partial<Caller["who"]>) => ({ ...caller, who: { ...caller.who, ...who } });
  const reason = (who: Partial<Caller["who"]>, token = tokenOf()) =>
    denied(token, refusedBody, { context: as(who) }).reason;
  assert.equal(reason({ organizationId: "org_2" }), "wrong_organization");
  assert.equal(reason({ organizationType: "platform_cloud" }), "wrong_platform");
  assert.equal(reason({ workspaceId: "wrkspc_2" }), "wrong_workspace");
  assert.equal(reason({ workspaceId: null }), "wrong_workspace");
  redeemed(retried(tokenOf(), refusedBody, { context: as({ credentialId: "key_2" }) }));
  const token = tokenOf({ context: as({ workspaceId: null }) });
  redeemed(retried(token, refusedBody, { context: as({ workspaceId: null }) }));
  assert.equal(reason({ workspaceId: null, credentialId: "key_2" }, token), "wrong_workspace");
});

test("[CRD13] only to a model that the refused one may fall back to", () => {
  assert.equal(denied(tokenOf(), refusedBody, { model: large }).reason, "invalid_target_model");
  const token = tokenOf({ model: medium });
  assert.equal(
    denied(token, refusedBody, { model: { ...small, id: "classic" } }).reason,
    "invalid_target_model",
  );
  redeemed(retried(token, refusedBody, { model: small }));
  const gone = { resolve: () => undefined };
  assert.equal(denied(token, refusedBody, { model: small, names: gone }).reason, "not_enabled");
  const shut = { resolve: () => ({ ...medium, allowedFallbackModels: [] }) };
  assert.equal(denied(token, refusedBody, { model: small, names: shut }).reason, "not_enabled");
});

test("[CRD14] what the refused request had not is named, when all else matches", () => {
  const extra = with_({ tools: [], tool_choice: { type: "auto" } });
  const { reason, remove, message } = denied(tokenOf(), extra);
  assert.equal(reason, "variant_fields_present");
  assert.deepEqual(remove, ["tools", "tool_choice"]);
  assert.match(message, /did not have tools, tool_choice.*same token/);
  const both = denied(tokenOf(), { ...extra, system: "Other." });
  assert.deepEqual([both.reason, both.remove], ["body_mismatch", undefined]);
});

test("[CRD15] the 400 names the next rung", () => {
  const partial = [text("So")];
  const token = tokenOf({ partial });
  const same = /Send the refused body unchanged, with the same token/;
  assert.match(denied(token, appended([text("No")])).message, same);
  const body = with_({ tool_choice: { type: "any" } });
  assert.match(denied(tokenOf({ body, partial }), appended(partial, body)).message, same);
  assert.match(denied(token, with_({ system: "Other." })).message, /Retry without the token/);
  caller.clock.advance(-seconds(31));
  const early = denied(token);
  caller.clock.advance(seconds(31));
  assert.equal(early.reason, "temporarily_unavailable");
  assert.match(early.message, /same request again/);
});

test("[CRD16] writes of the warm prefix become reads", () => {
  const counts = { input: 10, output: 5, cacheWrite5m: 300, cacheWrite1h: 200, cacheRead: 100 };
  const warm = (tokens: number, hash = "a") => ({ hash, ttl: "5m" as const, tokens });
  const all = { tokens: 610, lastBreakpointHash: undefined };
  const shifted = (tokens: number) => {
    const { cacheWrite5m, cacheWrite1h, cacheRead, ...rest } = reprice(counts, [warm(tokens)], all);
    assert.deepEqual(rest, { input: 10, output: 5 });
    return [cacheRead, cacheWrite1h, cacheWrite5m];
  };
  assert.deepEqual(shifted(250), [250, 50, 300]);
  assert.deepEqual(shifted(400), [400, 0, 200]);
  assert.deepEqual(shifted(9_000), [600, 0, 0]);
  assert.deepEqual(shifted(100), [100, 200, 300], "nothing to move");
  assert.deepEqual(reprice(counts, [], all), counts);
  // The model counts twice as many tokens as this server, or knows the last breakpoint.
  const readOf = (tokens: number, lastBreakpointHash: string) =>
    reprice(counts, [warm(200)], { tokens, lastBreakpointHash }).cacheRead;
  assert.equal(readOf(305, "b"), 400);
  assert.equal(readOf(610, "a"), 600);
  const cacheBreakpoints = [warm(250)];
  assert.deepEqual(redeemed(retried(tokenOf({ cacheBreakpoints }))).warm, cacheBreakpoints);
});

test("[CRD17] the target sees the text and the paired server tools of the continuation", () => {
  const partial = [thinking("s"), ...looked, text("So far. "), orphan];
  const outcome = redeemed(retried(tokenOf({ partial }), appended(partial)));
  assert.deepEqual(outcome.messages, [
    ...refusedBody.messages,
    assistant([...looked, text("So far.")]),
  ]);
  const plainRetry = redeemed(retried(tokenOf({ partial })));
  assert.equal(plainRetry.messages, refusedBody.messages);
  assert.deepEqual([outcome.authorizesPrefill, plainRetry.authorizesPrefill], [true, false]);
  const own = appended("So: ");
  const ownRetry = redeemed(retried(tokenOf({ body: own }), own));
  assert.equal(ownRetry.authorizesPrefill, false);
  assert.equal(ownRetry.messages, own.messages);
  const second = { ...appended(partial), fallback_credit_token: "the first" };
  const againOf = (continued: boolean) =>
    redeemed(
      retried(tokenOf({ body: second, model: medium, continued }), second, { model: small }),
    );
  const again = againOf(true);
  assert.equal(againOf(false).authorizesPrefill, false, "a token that had not redeemed");
  assert.deepEqual([again.rung, again.authorizesPrefill], ["same", true]);
  assert.deepEqual(again.messages, outcome.messages);
});
