// A list of what comes and goes: its order, what is removed from anywhere, and that nothing of it stays behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { collectGarbage } from "../../tests/garbage.ts";
import { nextLoopIteration } from "./event-loop.ts";
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

test("what has gone points at nothing, and nothing that stays points at it", () => {
  for (const goes of [0, 1, 2]) {
    const list = new LinkedList<number>();
    const links = [10, 11, 12].map((value) => list.add(value));
    const [gone] = links.splice(goes, 1);
    list.remove(gone ?? assert.fail());
    assert.deepEqual(gone, { value: undefined, previous: undefined, next: undefined });
    const [first, last] = links;
    assert.deepEqual([first?.previous, last?.next], [undefined, undefined], `without ${goes}`);
    assert.ok(first?.next === last && last?.previous === first, `without ${goes}`);
  }
});

test("an empty list holds nothing of what it had", async () => {
  const list = new LinkedList<object>();
  const value = new WeakRef({});
  const link = new WeakRef(list.add(value.deref() ?? assert.fail()));
  list.remove(link.deref() ?? assert.fail());
  // A reference just looked at lives until the event loop goes on.
  await nextLoopIteration();
  collectGarbage();
  assert.deepEqual([value.deref(), link.deref()], [undefined, undefined]);
  assert.equal(list.size, 0);
});
