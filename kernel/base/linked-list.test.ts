// A list of what comes and goes: its order, what is removed from anywhere, and that nothing of it stays behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { LinkedList, type Link } from "./linked-list.ts";

test("it is in the order of coming, whatever is removed and however often", () => {
  for (const goes of [[0], [1], [2], [0, 1], [1, 2], [2, 0], [1, 1], [0, 1, 2], [2, 1, 0]]) {
    const list = new LinkedList<number>();
    const links = [10, 11, 12].map((value) => list.add(value));
    for (const at of goes) list.remove(links[at] as Link<number>);
    const left = [10, 11, 12].filter((_, at) => !goes.includes(at));
    assert.deepEqual([...list], left, `without ${goes.join()}`);
    assert.equal(list.size, left.length);
    assert.equal(list.first?.value, left[0]);
    list.add(13);
    assert.deepEqual([...list], [...left, 13]);
  }
});

test("what is given is what was there at the beginning", () => {
  const list = new LinkedList<string>();
  const first = list.add("a");
  list.add("b");
  const given = [];
  for (const value of list) {
    given.push(value);
    list.remove(first);
    list.add("c");
  }
  assert.deepEqual(given, ["a", "b"]);
});

test("what has gone does not outlive the next collection of young garbage", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (what?: { type: "minor" }) => void;
  /** Thirty at a time, of 1 KB each, in something that has become old. */
  const keptAfter = (comeAndGo: (value: object) => () => void) => {
    const leaving: (() => void)[] = [];
    const move = (count: number) => {
      for (let i = 0; i < count; i++) {
        leaving.push(comeAndGo(Array.from({ length: 100 }, () => i)));
        if (leaving.length > 30) leaving.shift()?.();
      }
    };
    move(1_000);
    collect();
    collect();
    const before = process.memoryUsage().heapUsed;
    move(5_000);
    for (let i = 0; i < 3; i++) collect({ type: "minor" });
    return process.memoryUsage().heapUsed - before;
  };
  const list = new LinkedList<object>();
  const kept = keptAfter((value) => {
    const link = list.add(value);
    return () => list.remove(link);
  });
  // Of 4 MB a Set keeps all, as a rule.
  assert.ok(kept < 2_000_000, `${kept} bytes are kept`);
});
