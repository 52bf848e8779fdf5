// LangChain's adapters: the tools of `/mcp` as tools of an agent whose model is of the same server.
import assert from "node:assert/strict";
import { ChatAnthropic } from "@langchain/anthropic";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { flow, key, url } from "./flows.mjs";

const client = new MultiServerMCPClient({
  mcpServers: {
    plinth: { transport: "http", url: `${url}/mcp`, headers: { "x-api-key": key } },
  },
});
let tools = [];

await flow("`getTools`", async () => {
  tools = await client.getTools();
  assert.ok(tools.length > 10);
});

await flow("an agent calls a tool", async () => {
  const model = new ChatAnthropic({
    model: "claude-sonnet-4-5",
    anthropicApiUrl: url,
    apiKey: key,
  });
  const agent = createReactAgent({ llm: model, tools });
  const name = tools.find((tool) => tool.name.endsWith("list_models")).name;
  const prompt = `[[tool ${name} {}]]`;
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: prompt }] });
  assert.match(JSON.stringify(messages), /sim-large/);
});

await client.close();
