// How many sandboxes run at a time: who waits for one is served by workspaces in turn.

export interface Slots {
  readonly most: number;
  /** Resolves once there is room for `count` together, 1 unless it is said; rejects with the signal's reason. */
  enter(workspaceId: string, signal: AbortSignal, count?: number): Promise<void>;
  /** False where there is no room for one more, or others wait; then an idle one makes room for a later try. */
  tryEnter(workspaceId: string): boolean;
  leave(): void;
  readonly isWaitedFor: boolean;
}

interface Waiter {
  round: number;
  count: number;
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

  const occupy = (ofRound: number, count: number): void => {
    taken += count;
    if (ofRound <= round) return;
    round = ofRound;
    for (const [workspaceId, last] of lastRounds) if (last < round) lastRounds.delete(workspaceId);
  };

  const admitNext = (): void => {
    for (;;) {
      const [first, ...others] = waiters;
      if (first === undefined) return;
      // Of one round, who came first. Who needs room for two is not passed by: else it might wait for ever.
      const next = others.reduce((best, each) => (each.round < best.round ? each : best), first);
      if (taken + next.count > most) return;
      waiters.splice(waiters.indexOf(next), 1);
      occupy(next.round, next.count);
      next.admit();
    }
  };

  return {
    most,
    enter(workspaceId, signal, count = 1) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (taken + count <= most && waiters.length === 0) {
        occupy(nextRoundOf(workspaceId, round), count);
        return Promise.resolve();
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const giveUp = () => {
        waiters.splice(waiters.indexOf(waiter), 1);
        reject(signal.reason as Error);
        // What it had waited for may be enough for who comes behind it.
        admitNext();
      };
      const admit = () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const waiter: Waiter = { round: nextRoundOf(workspaceId, round + 1), count, admit };
      signal.addEventListener("abort", giveUp, { once: true });
      waiters.push(waiter);
      for (let each = 0; each < count; each++) makeRoom();
      return promise;
    },
    tryEnter(workspaceId) {
      const hasRoom = taken < most && waiters.length === 0;
      if (hasRoom) occupy(nextRoundOf(workspaceId, round), 1);
      else makeRoom();
      return hasRoom;
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
