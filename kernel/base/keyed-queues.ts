// Waiting in memory for one's turn: whoever waits for a lock of the database keeps a connection from others.

export interface KeyedQueues {
  /** Runs `work` when fewer than so many of the same key run, in the order of asking. */
  run<T>(key: string, work: () => Promise<T> | T): Promise<T>;
}

interface KeyedQueue {
  running: number;
  waiting: (() => void)[];
}

export function makeKeyedQueues(atOnce: number): KeyedQueues {
  const lines = new Map<string, KeyedQueue>();

  const turn = (key: string): Promise<void> | undefined => {
    const line = lines.get(key);
    if (line === undefined) {
      lines.set(key, { running: 1, waiting: [] });
      return undefined;
    }
    if (line.running < atOnce) {
      line.running += 1;
      return undefined;
    }
    return new Promise((resolve) => void line.waiting.push(resolve));
  };

  /** Whoever comes next takes the place over; the line goes with its last. */
  const leave = (key: string): void => {
    const line = lines.get(key);
    const next = line?.waiting.shift();
    if (line === undefined || next !== undefined) return next?.();
    line.running -= 1;
    if (line.running === 0) lines.delete(key);
  };

  return {
    async run(key, work) {
      await turn(key);
      try {
        return await work();
      } finally {
        leave(key);
      }
    },
  };
}
