// Rule BAT15 in small: whose turn it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClaimedBatch } from "../items/claimed-batch.ts";
import { makeWorkspaceRotation } from "./workspace-rotation.ts";

const batchOf = (id: string, workspaceId: string): ClaimedBatch =>
  new ClaimedBatch(id, { workspaceId, state: "in_progress" } as ClaimedBatch["owner"]);

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
