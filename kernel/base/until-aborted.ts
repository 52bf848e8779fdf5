// Waiting that a signal ends, for work that goes on for others.

/**
 * What the work comes to, or the reason of the signal, whichever is first. How work ends that is left is told to those
 * that still wait.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const leave = () => aborted.reject(signal.reason as Error);
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
    aborted.promise.catch(() => {});
  }
}
