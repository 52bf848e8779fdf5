// Rule BAT15 in small: whose turn it is, and that nothing that is ready is forgotten.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../../kernel/base/clock.ts";
import { makeConcurrencyLimit, type ConcurrencyLimit } from "./concurrency-limit.ts";
import { makeClaimedBatch, type ClaimedBatch, type PreparedItem } from "../work/claimed-batches.ts";
import { makeWorkspaceRotation, putReady, takeReady } from "./workspace-rotation.ts";

const clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));

const batchOf = (id: string, workspaceId: string): ClaimedBatch =>
  makeClaimedBatch(id, { workspaceId, state: "in_progress" } as ClaimedBatch["owner"]);

const itemAt = (concurrencyLimit: ConcurrencyLimit | undefined, customId: string) =>
  ({ concurrencyLimit, customId }) as PreparedItem;

test("[BAT15] workspaces alternate, and in each of them its batches", () => {
  const rotation = makeWorkspaceRotation();
  const all = [batchOf("a", "one"), batchOf("b", "one"), batchOf("c", "two"), batchOf("d", "one")];
  for (const batch of all) rotation.add(batch);
  const next = (find: (batch: ClaimedBatch) => string | undefined = ({ id }) => id) =>
    rotation.next(find);
  assert.deepEqual(
    Array.from({ length: 8 }, () => next()),
    ["a", "c", "b", "c", "d", "c", "a", "c"],
  );
  // A batch that has nothing is passed by, and keeps its turn.
  assert.equal(
    next(({ id }) => (id === "d" ? id : undefined)),
    "d",
  );
  assert.deepEqual([next(), next()], ["c", "b"]);
  rotation.remove(all[2] as ClaimedBatch);
  assert.deepEqual([next(), next(), next()], ["a", "d", "b"]);
  for (const batch of all) rotation.remove(batch);
  assert.equal(next(), undefined);
});

test("[BAT12] what is ready is taken once its upstream has room, and what has none to wait for at once", () => {
  const batch = batchOf("a", "one");
  const [narrow, wide] = [makeConcurrencyLimit(clock, 1), makeConcurrencyLimit(clock, 8)];
  for (const name of ["n1", "n2"]) putReady(batch, itemAt(narrow, name));
  putReady(batch, itemAt(wide, "w1"));
  putReady(batch, itemAt(undefined, "nowhere"));
  assert.equal(batch.prepared, 4);
  assert.equal(takeReady(batch)?.customId, "n1");
  const leave = narrow.begin("one");
  const taken = new Set([takeReady(batch)?.customId, takeReady(batch)?.customId]);
  assert.deepEqual(taken, new Set(["nowhere", "w1"]));
  assert.equal(takeReady(batch), undefined);
  assert.equal(batch.prepared, 1);
  leave("answered");
  assert.equal(takeReady(batch)?.customId, "n2");
  assert.equal(batch.prepared, 0);
});
