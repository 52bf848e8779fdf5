// Whose request begins next: workspaces take turns, and within one its batches do.
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { ClaimedBatch, PreparedItem } from "../work/claimed-batches.ts";

export interface WorkspaceRotation {
  add(batch: ClaimedBatch): void;
  remove(batch: ClaimedBatch): void;
  /** The first in turn for whom `find` has something; it goes to the end of its row. */
  next<Found>(find: (batch: ClaimedBatch) => Found | undefined): Found | undefined;
}

export function makeWorkspaceRotation(): WorkspaceRotation {
  const rows = new Map<string, Set<ClaimedBatch>>();
  return {
    add: (batch) => {
      const { workspaceId } = batch.owner;
      const row = rows.get(workspaceId) ?? new Set();
      rows.set(workspaceId, row.add(batch));
    },
    remove: (batch) => {
      const row = rows.get(batch.owner.workspaceId);
      row?.delete(batch);
      if (row?.size === 0) rows.delete(batch.owner.workspaceId);
    },
    next: (find) => {
      for (const [workspaceId, row] of rows)
        for (const batch of row) {
          const found = find(batch);
          if (found === undefined) continue;
          row.delete(batch);
          row.add(batch);
          rows.delete(workspaceId);
          rows.set(workspaceId, row);
          return found;
        }
      return undefined;
    },
  };
}

/** Takes the first request of the batch whose upstream has room. */
export function takeReady(batch: ClaimedBatch): PreparedItem | undefined {
  for (const [limit, lane] of batch.readyItems) {
    if (lane.length === 0) batch.readyItems.delete(limit);
    else if (limit.hasRoom(batch.owner.workspaceId)) {
      batch.prepared -= 1;
      return lane.shift();
    }
  }
  return undefined;
}

/** Of items that no upstream is known for. */
const noGate: ConcurrencyLimit = {
  hasRoom: () => true,
  hasRoomAtMs: () => 0,
  begin: () => () => {},
  width: 0,
};

export function putReady(batch: ClaimedBatch, item: PreparedItem): void {
  const { concurrencyLimit = noGate } = item;
  const lane = batch.readyItems.get(concurrencyLimit);
  if (lane === undefined) batch.readyItems.set(concurrencyLimit, [item]);
  else lane.push(item);
  batch.prepared += 1;
}
