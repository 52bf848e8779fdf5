// What a sandbox costs: its first result, and a call in one that runs, beside a bare process in the same run.
// Run: node bench/sandboxes.ts
//      node bench/sandboxes.ts --idle 500   so many at a time, what they cost while nothing runs in them
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../kernel/base/clock.ts";
import { systemRandom } from "../kernel/base/random.ts";
import { defaultLimits, openLinux } from "../server/sandboxes/module.ts";
import { median, quantile, show } from "./figures.ts";

const measured = 60;
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

async function measureCalls(): Promise<void> {
  // The first one waits for the first image.
  await provider.ensure(session(-1));
  await provider.destroy(session(-1).sessionId);
  for (let round = 0; round < measured; round++) {
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
  for (const [name, values] of Object.entries(times))
    show(name, `p50 ${median(values).toFixed(2)} ms, p95 ${quantile(values, 0.95).toFixed(2)} ms`);
}

const availableMiB = () =>
  Number(/^MemAvailable:\s*(\d+) kB/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]) / 1024;

/** Each is asked for something before and after it was idle: none of them may have ended. */
async function measureIdle(count: number): Promise<void> {
  const idleMs = 30_000;
  const rounds = Array.from({ length: count }, (_, round) => round);
  await provider.ensure(session(-1));
  const beforeMiB = availableMiB();
  const started: number[] = [];
  for (const round of rounds)
    started.push(
      await timed(async () => {
        await provider.ensure(session(round));
        await call(round, `shell=${round}`);
      }),
    );
  const [usedMiB, cpu] = [beforeMiB - availableMiB(), process.cpuUsage()];
  await systemClock.sleep(idleMs);
  const { user, system } = process.cpuUsage(cpu);
  const answered: number[] = [];
  let alive = 0;
  for (const round of rounds)
    answered.push(
      await timed(async () => {
        const { output } = await call(round, "printf %s $shell");
        if (output.toString() === `${round}`) alive += 1;
      }),
    );
  const figures = (values: number[]) =>
    `p50 ${median(values).toFixed(2)} ms, p95 ${quantile(values, 0.95).toFixed(2)} ms`;
  show("sandboxes that kept their shells", `${alive} of ${count}`);
  show("first result", figures(started));
  show("first result of the last 50", figures(started.slice(-50)));
  show("call after they were idle", figures(answered));
  show("memory of each", `${(usedMiB / count).toFixed(1)} MiB`);
  show("processor time of the server, idle", `${((user + system) / idleMs / 10).toFixed(1)} %`);
}

const { values: flags } = parseArgs({ options: { idle: { type: "string" } } });
console.log(
  `${(await provider.probe()).reason} Load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors.`,
);
if (flags.idle === undefined) await measureCalls();
else await measureIdle(Number(flags.idle));
await provider.close();
rmSync(directory, { recursive: true });
