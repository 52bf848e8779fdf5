// Through Plinth to a model server that knows fixed answers, and streams them over chat completions alone.
import assert from "node:assert/strict";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { command, flow, folder } from "./flows.mjs";

const program = join(import.meta.dirname, "node_modules/.bin/claude");
const streams = process.env.CLIENTS_WIRE === "chat";
const client = new Anthropic();
const short = { model: "claude-sonnet-4-5", max_tokens: 256 };
const user = (content) => [{ role: "user", content }];

if (streams)
  // The upstream reads bodies of up to 100 kB, and all of the tools' descriptions are more than that.
  for (const model of ["opus", "haiku"])
    await flow(`agent CLI: \`--model ${model} --tools Bash\``, async () => {
      const args = ["-p", "Hello", "--model", model, "--tools", "Bash", "--output-format", "json"];
      const { code, stdout, stderr } = await command(program, args, { cwd: folder(model) });
      assert.equal(code, 0, `${stdout}${stderr}`);
      assert.equal(JSON.parse(stdout).result, "Good day.");
    });

if (streams)
  await flow("client library: a stream", async () => {
    const stream = client.messages.stream({ ...short, messages: user("Hello") });
    assert.equal((await stream.finalMessage()).content[0].text, "Good day.");
  });

await flow("client library: an answer", async () => {
  const { content, usage } = await client.messages.create({ ...short, messages: user("Hello") });
  assert.equal(content[0].text, "Good day.");
  assert.deepEqual([usage.input_tokens, usage.output_tokens], [10, 4]);
});

await flow("client library: tools, back and forth", async () => {
  const input_schema = { type: "object", properties: { city: { type: "string" } } };
  const tools = [{ name: "weather", description: "The weather.", input_schema }];
  const messages = user("What is the weather?");
  const called = await client.messages.create({ ...short, tools, messages });
  const [call] = called.content.filter(({ type }) => type === "tool_use");
  assert.deepEqual([called.stop_reason, call.input], ["tool_use", { city: "Oslo" }]);
  const result = { type: "tool_result", tool_use_id: call.id, content: "Rain." };
  const turns = [...messages, { role: "assistant", content: called.content }, ...user([result])];
  const { content } = await client.messages.create({ ...short, tools, messages: turns });
  assert.equal(content.at(-1).text, "It rains.");
});
