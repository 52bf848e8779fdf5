// The unchanged official client: fallbacks on the server, whole and as a stream, and the turns after them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openHouse, type House } from "../house.ts";
import {
  failing,
  fallback06,
  fallback07,
  ledgerOf,
  listeningClient,
  textOf,
  withoutIds,
} from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

type Body = Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;
const user = (content: string) => ({ role: "user" as const, content });
const body = (content: string, fields: Partial<Body> = {}): Body => ({
  model: "claude-opus-4-8",
  max_tokens: 500,
  messages: [user(content)],
  fallbacks: "default",
  betas: [fallback07],
  ...fields,
});
const boundary = (from: string, to: string, category: string | null) => ({
  type: "fallback",
  from: { model: from },
  to: { model: to },
  trigger: { type: "refusal", category },
});
const kinds = (message: Anthropic.Beta.BetaMessage) =>
  (message.usage.iterations ?? []).map((one) => [one.type, "model" in one ? one.model : undefined]);

test("default: before output the fallback answers, the same whole and as a stream", async () => {
  const { client } = listeningClient(house);
  const asked = body('Well? [[refuse category=cyber]] [[say "Here you are."]]');
  const whole = await client.beta.messages.create(asked);
  assert.equal(whole.model, "sim-medium");
  assert.deepEqual(whole.content[0], boundary("claude-opus-4-8", "sim-medium", "cyber"));
  assert.equal(textOf(whole.content), "Here you are.");
  assert.deepEqual(kinds(whole), [
    ["message", "sim-large"],
    ["fallback_message", "sim-medium"],
  ]);
  const stream = client.beta.messages.stream({
    ...asked,
    messages: [user(` ${asked.messages[0]?.content as string}`)],
  });
  const started: string[] = [];
  stream.on("streamEvent", (event) => {
    if (event.type === "message_start") started.push(event.message.model);
  });
  const streamed = await stream.finalMessage();
  assert.deepEqual(started, ["sim-medium"]);
  assert.deepEqual(streamed.content, whole.content);
  assert.deepEqual(kinds(streamed), kinds(whole));
  const rows = await ledgerOf(house, stream.request_id);
  assert.deepEqual(
    rows.map(({ model, outcome, nano }) => [model, outcome, nano > 0]),
    [
      ["sim-large", "declined", false],
      ["sim-medium", "served", true],
    ],
  );
});

test("mid-output: a stream goes on where the first model stopped; whole, it starts again", async () => {
  const { client } = listeningClient(house);
  const text = "One two three four five six seven eight.";
  const asked = body(`Count. [[refuse category=bio after=4]] [[say "${text}"]]`);
  const stream = client.beta.messages.stream(asked);
  const streamed = await stream.finalMessage();
  assert.deepEqual(
    streamed.content.map(({ type }) => type),
    ["text", "fallback", "text"],
  );
  const [before, , behind] = streamed.content;
  assert.ok(before?.type === "text" && behind?.type === "text");
  assert.equal(before.text, text.slice(0, 16));
  // The client's own accumulator takes the name of the serving model from the boundary.
  assert.equal(streamed.model, "sim-medium");
  assert.deepEqual(kinds(streamed), [
    ["message", "sim-large"],
    ["fallback_message", "sim-medium"],
  ]);
  const [declined, served] = await ledgerOf(house, stream.request_id);
  assert.deepEqual([declined?.outcome, declined?.output], ["declined", 4]);
  assert.equal(declined?.nano, (declined?.input ?? 0) * 5_000 + 4 * 25_000);
  assert.equal(served?.outcome, "served");
  const whole = await client.beta.messages.create({
    ...asked,
    messages: [user(`Count! [[refuse category=bio after=4]] [[say "${text}"]]`)],
  });
  assert.deepEqual(
    whole.content.map(({ type }) => type),
    ["fallback", "text"],
  );
  assert.equal(textOf(whole.content), text);
  const rows = await ledgerOf(house, whole._request_id);
  assert.deepEqual(
    rows.map(({ outcome, nano }) => [outcome, nano > 0]),
    [
      ["declined", false],
      ["served", true],
    ],
  );
});

test("a list in order, under both betas, with overrides of its own", async () => {
  const { client } = listeningClient(house);
  for (const beta of [fallback06, fallback07]) {
    const asked = body(`${beta}: [[refuse models=sim-large,sim-medium]] [[tokens 50]]`, {
      fallbacks: [{ model: "claude-sonnet-5" }, { model: "sim-small", max_tokens: 20 }],
      betas: [beta],
    });
    const whole = await client.beta.messages.create(asked);
    assert.equal(whole.model, "sim-small");
    assert.deepEqual(whole.content.slice(0, 2), [
      boundary("claude-opus-4-8", "sim-medium", null),
      boundary("sim-medium", "sim-small", null),
    ]);
    assert.deepEqual([whole.stop_reason, whole.usage.output_tokens], ["max_tokens", 20]);
    assert.deepEqual(
      whole.usage.iterations?.map(({ type }) => type),
      ["message", "message", "fallback_message"],
    );
  }
  const refused = await failing(
    Anthropic.BadRequestError,
    client.beta.messages.create(body("Hello.", { betas: [fallback06] })),
  );
  assert.match(refused.message, new RegExp(fallback07));
});

for (const after of ["", " after=3"])
  test(`all refuse${after}: the last refusal, whole and as a stream`, async () => {
    const { client } = listeningClient(house);
    const asked = body(`No. [[refuse category=bio models=*${after}]] [[tokens 9]]`, {
      fallbacks: [{ model: "sim-medium" }, { model: "sim-small" }],
    });
    const whole = await client.beta.messages.create(asked);
    const stream = client.beta.messages.stream(asked);
    const streamed = await stream.finalMessage();
    for (const message of [whole, streamed]) {
      assert.equal(message.stop_reason, "refusal");
      assert.equal(message.stop_details?.type, "refusal");
      assert.equal(message.stop_details?.category, "bio");
      assert.deepEqual(kinds(message), [
        ["message", "sim-large"],
        ["message", "sim-medium"],
        ["fallback_message", "sim-small"],
      ]);
      assert.equal(message.content.filter(({ type }) => type === "fallback").length, 2);
    }
    const rows = await ledgerOf(house, stream.request_id);
    assert.deepEqual(
      rows.map(({ outcome, output }) => [outcome, output]),
      ["declined", "declined", "served"].map((outcome) => [outcome, after === "" ? 0 : 3]),
    );
  });

test("a category without a target gives the refusal back unchanged", async () => {
  const { client } = listeningClient(house);
  const asked = body("No. [[refuse category=frontier_llm]]");
  const whole = await client.beta.messages.create(asked);
  assert.deepEqual([whole.stop_reason, whole.content], ["refusal", []]);
  assert.deepEqual(kinds(whole), [["message", "sim-large"]]);
  assert.deepEqual(
    withoutToken(withoutIds(await client.beta.messages.stream(asked).finalMessage())),
    withoutToken(withoutIds(whole)),
  );
});

/** Encrypted with a nonce: never twice the same. */
function withoutToken(message: Omit<Anthropic.Beta.BetaMessage, "id">) {
  const details = message.stop_details;
  assert.ok(details?.type === "refusal");
  assert.ok(typeof details.fallback_credit_token === "string");
  return { ...message, stop_details: { ...details, fallback_credit_token: "" } };
}

test("only refusals fall back; a fallback that is overloaded is recommended", async () => {
  await using lab = await overloadedHouse();
  const { client } = listeningClient(lab);
  const failed = await failing(
    Anthropic.OverloadedError,
    client.beta.messages.create(body("[[fail status=529]] [[refuse]]")),
  );
  assert.equal(failed.type, "overloaded_error");
  const fallbacks = [{ model: "busy" }, { model: "sim-small" }];
  for (const category of ["cyber", "none"]) {
    const asked = body(`[[refuse category=${category}]] [[say "Good."]]`, { fallbacks });
    const whole = await client.beta.messages.create(asked);
    const streamed = await client.beta.messages.stream(asked).finalMessage();
    for (const message of [whole, streamed]) {
      assert.equal(message.stop_reason, "refusal");
      assert.equal(message.stop_details?.type, "refusal");
      assert.equal(message.stop_details?.recommended_model, "busy");
      assert.deepEqual(message.content, []);
      assert.deepEqual(kinds(message), [["message", "sim-large"]]);
    }
  }
  assert.equal(lab.expectErrors().length, 0, "somebody else's 529 is no error of ours");
});

/** Its model `busy` always answers 529. */
const overloadedHouse = () =>
  openHouse({
    sections: {
      models: {
        upstreams: { busy: { kind: "simulator", scenario: [{ fail: { status: 529 } }] } },
        models: [
          { id: "busy", upstream: "busy", max_tokens: 64_000 },
          { id: "sim-large", allowed_fallback_models: ["busy", "sim-small"], fallback_routing: {} },
        ],
      },
    },
  });

test("the next turn goes straight to the fallback, on every process, for whoever echoes rightly", async () => {
  const { client } = listeningClient(house);
  const first = body("Begin. [[refuse category=bio]]");
  const answer = await client.beta.messages.create(first);
  const next = {
    ...first,
    messages: [
      ...first.messages,
      { role: "assistant" as const, content: answer.content },
      user('And then? [[say "Then this."]]'),
    ],
  };
  await using neighbour = await house.openSecondServer();
  const other = listeningClient(house, { baseURL: neighbour.url }).client;
  for (const each of [client, other]) {
    const whole = await each.beta.messages.create(next);
    assert.equal(whole.model, "sim-medium");
    assert.deepEqual(whole.content, [{ type: "text", text: "Then this.", citations: null }]);
    assert.deepEqual(kinds(whole), [["fallback_message", "sim-medium"]]);
    const streamed = await each.beta.messages.stream(next).finalMessage();
    assert.deepEqual(withoutIds(streamed), withoutIds(whole));
    const [row, more] = await ledgerOf(house, whole._request_id);
    assert.deepEqual([row?.model, row?.outcome, more], ["sim-medium", "served", undefined]);
  }
  // Without fallbacks the requested model is asked, and does not mind the block.
  const { fallbacks: _, ...plain } = next;
  assert.equal((await client.beta.messages.create(plain)).model, "sim-large");
  const [block, text] = answer.content;
  assert.ok(block && text);
  for (const content of [[text], [text, block]]) {
    const moved = { ...next, messages: next.messages.with(1, { role: "assistant", content }) };
    const error = await failing(Anthropic.BadRequestError, client.beta.messages.create(moved));
    assert.match(error.message, /messages\.1\.content: the fallback block .* moved or dropped/);
  }
});

test("an orphaned tool call of a stream is echoed with its result, and ignored", async () => {
  const { client } = listeningClient(house);
  const tools = [{ name: "look", input_schema: { type: "object" as const } }];
  const first = body('Look. [[refuse category=bio after=3]] [[tool look {"where":"everywhere"}]]', {
    tools,
  });
  const answer = await client.beta.messages.stream(first).finalMessage();
  assert.deepEqual(
    answer.content.map(({ type }) => type),
    ["tool_use", "fallback", "tool_use"],
  );
  const calls = answer.content.filter((block) => block.type === "tool_use");
  // The two may have one id: the simulator makes it from the request, which was the same.
  const results = [...new Set(calls.map(({ id }) => id))].map((id) => ({
    type: "tool_result" as const,
    tool_use_id: id,
    content: "nothing",
  }));
  for (const content of [results, results.slice(-1)]) {
    const second = await client.beta.messages.create({
      ...first,
      messages: [
        ...first.messages,
        { role: "assistant", content: answer.content },
        { role: "user", content },
      ],
    });
    assert.equal(second.model, "sim-medium");
    assert.match(textOf(second.content), /^look answered: "nothing"\. That/);
  }
});
