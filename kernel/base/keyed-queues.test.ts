// Queues by key: how many run at once, in which order, and what an error does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextLoopIteration } from "./event-loop.ts";
import { makeKeyedQueues } from "./keyed-queues.ts";

test("of one key so many run at once, in the order of asking; other keys do not wait", async () => {
  const { run } = makeKeyedQueues(2);
  const began: string[] = [];
  let [running, most] = [0, 0];
  const work = (name: string) => async () => {
    began.push(name);
    running += 1;
    most = Math.max(most, running);
    await nextLoopIteration();
    await nextLoopIteration();
    running -= 1;
    return name;
  };
  const names = ["a", "b", "c", "d", "e"];
  const done = Promise.all(names.map((name) => run("one", work(name))));
  await nextLoopIteration();
  const quick = await run("another", () => "at once");
  assert.equal(quick, "at once");
  assert.ok(began.length < names.length);
  assert.deepEqual(await done, names);
  assert.deepEqual(began, names);
  assert.equal(most, 2);
});

test("who fails lets the next go on, and learns of it", async () => {
  const { run } = makeKeyedQueues(1);
  const first = run("one", async () => {
    await nextLoopIteration();
    throw new Error("no");
  });
  const second = run("one", () => "yes");
  await assert.rejects(first, /no/);
  assert.equal(await second, "yes");
  assert.equal(await run("one", () => "again"), "again");
});
