// The agent CLI as a client of `/mcp`: added as its users do, with a key, and its tools called by a model of the same server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { command, flow, folder, key, url } from "./flows.mjs";

const program = join(import.meta.dirname, "node_modules/.bin/claude");

async function run(cwd, ...args) {
  const { code, stdout, stderr } = await command(program, args, { cwd });
  assert.equal(code, 0, `${stdout}${stderr}`);
  return stdout.trim();
}

const ask = (cwd, prompt, tools) => run(cwd, "-p", prompt, "--allowedTools", tools);
const call = (tool, input = {}) => `[[tool mcp__plinth__${tool} ${JSON.stringify(input)}]]`;
const cwd = folder("project");

await flow("`mcp add --transport http`, `mcp list`", async () => {
  const header = ["--header", `x-api-key: ${key}`];
  await run(cwd, "mcp", "add", "--transport", "http", "plinth", `${url}/mcp`, ...header);
  assert.match(await run(cwd, "mcp", "list"), /plinth: .*\/mcp .*Connected/);
});

await flow("`-p`: a tool is called", async () => {
  const said = await ask(cwd, call("list_models"), "mcp__plinth__list_models");
  assert.match(said, /list_models answered: .*sim-large/);
});

await flow("`-p`: a model is asked through a tool", async () => {
  const input = { model: "sim-small", prompt: '[[say "From the other side."]]' };
  assert.match(await ask(cwd, call("ask_model", input), "mcp__plinth__ask_model"), /other side/);
});

await flow("a tool that is refused says why", async () => {
  const input = { memory_store_id: "memstore_none" };
  const said = await ask(cwd, call("list_memories", input), "mcp__plinth__list_memories");
  assert.match(said, /memstore_none/);
});
