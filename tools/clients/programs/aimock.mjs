// aimock as a model server that does what the last question says:
// `Say "…"` or `Call NAME {…}`, then says what the tool gave.
import { LLMock } from "@copilotkit/aimock";

const [wire] = process.argv.slice(2);
const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 4 });

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join(" ");

// It counts nothing by itself: numbers that both wires have names for.
const usage = {
  input_tokens: 10,
  output_tokens: 4,
  prompt_tokens: 10,
  completion_tokens: 4,
  total_tokens: 14,
};

/** What was asked last, and whether a tool has answered since. */
function respond({ messages }) {
  const last = messages.findLastIndex(
    ({ role, content }) => role === "user" && /\b(Say|Call) /.test(textOf(content)),
  );
  const question = textOf(messages[last]?.content);
  const result = messages.slice(last).findLast(({ role }) => role === "tool");
  const call = /Call (\w+) (\{.*?\})(?=\s|$)/.exec(question);
  if (call !== null && result === undefined)
    return { toolCalls: [{ name: call[1], arguments: call[2] }], usage };
  if (result !== undefined)
    return { content: `The tool said: ${textOf(result.content).trim()}`, usage };
  return { content: /Say "([^"]*)"/.exec(question)?.[1] ?? "Nothing was asked.", usage };
}

// A server of chat completions answers no question without messages; one of the other wire is known by its answer.
const answers = ({ messages }) => wire === "messages" || messages.length > 0;
mock.on({ predicate: answers }, respond);
await mock.start();
process.stdout.write(`upstream at ${mock.url}\n`);
