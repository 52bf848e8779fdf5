// instructor over the client library: an object of a schema, by a tool.
import assert from "node:assert/strict";
import Instructor from "@instructor-ai/instructor";
import { createLLMClient } from "llm-polyglot";
import { z } from "zod";
import { flow, key, url } from "./flows.mjs";

const client = Instructor({
  client: createLLMClient({ provider: "anthropic", apiKey: key, baseURL: url }),
  mode: "TOOLS",
});
const schema = z.object({ city: z.string(), people: z.number() });
const asked = {
  model: "claude-sonnet-4-5",
  max_tokens: 256,
  messages: [{ role: "user", content: 'Where? [[tool Place {"city":"Oslo","people":700000}]]' }],
  response_model: { schema, name: "Place" },
};

await flow("an object", async () => {
  const { city, people } = await client.chat.completions.create(asked);
  assert.deepEqual([city, people], ["Oslo", 700_000]);
});

await flow("an object as it grows", async () => {
  const stream = await client.chat.completions.create({ ...asked, stream: true });
  let last;
  for await (const partial of stream) last = partial;
  assert.deepEqual([last.city, last.people], ["Oslo", 700_000]);
});
