// What bench/batches.ts asks of a server about its batches, and of its metrics.
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import type { Server } from "../server.ts";

interface Batch {
  processing_status: "in_progress" | "canceling" | "ended";
  request_counts: Record<string, number>;
}

const endedEveryMs = 50;
const endSecondsMax = 300;

export const resultsPath = (id: string) => `/v1/messages/batches/${id}/results`;

async function call(server: Server, method: "GET" | "POST" | "DELETE", path: string) {
  const { url, headers } = server;
  const reply = await request(`${url}/v1/messages/batches/${path}`, { method, headers });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${method} ${path}: ${reply.statusCode}: ${text}`);
  return JSON.parse(text) as Batch;
}

export const retrieve = (server: Server, id: string) => call(server, "GET", id);

/** Gives what became of the items. */
export async function untilEnded(server: Server, id: string): Promise<Record<string, number>> {
  for (let tries = 0; tries < (endSecondsMax * 1000) / endedEveryMs; tries++) {
    const batch = await retrieve(server, id);
    if (batch.processing_status === "ended") return batch.request_counts;
    await sleep(endedEveryMs);
  }
  throw new Error(`${id} has not ended within ${endSecondsMax} s`);
}

/** So that the next figures are not those of this batch. */
export async function clear(server: Server, id: string): Promise<void> {
  const { processing_status: status } = await retrieve(server, id);
  // It may end by itself meanwhile.
  if (status === "in_progress") await call(server, "POST", `${id}/cancel`).catch(() => {});
  await untilEnded(server, id);
  await call(server, "DELETE", id);
}

/** The longest delay of the event loop that the server itself has seen since it was last asked, in milliseconds. */
export async function ownLagMs({ url }: Server): Promise<number> {
  const reply = await request(`${url}/metrics`);
  const text = await reply.body.text();
  const seconds = /^plinth_event_loop_lag_seconds\{percentile="100"\} (\S+)/m.exec(text)?.[1];
  return Number(seconds) * 1000;
}
