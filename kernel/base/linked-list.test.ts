// A list of what comes and goes: its order, what is removed from anywhere, and that nothing of it stays behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesKeptAfter } from "../../tests/garbage.ts";
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
  const list = new LinkedList<object>();
  const links: Link<object>[] = [];
  /** Thirty at a time, of 1 KB each. */
  const move = (count: number) => {
    for (let i = 0; i < count; i++) {
      links.push(list.add(Array.from({ length: 100 }, () => i)));
      if (links.length > 30) list.remove(links.shift() ?? assert.fail());
    }
  };
  move(1_000);
  const kept = bytesKeptAfter(() => move(5_000));
  // Of 4 MB a Set keeps all, as a rule.
  assert.ok(kept < 2_000_000, `${kept} bytes are kept`);
});
