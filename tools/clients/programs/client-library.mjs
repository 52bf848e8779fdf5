// The official client library, also in versions from years back:
// answers, streams, tools, thinking, counts, models, batches.
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { flow } from "./flows.mjs";

const client = new Anthropic();
const user = (content) => [{ role: "user", content }];
const short = { model: "claude-sonnet-4-5", max_tokens: 256 };

await flow("an answer", async () => {
  const messages = user('[[say "Good day."]]');
  const { content, stop_reason, usage } = await client.messages.create({ ...short, messages });
  assert.equal(content[0].text, "Good day.");
  assert.deepEqual([stop_reason, usage.output_tokens], ["end_turn", 3]);
});

await flow("a stream", async () => {
  const stream = client.messages.stream({ ...short, messages: user('[[say "One two three."]]') });
  const deltas = [];
  stream.on("text", (text) => deltas.push(text));
  const { content, usage } = await stream.finalMessage();
  assert.equal(content[0].text, "One two three.");
  assert.equal(deltas.join(""), "One two three.");
  assert.ok(deltas.length >= 3 && usage.output_tokens >= 3);
});

await flow("tools, back and forth", async () => {
  const input_schema = { type: "object", properties: { city: { type: "string" } } };
  const tools = [{ name: "weather", description: "The weather.", input_schema }];
  const messages = user('[[tool weather {"city":"Oslo"}]]');
  const called = await client.messages.create({ ...short, tools, messages });
  const [call] = called.content.filter(({ type }) => type === "tool_use");
  assert.deepEqual([called.stop_reason, call.input], ["tool_use", { city: "Oslo" }]);
  const result = { type: "tool_result", tool_use_id: call.id, content: "Rain." };
  const turns = [...messages, { role: "assistant", content: called.content }, ...user([result])];
  const { content } = await client.messages.create({ ...short, tools, messages: turns });
  assert.match(content.at(-1).text, /weather answered: "Rain\."/);
});

for (const model of ["claude-3-7-sonnet-latest", "claude-sonnet-4-20250514", "claude-opus-4-1"])
  await flow(`thinking with a budget, \`${model}\``, async () => {
    const thinking = { type: "enabled", budget_tokens: 1024 };
    const messages = user('[[think 24]] [[say "Thought."]]');
    const asked = { model, max_tokens: 4096, thinking, messages };
    const { content } = await client.messages.create(asked);
    assert.deepEqual(
      content.map(({ type }) => type),
      ["thinking", "text"],
    );
    const turns = [...messages, { role: "assistant", content }, ...user('[[say "Again."]]')];
    const again = await client.messages.stream({ ...asked, messages: turns }).finalMessage();
    assert.equal(again.content.at(-1).text, "Again.");
  });

await flow("`messages.countTokens`, `models.list`", async () => {
  const counted = await client.messages.countTokens({
    model: short.model,
    messages: user("Hello"),
  });
  assert.ok(counted.input_tokens > 0);
  const ids = [];
  for await (const { id } of client.models.list()) ids.push(id);
  assert.ok(ids.includes("sim-large"), ids.join(" "));
});

await flow("`messages.batches`", async () => {
  const params = { ...short, messages: user('[[say "In a batch."]]') };
  const made = await client.messages.batches.create({ requests: [{ custom_id: "one", params }] });
  let batch = made;
  while (batch.processing_status !== "ended")
    batch = await client.messages.batches.retrieve(made.id);
  const results = [];
  for await (const result of await client.messages.batches.results(made.id)) results.push(result);
  assert.equal(results[0].result.message.content[0].text, "In a batch.");
});

await flow("an error with its class", async () => {
  const asked = client.messages.create({
    ...short,
    model: "no-such-model",
    messages: user("Hello"),
  });
  await assert.rejects(asked, Anthropic.NotFoundError);
});

await flow("an overloaded model is asked again", async () => {
  const messages = user(`[[fail times=1]] [[say "Now."]] ${Anthropic.name} ${short.model}`);
  const { content } = await client.messages.create({ ...short, messages });
  assert.equal(content[0].text, "Now.");
});
