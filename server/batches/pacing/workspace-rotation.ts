// Whose request begins next: workspaces take turns, and within one its batches do.
import type { Gate } from "./concurrency-limit.ts";
import type { Held, Item } from "../work/claimed-batches.ts";

export interface Turns {
  add(held: Held): void;
  remove(held: Held): void;
  /** The first in turn for whom `find` has something; it goes to the end of its row. */
  next<Found>(find: (held: Held) => Found | undefined): Found | undefined;
}

export function makeTurns(): Turns {
  const rows = new Map<string, Set<Held>>();
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
export function takeReady(held: Held): Item | undefined {
  for (const [gate, lane] of held.lanes) {
    if (lane.length === 0) held.lanes.delete(gate);
    else if (gate.isOpen(held.owner.workspaceId)) {
      held.prepared -= 1;
      return lane.shift();
    }
  }
  return undefined;
}

/** Of items that no upstream is known for. */
const noGate: Gate = { isOpen: () => true, opensMs: () => 0, enter: () => () => {}, width: 0 };

export function putReady(held: Held, item: Item): void {
  const { gate = noGate } = item;
  const lane = held.lanes.get(gate);
  if (lane === undefined) held.lanes.set(gate, [item]);
  else lane.push(item);
  held.prepared += 1;
}
