// Vercel's AI SDK with its provider:
// texts, streams, tools, objects, reasoning, with the token limit that the provider sets by itself.
import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { flow, key, url } from "./flows.mjs";

const modelAt = createAnthropic({ baseURL: `${url}/v1`, apiKey: key });

await flow("`generateText`", async () => {
  const model = modelAt("claude-sonnet-4-5");
  const { text, usage, finishReason } = await generateText({
    model,
    prompt: '[[say "Good day."]]',
  });
  assert.deepEqual([text, usage.outputTokens, finishReason], ["Good day.", 3, "stop"]);
});

for (const name of ["claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5", "sim-large"])
  await flow(`\`streamText\`, \`${name}\``, async () => {
    const prompt = '[[say "One two three."]]';
    const deltas = [];
    const { textStream } = streamText({
      model: modelAt(name),
      prompt,
      onError: ({ error }) => {
        throw error;
      },
    });
    for await (const delta of textStream) deltas.push(delta);
    assert.equal(deltas.join(""), "One two three.");
  });

await flow("tools in several steps", async () => {
  const asked = [];
  const weather = tool({
    description: "The weather.",
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => {
      asked.push(city);
      return `It rains in ${city}.`;
    },
  });
  const { text, steps } = await generateText({
    model: modelAt("claude-haiku-4-5"),
    prompt: '[[tool weather {"city":"Bergen"}]]',
    tools: { weather },
    stopWhen: stepCountIs(3),
  });
  assert.deepEqual([asked, steps.length], [["Bergen"], 2]);
  assert.match(text, /weather answered: "It rains in Bergen\."/);
});

for (const name of ["claude-opus-4-6", "claude-sonnet-4-5"])
  await flow(`an object, \`${name}\``, async () => {
    const { output } = await generateText({
      model: modelAt(name),
      prompt: "Who is it?",
      output: Output.object({ schema: z.object({ name: z.string(), age: z.number() }) }),
    });
    assert.deepEqual(Object.keys(output).sort(), ["age", "name"]);
  });

for (const { name, thinking } of [
  { name: "claude-3-7-sonnet-latest", thinking: { type: "enabled", budgetTokens: 2048 } },
  { name: "claude-opus-4-6", thinking: { type: "adaptive" } },
])
  await flow(`reasoning, \`${name}\``, async () => {
    const settings = { model: modelAt(name), providerOptions: { anthropic: { thinking } } };
    const messages = [{ role: "user", content: '[[think 24]] [[say "Thought."]]' }];
    const { reasoningText, text, response } = await generateText({ ...settings, messages });
    assert.ok(reasoningText.length > 0);
    assert.equal(text, "Thought.");
    const turns = [
      ...messages,
      ...response.messages,
      { role: "user", content: '[[say "Again."]]' },
    ];
    assert.equal((await generateText({ ...settings, messages: turns })).text, "Again.");
  });
