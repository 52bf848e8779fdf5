// When a listening socket may be closed: not while clients that pause between their requests still open connections.
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitForQuietSocket } from "./quiet-socket.ts";

/** Connections come every `paceMs` until `endMs`; gives whether they had ended, and the time that was waited. */
async function waitBeside({ paceMs, endMs }: { paceMs: number; endMs: number }) {
  const startedMs = performance.now();
  let accepted = 0;
  let isOver = false;
  const coming = setInterval(() => {
    if (performance.now() - startedMs < endMs) accepted++;
    else isOver = true;
  }, paceMs);
  await waitForQuietSocket(() => accepted);
  clearInterval(coming);
  return { isOver, waitedMs: performance.now() - startedMs };
}

test("[OPS5] a listening socket is closed when clients that pause between requests all wait for an answer", async () => {
  const { isOver } = await waitBeside({ paceMs: 40, endMs: 300 });
  assert.ok(isOver, "it would have been closed while connections still came");
});

test("[OPS5] where connections come without end, requests are held for a second, and then it is closed", async () => {
  const { isOver, waitedMs } = await waitBeside({ paceMs: 10, endMs: 60_000 });
  assert.ok(!isOver && waitedMs >= 900, `${waitedMs} ms`);
});

test("[OPS5] what comes while the process stands still is no silence", async () => {
  let accepted = 0;
  setTimeout(() => {
    const endMs = performance.now() + 150;
    while (performance.now() < endMs);
    setTimeout(() => (accepted = 1), 20);
  }, 10);
  await waitForQuietSocket(() => accepted);
  assert.equal(accepted, 1);
});
