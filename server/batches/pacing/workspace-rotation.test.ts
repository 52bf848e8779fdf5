// Rule BAT15 in small: whose turn it is, and that nothing that is ready is forgotten.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../../kernel/base/clock.ts";
import { makeConcurrencyLimit, type ConcurrencyLimit } from "./concurrency-limit.ts";
import { makeClaimedBatch, type ClaimedBatch, type PreparedItem } from "../work/claimed-batches.ts";
import { makeWorkspaceRotation, putReady, takeReady } from "./workspace-rotation.ts";

const clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));

const heldOf = (id: string, workspaceId: string): ClaimedBatch =>
  makeClaimedBatch(id, { workspaceId, state: "in_progress" } as ClaimedBatch["owner"]);

const itemAt = (concurrencyLimit: ConcurrencyLimit | undefined, customId: string) => ({ concurrencyLimit, customId }) as PreparedItem;

test("[BAT15] workspaces alternate, and in each of them its batches", () => {
  const turns = makeWorkspaceRotation();
  const all = [heldOf("a", "one"), heldOf("b", "one"), heldOf("c", "two"), heldOf("d", "one")];
  for (const held of all) turns.add(held);
  const next = (find: (held: ClaimedBatch) => string | undefined = ({ id }) => id) => turns.next(find);
  assert.deepEqual(
    Array.from({ length: 8 }, () => next()),
    ["a", "c", "b", "c", "d", "c", "a", "c"],
  );
  // Who has nothing is passed by, and keeps its turn.
  assert.equal(
    next(({ id }) => (id === "d" ? id : undefined)),
    "d",
  );
  assert.deepEqual([next(), next()], ["c", "b"]);
  turns.remove(all[2] as ClaimedBatch);
  assert.deepEqual([next(), next(), next()], ["a", "d", "b"]);
  for (const held of all) turns.remove(held);
  assert.equal(next(), undefined);
});

test("[BAT12] what is ready is taken once its upstream has room, and what has none to wait for at once", () => {
  const held = heldOf("a", "one");
  const [narrow, wide] = [makeConcurrencyLimit(clock, 1), makeConcurrencyLimit(clock, 8)];
  for (const name of ["n1", "n2"]) putReady(held, itemAt(narrow, name));
  putReady(held, itemAt(wide, "w1"));
  putReady(held, itemAt(undefined, "nowhere"));
  assert.equal(held.prepared, 4);
  assert.equal(takeReady(held)?.customId, "n1");
  const leave = narrow.begin("one");
  const taken = new Set([takeReady(held)?.customId, takeReady(held)?.customId]);
  assert.deepEqual(taken, new Set(["nowhere", "w1"]));
  assert.equal(takeReady(held), undefined);
  assert.equal(held.prepared, 1);
  leave("answered");
  assert.equal(takeReady(held)?.customId, "n2");
  assert.equal(held.prepared, 0);
});
