// Vercel's MCP client: the tools of `/mcp` in the loop of its text generation.
import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createMCPClient } from "@ai-sdk/mcp";
import { generateText, stepCountIs } from "ai";
import { flow, key, url } from "./flows.mjs";

const transport = { type: "http", url: `${url}/mcp`, headers: { "x-api-key": key } };
const client = await createMCPClient({ transport });

await flow("`generateText` with the tools", async () => {
  const tools = await client.tools();
  const model = createAnthropic({ baseURL: `${url}/v1`, apiKey: key })("claude-haiku-4-5");
  const prompt = "[[tool list_models {}]]";
  const { text, steps } = await generateText({ model, prompt, tools, stopWhen: stepCountIs(3) });
  assert.equal(steps.length, 2);
  assert.match(text, /list_models answered: .*sim-/);
});

await client.close();
