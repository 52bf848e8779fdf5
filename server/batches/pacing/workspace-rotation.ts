// Whose request begins next: workspaces take turns, and within one its batches do.
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { ClaimedBatch, PreparedItem } from "../work/claimed-batches.ts";

export interface WorkspaceRotation {
  add(batch: ClaimedBatch): void;
  remove(batch: ClaimedBatch): void;
  /** What `find` has for the first batch in turn; that batch goes to the end of its workspace's queue. */
  next<Found>(find: (batch: ClaimedBatch) => Found | undefined): Found | undefined;
}

export function makeWorkspaceRotation(): WorkspaceRotation {
  const queues = new Map<string, Set<ClaimedBatch>>();
  return {
    add: (batch) => {
      const { workspaceId } = batch.owner;
      const queue = queues.get(workspaceId) ?? new Set();
      queues.set(workspaceId, queue.add(batch));
    },
    remove: (batch) => {
      const queue = queues.get(batch.owner.workspaceId);
      queue?.delete(batch);
      if (queue?.size === 0) queues.delete(batch.owner.workspaceId);
    },
    next: (find) => {
      for (const [workspaceId, queue] of queues)
        for (const batch of queue) {
          const found = find(batch);
          if (found === undefined) continue;
          queue.delete(batch);
          queue.add(batch);
          queues.delete(workspaceId);
          queues.set(workspaceId, queue);
          return found;
        }
      return undefined;
    },
  };
}

/** Takes the first request of the batch whose upstream has room. */
export function takeReady(batch: ClaimedBatch): PreparedItem | undefined {
  for (const [limit, items] of batch.readyItems) {
    if (items.length === 0) batch.readyItems.delete(limit);
    else if (limit.hasRoom(batch.owner.workspaceId)) {
      batch.prepared -= 1;
      return items.shift();
    }
  }
  return undefined;
}

/** Of items that no upstream is known for. */
const noLimit: ConcurrencyLimit = {
  hasRoom: () => true,
  hasRoomAtMs: () => 0,
  begin: () => () => {},
  width: 0,
};

export function putReady(batch: ClaimedBatch, item: PreparedItem): void {
  const { concurrencyLimit = noLimit } = item;
  const items = batch.readyItems.get(concurrencyLimit);
  if (items === undefined) batch.readyItems.set(concurrencyLimit, [item]);
  else items.push(item);
  batch.prepared += 1;
}
