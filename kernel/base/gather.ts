// Questions that come at the same time, asked together.
import { nextLoopIteration } from "./event-loop.ts";

export interface GatherOptions {
  keysMax: number;
  /** How many such questions are under way at once; keys that come meanwhile go with the next one. */
  atOnce: number;
}

interface Waiting<Key, Value> {
  key: Key;
  settle: PromiseWithResolvers<Value>;
}

/** `load` answers a value for each key, in their order. A single key does not wait. */
export function gather<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
  { keysMax, atOnce }: GatherOptions,
): (key: Key) => Promise<Value> {
  const waiting: Waiting<Key, Value>[] = [];
  let running = 0;
  const runOne = async (): Promise<void> => {
    await nextLoopIteration();
    const group = waiting.splice(0, keysMax);
    if (group.length === 0) return;
    try {
      const values = await load(group.map(({ key }) => key));
      for (const [at, { settle }] of group.entries()) settle.resolve(values[at] as Value);
    } catch (error) {
      for (const { settle } of group) settle.reject(error);
    }
  };
  const run = async (): Promise<void> => {
    running += 1;
    while (waiting.length > 0) await runOne();
    running -= 1;
  };
  return (key) => {
    const settle = Promise.withResolvers<Value>();
    waiting.push({ key, settle });
    if (running < atOnce) void run();
    return settle.promise;
  };
}
