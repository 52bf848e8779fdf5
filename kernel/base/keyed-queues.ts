// Queues in memory, one for each key: a caller that waited for a lock of the database would occupy a connection.

export interface KeyedQueues {
  /** Runs `work` once fewer than `atOnce` of the same key run, in the order of the calls. */
  run<T>(key: string, work: () => Promise<T> | T): Promise<T>;
}

interface KeyedQueue {
  running: number;
  waiting: (() => void)[];
}

export function makeKeyedQueues(atOnce: number): KeyedQueues {
  const queues = new Map<string, KeyedQueue>();

  const enter = (key: string): Promise<void> | undefined => {
    const queue = queues.get(key);
    if (queue === undefined) {
      queues.set(key, { running: 1, waiting: [] });
      return undefined;
    }
    if (queue.running < atOnce) {
      queue.running += 1;
      return undefined;
    }
    return new Promise((resolve) => void queue.waiting.push(resolve));
  };

  /** The next waiting caller takes over; an empty queue is removed. */
  const leave = (key: string): void => {
    const queue = queues.get(key);
    const next = queue?.waiting.shift();
    if (queue === undefined || next !== undefined) return next?.();
    queue.running -= 1;
    if (queue.running === 0) queues.delete(key);
  };

  return {
    async run(key, work) {
      await enter(key);
      try {
        return await work();
      } finally {
        leave(key);
      }
    },
  };
}
