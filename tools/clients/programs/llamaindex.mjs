// LlamaIndex: its model, chat, streams and an agent with a tool.
import assert from "node:assert/strict";
import { Anthropic } from "@llamaindex/anthropic";
import { agent } from "@llamaindex/workflow";
import { tool } from "llamaindex";
import { z } from "zod";
import { flow } from "./flows.mjs";

const modelAt = (model) => new Anthropic({ model, maxTokens: 512 });
const user = (content) => [{ role: "user", content }];

await flow("`complete`", async () => {
  const { text } = await modelAt("claude-sonnet-4-5").complete({ prompt: '[[say "Good day."]]' });
  assert.equal(text, "Good day.");
});

await flow("`chat`", async () => {
  const model = modelAt("claude-3-7-sonnet");
  const { message } = await model.chat({ messages: user('[[say "Good day."]]') });
  assert.deepEqual(message.content, [{ type: "text", text: "Good day." }]);
});

await flow("`chat` as a stream", async () => {
  const model = modelAt("claude-haiku-4-5");
  const pieces = [];
  const stream = await model.chat({ messages: user('[[say "One two three."]]'), stream: true });
  for await (const { delta } of stream) pieces.push(delta);
  assert.equal(pieces.join(""), "One two three.");
});

await flow("an agent with a tool", async () => {
  const asked = [];
  const weather = tool({
    name: "weather",
    description: "The weather.",
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => {
      asked.push(city);
      return `It rains in ${city}.`;
    },
  });
  const worker = agent({ llm: modelAt("claude-sonnet-4-5"), tools: [weather] });
  const { data } = await worker.run('[[tool weather {"city":"Bergen"}]]');
  assert.deepEqual(asked, ["Bergen"]);
  assert.match(JSON.stringify(data.result), /It rains in Bergen/);
});
