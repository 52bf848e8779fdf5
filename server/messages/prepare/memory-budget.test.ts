// Rule MSG59: how much memory files may take at a time, by a clock that stands still.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, makeManualClock } from "../../../kernel/base/clock.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import { nextLoopIteration } from "../../../kernel/base/event-loop.ts";
import { makeMemoryBudget, type MemoryBudget } from "./memory-budget.ts";

function openBudget(waitMsMax?: number) {
  const clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  const budget = makeMemoryBudget(100, waitMsMax);
  return {
    clock,
    budget,
    ask: (bytes: number, signal = never) => asked(budget, clock, bytes, signal),
  };
}

const never = new AbortController().signal;

interface Waiting {
  held: Disposable | undefined;
  error: unknown;
}

/** Asks for memory, and gives what has become of it. */
function asked(budget: MemoryBudget, clock: Clock, bytes: number, signal: AbortSignal): Waiting {
  const waiting: Waiting = { held: undefined, error: undefined };
  budget.take({ clock, signal }, bytes).then(
    (held) => (waiting.held = held),
    (error: unknown) => (waiting.error = error),
  );
  return waiting;
}

test("[MSG59] what fits is in at once, the rest in the order of its coming", async () => {
  const { budget, ask } = openBudget();
  const [first, large, small] = [ask(60), ask(70), ask(10)];
  await nextLoopIteration();
  assert.ok(first.held);
  assert.deepEqual([large.held, small.held], [undefined, undefined]);
  first.held[Symbol.dispose]();
  first.held[Symbol.dispose]();
  await nextLoopIteration();
  assert.ok(large.held && small.held);
  assert.equal(budget.taken(), 80);
  for (const { held } of [large, small]) held?.[Symbol.dispose]();
  assert.equal(budget.taken(), 0);
});

test("[MSG59] who has waited too long is 529, and makes way", async () => {
  const { clock, budget, ask } = openBudget(30_000);
  const first = ask(90);
  const large = ask(20);
  await nextLoopIteration();
  clock.advance(10_000);
  const small = ask(10);
  await nextLoopIteration();
  assert.equal(Boolean(small.held), false);
  clock.advance(19_999);
  await nextLoopIteration();
  assert.equal(large.error === undefined, true);
  clock.advance(1);
  await nextLoopIteration();
  assert.ok(large.error instanceof Failure && large.error.status === 529);
  assert.match(large.error.message, /hold all the memory.*try again/);
  for (const { held } of [first, small]) held?.[Symbol.dispose]();
  assert.ok(small.held);
  assert.equal(budget.taken(), 0);
});

test("[MSG59] who goes away waits no longer, and one without a limit waits on", async () => {
  const { clock, budget, ask } = openBudget();
  const first = ask(100);
  const gone = new AbortController();
  const [leaver, patient] = [ask(50, gone.signal), ask(50)];
  await nextLoopIteration();
  clock.advance(3_600_000);
  gone.abort(new Error("gone"));
  await nextLoopIteration();
  assert.match(String(leaver.error), /gone/);
  assert.deepEqual([patient.held, patient.error], [undefined, undefined]);
  first.held?.[Symbol.dispose]();
  await nextLoopIteration();
  assert.ok(patient.held);
  const late = ask(60, gone.signal);
  await nextLoopIteration();
  assert.match(String(late.error), /gone/);
  patient.held[Symbol.dispose]();
  assert.equal(budget.taken(), 0);
});
