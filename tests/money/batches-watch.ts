// What clients see of a batch while it is worked off: counts that only grow and always add up, in the end its results.
import assert from "node:assert/strict";
import type { ServerSlot } from "./batches-strikes.ts";

interface Batch {
  processing_status: string;
  request_counts: Record<"processing" | "succeeded" | "errored" | "canceled" | "expired", number>;
}

export interface Watching extends AsyncDisposable {
  /** The state as it was seen last, and how often a server answered. */
  seen: { status: string; looks: number };
  /** True once it was seen so; throws what a client must not see. */
  hasEnded(): Promise<boolean>;
}

/** The server that is asked may be put to sleep. */
const lookMsMax = 3_000;
const pauseMs = 150;

export function watch(
  slots: readonly ServerSlot[],
  path: string,
  key: string,
  items: number,
): Watching {
  const over = new AbortController();
  const seen = { status: "", looks: 0 };
  let resolvedBefore = 0;
  let turns = 0;
  // Live counts are shown to clients of the older version.
  const headers = { "x-api-key": key, "anthropic-version": "2023-06-01" };
  const look = async () => {
    const alive = awake(slots);
    const url = alive[turns++ % Math.max(1, alive.length)] ?? "";
    const signal = AbortSignal.timeout(lookMsMax);
    const answer = await fetch(url + path, { headers, signal }).catch(() => undefined);
    const text = (await answer?.text().catch(() => "")) ?? "";
    if (answer === undefined || answer.status === 503 || text === "") return;
    assert.equal(answer.status, 200, text);
    const { processing_status: status, request_counts: counts } = JSON.parse(text) as Batch;
    const { processing, ...resolved } = counts;
    const sum = Object.values(resolved).reduce((all, one) => all + one, 0);
    assert.equal(processing + sum, items, text);
    assert.ok(sum >= resolvedBefore, `${sum} after ${resolvedBefore}`);
    resolvedBefore = sum;
    seen.status = status;
    seen.looks += 1;
  };
  const looking = (async () => {
    while (!over.signal.aborted) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  })();
  let wrong: unknown;
  looking.catch((error: unknown) => (wrong = error));
  return {
    seen,
    hasEnded: () =>
      wrong === undefined ? Promise.resolve(seen.status === "ended") : Promise.reject(wrong),
    [Symbol.asyncDispose]: async () => {
      over.abort();
      // What was wrong was thrown by hasEnded().
      await looking.catch(() => {});
    },
  };
}

const awake = (slots: readonly ServerSlot[]): string[] =>
  slots.flatMap(({ server, isAsleep }) => (server === undefined || isAsleep ? [] : [server.url]));

export async function readResults(
  slots: readonly ServerSlot[],
  path: string,
  key: string,
): Promise<string> {
  const [url] = awake(slots);
  const response = await fetch(`${url}${path}/results`, { headers: { "x-api-key": key } });
  assert.equal(response.status, 200);
  return response.text();
}
