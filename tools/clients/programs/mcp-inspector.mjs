// The Inspector of the protocol's makers, by its command line: every list, a call, a resource.
import assert from "node:assert/strict";
import { join } from "node:path";
import { command, flow, folder, key, url } from "./flows.mjs";

const program = join(import.meta.dirname, "node_modules/.bin/mcp-inspector");
const cwd = folder("inspector");

async function inspect(method, ...more) {
  const target = [`${url}/mcp`, "--transport", "http", "--header", `x-api-key: ${key}`];
  const args = ["--cli", ...target, "--method", method, ...more];
  const { code, stdout, stderr } = await command(program, args, { cwd });
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout);
}

await flow("`tools/list`, with its strict look at schemas", async () => {
  const { tools } = await inspect("tools/list", "--strict");
  assert.ok(tools.length > 10, JSON.stringify(tools));
});

await flow("`tools/call`", async () => {
  const { content, isError } = await inspect("tools/call", "--tool-name", "list_models");
  assert.ok(isError !== true && content[0].text.includes("sim-large"), JSON.stringify(content));
});

await flow("`resources/list`, `resources/templates/list`, `prompts/list`", async () => {
  const { resourceTemplates } = await inspect("resources/templates/list");
  assert.equal(resourceTemplates.length, 3);
  assert.ok(Array.isArray((await inspect("resources/list")).resources));
  assert.ok(Array.isArray((await inspect("prompts/list")).prompts));
});
