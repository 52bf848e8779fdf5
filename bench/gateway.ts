// What a message costs here with everything on (keys, limits, ledger, log), against other gateways.
// `node bench/gateway.ts [requests]`; `--profile` writes a CPU profile to build/; `--long`: 200,000 for memory;
// `--beside=DIR`: the server of another checkout, in the same rounds; `--traced`: this one with traces on.
import { Pool } from "undici";
import { systemClock } from "../kernel/base/clock.ts";
import { bodyOf, eventsOf, type Mode } from "./gateway/modes.ts";
import * as peers from "./gateway/gateways.ts";
import type { Subject } from "./gateway/gateways.ts";

const rounds = 7;
/** Until the runtime has compiled what is hot: a server lives longer than that. */
const warmRounds = 5;
/** What a server does of a request after its answer counts, too. */
const afterMs = 400;
const requests = Number(process.argv.slice(2).find((arg) => /^\d+$/.test(arg)) ?? 2_000);
const isLong = process.argv.includes("--long");
const flags = process.argv.includes("--profile") ? ["--cpu-prof", "--cpu-prof-dir=build"] : [];

const upstream = peers.start("upstream.ts", []);
const { url: upstreamUrl } = await peers.firstMessage<{ url: string }>(upstream);
const beside = process.argv.find((arg) => arg.startsWith("--beside="))?.slice("--beside=".length);
const bare = await peers.ours("bare", upstreamUrl);
const plinth = await peers.ours("plinth", upstreamUrl, { flags });
const others = await Promise.all([
  ...(beside === undefined
    ? []
    : [peers.ours("beside", upstreamUrl, { checkout: beside }).then((one) => [one])]),
  ...(process.argv.includes("--traced")
    ? [peers.ours("traced", upstreamUrl).then((one) => [one])]
    : []),
  optional("nginx", () => peers.nginx(upstreamUrl)),
  optional("portkey", () => peers.portkey(upstreamUrl)),
]);
const subjects = [bare, plinth, ...others.flat()];

await cost("2 KB body, 32 connections", subjects, work("whole", 2_000, 32), requests, 1);
await cost("200 KB body, 32 connections", subjects, work("whole", 200_000, 32), requests / 10, 1);
// Portkey 1.15.2 answers every stream with status 500.
const streaming = subjects.filter(({ name }) => name !== "portkey");
const perBurst = eventsOf.burst + 5;
await cost("Streams in bursts, 32", streaming, work("burst", 2_000, 32), requests / 10, perBurst);
const perPaced = eventsOf.paced + 5;
await cost("Streams, an event in 10 ms, 64", streaming, work("paced", 2_000, 64), 64, perPaced);
await latencies();
await memory();
for (const { pool, stop } of subjects) {
  await pool.destroy();
  await stop();
}
upstream.send("stop");

async function optional(name: string, open: () => Promise<Subject>): Promise<Subject[]> {
  return open().then(
    (subject) => [subject],
    (error: Error) => {
      console.log(`${name} is left out: ${error.message.split("\n")[0]}`);
      return [];
    },
  );
}

type Work = (subject: Subject, count: number) => Promise<void>;

function work(mode: Mode, bytes: number, connections: number): Work {
  const body = bodyOf(mode, bytes);
  return async (subject, count) => {
    let left = count;
    const sendAll = async () => {
      while (left-- > 0) await ask(subject, body);
    };
    await Promise.all(Array.from({ length: connections }, sendAll));
  };
}

/** Microseconds until the first bytes of the answer's body. */
async function ask({ pool, headers }: Pick<Subject, "pool" | "headers">, body: string) {
  const beganMs = performance.now();
  const reply = await pool.request({
    path: "/v1/messages",
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  let firstUs: number | undefined;
  let end = "";
  for await (const chunk of reply.body) {
    firstUs ??= (performance.now() - beganMs) * 1000;
    end = (end + String(chunk)).slice(-1_000);
  }
  const isWhole = /message_stop|"usage"/.test(end);
  if (reply.statusCode !== 200 || !isWhole) throw new Error(`${reply.statusCode}: ${end}`);
  return { firstUs: firstUs ?? Number.NaN, allUs: (performance.now() - beganMs) * 1000 };
}

/** Round for round beside each other: the machine is not the same for long. */
async function cost(title: string, who: Subject[], run: Work, count: number, parts: number) {
  const found = new Map<string, Found>();
  for (const { name } of who) found.set(name, { gateway: [], database: [] });
  for (const subject of who) await run(subject, Math.ceil(count) * warmRounds);
  for (let round = 0; round < rounds; round++)
    for (const subject of round % 2 === 0 ? who : who.toReversed()) {
      const { pid, postgres, name } = subject;
      const cpu = peers.cpuUs(pid);
      const databaseCpu = postgres === undefined ? 0 : peers.postgresUs(postgres);
      await run(subject, Math.ceil(count));
      if (postgres !== undefined) await systemClock.sleep(afterMs);
      const all = Math.ceil(count) * parts;
      found.get(name)?.gateway.push((peers.cpuUs(pid) - cpu) / all);
      if (postgres === undefined) continue;
      found.get(name)?.database.push((peers.postgresUs(postgres) - databaseCpu) / all);
    }
  const what = parts === 1 ? "request" : "event";
  console.log(`${title}: µs CPU for each ${what}, ${rounds} rounds of ${Math.ceil(count)}`);
  const of = (name: string) => middle(found.get(name)?.gateway ?? []);
  for (const [name, { gateway, database }] of found) {
    const beside = ["bare", "nginx", "beside", "traced"]
      .filter((other) => other !== name && found.has(other))
      .map((other) => `${(of(other) / middle(gateway)).toFixed(2)} x ${other}`);
    const apart = database.length === 0 ? "" : `   database ${middle(database).toFixed(1)} apart`;
    const least = Math.min(...gateway).toFixed(1);
    const line = `${middle(gateway).toFixed(1).padStart(8)} (least ${least})`;
    console.log(`  ${name.padEnd(8)} ${line}   ${beside.join(", ")}${apart}`);
  }
}

interface Found {
  gateway: number[];
  database: number[];
}

/** One connection, one request after the other, the gateways in turn; direct is the upstream without any. */
async function latencies(): Promise<void> {
  const direct = { name: "direct", headers: {}, pool: new Pool(upstreamUrl, { connections: 1 }) };
  const who = [direct, ...subjects];
  for (const mode of ["whole", "burst"] as const) {
    const body = bodyOf(mode, 2_000);
    const times = new Map(who.map(({ name }) => [name, [] as number[]]));
    const asked = mode === "whole" ? who : [direct, ...streaming];
    for (let round = 0; round < 40; round++)
      for (const subject of asked)
        for (let at = 0; at < 10; at++) {
          const { firstUs, allUs } = await ask(subject, body);
          times.get(subject.name)?.push(mode === "whole" ? allUs : firstUs);
        }
    const base = middle(times.get("direct") ?? []);
    console.log(mode === "whole" ? "Added p50, one connection" : "Added p50 to the first event");
    for (const { name } of asked.slice(1)) {
      const added = middle(times.get(name) ?? []) - base;
      console.log(`  ${name.padEnd(8)} ${added.toFixed(0).padStart(6)} µs`);
    }
  }
  const insertUs = (await plinth.insert?.()) ?? Number.NaN;
  console.log(`  a durable insert by itself: ${insertUs.toFixed(0)} µs`);
  await direct.pool.destroy();
}

/** A flat line is what it should be; what is young is collected when there is need. */
async function memory(): Promise<void> {
  const run = work("whole", 2_000, 32);
  const seen = [peers.residentMb(plinth.pid)];
  const part = isLong ? 50_000 : 5_000;
  for (let step = 0; step < 4; step++) {
    await run(plinth, part);
    seen.push(peers.residentMb(plinth.pid));
  }
  const megabytes = (values: number[]) => values.map((value) => value.toFixed(0)).join(", ");
  console.log(`Memory of plinth before and after each ${part} requests: ${megabytes(seen)} MB`);
  const streams: number[] = [];
  for (let step = 0; step < 3; step++) {
    const open = work("slow", 2_000, 2_000)(plinth, 2_000);
    const timer = setInterval(() => streams.push(peers.residentMb(plinth.pid)), 2_000);
    await open.finally(() => clearInterval(timer));
    streams.push(peers.residentMb(plinth.pid));
  }
  console.log(`  in three times 2,000 concurrent streams: ${megabytes(streams)} MB`);
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
