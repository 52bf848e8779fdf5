// Events that this server makes are garbage as soon as they were given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesKeptAfter } from "../garbage.ts";
import { asWireEvent } from "../../server/models/stream-events.ts";

test("an event that was given does not outlive the next collection of young garbage", () => {
  const give = (count: number) => {
    let length = 0;
    for (let n = 0; n < count; n++) {
      const message = { content: Array.from({ length: 100 }, () => n) };
      length += asWireEvent({ type: "message_start", message }).raw.length;
    }
    return length;
  };
  give(1_000);
  const kept = bytesKeptAfter(() => void give(5_000));
  // An event holds 1 KB.
  assert.ok(kept < 3_000_000, `${kept} bytes are kept`);
});
