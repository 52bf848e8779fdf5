// How many sandboxes run at a time: who waits for one is served by workspaces in turn, those that have fewest first.

export interface Slots {
  /** Resolves once there is room; rejects with the signal's reason. */
  enter(workspaceId: string, signal: AbortSignal): Promise<void>;
  leave(workspaceId: string): void;
  readonly isWaitedFor: boolean;
}

interface Waiter {
  workspaceId: string;
  admit: () => void;
}

export function makeSlots(most: number, makeRoom: () => void): Slots {
  let taken = 0;
  const byWorkspace = new Map<string, number>();
  const waiters: Waiter[] = [];
  const countOf = (workspaceId: string) => byWorkspace.get(workspaceId) ?? 0;

  const occupy = (workspaceId: string): void => {
    taken += 1;
    byWorkspace.set(workspaceId, countOf(workspaceId) + 1);
  };

  const admitNext = (): void => {
    if (taken >= most) return;
    const [first, ...others] = waiters;
    if (first === undefined) return;
    const next = others.reduce(
      (best, each) => (countOf(each.workspaceId) < countOf(best.workspaceId) ? each : best),
      first,
    );
    waiters.splice(waiters.indexOf(next), 1);
    occupy(next.workspaceId);
    next.admit();
  };

  return {
    enter(workspaceId, signal) {
      if (taken < most && waiters.length === 0) {
        occupy(workspaceId);
        return Promise.resolve();
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const giveUp = () => {
        waiters.splice(waiters.indexOf(waiter), 1);
        reject(signal.reason as Error);
      };
      const admit = () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const waiter: Waiter = { workspaceId, admit };
      signal.addEventListener("abort", giveUp, { once: true });
      waiters.push(waiter);
      makeRoom();
      return promise;
    },
    leave(workspaceId) {
      taken -= 1;
      const left = countOf(workspaceId) - 1;
      if (left === 0) byWorkspace.delete(workspaceId);
      else byWorkspace.set(workspaceId, left);
      admitNext();
    },
    get isWaitedFor() {
      return waiters.length > 0;
    },
  };
}
