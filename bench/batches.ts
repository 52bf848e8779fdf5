// What batches cost: to submit, to work off, to read, and those who send messages beside them.
// `node bench/batches.ts [submit] [work] [latency] [--items N] [--workers N]`; `--profile`: CPU profiles in build/.
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { openHelper } from "./helper.ts";
import { latency } from "./batches/latency.ts";
import { results } from "./batches/results.ts";
import { openServer } from "./server.ts";
import { submit } from "./batches/submit.ts";
import { work } from "./batches/work.ts";

const parts = ["submit", "work", "latency"] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    items: { type: "string", default: "20000" },
    workers: { type: "string" },
    profile: { type: "boolean", default: false },
  },
});
const items = Number(values.items);
const unknown = positionals.filter((name) => !(parts as readonly string[]).includes(name));
if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: there is ${parts.join(", ")}`);
if (!(items >= 1 && items <= 100_000)) throw new Error("--items: a number from 1 to 100,000");

const load = loadavg()[0]?.toFixed(1);
console.log(
  `${availableParallelism()} cores, load ${load}, --workers ${values.workers ?? "left out"}`,
);
for (const part of parts) {
  if (positionals.length > 0 && !positionals.includes(part)) continue;
  // Each on a server of its own, which no other part has warmed up or filled.
  await using server = await openServer({ workers: values.workers, isProfiled: values.profile });
  await using client = openHelper("batches/client.ts", server.url, JSON.stringify(server.headers));
  const subject = { server, client, connections: Number(values.workers ?? 1) };
  if (part === "submit") await submit(subject);
  if (part === "work") await results(subject, await work(subject, items), items);
  if (part === "latency") await latency(subject);
}
