// What a sandbox costs: its first result, and a call in one that runs, beside a bare process in the same run.
// Run: node bench/sandboxes.ts
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../kernel/base/clock.ts";
import { systemRandom } from "../kernel/base/random.ts";
import { defaultLimits, openLinux } from "../server/sandboxes/module.ts";
import { median, quantile, show } from "./figures.ts";

const rounds = 60;
const request = { timeoutMs: 60_000, bytesMax: 1_000 };
const directory = mkdtempSync(join(tmpdir(), "plinth-bench-sandboxes-"));
const provider = await openLinux({ clock: systemClock, random: systemRandom, directory });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

const bareSpawn = () => once(spawn("/usr/bin/true", [], { stdio: "ignore" }), "exit");
const bareShell = () => once(spawn("/bin/bash", ["-c", "true"], { stdio: "pipe" }), "close");

const times = {
  "spawn /usr/bin/true": [] as number[],
  "spawn bash -c true": [] as number[],
  "first result": [] as number[],
  "first result, made anew": [] as number[],
  "warm true": [] as number[],
  "warm /usr/bin/true": [] as number[],
};

const session = (round: number) => ({
  sessionId: `bench_${round}`,
  limits: defaultLimits,
  env: {},
});
const call = (round: number, command: string) =>
  provider.exec(session(round).sessionId, { ...request, command });

// The first one waits for the first image.
await provider.ensure(session(-1));
await provider.destroy(session(-1).sessionId);
for (let round = 0; round < rounds; round++) {
  times["spawn /usr/bin/true"].push(await timed(bareSpawn));
  times["spawn bash -c true"].push(await timed(bareShell));
  times["first result"].push(
    await timed(async () => {
      await provider.ensure(session(round));
      await call(round, "true");
    }),
  );
  for (let n = 0; n < 5; n++) {
    times["warm true"].push(await timed(() => call(round, "true")));
    times["warm /usr/bin/true"].push(await timed(() => call(round, "/usr/bin/true")));
  }
  await provider.stop(session(round).sessionId);
  times["first result, made anew"].push(await timed(() => call(round, "true")));
  await provider.destroy(session(round).sessionId);
}
console.log(
  `${(await provider.probe()).reason} Load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors.`,
);
for (const [name, values] of Object.entries(times))
  show(name, `p50 ${median(values).toFixed(2)} ms, p95 ${quantile(values, 0.95).toFixed(2)} ms`);
await provider.close();
rmSync(directory, { recursive: true });
