// The unchanged official client: fallback on its own side, by its middleware and with credit tokens of the house.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type Anthropic,
  BetaFallbackState,
  betaRefusalFallbackMiddleware,
  type BetaRefusalFallbackError,
} from "@anthropic-ai/sdk";
import { makeManualClock, systemClock, type Clock } from "../../kernel/base/clock.ts";
import { openHouse, type House } from "../house.ts";
import { credit07, ledgerOf, listeningClient, textOf, type Seen } from "./messages-client.ts";

/** The wall clock is set, so that tokens expire when told to; all that waits goes on as usual. */
const wall = makeManualClock(new Date("2026-11-20T12:00:00Z"));
const clock: Clock = { ...systemClock, now: () => wall.now() };

let house: House;
before(async () => {
  house = await openHouse({
    clock,
    sections: {
      models: {
        upstreams: { busy: { kind: "simulator", scenario: [{ fail: { status: 529 } }] } },
        models: [
          { id: "busy", upstream: "busy", max_tokens: 64_000 },
          { id: "sim-large", allowed_fallback_models: ["sim-medium", "sim-small", "busy"] },
          { id: "sim-medium", allowed_fallback_models: ["sim-small", "busy"] },
        ],
      },
    },
  });
});
after(async () => {
  for (const { status } of house.expectErrors()) assert.equal(status, 529);
  await house[Symbol.asyncDispose]();
});

type Chain = Parameters<typeof betaRefusalFallbackMiddleware>[0];

function withFallbacks(chain: Chain, beforeEach: (seen: Seen[]) => void = () => {}) {
  const errors: BetaRefusalFallbackError[] = [];
  const middleware = betaRefusalFallbackMiddleware(chain, {
    onError: (error) => void errors.push(error),
  });
  const { client, seen } = listeningClient(house, {
    middleware: [
      middleware,
      (request, next) => {
        beforeEach(seen);
        return next(request);
      },
    ],
  });
  return { client, seen, errors };
}

const body = (content: string) => ({
  model: "sim-large",
  max_tokens: 500,
  messages: [{ role: "user" as const, content }],
});
const types = ({ content }: Anthropic.Beta.BetaMessage) => content.map(({ type }) => type);
const credited = ({ usage }: Anthropic.Beta.BetaMessage) => usage.fallback_credit?.status.type;
const text = "One two three four five six seven eight.";

test("whole: the next entry answers with the credit of the refusal", async () => {
  const { client, seen } = withFallbacks([{ model: "sim-medium" }]);
  const message = await client.beta.messages.create(body('Well? [[refuse]] [[say "Here."]]'));
  assert.deepEqual(types(message), ["fallback", "text"]);
  assert.equal(message.model, "sim-medium");
  assert.equal(credited(message), "redeemed");
  assert.ok(seen[0]?.headers.get("anthropic-beta")?.includes(credit07));
  assert.equal(seen[1]?.body.fallback_credit_token.mode, "best_effort");
});

test("a stream that is refused before output goes on with the next entry", async () => {
  const { client, seen } = withFallbacks([{ model: "sim-medium" }]);
  const message = await client.beta.messages
    .stream(body('Well? [[refuse category=cyber]] [[say "Here."]]'))
    .finalMessage();
  assert.deepEqual(types(message), ["fallback", "text"]);
  assert.equal(textOf(message.content), "Here.");
  assert.equal(credited(message), "redeemed");
  assert.equal(seen[1]?.body.messages.length, 1);
  assert.deepEqual(
    message.usage.iterations?.map(({ type }) => type),
    ["message", "fallback_message"],
  );
});

for (const cut of [5, 10])
  test(`a stream that is refused after ${cut} tokens is continued by the appended answer`, async () => {
    const { client, seen, errors } = withFallbacks([{ model: "sim-medium" }]);
    const message = await client.beta.messages
      .stream(body(`Count ${cut}. [[refuse after=${cut}]] [[say "${text}"]]`))
      .finalMessage();
    const behind = cut === 10 ? [] : ["text"];
    assert.deepEqual(types(message), ["text", "fallback", ...behind]);
    assert.equal(credited(message), "redeemed");
    assert.deepEqual(errors, []);
    const appended = seen[1]?.body.messages.at(-1);
    assert.equal(appended.role, "assistant");
    assert.equal(appended.content[0].text, text.slice(0, cut * 4));
    assert.equal(textOf(message.content).replaceAll(" ", ""), text.replaceAll(" ", ""));
  });

test("with thinking, the partial answer is continued all the same", async () => {
  const { client, errors, seen } = withFallbacks([{ model: "sim-medium" }]);
  const message = await client.beta.messages
    .stream({
      ...body(`Count. [[think 10]] [[refuse after=14]] [[say "${text}"]]`),
      thinking: { type: "adaptive" },
    })
    .finalMessage();
  assert.deepEqual(types(message).slice(0, 3), ["thinking", "text", "fallback"]);
  assert.equal(credited(message), "redeemed");
  assert.deepEqual(errors, []);
  assert.deepEqual(
    seen.map(({ status }) => status),
    [200, 200],
  );
  assert.match(textOf(message.content), /eight\.$/);
});

for (const stream of [true, false])
  test(`a chain of two, ${stream ? "as a stream" : "whole"}`, async () => {
    const { client, seen, errors } = withFallbacks([
      { model: "sim-medium" },
      { model: "sim-small" },
    ]);
    const asked = body(
      `Chain ${stream}. [[refuse category=bio models=sim-large,sim-medium after=3]] [[say "${text}"]]`,
    );
    const message = stream
      ? await client.beta.messages.stream(asked).finalMessage()
      : await client.beta.messages.create(asked);
    assert.equal(textOf(message.content).replaceAll(" ", ""), text.replaceAll(" ", ""));
    assert.equal(message.content.filter(({ type }) => type === "fallback").length, 2);
    assert.equal(credited(message), "redeemed");
    assert.deepEqual(
      seen.map(({ status, body: { model } }) => [status, model]),
      [
        [200, "sim-large"],
        [200, "sim-medium"],
        [200, "sim-small"],
      ],
    );
    assert.deepEqual(errors, []);
  });

test("a continuation that is rejected is sent once more without the partial answer", async () => {
  // The token expires between the refusal and the retry: its prefill is authorized no more.
  const { client, seen, errors } = withFallbacks([{ model: "sim-medium" }], ({ length }) => {
    if (length === 1) wall.advance(6 * 60_000);
  });
  const message = await client.beta.messages
    .stream(body(`Late. [[refuse after=5]] [[say "${text}"]]`))
    .finalMessage();
  assert.deepEqual(
    seen.map(({ status, body: { messages } }) => [status, messages.length]),
    [
      [200, 1],
      [400, 2],
      [200, 1],
    ],
  );
  assert.deepEqual(errors, []);
  assert.equal(textOf(message.content), text.slice(0, 20) + text);
  assert.deepEqual(message.usage.fallback_credit, {
    status: { type: "not_applied", reason: "expired" },
  });
});

test("an exhausted chain gives the last refusal, and recommends who could not be asked", async () => {
  const all = withFallbacks([{ model: "sim-medium" }, { model: "sim-small" }]);
  const refused = await all.client.beta.messages
    .stream(body("Nobody. [[refuse category=bio models=*]]"))
    .finalMessage();
  assert.deepEqual([refused.stop_reason, types(refused)], ["refusal", ["fallback", "fallback"]]);
  // The smallest has no fallbacks of its own: its refusal has no token.
  assert.deepEqual(
    all.errors.map(({ kind }) => kind),
    ["no_credit_token"],
  );
  const busy = withFallbacks([{ model: "busy" }]);
  const surfaced = await busy.client.beta.messages
    .stream(body("Busy. [[refuse category=bio]]"))
    .finalMessage();
  assert.equal(surfaced.stop_reason, "refusal");
  assert.ok(surfaced.stop_details?.type === "refusal");
  assert.equal(surfaced.stop_details.recommended_model, "busy");
  const skipped = withFallbacks([{ model: "busy" }, { model: "sim-small" }]);
  const served = await skipped.client.beta.messages
    .stream(body('Busy again. [[refuse category=bio]] [[say "Here."]]'))
    .finalMessage();
  assert.equal(textOf(served.content), "Here.");
  assert.equal(credited(served), "redeemed");
});

test("a pinned conversation stays with the entry, and its history has no blocks", async () => {
  const { client, seen } = withFallbacks([{ model: "sim-medium" }]);
  const fallbackState = new BetaFallbackState();
  const first = body('Pin. [[refuse]] [[say "Here."]]');
  const answer = await client.beta.messages.create(first, { fallbackState });
  const second = await client.beta.messages.create(
    {
      ...first,
      messages: [
        ...first.messages,
        { role: "assistant", content: answer.content },
        { role: "user", content: 'Go on. [[say "On."]]' },
      ],
    },
    { fallbackState },
  );
  assert.equal(second.model, "sim-medium");
  assert.deepEqual(seen.at(-1)?.body.messages[1].content, [
    { type: "text", text: "Here.", citations: null },
  ]);
  const [row] = await ledgerOf(house, second._request_id);
  assert.equal(row?.model, "sim-medium");
});
