// A strict reader of a message's events: any event out of its place fails the test.
import assert from "node:assert/strict";
import type { StreamEvent } from "../../server/models/types.ts";

type Json = Record<string, unknown>;
const nothing: Json = {};

/** The message that the events make; tool inputs are parsed where they are whole. */
export function accumulate(events: readonly StreamEvent[]): Json {
  const [first, ...rest] = events.filter(({ type }) => type !== "ping");
  assert.equal(first?.type, "message_start");
  const message = structuredClone(first["message"]) as Json & { content: Json[]; usage: Json };
  assert.equal(message.content.length, 0);
  let open: { index: number; json: string } | undefined;
  let isDelta = false;
  for (const [at, event] of rest.entries()) {
    const { index } = event as { index?: number };
    switch (event.type) {
      case "content_block_start":
        assert.equal(open, undefined);
        assert.equal(index, message.content.length);
        assert.ok(!isDelta);
        open = { index: index ?? -1, json: "" };
        message.content.push({ ...(event["content_block"] as Json) });
        break;
      case "content_block_delta": {
        assert.equal(index, open?.index);
        const block = message.content.at(-1) ?? nothing;
        const { type, ...delta } = event["delta"] as Json;
        if (type === "input_json_delta" && open) open.json += String(delta["partial_json"]);
        else
          for (const [name, text] of Object.entries(delta))
            block[name] = `${String(block[name])}${String(text)}`;
        break;
      }
      case "content_block_stop": {
        assert.equal(index, open?.index);
        const block = message.content.at(-1) ?? nothing;
        if (open !== undefined && open.json !== "") block["input"] = JSON.parse(open.json);
        open = undefined;
        break;
      }
      case "message_delta":
        assert.equal(open, undefined);
        isDelta = true;
        Object.assign(message, event["delta"]);
        Object.assign(message.usage, event["usage"]);
        break;
      case "message_stop":
        assert.equal(at, rest.length - 1);
        assert.ok(isDelta);
        return message;
      default:
        assert.fail(`an event ${event.type}`);
    }
  }
  return assert.fail("no message_stop");
}
