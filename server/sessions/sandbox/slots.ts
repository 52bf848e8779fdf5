// How many sandboxes run at a time: who waits for one is served by workspaces in turn.

export interface Slots {
  /** Resolves once there is room; rejects with the signal's reason. */
  enter(workspaceId: string, signal: AbortSignal): Promise<void>;
  leave(): void;
  readonly isWaitedFor: boolean;
}

interface Waiter {
  round: number;
  admit: () => void;
}

export function makeSlots(most: number, makeRoom: () => void): Slots {
  let taken = 0;
  /** In each round a workspace is given one: the newest that one was given in. */
  let round = 0;
  /** The last round that each workspace has one in, or waits for one in; what is behind the newest is forgotten. */
  const lastRounds = new Map<string, number>();
  const waiters: Waiter[] = [];

  /** Who waits does so behind all that wait for an earlier round, and before all that come later in its own. */
  const nextRoundOf = (workspaceId: string, earliest: number): number => {
    const next = Math.max(earliest, (lastRounds.get(workspaceId) ?? -1) + 1);
    lastRounds.set(workspaceId, next);
    return next;
  };

  const occupy = (ofRound: number): void => {
    taken += 1;
    if (ofRound <= round) return;
    round = ofRound;
    for (const [workspaceId, last] of lastRounds) if (last < round) lastRounds.delete(workspaceId);
  };

  const admitNext = (): void => {
    const [first, ...others] = waiters;
    if (first === undefined || taken >= most) return;
    // Of one round, who came first.
    const next = others.reduce((best, each) => (each.round < best.round ? each : best), first);
    waiters.splice(waiters.indexOf(next), 1);
    occupy(next.round);
    next.admit();
  };

  return {
    enter(workspaceId, signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (taken < most && waiters.length === 0) {
        occupy(nextRoundOf(workspaceId, round));
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
      const waiter: Waiter = { round: nextRoundOf(workspaceId, round + 1), admit };
      signal.addEventListener("abort", giveUp, { once: true });
      waiters.push(waiter);
      makeRoom();
      return promise;
    },
    leave() {
      taken -= 1;
      admitNext();
    },
    get isWaitedFor() {
      return waiters.length > 0;
    },
  };
}
