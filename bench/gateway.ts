// What a message request costs here with everything on, against a bare relay in the same run.
// `node bench/gateway.ts [requests]`; `--profile` writes a CPU profile of the server to build/.
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";

const connections = 32;
const rounds = 5;
const requests = Number(process.argv[2] ?? 3_000);
const sizes = { "2 KB": 2_000, "200 KB": 200_000 };

interface Subject {
  name: string;
  child: ChildProcess;
  pool: Pool;
  key: string;
}

const upstream = start("gateway-upstream.ts", []);
const { url: upstreamUrl } = (await heard(upstream)) as { url: string };
const subjects = await Promise.all([open("bare"), open("plinth")]);

for (const [size, bytes] of Object.entries(sizes)) {
  const body = bodyOf(bytes);
  const count = bytes > 10_000 ? Math.ceil(requests / 10) : requests;
  const found = new Map<string, number[]>();
  for (const subject of subjects) await send(subject, body, count);
  for (let round = 0; round < rounds; round++)
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const before = await cpu(subject);
      await send(subject, body, count);
      const used = ((await cpu(subject)) - before) / count;
      found.set(subject.name, [...(found.get(subject.name) ?? []), used]);
    }
  const bare = median(found.get("bare") ?? []);
  console.log(`${size} body, ${connections} connections, ${rounds} rounds of ${count}`);
  for (const { name } of subjects) {
    const used = median(found.get(name) ?? []);
    const share = (bare / used).toFixed(2);
    console.log(
      `  ${name.padEnd(8)} ${used.toFixed(1).padStart(7)} µs CPU a request   ${share} x the requests/s of the bare relay`,
    );
  }
}
for (const { child, pool } of subjects) {
  await pool.destroy();
  child.send("stop");
}
upstream.send("stop");

function bodyOf(bytes: number): string {
  const turns = [];
  for (let left = bytes; left > 0; left -= 1_000)
    turns.push(
      { role: "user", content: [{ type: "text", text: "question ".repeat(55) }] },
      { role: "assistant", content: [{ type: "text", text: "an answer ".repeat(45) }] },
    );
  turns.push({ role: "user", content: "and now?" });
  return JSON.stringify({ model: "bench", max_tokens: 1024, messages: turns });
}

function start(file: string, args: string[], execArgv: string[] = []): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return fork(path, args, { stdio: ["ignore", "inherit", "ignore", "ipc"], execArgv });
}

function heard(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) => reject(new Error(`it ended with ${code}`));
    child.once("exit", gone);
    child.once("message", (message) => {
      child.off("exit", gone);
      resolve(message);
    });
  });
}

async function open(name: string): Promise<Subject> {
  const isProfiled = process.argv.includes("--profile") && name === "plinth";
  const flags = isProfiled ? ["--cpu-prof", "--cpu-prof-dir=build"] : [];
  const child = start("gateway-subject.ts", [name, upstreamUrl], flags);
  const { url, key } = (await heard(child)) as { url: string; key: string };
  return { name, child, key, pool: new Pool(url, { connections }) };
}

async function send({ pool, key }: Subject, body: string, count: number): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) {
      const reply = await pool.request({
        path: "/v1/messages",
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body,
      });
      if (reply.statusCode !== 200) throw new Error(await reply.body.text());
      await reply.body.dump();
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
}

async function cpu({ child }: Subject): Promise<number> {
  child.send("cpu");
  return Number(await heard(child));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
