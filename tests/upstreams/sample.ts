// A stream with everything in it: characters of two to four bytes, thinking, a tool call, a ping.
import type { StreamEvent } from "../../server/models/types.ts";

export const sampleEvents: StreamEvent[] = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "vendor/large-1",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: { input_tokens: 12, output_tokens: 1 },
    },
  },
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "thinking", thinking: "", signature: "" },
  },
  { type: "ping" },
  delta(0, { type: "thinking_delta", thinking: "größer? 𝄞" }),
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  delta(1, { type: "text_delta", text: "Straße 日本 🦆\n\n" }),
  delta(1, { type: "text_delta", text: '"event: x\\ndata: {}"' }),
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_1", name: "look", input: {} },
  },
  delta(2, { type: "input_json_delta", partial_json: '{"at":"é' }),
  delta(2, { type: "input_json_delta", partial_json: '"}' }),
  { type: "content_block_stop", index: 2 },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 42 },
  },
  { type: "message_stop" },
];

function delta(index: number, change: Record<string, unknown>): StreamEvent {
  return { type: "content_block_delta", index, delta: change };
}

export const plainFrame = (event: StreamEvent) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const plainStream = sampleEvents.map(plainFrame).join("");

/** The same events as other servers write them. */
const severalLines = sampleEvents
  .map((event) => {
    const lines = JSON.stringify(event, null, 2).split("\n");
    return `event: ${event.type}\n${lines.map((line) => `data: ${line}`).join("\n")}\n\n`;
  })
  .join("");

export const otherShapes: Readonly<Record<string, string>> = {
  crlf: plainStream.replaceAll("\n", "\r\n"),
  cr: plainStream.replaceAll("\n", "\r"),
  "data only": sampleEvents.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
  "several lines": severalLines,
  "several lines in CRLF": severalLines.replaceAll("\n", "\r\n"),
  "no last blank line": plainStream.trimEnd(),
  comments: `: hello\n\n${plainStream.replaceAll("\n\n", "\n: still here\nid: 7\nretry: 10\n\n")}: bye\n\n`,
  "more blank lines": `\n\n\n${plainStream.replaceAll("\n\n", "\n\n\n\n\n")}`,
  "byte order mark": `\uFEFF${plainStream}`,
  "[DONE]": `${plainStream}data: [DONE]\n\n`,
};
