// An answer that we put together from its events is the one that the official client puts together.
import Anthropic from "@anthropic-ai/sdk";
import assert from "node:assert/strict";
import { test } from "node:test";
import { fold, type Message } from "../../client/messages/message.ts";
import type { StreamEvent } from "../../contract/client.ts";

const page = (start_page_number: number) => ({
  type: "page_location",
  cited_text: `Words of page ${start_page_number}.`,
  document_index: 0,
  document_title: "Report",
  file_id: null,
  start_page_number,
  end_page_number: start_page_number + 1,
});

const block = (index: number, content_block: object, ...deltas: object[]): StreamEvent[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];

const usage = {
  input_tokens: 10,
  output_tokens: 1,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 0,
};

/** One block for each kind of delta that the wire has. */
const events: StreamEvent[] = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "sim-large",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage,
    },
  },
  ...block(
    0,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "Let me " },
    { type: "thinking_delta", thinking: "see." },
    { type: "signature_delta", signature: "c2lnbmVk" },
  ),
  ...block(
    1,
    { type: "text", text: "", citations: null },
    { type: "text_delta", text: "It is " },
    { type: "citations_delta", citation: page(3) },
    { type: "text_delta", text: "so." },
    { type: "citations_delta", citation: page(5) },
  ),
  ...block(
    2,
    { type: "compaction", content: null, encrypted_content: null },
    { type: "compaction_delta", content: "What was said.", encrypted_content: "b3BhcXVl" },
  ),
  ...block(
    3,
    { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} },
    { type: "input_json_delta", partial_json: '{"place":' },
    { type: "input_json_delta", partial_json: '"Oslo"}' },
  ),
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null, stop_details: null, container: null },
    usage: { input_tokens: null, output_tokens: 42, cache_read_input_tokens: null },
    context_management: { applied_edits: [] },
  },
  { type: "message_stop" },
];

const sse = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

test("each kind of delta is put together as the official client does it", async () => {
  const client = new Anthropic({
    apiKey: "none",
    baseURL: "http://127.0.0.1",
    fetch: async () =>
      new Response(sse.join(""), { headers: { "content-type": "text/event-stream" } }),
  });
  const official = await client.beta.messages
    .stream({ model: "sim-large", max_tokens: 50, messages: [{ role: "user", content: "Hi" }] })
    .finalMessage();
  const ours = events.reduce<Message | undefined>(fold, undefined);
  // What the client makes of structured output is its own.
  const { parsed_output: _, ...whole } = official;
  assert.deepEqual(plain(ours), plain(whole));
  assert.deepEqual(ours?.content[1]?.["citations"], [page(3), page(5)]);
});

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
