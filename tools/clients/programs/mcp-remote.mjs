// mcp-remote between `/mcp` and a client that knows standard streams alone, as desktop programs start it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { flow, key, url } from "./flows.mjs";

const client = new Client({ name: "desktop", version: "1.0.0" });

await flow("a start, `tools/list`", async () => {
  const args = [`${url}/mcp`, "--header", `x-api-key:${key}`, "--transport", "http-only"];
  const command = join(import.meta.dirname, "node_modules/.bin/mcp-remote");
  await client.connect(new StdioClientTransport({ command, args, env: process.env }));
  assert.ok((await client.listTools()).tools.length > 10);
});

await flow("`tools/call`", async () => {
  const { content } = await client.callTool({ name: "list_models", arguments: {} });
  assert.match(content[0].text, /sim-large/);
});

await client.close();
