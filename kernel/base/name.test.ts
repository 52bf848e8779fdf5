// A name is one line that can be seen, in one spelling.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanName } from "./name.ts";

const clean = (text: string) => cleanName("name", text, 10);

test("a name is trimmed and composed, and counted in characters", () => {
  assert.equal(clean("  Two words\t"), "Two words");
  assert.equal(clean("Zu\u0308rich"), "Z\u00fcrich");
  for (const fits of ["p".repeat(10), "🔑".repeat(10), "👩\u200d🚒"])
    assert.equal(clean(fits), fits);
  for (const long of ["p".repeat(11), "🔑".repeat(11)])
    assert.throws(() => clean(long), /^Failure: name: must have at most 10 characters\.$/);
});

test("what cannot be seen, or disturbs what stands beside it, is no name", () => {
  for (const empty of ["", " ", "\t\n", "\u00a0\u2003", "\u200b\u200d", "\u3164"])
    assert.throws(() => clean(empty), /can be seen/, JSON.stringify(empty));
  for (const bad of [
    "a\nb",
    "a\u0000b",
    "a\u001b[31m",
    "a\u202eb",
    "a\u2066b",
    "a\u2028b",
    "\ud800",
  ])
    assert.throws(() => clean(bad), /no part of a name/, JSON.stringify(bad));
});
