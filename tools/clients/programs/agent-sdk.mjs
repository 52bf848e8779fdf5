// The agent SDK as a program uses it:
// prompts, partial messages, tools of the program, sessions that go on, structured answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { flow, folder } from "./flows.mjs";

async function ask(prompt, options = {}) {
  const messages = [];
  for await (const message of query({ prompt, options: { cwd: folder("sdk"), ...options } }))
    messages.push(message);
  const result = messages.at(-1);
  assert.equal(result.type, "result", JSON.stringify(result));
  return { messages, result };
}

await flow("a prompt", async () => {
  const { result } = await ask('[[say "Good day."]]');
  assert.deepEqual([result.subtype, result.result], ["success", "Good day."]);
  assert.ok(result.usage.output_tokens > 0, JSON.stringify(result.usage));
});

for (const model of ["haiku", "opus"])
  await flow(`model \`${model}\``, async () => {
    const { result } = await ask(`[[say "I am ${model}."]]`, { model });
    assert.equal(result.result, `I am ${model}.`);
  });

await flow("partial messages", async () => {
  const { messages } = await ask('[[say "One two three."]]', { includePartialMessages: true });
  const deltas = messages.flatMap(({ event }) => event?.delta?.text ?? []);
  assert.equal(deltas.join(""), "One two three.");
});

await flow("a tool of the program", async () => {
  const asked = [];
  const weather = tool(
    "weather",
    "The weather of a city.",
    { city: z.string() },
    async ({ city }) => {
      asked.push(city);
      return { content: [{ type: "text", text: `It rains in ${city}.` }] };
    },
  );
  const { result } = await ask('[[tool mcp__local__weather {"city":"Bergen"}]]', {
    mcpServers: {
      local: createSdkMcpServer({ name: "local", version: "1.0.0", tools: [weather] }),
    },
    allowedTools: ["mcp__local__weather"],
  });
  assert.deepEqual(asked, ["Bergen"]);
  assert.match(result.result, /It rains in Bergen/);
});

await flow("a tool of its own", async () => {
  const cwd = folder("own");
  const call = '[[tool Write {"file_path":"PATH","content":"written"}]]';
  const prompt = call.replace("PATH", join(cwd, "new.txt"));
  await ask(prompt, { cwd, allowedTools: ["Write"] });
  assert.equal(readFileSync(join(cwd, "new.txt"), "utf8"), "written");
});

await flow("a subagent of the program", async () => {
  const agents = {
    poet: { description: "Writes.", prompt: "You write.", model: "haiku", tools: [] },
  };
  const input = {
    description: "Write",
    prompt: '[[say "Rain."]]',
    subagent_type: "poet",
    run_in_background: false,
  };
  const { messages } = await ask(`[[tool Agent ${JSON.stringify(input)}]]`, { agents });
  const results = messages.filter(({ type }) => type === "user").map(({ message }) => message);
  assert.match(JSON.stringify(results), /tool_result.*Rain\./);
});

await flow("a session that is resumed", async () => {
  const cwd = folder("resumed");
  const { result } = await ask('[[think 16]] [[say "First."]]', { cwd });
  const again = await ask('[[say "Second."]]', { cwd, resume: result.session_id });
  assert.equal(again.result.result, "Second.");
});

await flow("a structured answer", async () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const { result } = await ask('[[tool StructuredOutput {"city":"Oslo"}]]', {
    outputFormat: { type: "json_schema", schema },
  });
  assert.deepEqual(result.structured_output, { city: "Oslo" });
});

await flow("thinking with a budget", async () => {
  const { result } = await ask('[[think 30]] [[say "Thought."]]', {
    model: "claude-opus-4-5",
    maxThinkingTokens: 4096,
  });
  assert.equal(result.result, "Thought.");
});
