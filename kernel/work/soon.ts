// What a process does a moment after something came, so that much of it is done together.
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";

export interface Soon {
  /** Until then what comes waits. */
  start(): void;
  /** Something came. */
  ask(): void;
  /** After the try under way. */
  stop(): Promise<void>;
}

/** Where nothing comes nothing wakes. A try that failed is logged; while something is left, the next comes in time. */
export function soon(
  { clock, logger }: { clock: Clock; logger: Logger },
  ms: number,
  { name, act, isLeft }: { name: string; act: () => Promise<unknown>; isLeft: () => boolean },
): Soon {
  const stopping = new AbortController();
  let acting: Promise<void> | undefined;
  const actUntilDone = async () => {
    do {
      if (!(await clock.sleep(ms, stopping.signal))) break;
      await act().catch((error: unknown) => logger.warn({ error }, `${name} failed`));
    } while (isLeft());
    acting = undefined;
  };
  let isStarted = false;
  const ask = () => {
    if (isStarted) acting ??= actUntilDone();
  };
  return {
    start: () => {
      isStarted = true;
      if (isLeft()) ask();
    },
    ask,
    stop: async () => {
      isStarted = false;
      stopping.abort();
      await acting;
    },
  };
}
