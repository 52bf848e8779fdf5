// Events that this server makes share one hidden class, and are no dictionaries.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { asWireEvent } from "../../server/models/stream-events.ts";

setFlagsFromString("--allow-natives-syntax");
const haveSameClass = runInNewContext("(a, b) => %HaveSameMap(a, b)") as typeof Object.is;
const isFast = runInNewContext("(a) => %HasFastProperties(a)") as typeof Object.isFrozen;

test("all made events share one hidden class, before and after they were written", () => {
  const events = ["message_start", "ping", "error"].map((type) => asWireEvent({ type }));
  const [first] = events;
  const oneClass = () => events.every((event) => haveSameClass(first, event) && isFast(event));
  assert.ok(oneClass(), "as made");
  for (const event of events) assert.match(event.raw, /^event: /);
  assert.ok(oneClass(), "once written");
});
