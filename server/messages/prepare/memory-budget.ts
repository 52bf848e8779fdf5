// How much the files of requests under way may hold in memory: a request of 100 bytes can name 32 MiB.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import { part } from "../../../kernel/work/parts.ts";
import { limits } from "../limits.ts";

export interface MemoryBudget {
  /** Waits until so many bytes are free; the caller gives them back. */
  take(actor: Pick<Actor, "clock" | "signal">, bytes: number): Promise<Disposable>;
  /** Bytes that are taken at the moment. */
  taken(): number;
}

interface Waiting {
  bytes: number;
  enter: () => void;
}

/** Requests wait in the order of their arrival: small ones do not pass a large one for ever. */
export function makeMemoryBudget(bytesMax: number, waitMsMax = Infinity): MemoryBudget {
  const queue: Waiting[] = [];
  let taken = 0;

  function admit(): void {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      if (taken + next.bytes > bytesMax) return;
      queue.shift();
      taken += next.bytes;
      next.enter();
    }
  }

  function give(bytes: number): Disposable {
    let isGiven = false;
    return {
      [Symbol.dispose]: () => {
        if (isGiven) return;
        isGiven = true;
        taken -= bytes;
        admit();
      },
    };
  }

  return {
    taken: () => taken,
    take: async ({ clock, signal }, bytes) => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const waiting: Waiting = { bytes, enter: () => resolve(true) };
      queue.push(waiting);
      admit();
      const leave = () => {
        const at = queue.indexOf(waiting);
        if (at === -1) return;
        queue.splice(at, 1);
        resolve(false);
        admit();
      };
      if (!queue.includes(waiting)) return give(bytes);
      const over = new AbortController();
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
      if (Number.isFinite(waitMsMax))
        void clock.sleep(waitMsMax, over.signal).then((slept) => slept && leave());
      const hasEntered = await promise;
      over.abort();
      signal.removeEventListener("abort", leave);
      if (hasEntered) return give(bytes);
      throw signal.aborted ? signal.reason : full();
    },
  };
}

const full = () =>
  new Failure(
    "overloaded_error",
    "Other requests hold all the memory that there is for files in messages; try again in a moment.",
    { headers: { "retry-after": "5" } },
  );

/** One for batches alone, so that a large batch keeps no message waiting. */
export const memoryBudgetsPart = part("memory for files in messages", {
  make: () => ({
    messages: makeMemoryBudget(limits.heldFileBytesMax, limits.fileWaitMsMax),
    batches: makeMemoryBudget(limits.heldBatchFileBytesMax),
  }),
});

export const memoryBudgetsOf = memoryBudgetsPart.of;
