// Mastra's MCP client: the tools of `/mcp` as those of an agent.
import assert from "node:assert/strict";
import { MCPClient } from "@mastra/mcp";
import { flow, key, url } from "./flows.mjs";

const requestInit = { headers: { "x-api-key": key } };
const client = new MCPClient({
  servers: { plinth: { url: new URL(`${url}/mcp`), requestInit } },
});

await flow("`listTools`, and a tool is called", async () => {
  const tools = await client.listTools();
  assert.ok(Object.keys(tools).length > 10);
  const answer = await tools.plinth_list_models.execute({}, {});
  assert.match(JSON.stringify(answer), /sim-large/);
});

await client.disconnect();
