// Time as a value that is handed in, so that tests and simulations can set it.

export interface Clock {
  /** Wall-clock time. */
  now(): Date;
  /** Milliseconds that never run backwards; only differences mean something. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once with `false` when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<boolean>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve(false);
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve(true);
      }, Math.ceil(ms)); // it drops fractions, and would wake before the time
      const stop = () => {
        clearTimeout(timer);
        resolve(false);
      };
      signal?.addEventListener("abort", stop, { once: true });
    }),
};

export interface ManualClock extends Clock {
  /** Moves time forward and wakes every sleeper whose moment has come. */
  advance(ms: number): void;
  /** Sets the wall clock alone, as a jump of the machine's clock would. */
  jumpTo(time: Date): void;
}

/** A clock that stands still until a test moves it. */
export function makeManualClock(start: Date): ManualClock {
  let wallMs = start.getTime();
  let elapsedMs = 0;
  const sleepers = new Set<{ dueMs: number; wake: (slept: boolean) => void }>();
  return {
    now: () => new Date(wallMs),
    monotonicMs: () => elapsedMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve(false);
        const sleeper = { dueMs: elapsedMs + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener(
          "abort",
          () => {
            if (sleepers.delete(sleeper)) resolve(false);
          },
          { once: true },
        );
      }),
    advance: (ms) => {
      wallMs += ms;
      elapsedMs += ms;
      const due = [...sleepers].filter((sleeper) => sleeper.dueMs <= elapsedMs);
      for (const sleeper of due.sort((a, b) => a.dueMs - b.dueMs)) {
        sleepers.delete(sleeper);
        sleeper.wake(true);
      }
    },
    jumpTo: (time) => {
      wallMs = time.getTime();
    },
  };
}
