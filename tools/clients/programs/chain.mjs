// Through Plinth to a model server that is not ours, which does what it is asked: the agent CLI and the client library.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { command, flow, folder } from "./flows.mjs";

const program = join(import.meta.dirname, "node_modules/.bin/claude");

async function answer(cwd, ...args) {
  const { code, stdout, stderr } = await command(program, ["-p", ...args], { cwd });
  assert.equal(code, 0, `${stdout}${stderr}`);
  return stdout.trim();
}

await flow("agent CLI: `-p`", async () => {
  assert.equal(await answer(folder("p"), 'Say "Good day."'), "Good day.");
});

await flow("agent CLI: `--model haiku`", async () => {
  assert.equal(await answer(folder("haiku"), 'Say "Small."', "--model", "haiku"), "Small.");
});

await flow("agent CLI: `--continue`, json", async () => {
  const cwd = folder("continue");
  assert.equal(await answer(cwd, 'Say "First."'), "First.");
  const told = await answer(cwd, 'Say "Second."', "--continue", "--output-format", "json");
  const { result, usage } = JSON.parse(told);
  assert.equal(result, "Second.");
  assert.ok(usage.output_tokens > 0, told);
});

await flow("agent CLI: a tool", async () => {
  const cwd = folder("tool");
  const call =
    'Call Bash {"command":"echo written > note.txt; cat note.txt","description":"Write"}';
  const said = await answer(cwd, call, "--allowedTools", "Bash");
  assert.match(said, /The tool said: .*written/);
  assert.equal(readFileSync(join(cwd, "note.txt"), "utf8"), "written\n");
});

await flow("agent CLI: a subagent", async () => {
  const prompt = 'Say "From below."';
  const input = { description: "Below", prompt, subagent_type: "general-purpose" };
  const said = await answer(folder("subagent"), `Call Agent ${JSON.stringify(input)}`);
  assert.match(said, /The tool said: From below\./);
});

const client = new Anthropic();
const short = { model: "claude-sonnet-4-5", max_tokens: 256 };
const user = (content) => [{ role: "user", content }];

await flow("client library: an answer, a stream", async () => {
  const messages = user('Say "Good day."');
  const { content } = await client.messages.create({ ...short, messages });
  assert.equal(content[0].text, "Good day.");
  const streamed = await client.messages.stream({ ...short, messages }).finalMessage();
  assert.equal(streamed.content[0].text, "Good day.");
});

await flow("client library: tools, back and forth", async () => {
  const input_schema = { type: "object", properties: { city: { type: "string" } } };
  const tools = [{ name: "weather", description: "The weather.", input_schema }];
  const messages = user('Call weather {"city":"Oslo"}');
  const called = await client.messages.create({ ...short, tools, messages });
  const [call] = called.content.filter(({ type }) => type === "tool_use");
  assert.deepEqual([called.stop_reason, call.input], ["tool_use", { city: "Oslo" }]);
  const result = { type: "tool_result", tool_use_id: call.id, content: "Rain." };
  const turns = [...messages, { role: "assistant", content: called.content }, ...user([result])];
  const { content } = await client.messages
    .stream({ ...short, tools, messages: turns })
    .finalMessage();
  assert.equal(content.at(-1).text, "The tool said: Rain.");
});
