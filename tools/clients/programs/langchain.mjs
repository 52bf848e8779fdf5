// LangChain's chat model and LangGraph's agent:
// answers, streams, tools, thinking, structured output, a graph with memory.
import assert from "node:assert/strict";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { flow } from "./flows.mjs";

const modelAt = (model = "claude-sonnet-4-5", options = {}) =>
  new ChatAnthropic({ model, ...options });

const asked = [];
const weather = tool(
  ({ city }) => {
    asked.push(city);
    return `It rains in ${city}.`;
  },
  { name: "weather", description: "The weather.", schema: z.object({ city: z.string() }) },
);

await flow("LangChain: `invoke`", async () => {
  const answer = await modelAt().invoke('[[say "Good day."]]');
  assert.equal(answer.text, "Good day.");
  assert.equal(answer.usage_metadata.output_tokens, 3);
});

await flow("LangChain: `stream`", async () => {
  const pieces = [];
  for await (const piece of await modelAt("claude-opus-4-6").stream('[[say "One two three."]]'))
    pieces.push(piece.text);
  assert.equal(pieces.join(""), "One two three.");
  assert.ok(pieces.length >= 3, `${pieces.length} pieces`);
});

await flow("LangChain: thinking with a budget, and its echo", async () => {
  const thinking = { type: "enabled", budget_tokens: 1024 };
  const model = modelAt("claude-3-7-sonnet-latest", { thinking, maxTokens: 4096 });
  const question = new HumanMessage('[[think 24]] [[say "Thought."]]');
  const answer = await model.invoke([question]);
  assert.deepEqual(
    answer.content.map(({ type }) => type),
    ["thinking", "text"],
  );
  const again = await model.invoke([question, answer, new HumanMessage('[[say "Again."]]')]);
  assert.equal(again.text, "Again.");
});

await flow("LangChain: `withStructuredOutput`", async () => {
  const schema = z.object({ city: z.string() });
  const named = modelAt().withStructuredOutput(schema, { name: "place" });
  const { city } = await named.invoke('Where? [[tool place {"city":"Oslo"}]]');
  assert.equal(city, "Oslo");
});

await flow("LangGraph: an agent calls a tool", async () => {
  const agent = createReactAgent({ llm: modelAt("claude-haiku-4-5"), tools: [weather] });
  const { messages } = await agent.invoke({
    messages: [new HumanMessage('[[tool weather {"city":"Bergen"}]]')],
  });
  assert.deepEqual(asked, ["Bergen"]);
  assert.match(messages.at(-1).text, /weather answered: "It rains in Bergen\."/);
});

await flow("LangGraph: a stream of an agent with memory", async () => {
  const agent = createReactAgent({
    llm: modelAt(),
    tools: [weather],
    checkpointer: new MemorySaver(),
  });
  const settings = { configurable: { thread_id: "one" }, streamMode: "messages" };
  for (const said of ["First.", "Second."]) {
    const pieces = [];
    const messages = [new HumanMessage(`[[say ${JSON.stringify(said)}]]`)];
    for await (const [piece] of await agent.stream({ messages }, settings)) pieces.push(piece.text);
    assert.equal(pieces.join(""), said);
  }
});
