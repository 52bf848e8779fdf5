// The unchanged official client: answers, streams, structured output, counts and models.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaJSONSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import { openHouse, type House } from "../house.ts";
import {
  failing,
  fallback07,
  ledgerOf,
  listeningClient,
  opensOf,
  textOf,
  withoutIds,
} from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const ask = (content: string) => [{ role: "user" as const, content }];

test("create: the answer, its usage, its request id and its workspace", async () => {
  const { client, seen } = listeningClient(house);
  const message = await client.messages.create({
    model: "claude-opus-4-8",
    max_tokens: 200,
    messages: ask('Good morning. [[say "Good morning to you."]]'),
  });
  assert.equal(textOf(message.content), "Good morning to you.");
  assert.equal(message.model, "sim-large");
  assert.deepEqual(
    [message.type, message.role, message.stop_reason, message.stop_details],
    ["message", "assistant", "end_turn", null],
  );
  // 3 a message and 44 bytes over 4; "Good morning to you." is 20 bytes.
  assert.deepEqual([message.usage.input_tokens, message.usage.output_tokens], [3 + 11, 5]);
  assert.equal(message.usage.cache_read_input_tokens, 0);
  const { organizations } = house;
  assert.equal(message._workspace_id, organizations.platform.workspace_id);
  assert.equal(seen[0]?.headers.get("anthropic-version"), "2026-10-21");
  const [row] = await ledgerOf(house, message._request_id);
  assert.equal(row?.nano, 14 * 5_000 + 5 * 25_000);
  assert.equal(row.outcome, "served");
});

const bodies = {
  text: { messages: ask("Tell me more.") },
  thinking: { thinking: { type: "adaptive" as const }, messages: ask("Think. [[think 30]]") },
  unicode: { messages: ask('[[say "Grüße, 世界, 👋🏽 and a\\nnew line"]]') },
  stop: { stop_sequences: ["three"], messages: ask('[[say "one two three four"]]') },
  "no room": { max_tokens: 4, messages: ask("Tell me much. [[tokens 50]]") },
  refusal: { messages: ask("[[refuse category=bio]]") },
  "refusal in the middle": { messages: ask("[[tokens 40]] [[refuse category=bio after=7]]") },
  tool: {
    tools: [{ name: "look", input_schema: { type: "object" as const } }],
    messages: ask('[[tool look {"where": "under the mat", "deep": [1, 2.5, null, true]}]]'),
  },
  effort: { output_config: { effort: "low" as const }, messages: ask("Briefly.") },
  cached: {
    system: [
      {
        type: "text" as const,
        text: "s".repeat(8_000),
        cache_control: { type: "ephemeral" as const },
      },
    ],
    messages: ask("With a long prompt."),
  },
};

for (const [name, fields] of Object.entries(bodies))
  test(`stream: ${name}: the final message is the one without a stream, in both namespaces`, async () => {
    const body = { model: "sim-large", max_tokens: 2_000, ...fields };
    const { client } = listeningClient(house);
    if (name === "cached") await client.messages.create(body);
    const whole = withoutIds(await client.messages.create(body));
    const stream = client.messages.stream(body);
    const types: string[] = [];
    let deltas = 0;
    stream.on("streamEvent", ({ type }) => {
      if (type === "content_block_delta") deltas += 1;
      else types.push(type);
    });
    const streamed = withoutIds(await stream.finalMessage());
    assert.deepEqual(streamed, whole);
    const blocks = whole.content.flatMap(() => ["content_block_start", "content_block_stop"]);
    assert.deepEqual(types, ["message_start", ...blocks, "message_delta", "message_stop"]);
    if (name === "text") assert.ok(deltas > 10, `${deltas} deltas`);
    assert.match(String(stream.request_id), /^req_/);
    const beta = withoutIds(await client.beta.messages.create(body));
    const betaStreamed = withoutIds(await client.beta.messages.stream(body).finalMessage());
    assert.deepEqual(betaStreamed, beta);
    // Both are in the ledger, at the same price.
    const [row] = await ledgerOf(house, stream.request_id);
    assert.equal(row?.outcome, "served");
    assert.equal(row.output, name === "refusal" ? 0 : whole.usage.output_tokens);
    assert.equal(row.estimated, false);
    assert.equal(await opensOf(house), 0);
  });

test("a raw stream of events ends by itself, and has what the contract says", async () => {
  const { client } = listeningClient(house);
  const body = { model: "sim-large", max_tokens: 100, messages: ask('[[say "abcdefgh"]]') };
  const events: Anthropic.RawMessageStreamEvent[] = [];
  for await (const event of await client.messages.create({ ...body, stream: true }))
    events.push(event);
  const [start, block, first, second, stop, delta, end] = events;
  assert.equal(events.length, 7);
  assert.ok(start?.type === "message_start" && start.message.stop_reason === null);
  assert.deepEqual(start.message.content, []);
  assert.deepEqual(block, {
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: "", citations: null },
  });
  for (const [event, text] of [
    [first, "abcd"],
    [second, "efgh"],
  ] as const)
    assert.deepEqual(event, {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    });
  assert.deepEqual(stop, { type: "content_block_stop", index: 0 });
  assert.ok(delta?.type === "message_delta" && delta.delta.stop_reason === "end_turn");
  assert.equal(delta.usage.output_tokens, 2);
  assert.deepEqual(end, { type: "message_stop" });
});

const schema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
} as const;

test("parse: structured output arrives as a value, in both namespaces", async () => {
  const { client } = listeningClient(house);
  const body = { model: "sim-large", max_tokens: 500, messages: ask("Who is it?") };
  const ga = await client.messages.parse({
    ...body,
    output_config: { format: jsonSchemaOutputFormat(schema) },
  });
  const beta = await client.beta.messages.parse({
    ...body,
    output_config: { format: betaJSONSchemaOutputFormat(schema) },
  });
  for (const { parsed_output: parsed } of [ga, beta]) {
    assert.equal(typeof parsed?.name, "string");
    assert.ok(Number.isInteger(parsed?.age));
  }
  const stream = client.messages.stream({
    ...body,
    output_config: { format: jsonSchemaOutputFormat(schema) },
  });
  assert.deepEqual((await stream.finalMessage()).parsed_output, ga.parsed_output);
  // The early name is rewritten by the client.
  const early = await client.beta.messages.parse({
    ...body,
    output_format: betaJSONSchemaOutputFormat(schema),
  });
  assert.deepEqual(early.parsed_output, ga.parsed_output);
  const { cookie } = house.organizations.platform;
  const unstructured = { id: "unstructured", upstream: "simulator" };
  const made = await house.ask("POST", "/console/api/models", { cookie, body: unstructured });
  assert.equal(made.status, 200);
  await failing(
    Anthropic.BadRequestError,
    client.messages.parse({
      ...body,
      model: "unstructured",
      output_config: { format: jsonSchemaOutputFormat(schema) },
    }),
  );
  await house.ask("DELETE", "/console/api/models/unstructured", { cookie });
});

test("countTokens: what create counts, in both namespaces", async () => {
  const { client } = listeningClient(house);
  const body = {
    model: "claude-sonnet-5",
    system: "Be short.",
    tools: [{ name: "look", input_schema: { type: "object" as const } }],
    messages: ask("How many are these?"),
  };
  const { usage } = await client.messages.create({ ...body, max_tokens: 10 });
  assert.equal((await client.messages.countTokens(body)).input_tokens, usage.input_tokens);
  const beta = await client.beta.messages.countTokens({ ...body, speed: "standard" });
  assert.equal(beta.input_tokens, usage.input_tokens);
  await failing(
    Anthropic.NotFoundError,
    client.messages.countTokens({ ...body, model: "nobody-knows-it" }),
  );
});

test("models: the list, one by id and one by alias, what may stand in for it", async () => {
  const { client } = listeningClient(house);
  const listed: string[] = [];
  for await (const { id } of client.models.list({ limit: 2 })) listed.push(id);
  assert.deepEqual(listed, [
    "sim-large",
    "sim-medium",
    "sim-small",
    "sim-adaptive-small",
    "sim-classic-large",
    "sim-classic",
    "sim-classic-small",
  ]);
  const large = await client.models.retrieve("sim-large");
  assert.equal(large.capabilities?.effort.xhigh?.supported, true);
  for (const alias of ["claude-opus-4-8", "claude-fable-5"])
    assert.equal((await client.models.retrieve(alias)).id, "sim-large");
  assert.equal((await client.models.retrieve("claude-haiku-5")).id, "sim-adaptive-small");
  const plain = await client.beta.models.retrieve("sim-large");
  assert.equal(plain.allowed_fallback_models, null);
  const beta = await client.beta.models.retrieve("sim-large", { betas: [fallback07] });
  assert.deepEqual(beta.allowed_fallback_models?.slice(0, 2), ["sim-medium", "sim-small"]);
  const small = await client.beta.models.retrieve("sim-small", { betas: [fallback07] });
  assert.deepEqual(small.allowed_fallback_models, []);
  await failing(Anthropic.NotFoundError, client.models.retrieve("nobody-knows-it"));
});
