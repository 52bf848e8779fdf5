// The unchanged official client: its tool runner, whose conversation the server keeps, and the same without.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { openHouse, type House } from "../house.ts";
import { listeningClient, opensOf, textOf } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const called: unknown[] = [];
const weather = betaTool({
  name: "weather",
  description: "The weather of a city.",
  inputSchema: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  } as const,
  run: ({ city }) => {
    called.push(city);
    return `It rains in ${city}.`;
  },
});
const clock = betaTool({
  name: "clock",
  description: "The time.",
  inputSchema: { type: "object", properties: {} } as const,
  run: () => {
    called.push("clock");
    return [{ type: "text", text: "It is noon." }];
  },
});

const conversation = {
  model: "sim-large",
  max_tokens: 1_000,
  tools: [weather, clock],
  messages: [
    {
      role: "user" as const,
      content: 'What is it like? [[tool weather {"city":"Bergen"}]] [[tool clock {}]]',
    },
  ],
};

for (const stream of [false, true])
  test(`the tool runner calls two tools and comes to an end, ${stream ? "as a stream" : "whole"}`, async () => {
    called.length = 0;
    const { client, seen } = listeningClient(house);
    const runner = client.beta.messages.toolRunner({ ...conversation, stream });
    const reasons: (string | null)[] = [];
    for await (const each of runner) {
      const message = "finalMessage" in each ? await each.finalMessage() : each;
      reasons.push(message.stop_reason);
    }
    assert.deepEqual(reasons, ["tool_use", "tool_use", "end_turn"]);
    assert.deepEqual(called, ["Bergen", "clock"]);
    const final = await runner.done();
    // The simulator sums up what the last results said.
    assert.match(textOf(final.content), /clock answered: "It is noon\."/);
    // Each turn after the first sends what is new: the results.
    assert.deepEqual(
      seen.map(({ status, body }) => [status, body.thread?.type, body.messages.length]),
      [
        [200, "create", 1],
        [200, "continue", 1],
        [200, "continue", 1],
      ],
    );
    assert.equal(await opensOf(house), 0);
  });

test("max_iterations ends the loop, and a tool that throws is told to the model", async () => {
  const { client } = listeningClient(house);
  const once = client.beta.messages.toolRunner({ ...conversation, max_iterations: 1 });
  assert.equal((await once).stop_reason, "tool_use");
  const broken = betaTool({
    ...weather,
    inputSchema: { type: "object" } as const,
    run: () => {
      throw new Error("no weather today");
    },
  } as Parameters<typeof betaTool>[0]);
  const runner = client.beta.messages.toolRunner({
    ...conversation,
    tools: [broken],
    messages: [{ role: "user", content: 'Well? [[tool weather {"city":"Bergen"}]]' }],
  });
  assert.match(textOf((await runner).content), /weather failed: ".*no weather today/);
});

test("a forced choice and parallel tools go round by hand", async () => {
  const { client } = listeningClient(house);
  const tools = [
    {
      name: "add",
      input_schema: {
        type: "object" as const,
        properties: { a: { type: "integer" }, b: { type: "integer" } },
        required: ["a", "b"],
      },
    },
  ];
  const question = { role: "user" as const, content: "How many?" };
  const body = { model: "sim-small", max_tokens: 200, tools };
  const first = await client.messages.create({
    ...body,
    tool_choice: { type: "tool", name: "add" },
    messages: [question],
  });
  const [call] = first.content;
  assert.ok(call?.type === "tool_use" && call.name === "add");
  assert.deepEqual(Object.keys(call.input as object), ["a", "b"]);
  const second = await client.messages.create({
    ...body,
    messages: [
      question,
      { role: "assistant", content: first.content },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: call.id, content: "4", is_error: false }],
      },
    ],
  });
  assert.equal(second.stop_reason, "end_turn");
  assert.match(textOf(second.content), /add answered: "4"/);
});
