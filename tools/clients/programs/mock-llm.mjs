// mock-llm with its own command, on a free port, with a rule for each thing that a flow asks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const [wire] = process.argv.slice(2);
const rule = (path, match, content) => ({
  path,
  match,
  response: { status: 200, content: JSON.stringify(content) },
});

const completion = (message, finish_reason = "stop") => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "mocked",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
});
const weather = { name: "weather", arguments: '{"city":"Oslo"}' };
const chat = [
  rule("/v1/chat/completions", "@", completion({ content: "Good day." })),
  rule(
    "/v1/chat/completions",
    "body.tools && length(body.tools[?function.name=='weather']) > `0`",
    completion(
      { content: null, tool_calls: [{ id: "call_1", type: "function", function: weather }] },
      "tool_calls",
    ),
  ),
  rule(
    "/v1/chat/completions",
    "body.messages && length(body.messages[?role=='tool']) > `0`",
    completion({ content: "It rains." }),
  ),
];

const message = (content, stop_reason = "end_turn") => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "mocked",
  content: [content],
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 4 },
});
const call = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } };
const messages = [
  rule("/v1/messages", "@", message({ type: "text", text: "Good day." })),
  rule("/v1/messages", "body.tools && !(body.messages[1])", message(call, "tool_use")),
  rule("/v1/messages", "body.messages[2]", message({ type: "text", text: "It rains." })),
];

const list = rule("/v1/models", "@", { object: "list", data: [{ id: "mocked", object: "model" }] });
const rules = [list, ...(wire === "messages" ? messages : chat)];
const settings = { streaming: { chunkSize: 4, chunkIntervalMs: 1 }, rules };
// JSON is YAML.
writeFileSync("mock-llm.yaml", JSON.stringify(settings));

const free = createServer().listen(0, "127.0.0.1");
await once(free, "listening");
const { port } = free.address();
free.close();
await once(free, "close");
const program = join(import.meta.dirname, "node_modules/.bin/mock-llm");
const env = { ...process.env, HOST: "127.0.0.1", PORT: String(port) };
const child = spawn(program, ["--config", "mock-llm.yaml"], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
process.on("SIGTERM", () => child.kill("SIGTERM"));
for await (const text of child.stdout)
  if (String(text).includes("running on"))
    process.stdout.write(`upstream at http://127.0.0.1:${port}\n`);
