// Hangs in its second test, as one that waits for what never comes.
import { test } from "node:test";

test("before", () => {});
test("never ends", async () => {
  setInterval(() => {}, 60_000);
  await new Promise(() => {});
});
