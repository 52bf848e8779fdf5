// Whose request begins next: workspaces take turns, and within one its batches do.
import type { ClaimedBatch } from "../items/claimed-batch.ts";

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
