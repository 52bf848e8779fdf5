// What falls out of a map that keeps what was set last.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentMap } from "./recent-map.ts";

test("past its most the entry that was set longest ago falls out; one that is set again is the newest", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3);
  assert.deepEqual(
    [...map],
    [
      ["b", 2],
      ["a", 3],
    ],
  );
  map.set("c", 4);
  assert.deepEqual(
    [...map],
    [
      ["a", 3],
      ["c", 4],
    ],
  );
  assert.equal(map.get("b"), undefined);
});
