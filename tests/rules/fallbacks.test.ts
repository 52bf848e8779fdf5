// Fallbacks and credit over HTTP, on the simulator: what a client sees of a turn that was refused.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type Answer, type House } from "../house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const fallback07 = "server-side-fallback-2026-07-01";
const credit07 = "fallback-credit-2026-07-01";
const both = `${fallback07},${credit07}`;

let asked = 0;
/** Its own words each time, so that no conversation is sticky from another test. */
const refusing = (directive: string) => `${directive} Question ${(asked += 1)}.`;

interface Said {
  messages?: unknown[];
  [field: string]: unknown;
}

const send = (body: Said, betas = both, tenant: "platform" | "cloud" | "other" = "platform") =>
  house.ask("POST", "/v1/messages", {
    key: house.organizations[tenant].api_key,
    headers: { "anthropic-version": "2026-10-21", "anthropic-beta": betas },
    body: { model: "sim-large", max_tokens: 200, ...body },
  });

/** The events of a stream, parsed. */
async function streamed(body: Said, betas = both) {
  const response = await fetch(`${house.url}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": house.organizations.platform.api_key,
      "anthropic-version": "2026-10-21",
      "anthropic-beta": betas,
    },
    body: JSON.stringify({ model: "sim-large", max_tokens: 200, stream: true, ...body }),
  });
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line): Answer["body"] => JSON.parse(line.slice(6)));
}

const user = (content: unknown) => ({ role: "user", content });
const typesOf = (of: Answer["body"][]) => of.map(({ type }: { type: string }) => type);

test("[FBK12] a refused turn is served by the next model, and the boundary says so", async () => {
  const content = refusing("[[refuse category=cyber]]");
  const { status, body } = await send({ messages: [user(content)], fallbacks: "default" });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.model, "sim-medium");
  assert.deepEqual(body.content[0], {
    type: "fallback",
    from: { model: "sim-large" },
    to: { model: "sim-medium" },
    trigger: { type: "refusal", category: "cyber" },
  });
  assert.deepEqual(typesOf(body.usage.iterations), ["message", "fallback_message"]);
  const nowhere = refusing("[[refuse category=frontier_llm]]");
  const refused = await send({ messages: [user(nowhere)], fallbacks: "default" });
  assert.equal(refused.body.stop_reason, "refusal");
  assert.equal(refused.body.model, "sim-large");
});

test("[FBK15] when all refuse, the last refusal is returned with every hop", async () => {
  const fallbacks = [{ model: "sim-medium" }, { model: "sim-small" }];
  const content = refusing("[[refuse category=bio models=*]]");
  const { body } = await send({ messages: [user(content)], fallbacks });
  assert.equal(body.stop_reason, "refusal");
  assert.equal(body.model, "sim-small");
  assert.deepEqual(typesOf(body.usage.iterations), ["message", "message", "fallback_message"]);
});

test("[FBK17] a stream that is refused in the middle goes on behind a boundary", async () => {
  const content = refusing("[[refuse category=cyber after=5]]");
  const events = await streamed({ messages: [user(content)], fallbacks: "default" });
  const starts = events.filter(({ type }) => type === "content_block_start");
  assert.deepEqual(typesOf(starts.map(({ content_block: block }) => block)), [
    "text",
    "fallback",
    "text",
  ]);
  assert.deepEqual(
    starts.map(({ index }) => index),
    [0, 1, 2],
  );
  const stops = events.filter(({ type }) => type === "content_block_stop");
  assert.deepEqual(
    stops.map(({ index }) => index),
    [0, 1, 2],
  );
  const delta = events.find(({ type }) => type === "message_delta");
  assert.equal(delta.delta.stop_reason, "end_turn");
  assert.deepEqual(typesOf(delta.usage.iterations), ["message", "fallback_message"]);
  assert.equal(delta.usage.iterations[0].output_tokens, 5);
});

test("[FBK29] the next turn starts at the fallback, without a boundary, on another process too", async () => {
  const first = user(refusing("[[refuse category=cyber]]"));
  const { body: answer } = await send({ messages: [first], fallbacks: "default" });
  const messages = [first, { role: "assistant", content: answer.content }, user("And then?")];
  await using neighbour = await house.openSecondServer();
  const response = await fetch(`${neighbour.url}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": house.organizations.platform.api_key,
      "anthropic-version": "2026-10-21",
      "anthropic-beta": fallback07,
    },
    body: JSON.stringify({ model: "sim-large", max_tokens: 50, messages, fallbacks: "default" }),
  });
  const body = (await response.json()) as Answer["body"];
  assert.equal(body.model, "sim-medium", JSON.stringify(body));
  assert.deepEqual(typesOf(body.content), ["text"]);
  assert.deepEqual(typesOf(body.usage.iterations), ["fallback_message"]);
  const alone = await send({ messages });
  assert.equal(alone.body.model, "sim-large");
});

test("[FBK24] a boundary that is dropped on the next turn is 400 with fallbacks, and only then", async () => {
  const first = user(refusing("[[refuse category=cyber]]"));
  const { body: answer } = await send({ messages: [first], fallbacks: "default" });
  const content = answer.content.filter(({ type }: { type: string }) => type !== "fallback");
  const messages = [first, { role: "assistant", content }, user("And then?")];
  const { status, body } = await send({ messages, fallbacks: "default" });
  assert.equal(status, 400);
  assert.match(body.error.message, /messages\.1\.content: .*moved or dropped/);
  assert.equal((await send({ messages })).status, 200);
});

test("[FBK2] organizations of a cloud platform are told of the client-side way", async () => {
  const { status, body } = await send(
    { messages: [user("Hi")], fallbacks: "default" },
    both,
    "cloud",
  );
  assert.equal(status, 400);
  assert.match(body.error.message, /fallback-credit-2026-07-01/);
});

test("[CRD8] a refused stream is continued with its token, where a prefill is not allowed", async () => {
  const messages = [user(refusing("[[refuse category=cyber after=5]]"))];
  const events = await streamed({ messages }, credit07);
  const details = events.find(({ type }) => type === "message_delta").delta.stop_details;
  assert.equal(details.fallback_has_prefill_claim, true);
  const text = events.map(({ delta }) => (delta?.text as string | undefined) ?? "").join("");
  const retry = {
    model: "sim-medium",
    messages: [...messages, { role: "assistant", content: [{ type: "text", text }] }],
  };
  const token = details.fallback_credit_token as string;
  const { status, body } = await send({ ...retry, fallback_credit_token: token }, credit07);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.usage.fallback_credit, { status: { type: "redeemed" } });
  assert.equal((await send(retry, credit07)).status, 400, "without the token there is no prefill");
  const other = { ...retry, fallback_credit_token: token, system: "Other." };
  assert.equal((await send(other, credit07)).status, 400);
  const soft = { ...retry, messages, system: "Other." };
  const served = await send(
    { ...soft, fallback_credit_token: { token, mode: "best_effort" } },
    credit07,
  );
  assert.equal(served.body.usage.fallback_credit.status.type, "not_applied");
});

test("[CRD12] a token of another organization does not redeem", async () => {
  const messages = [user(refusing("[[refuse category=cyber]]"))];
  const { body: refused } = await send({ messages }, credit07);
  const token = refused.stop_details.fallback_credit_token as string;
  const retry = { model: "sim-medium", messages, fallback_credit_token: token };
  const { status, body } = await send(retry, credit07, "other");
  assert.equal(status, 400);
  assert.match(body.error.message, /another organization/);
  assert.equal((await send(retry, credit07)).status, 200);
});
