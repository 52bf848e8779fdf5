// Previews among stored events: in their place, or not at all.
import assert from "node:assert/strict";
import test from "node:test";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { SseWriter } from "../../../kernel/http/output/sse.ts";
import { limits } from "../limits.ts";
import { ShownPreviews } from "./shown-previews.ts";

interface Shown {
  type: string;
  delta?: { content: { text: string } };
}

function open(after: number) {
  const sent: string[] = [];
  const stream: Pick<SseWriter, "relay"> = {
    relay: (text) => {
      const data = parseExactly(/^data: (.*)$/m.exec(String(text))?.[1] ?? "") as Shown;
      sent.push(data.delta?.content.text ?? data.type);
      return true;
    },
  };
  const wanted = ["agent.message", "agent.mcp_tool_use"];
  const shown = new ShownPreviews(stream as SseWriter, { wanted, after });
  const follow = (position: number, type: string, id: string | null = null) => {
    sent.push(type);
    shown.follow({ position, type, id });
  };
  const begin = (id: string, at: number) =>
    shown.take({ start: { id, type: "agent.message", after: at } });
  const write = (id: string, count: number, text: string) =>
    shown.take({ delta: { id, count, index: 0, text } });
  const tell = (id: string, at: number) =>
    shown.take({ progress: { id, after: at, progress: 1, total: 2, message: null } });
  return { sent, follow, begin, write, tell };
}

test("what overtakes the events that it follows waits for them", () => {
  const { sent, follow, begin, write } = open(3);
  follow(4, "agent.tool_result");
  begin("a", 6);
  write("a", 0, "one");
  follow(5, "internal.turn_started");
  write("a", 1, "two");
  follow(6, "span.model_request_start");
  write("a", 2, "three");
  assert.deepEqual(sent, [
    "agent.tool_result",
    "internal.turn_started",
    "span.model_request_start",
    "event_start",
    "one",
    "two",
    "three",
  ]);
});

test("what comes after the end of its answer is not shown", () => {
  const { sent, follow, begin, write } = open(3);
  follow(4, "agent.message", "a");
  follow(5, "span.model_request_end");
  begin("a", 3);
  write("a", 0, "late");
  begin("b", 5);
  write("b", 0, "in time");
  assert.deepEqual(sent, ["agent.message", "span.model_request_end", "event_start", "in time"]);
});

test("a piece that is missing, or one too many that waits, ends the preview of its event", () => {
  const { sent, follow, begin, write } = open(3);
  begin("a", 3);
  write("a", 0, "one");
  write("a", 2, "three");
  write("a", 3, "four");
  begin("b", 4);
  for (let count = 0; count < limits.earlyPreviewsMax + 1; count++) write("b", count, `${count}`);
  follow(4, "span.model_request_start");
  write("b", limits.earlyPreviewsMax + 1, "after the gap");
  assert.equal(sent.at(-1), `${limits.earlyPreviewsMax - 2}`);
  assert.deepEqual(sent.slice(0, 5), [
    "event_start",
    "one",
    "span.model_request_start",
    "event_start",
    "0",
  ]);
});

test("how far a call is comes behind its event, and not behind its result", () => {
  const { sent, follow, tell } = open(3);
  tell("call", 5);
  follow(4, "agent.mcp_tool_use", "call");
  follow(5, "internal.call_started");
  tell("call", 5);
  follow(6, "agent.mcp_tool_result", "result");
  tell("call", 5);
  assert.deepEqual(sent, [
    "agent.mcp_tool_use",
    "internal.call_started",
    "event_progress",
    "event_progress",
    "agent.mcp_tool_result",
  ]);
});
