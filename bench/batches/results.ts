// What it costs to read the results of a batch, against reading a file of that size.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resultsPath } from "./api.ts";
import { median, ratio, show, whole } from "../figures.ts";
import { type Helper, openHelper } from "../helper.ts";
import { measured, total, type Measured } from "./processes.ts";
import type { Took } from "./reference.ts";
import type { Server } from "../server.ts";

const rounds = 3;
/** Read so many times that the clock of the CPU, which ticks each 10 ms, is fine enough. */
const bytesPerRound = 300e6;

interface Subject {
  server: Server;
  client: Helper;
}

export async function results({ server, client }: Subject, id: string, count: number) {
  const file = join(server.directory, "results.jsonl");
  const path = resultsPath(id);
  await client.ask({ kind: "download", path, times: 1, file });
  const bytes = expectWhole(file, count);
  const times = Math.ceil(bytesPerRound / bytes);
  await using reference = openHelper("batches/reference.ts");
  const loaded: Measured[] = [];
  const read: Took[] = [];
  for (let round = 0; round < rounds; round++) {
    loaded.push(await measured(server.pid, () => client.ask({ kind: "download", path, times })));
    read.push(await reference.ask<Took>({ kind: "read", file, times }));
  }
  console.log(
    `Read ${whole(bytes / 1e6)} MB of results, ${times} times in each of ${rounds} rounds`,
  );
  const megabytes = (times * bytes) / 1e6;
  const seconds = median(loaded.map((each) => each.seconds)) / megabytes;
  const readSeconds = median(read.map((each) => each.seconds)) / megabytes;
  const speed = `${whole(1 / seconds)} MB/s, a file ${whole(1 / readSeconds)} MB/s`;
  show("download", `${speed}: ${ratio(seconds, readSeconds)} as long`);
  const cpu = median(loaded.map((each) => total(each.cpu))) / megabytes;
  const readCpu = median(read.map((each) => each.cpuSeconds)) / megabytes;
  const used = `${(cpu * 1e3).toFixed(2)} ms for each MB, a file ${(readCpu * 1e3).toFixed(2)} ms`;
  show("CPU", `${used}: ${ratio(cpu, readCpu)}`);
}

/** One result for each item; gives their size. */
function expectWhole(file: string, count: number): number {
  const text = readFileSync(file);
  const ids = new Set<string>();
  for (const line of text.toString().trimEnd().split("\n")) {
    const { custom_id: id, result } = JSON.parse(line) as {
      custom_id: string;
      result: { type: string };
    };
    if (result.type !== "succeeded" || ids.has(id)) throw new Error(`a wrong result: ${line}`);
    ids.add(id);
  }
  if (ids.size !== count) throw new Error(`${ids.size} results of ${count} items`);
  return text.length;
}
