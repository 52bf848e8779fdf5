// Another client that people use with this wire, Vercel's AI SDK, told nothing but the address and a key.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import { openHouse, type House } from "../house.ts";
import { ledgerOf, opensOf } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

function modelAt(name: string) {
  const { api_key: apiKey } = house.organizations.platform;
  return createAnthropic({ baseURL: `${house.url}/v1`, apiKey })(name);
}

test("generates a text, with usage that the ledger has, too", async () => {
  const { text, usage, finishReason, response } = await generateText({
    model: modelAt("claude-sonnet-4-5"),
    system: "Be short.",
    prompt: 'Good morning. [[say "Good morning to you."]]',
  });
  assert.equal(text, "Good morning to you.");
  assert.equal(finishReason, "stop");
  assert.equal(usage.outputTokens, 5);
  const [row] = await ledgerOf(house, response.headers?.["request-id"]);
  assert.deepEqual([row?.model, row?.input, row?.output], ["sim-classic", usage.inputTokens, 5]);
});

test("streams a text, token by token", async () => {
  const { textStream, finishReason, usage } = streamText({
    model: modelAt("claude-opus-4-5"),
    prompt: 'Count. [[say "One two three four."]]',
  });
  const deltas: string[] = [];
  for await (const delta of textStream) deltas.push(delta);
  assert.equal(deltas.join(""), "One two three four.");
  assert.ok(deltas.length >= 5, `${deltas.length} deltas`);
  assert.equal(await finishReason, "stop");
  assert.equal((await usage).outputTokens, 5);
  assert.equal(await opensOf(house), 0);
});

for (const stream of [false, true])
  test(`calls tools until it has what it needs, ${stream ? "as a stream" : "whole"}`, async () => {
    const asked: unknown[] = [];
    const settings = {
      model: modelAt("claude-haiku-4-5"),
      prompt: 'The weather? [[tool weather {"city":"Bergen"}]]',
      stopWhen: stepCountIs(3),
      tools: {
        weather: tool({
          description: "The weather of a city.",
          inputSchema: jsonSchema<{ city: string }>({
            type: "object",
            properties: { city: { type: "string" } },
            required: ["city"],
          }),
          execute: ({ city }) => {
            asked.push(city);
            return `It rains in ${city}.`;
          },
        }),
      },
    };
    const { text, steps } = stream ? streamText(settings) : await generateText(settings);
    assert.match(await text, /weather answered: "It rains in Bergen\."/);
    assert.deepEqual(asked, ["Bergen"]);
    assert.deepEqual(
      (await steps).map(({ finishReason }) => finishReason),
      ["tool-calls", "stop"],
    );
  });

test("gets an object, a refusal and an error as its own kinds", async () => {
  const { output } = await generateText({
    model: modelAt("claude-opus-4-5"),
    prompt: "Who is it?",
    output: Output.object({
      schema: jsonSchema<{ name: string }>({
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
        additionalProperties: false,
      }),
    }),
  });
  assert.equal(typeof output.name, "string");
  const refused = await generateText({
    model: modelAt("claude-opus-4-5"),
    prompt: "[[refuse category=bio]]",
  });
  assert.deepEqual([refused.text, refused.finishReason], ["", "content-filter"]);
  const failed = generateText({
    model: modelAt("nobody-knows-it"),
    prompt: "Hello.",
    maxRetries: 0,
  });
  await assert.rejects(failed, (error) => {
    assert.ok(APICallError.isInstance(error));
    assert.equal(error.statusCode, 404);
    assert.match(error.message, /nobody-knows-it/);
    return true;
  });
});
