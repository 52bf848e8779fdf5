// The moment at which a listening socket can be closed without losing what the kernel has accepted for it.

/** Without a new connection at so many looks, all clients wait for an answer, or pause, or there are none. */
const silentLooks = 20;
/** Where new ones come without end, requests are not held up for longer: late is better than lost. */
const silenceWaitMsMax = 1_000;
const lookEveryMs = 5;
const quietMs = 0.3;
const quietWaitMsMax = 1_000;

/**
 * Waits for silence, then for an iteration of the event loop that accepts nothing and does next to nothing. The caller
 * closes the socket before the loop goes on. libuv takes one connection an iteration, so one alone proves nothing.
 * What comes between that iteration and the close is lost: on a busy machine that can be milliseconds, in which only
 * silence helps.
 */
export async function waitForQuietSocket(accepted: () => number): Promise<void> {
  await silence(accepted);
  const endMs = performance.now() + quietWaitMsMax;
  let last = { ms: performance.now(), accepted: -1 };
  for (;;) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const now = { ms: performance.now(), accepted: accepted() };
    const isQuiet = now.ms - last.ms < quietMs && now.accepted === last.accepted;
    if (isQuiet || now.ms > endMs) return;
    last = now;
  }
}

/** Counted in looks, not in time: while this process stands still it accepts nothing, and hears of nothing. */
async function silence(accepted: () => number): Promise<void> {
  const endMs = performance.now() + silenceWaitMsMax;
  let before = accepted();
  for (let looks = 0; looks < silentLooks && performance.now() < endMs; looks++) {
    await new Promise<void>((resolve) => void setTimeout(resolve, lookEveryMs));
    if (accepted() !== before) looks = -1;
    before = accepted();
  }
}
