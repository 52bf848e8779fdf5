// What a process does again and again, for as long as it lives.
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";

/** A try that failed is only logged: the next comes in time. The result stops it, after the try under way. */
export function every(
  { clock, logger }: { clock: Clock; logger: Logger },
  ms: number,
  { name, act }: { name: string; act: () => Promise<unknown> },
): () => Promise<void> {
  const stopping = new AbortController();
  const repeat = async () => {
    do await act().catch((error: unknown) => logger.warn({ error }, `${name} failed`));
    while (await clock.sleep(ms, stopping.signal));
  };
  const repeating = repeat();
  return async () => {
    stopping.abort();
    await repeating;
  };
}
