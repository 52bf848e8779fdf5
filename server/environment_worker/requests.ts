// Requests of a worker: which failures pass, how long one may take, and how it is tried again.
import { ApiError } from "../../contract/client.ts";
import type { Clock } from "../../kernel/base/clock.ts";
import { limits } from "./limits.ts";

/** The server was away, or says that it cannot just now: by the same rule as the official client's worker. */
export const mayPass = (error: unknown): boolean =>
  error instanceof TimeOver ||
  // Fetch throws it for a connection that breaks as for one that cannot be made.
  error instanceof TypeError ||
  (error instanceof ApiError &&
    (error.status >= 500 || error.status === 408 || error.status === 409 || error.status === 429));

class TimeOver extends Error {
  override readonly name = "TimeOver";
}

/** For the person who reads along. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError)
    return `${error.message} (request ${error.requestId ?? "unknown"})`;
  if (error instanceof TypeError) return "The server does not answer.";
  return error instanceof Error ? error.message : String(error);
}

/** One request, which does not take longer than a request may. */
export async function ask<T>(
  clock: Clock,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
  ms: number = limits.requestMs,
): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const answered = new AbortController();
  void clock.sleep(ms, answered.signal).then((isLate) => isLate && over.abort());
  try {
    return await request(AbortSignal.any([signal, over.signal]));
  } catch (error) {
    if (over.signal.aborted && !signal.aborted)
      throw new TimeOver(`The server has not answered for ${ms / 1000} s.`);
    throw error;
  } finally {
    answered.abort();
  }
}

export interface Pauses {
  /** Longer each time; false where the signal ended it. */
  next(signal: AbortSignal): Promise<boolean>;
  reset(): void;
}

export function makePauses(clock: Clock, most: number = limits.pauseMsMax): Pauses {
  let ms: number = limits.pauseMs;
  return {
    next(signal) {
      const pauseMs = ms;
      ms = Math.min(ms * 2, most);
      return clock.sleep(pauseMs, signal);
    },
    reset: () => void (ms = limits.pauseMs),
  };
}

/** Again and again as long as the failure may pass and the signal has not ended it. */
export async function insist<T>(
  clock: Clock,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
  passes: (error: unknown) => boolean = mayPass,
): Promise<T> {
  const pauses = makePauses(clock);
  for (;;) {
    try {
      return await ask(clock, signal, request);
    } catch (error) {
      if (signal.aborted || !passes(error)) throw error;
      await pauses.next(signal);
      signal.throwIfAborted();
    }
  }
}
