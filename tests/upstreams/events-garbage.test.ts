// Events that this server makes are garbage as soon as they were given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { asWireEvent } from "../../server/models/stream-events.ts";

test("an event that was given does not outlive the next collection of young garbage", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (what?: { type: "minor" }) => void;
  const give = (count: number) => {
    let length = 0;
    for (let n = 0; n < count; n++) {
      const message = { content: Array.from({ length: 100 }, () => n) };
      length += asWireEvent({ type: "message_start", message }).raw.length;
    }
    return length;
  };
  give(1_000);
  collect();
  const before = process.memoryUsage().heapUsed;
  give(5_000);
  for (let i = 0; i < 3; i++) collect({ type: "minor" });
  const kept = process.memoryUsage().heapUsed - before;
  // An event holds 1 KB.
  assert.ok(kept < 3_000_000, `${kept} bytes are kept`);
});
