// Calls of tools through /mcp, against the official handler alone, which does nothing behind it.
// `node bench/mcp.ts [--calls N]`; `--profile`: CPU profiles in build/.
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { median, ratio, show, whole } from "./figures.ts";
import { cpuUs } from "./gateway/gateways.ts";
import { openHelper } from "./helper.ts";
import type { Question } from "./mcp/bare.ts";
import { openServer } from "./server.ts";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "3000" },
    profile: { type: "boolean", default: false },
  },
});
const calls = Number(values.calls);
const rounds = 5;
const atOnce = 32;
const many = 1_000;

interface Subject {
  name: string;
  pid: number;
  pool: Pool;
  headers: Record<string, string>;
}

interface Answer {
  result: { tools: Question["tools"]; content: { text: string }[]; isError?: boolean };
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function ask({ pool, headers }: Subject, method: string, params: object): Promise<Answer> {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: { ...params, _meta: meta },
  });
  const name = "name" in params ? { "mcp-name": String(params.name) } : {};
  const reply = await pool.request({
    path: "/mcp",
    method: "POST",
    headers: {
      ...headers,
      ...name,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
    },
    body,
  });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${text}`);
  return JSON.parse(text) as Answer;
}

/** One that asks nothing of the database, and one that has one query behind it. */
const tools = ["list_models", "list_memory_stores"] as const;
type Tool = (typeof tools)[number];

async function call(subject: Subject, name: Tool): Promise<string> {
  const { result } = await ask(subject, "tools/call", { name, arguments: {} });
  if (result.isError) throw new Error(JSON.stringify(result));
  return result.content[0]?.text ?? "";
}

async function run(subject: Subject, tool: Tool): Promise<void> {
  let left = calls;
  const work = async () => {
    while (left-- > 0) await call(subject, tool);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

const poolTo = (url: string, connections: number) => new Pool(url, { connections });

console.log(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`);
await oneProcess();
await severalProcesses();

async function oneProcess(): Promise<void> {
  await using server = await openServer({ workers: "1", isProfiled: values.profile });
  await using reference = openHelper("mcp/bare.ts");
  const plinth: Subject = { name: "/mcp", pool: poolTo(server.url, atOnce), ...server };
  const listed = (await ask(plinth, "tools/list", {})).result.tools;
  for (const tool of tools) {
    const question: Question = { tools: listed, text: await call(plinth, tool) };
    const at = await reference.ask<{ url: string; pid: number }>(question);
    const bare: Subject = { name: "bare", pool: poolTo(at.url, atOnce), pid: at.pid, headers: {} };
    console.log(`\n${tool} of ${listed.length} tools, ${atOnce} at a time (reference: bare)`);
    await compare(plinth, bare, tool);
    await bare.pool.destroy();
  }
  await plinth.pool.destroy();
}

/** Round for round beside each other: the machine is not the same for long. */
async function compare(plinth: Subject, bare: Subject, tool: Tool): Promise<void> {
  const found = [plinth, bare].map((subject) => ({
    subject,
    perSecond: [] as number[],
    cpu: [] as number[],
  }));
  for (const { subject } of found) await run(subject, tool);
  for (let round = 0; round < rounds; round++)
    for (const { subject, perSecond, cpu } of round % 2 === 0 ? found : found.toReversed()) {
      const [beganMs, beganUs] = [performance.now(), cpuUs(subject.pid)];
      await run(subject, tool);
      perSecond.push((calls / (performance.now() - beganMs)) * 1_000);
      cpu.push((cpuUs(subject.pid) - beganUs) / calls);
    }
  const middle = found.map(({ perSecond, cpu }) => [median(perSecond), median(cpu)] as const);
  for (const [at, [perSecond, cpu]] of middle.entries())
    show(
      found[at]?.subject.name ?? "",
      `${whole(perSecond)} calls/s, ${whole(cpu)} µs of CPU in its process`,
    );
  const [[ours, cpu], [theirs, bareCpu]] = middle as [[number, number], [number, number]];
  show("calls a second", `${ratio(ours, theirs)}, at least 0.7 x is wanted`);
  show("CPU", ratio(cpu, bareCpu));
}

async function severalProcesses(): Promise<void> {
  await using server = await openServer({ workers: "3", isProfiled: false });
  const subject: Subject = { name: "/mcp", pool: poolTo(server.url, many), ...server };
  await call(subject, "list_memory_stores");
  const beganMs = performance.now();
  const results = await Promise.allSettled(
    Array.from({ length: many }, () => call(subject, "list_memory_stores")),
  );
  const ms = performance.now() - beganMs;
  const failed = results.filter(({ status }) => status === "rejected");
  console.log(`\n${whole(many)} calls at once, a connection each, over 3 processes`);
  show("answered", `${whole(many - failed.length)} in ${whole(ms)} ms; ${failed.length} failed`);
  if (failed[0]?.status === "rejected") console.log(failed[0].reason);
  await subject.pool.destroy();
  if (failed.length > 0) process.exitCode = 1;
}
