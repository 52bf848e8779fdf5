// Turns: how many at once, in which order, and what an error does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "./next-turn.ts";
import { makeLines } from "./lines.ts";

test("of one key so many run at once, in the order of asking; other keys do not wait", async () => {
  const { inLine } = makeLines(2);
  const began: string[] = [];
  let [running, most] = [0, 0];
  const work = (name: string) => async () => {
    began.push(name);
    running += 1;
    most = Math.max(most, running);
    await nextTurn();
    await nextTurn();
    running -= 1;
    return name;
  };
  const names = ["a", "b", "c", "d", "e"];
  const done = Promise.all(names.map((name) => inLine("one", work(name))));
  await nextTurn();
  const quick = await inLine("another", () => "at once");
  assert.equal(quick, "at once");
  assert.ok(began.length < names.length);
  assert.deepEqual(await done, names);
  assert.deepEqual(began, names);
  assert.equal(most, 2);
});

test("who fails lets the next go on, and learns of it", async () => {
  const { inLine } = makeLines(1);
  const first = inLine("one", async () => {
    await nextTurn();
    throw new Error("no");
  });
  const second = inLine("one", () => "yes");
  await assert.rejects(first, /no/);
  assert.equal(await second, "yes");
  assert.equal(await inLine("one", () => "again"), "again");
});
