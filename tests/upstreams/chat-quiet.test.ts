// What goes to chat completions in other words, or not at all because nothing is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block, MessageBody } from "../../server/models/types.ts";
import { chatBody } from "../../server/models/chat/request.ts";
import { model } from "./fake.ts";

const words = { maxTokensField: "max_tokens", reasoningField: "reasoning_content" } as const;
const translate = (fields: Partial<MessageBody>) => {
  const messages = [{ role: "user" as const, content: "Hello" }];
  return chatBody(
    { model: "house-large", max_tokens: 50, messages, ...fields },
    model,
    false,
    words,
  );
};

test("what is ours or means nothing is left out, documents of plain text are text, an early format is one", () => {
  const quiet = translate({
    effort: "max",
    billing_policy: { type: "billing_policy", bill_to: "self" },
  });
  assert.deepEqual(
    Object.keys(quiet).filter((field) => /effort$|policy/.test(field)),
    ["reasoning_effort"],
  );
  const source = { type: "text", media_type: "text/plain", data: "Under the mat." };
  const document = { type: "document", title: "Keys", context: null, source };
  const said = (...content: Block[]) =>
    translate({ messages: [{ role: "user", content }] })["messages"];
  assert.deepEqual(said(document), [{ role: "user", content: "Keys\n\nUnder the mat." }]);
  assert.deepEqual(said({ type: "tool_result", tool_use_id: "a", content: [document] }), [
    { role: "tool", tool_call_id: "a", content: "Keys\n\nUnder the mat." },
  ]);
  assert.throws(
    () => said({ ...document, citations: { enabled: true } }),
    /^Failure: messages\.0\.content\.0\.citations: /,
  );
  const schema = { type: "object" };
  const early = translate({ output_format: { type: "json_schema", schema } });
  assert.deepEqual(early["response_format"], {
    type: "json_schema",
    json_schema: { name: "answer", strict: true, schema },
  });
});
