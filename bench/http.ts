// What a request costs in the kernel: CPU per trivial authenticated request, against bare node:http in the same run.
// `node bench/http.ts [requests]` prints CPU microseconds and ratios; `--profile` writes a CPU profile of the kernel.
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";

const rounds = 5;
const connections = 16;
const warmUpRequests = 5_000;
const requestsPerRound = Number(process.argv[2] ?? 10_000);
const body = JSON.stringify({ name: "a name", count: 3, labels: ["one", "two", "three"] });

interface Subject {
  name: string;
  child: ChildProcess;
  pool: Pool;
  key: string;
}

interface Ready {
  url: string;
  key: string;
}

const subjects = await Promise.all([open("bare"), open("kernel"), open("kernel-silent")]);
const results = new Map<string, number[]>();

for (const subject of subjects)
  for (const method of ["GET", "POST"] as const) await send(subject, method, warmUpRequests);
for (let round = 0; round < rounds; round++) {
  // There and back again, so that a machine that grows slower does not favour the first.
  for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
    for (const method of ["GET", "POST"] as const) {
      const before = await cpuMicroseconds(subject);
      await send(subject, method, requestsPerRound);
      const used = (await cpuMicroseconds(subject)) - before;
      const name = `${subject.name} ${method}`;
      results.set(name, [...(results.get(name) ?? []), used / requestsPerRound]);
    }
  }
}
for (const { child, pool } of subjects) {
  await pool.destroy();
  child.send("stop");
}

for (const method of ["GET", "POST"]) {
  const bare = median(results.get(`bare ${method}`) ?? []);
  console.log(`${method}, ${connections} connections, ${rounds} rounds of ${requestsPerRound}`);
  for (const { name } of subjects) {
    const microseconds = median(results.get(`${name} ${method}`) ?? []);
    const ratio = (microseconds / bare).toFixed(2);
    console.log(
      `  ${name.padEnd(14)} ${microseconds.toFixed(1).padStart(6)} µs CPU a request   ${ratio} x bare`,
    );
  }
}

async function open(name: string): Promise<Subject> {
  const profiled = process.argv.includes("--profile") && name === "kernel";
  const child = fork(fileURLToPath(new URL("./http-subject.ts", import.meta.url)), [name], {
    stdio: ["ignore", "inherit", name === "kernel" ? "ignore" : "inherit", "ipc"],
    execArgv: profiled ? ["--cpu-prof", "--cpu-prof-dir=build"] : [],
  });
  const { url, key } = await new Promise<Ready>((resolve, reject) => {
    child.once("message", (message) => resolve(message as Ready));
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  return { name, child, key, pool: new Pool(url, { connections, pipelining: 1 }) };
}

async function send({ pool, key }: Subject, method: "GET" | "POST", count: number): Promise<void> {
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const reply = await pool.request({
        path: "/v1/bench",
        method,
        headers: {
          authorization: `Bearer ${key}`,
          "anthropic-version": "2026-10-21",
          ...(method === "POST" && { "content-type": "application/json" }),
        },
        ...(method === "POST" && { body }),
      });
      if (reply.statusCode !== 200) throw new Error(await reply.body.text());
      await reply.body.dump();
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

function cpuMicroseconds({ child }: Subject): Promise<number> {
  return new Promise((resolve) => {
    child.once("message", (message) => resolve(Number(message)));
    child.send("cpu");
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
