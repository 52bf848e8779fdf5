// Mastra's agent: an answer, a stream, a tool, an object.
import assert from "node:assert/strict";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { flow, url } from "./flows.mjs";

// Its provider takes the address with the version in it.
process.env.ANTHROPIC_BASE_URL = `${url}/v1`;

const asked = [];
const weather = createTool({
  id: "weather",
  description: "The weather.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    asked.push(city);
    return { told: `It rains in ${city}.` };
  },
});

const agentOf = (name, tools = {}) =>
  new Agent({
    id: "helper",
    name: "helper",
    instructions: "Be short.",
    model: `anthropic/${name}`,
    tools,
  });

for (const name of ["claude-sonnet-4-5", "claude-opus-4-6"])
  await flow(`\`generate\`, \`${name}\``, async () => {
    const { text, usage } = await agentOf(name).generate('[[say "Good day."]]');
    assert.deepEqual([text, usage.outputTokens], ["Good day.", 3]);
  });

await flow("`stream`", async () => {
  const { textStream } = await agentOf("claude-haiku-4-5").stream('[[say "One two three."]]');
  const pieces = [];
  for await (const piece of textStream) pieces.push(piece);
  assert.equal(pieces.join(""), "One two three.");
});

await flow("a tool", async () => {
  const agent = agentOf("claude-sonnet-4-5", { weather });
  const { text } = await agent.generate('[[tool weather {"city":"Bergen"}]]');
  assert.deepEqual(asked, ["Bergen"]);
  assert.match(text, /It rains in Bergen/);
});

await flow("an object", async () => {
  const structuredOutput = { schema: z.object({ name: z.string() }) };
  const { object } = await agentOf("claude-opus-4-6").generate("Who?", { structuredOutput });
  assert.equal(typeof object.name, "string");
});
