// Questions asked together: which keys share one, and the answer that each gets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gather } from "./gather.ts";

test("what comes at the same time is asked together, each with its own answer", async () => {
  const asked: number[][] = [];
  const double = gather(
    async (keys: readonly number[]) => {
      asked.push([...keys]);
      return keys.map((key) => key * 2);
    },
    { keysMax: 3, atOnce: 1 },
  );
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map(double)), [2, 4, 6, 8]);
  assert.deepEqual(asked, [[1, 2, 3], [4]]);
  assert.equal(await double(5), 10);
});

test("no more are on their way at once than may be; who comes meanwhile goes with the next", async () => {
  const open: { keys: readonly number[]; answer: () => void }[] = [];
  const ask = gather(
    (keys: readonly number[]) =>
      new Promise<readonly number[]>((resolve) => open.push({ keys, answer: () => resolve(keys) })),
    { keysMax: 10, atOnce: 2 },
  );
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const first = ask(1);
  await turn();
  const second = ask(2);
  await turn();
  const [third, fourth] = [ask(3), ask(4)];
  await turn();
  assert.deepEqual(
    open.map(({ keys }) => keys),
    [[1], [2]],
  );
  open[0]?.answer();
  assert.equal(await first, 1);
  await turn();
  assert.deepEqual(
    open.map(({ keys }) => keys),
    [[1], [2], [3, 4]],
  );
  open[1]?.answer();
  open[2]?.answer();
  assert.deepEqual(await Promise.all([second, third, fourth]), [2, 3, 4]);
});

test("one error is everybody's of the group, and the next group goes on", async () => {
  let isBroken = true;
  const ask = gather(
    async (keys: readonly number[]) => {
      if (isBroken) throw new Error("away");
      return keys;
    },
    { keysMax: 10, atOnce: 1 },
  );
  const both = await Promise.allSettled([ask(1), ask(2)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  isBroken = false;
  assert.equal(await ask(3), 3);
});
