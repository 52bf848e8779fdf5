// How long people wait for a small message with and without a batch that runs beside them.
import { join } from "node:path";
import { clear, retrieve } from "./api.ts";
import { median, quantile, ratio, show } from "../figures.ts";
import type { Helper } from "../helper.ts";
import { writeBody } from "./items.ts";
import type { Server } from "../server.ts";

const rounds = 3;
const perSecond = 50;
const seconds = 8;
/** Of the largest batch two, so that there is work for longer than a round lasts. */
const shape = { count: 100_000, bytes: 2_000 };
const batches = 2;

interface Subject {
  server: Server;
  client: Helper;
}

export async function latency({ server, client }: Subject): Promise<void> {
  const file = join(server.directory, "body.json");
  writeBody(file, shape);
  const paced = () => client.ask<number[]>({ kind: "paced", perSecond, seconds });
  const warm = { count: 40_000, bytes: shape.bytes };
  await client.ask({ kind: "messages", shape: warm, connections: 32 });
  const alone: number[][] = [];
  const beside: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(await paced());
    const ids: string[] = [];
    for (let batch = 0; batch < batches; batch++)
      ids.push(await client.ask<string>({ kind: "submit", file }));
    beside.push(await paced());
    const states = await Promise.all(ids.map((id) => retrieve(server, id)));
    if (states.every((state) => state.processing_status === "ended"))
      throw new Error("the batches ended before the messages did");
    for (const id of ids) await clear(server, id);
  }
  console.log(`Latency of ${perSecond} small messages a second, ${rounds} rounds of ${seconds} s`);
  for (const [name, share] of [
    ["p50", 0.5],
    ["p99", 0.99],
    ["longest", 1],
  ] as const) {
    const of = (found: number[][]) => median(found.map((times) => quantile(times, share)));
    const both = `${of(alone).toFixed(1)} ms alone, ${of(beside).toFixed(1)} ms beside batches`;
    show(name, `${both}: ${ratio(of(beside), of(alone))}`);
  }
}
