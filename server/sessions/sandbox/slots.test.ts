// Rules SES67 and SES140: who waits for a sandbox is served by workspaces in turn, and no session waits for ever.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../kernel/base/clock.ts";
import { makeSlots } from "./slots.ts";

const never = new AbortController().signal;
/** Lets promises that are settled be heard. */
const settle = () => systemClock.sleep(0);

function play(most: number) {
  const admitted: string[] = [];
  let asked = 0;
  const slots = makeSlots(most, () => (asked += 1));
  const enter = (workspaceId: string, name = workspaceId, signal = never, count = 1) =>
    void slots.enter(workspaceId, signal, count).then(
      () => admitted.push(name),
      () => {},
    );
  const leave = async () => {
    slots.leave();
    await settle();
  };
  return { slots, admitted, enter, leave, asked: () => asked };
}

test("[SES67] with room for one, a workspace with much to do waits for that with little", async () => {
  const { admitted, enter, leave } = play(1);
  for (const name of ["a1", "a2", "a3", "a4"]) enter("a", name);
  enter("b", "b1");
  enter("c", "c1");
  await settle();
  for (let left = 0; left < 5; left++) await leave();
  assert.deepEqual(admitted, ["a1", "a2", "b1", "c1", "a3", "a4"]);
});

test("[SES67] a workspace that keeps one for long has its turn too, however many others come", async () => {
  const { admitted, enter, leave } = play(2);
  enter("a", "a1");
  enter("b0", "b0");
  enter("a", "a2");
  await settle();
  for (let others = 1; others <= 20; others++) {
    enter(`b${others}`, `b${others}`);
    await leave();
    if (admitted.includes("a2")) return;
  }
  assert.fail(`a2 waited for ever: ${admitted.join(", ")}`);
});

test("[SES67] who gives up takes no room, and leaves that of others alone", async () => {
  const { slots, admitted, enter, leave, asked } = play(1);
  const [given, late] = [new AbortController(), AbortSignal.abort(new Error("over"))];
  enter("a", "a1");
  enter("b", "b1", given.signal);
  enter("c", "c1");
  await settle();
  assert.equal(asked(), 2, "each that waits asks for room");
  enter("d", "d1", late);
  given.abort(new Error("over"));
  await settle();
  await leave();
  assert.deepEqual(admitted, ["a1", "c1"]);
  assert.equal(slots.isWaitedFor, false);
  given.abort(new Error("again"));
  await leave();
  enter("e", "e1");
  await settle();
  assert.deepEqual(admitted, ["a1", "c1", "e1"]);
});

test("[SES140] who needs room for two waits for both at once, and is not passed by", async () => {
  const { slots, admitted, enter, leave, asked } = play(2);
  const given = new AbortController();
  enter("a", "a1");
  enter("b", "b for two", given.signal, 2);
  enter("c", "c1");
  await settle();
  assert.deepEqual(admitted, ["a1"], "one free place is kept for who needs two");
  assert.equal(asked(), 3, "both are asked for");
  assert.equal(slots.tryEnter("d"), false, "nor does one that does not wait take it");
  given.abort(new Error("over"));
  await settle();
  assert.deepEqual(admitted, ["a1", "c1"], "who gives up lets those behind it in");
  enter("e", "e for two", never, 2);
  await leave();
  assert.deepEqual(admitted, ["a1", "c1"]);
  await leave();
  assert.deepEqual(admitted, ["a1", "c1", "e for two"]);
  assert.equal(slots.tryEnter("d"), false, "it occupies both");
  await leave();
  assert.equal(slots.tryEnter("d"), true);
});
