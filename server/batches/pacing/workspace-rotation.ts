// Whose request begins next: workspaces take turns, and within one its batches do.
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { ClaimedBatch, PreparedItem } from "../work/claimed-batches.ts";

export interface WorkspaceRotation {
  add(held: ClaimedBatch): void;
  remove(held: ClaimedBatch): void;
  /** The first in turn for whom `find` has something; it goes to the end of its row. */
  next<Found>(find: (held: ClaimedBatch) => Found | undefined): Found | undefined;
}

export function makeWorkspaceRotation(): WorkspaceRotation {
  const rows = new Map<string, Set<ClaimedBatch>>();
  return {
    add: (held) => {
      const { workspaceId } = held.owner;
      const row = rows.get(workspaceId) ?? new Set();
      rows.set(workspaceId, row.add(held));
    },
    remove: (held) => {
      const row = rows.get(held.owner.workspaceId);
      row?.delete(held);
      if (row?.size === 0) rows.delete(held.owner.workspaceId);
    },
    next: (find) => {
      for (const [workspaceId, row] of rows)
        for (const held of row) {
          const found = find(held);
          if (found === undefined) continue;
          row.delete(held);
          row.add(held);
          rows.delete(workspaceId);
          rows.set(workspaceId, row);
          return found;
        }
      return undefined;
    },
  };
}

/** Takes the first request of the batch whose upstream has room. */
export function takeReady(held: ClaimedBatch): PreparedItem | undefined {
  for (const [gate, lane] of held.readyItems) {
    if (lane.length === 0) held.readyItems.delete(gate);
    else if (gate.hasRoom(held.owner.workspaceId)) {
      held.prepared -= 1;
      return lane.shift();
    }
  }
  return undefined;
}

/** Of items that no upstream is known for. */
const noGate: ConcurrencyLimit = { hasRoom: () => true, hasRoomAtMs: () => 0, begin: () => () => {}, width: 0 };

export function putReady(held: ClaimedBatch, item: PreparedItem): void {
  const { concurrencyLimit = noGate } = item;
  const lane = held.readyItems.get(concurrencyLimit);
  if (lane === undefined) held.readyItems.set(concurrencyLimit, [item]);
  else lane.push(item);
  held.prepared += 1;
}
