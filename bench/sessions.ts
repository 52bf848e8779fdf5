// What sessions cost: their log, their turns, those that rest, and those who read them.
// `node bench/sessions.ts [log] [turns] [fold] [rest] [readers] [--seconds N] [--workers N]`;
// `--profile`: CPU profiles in build/.
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, ratio, show, whole } from "./figures.ts";
import { openHelper } from "./helper.ts";
import { openServer } from "./server.ts";
import type { Question, Ran } from "./sessions/client.ts";
import type { Question as LogQuestion } from "./sessions/log.ts";

const parts = ["log", "turns", "fold", "rest", "readers"];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "5" },
    workers: { type: "string" },
    profile: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const unknown = positionals.filter((name) => !parts.includes(name));
if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: there is ${parts.join(", ")}`);
const isAsked = (part: string) => positionals.length === 0 || positionals.includes(part);

console.log(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`);
await using server = await openServer({ workers: values.workers, isProfiled: values.profile });
await using client = openHelper("sessions/client.ts", server.url, JSON.stringify(server.headers));
await using log = openHelper("sessions/log.ts", join(server.directory, "data"));
const ask = <T>(question: Question) => client.ask<T>(question);
const askLog = <T>(question: LogQuestion) => log.ask<T>(question);

if (isAsked("log")) await appends();
if (isAsked("turns")) await turns();
if (isAsked("fold")) await folds();
if (isAsked("rest")) await resting();
if (isAsked("readers")) await reading();

/** By turns, since a machine is not the same from one minute to the next: the middle of three. */
async function byTurns<T>(one: () => Promise<T>, other: () => Promise<T>): Promise<[T[], T[]]> {
  const [ones, others]: [T[], T[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    ones.push(await one());
    others.push(await other());
  }
  return [ones, others];
}

async function appends(): Promise<void> {
  console.log("\nFrom an append to its reader (reference: insert, NOTIFY, LISTEN and select)");
  const rounds = 300;
  const [ours, plain] = await byTurns(
    () => askLog<number>({ kind: "ours", rounds }),
    () => askLog<number>({ kind: "plain", rounds }),
  );
  const [mine, reference] = [median(ours), median(plain)];
  const text = `${mine.toFixed(2)} ms, plain ${reference.toFixed(2)} ms`;
  show("p50", `${text}: ${ratio(mine, reference)}, at most 1.5 x is wanted`);
}

async function turns(): Promise<void> {
  console.log("\nTurns, each answer takes 50 ms (reference: messages)");
  for (const atOnce of [1, 8, 32]) await turnsOf(atOnce);
}

async function turnsOf(atOnce: number): Promise<void> {
  const load = { atOnce, seconds, text: "[[tokens 1]] [[rate 20]]" };
  const [ours, plain] = await byTurns(
    () => ask<Ran>({ kind: "turns", ...load }),
    () => ask<Ran>({ kind: "messages", ...load }),
  );
  const of = (ran: Ran[], key: keyof Ran) => median(ran.map((each) => each[key]));
  const per = (ran: Ran[]) =>
    `${whole(of(ran, "perSecond"))}/s (p50 ${of(ran, "p50").toFixed(0)} ms)`;
  const share = ratio(of(ours, "perSecond"), of(plain, "perSecond"));
  show(
    `${atOnce} at a time`,
    `${per(ours)}, messages ${per(plain)}: ${share}, at least 0.6 x is wanted`,
  );
}

async function folds(): Promise<void> {
  console.log("\nA conversation of 10,000 events");
  const folded = await askLog<{ first: number; again: number; bytes: number }>({
    kind: "fold",
    events: 10_000,
  });
  show("from its first event", `${folded.first.toFixed(0)} ms`);
  show("from a snapshot", `${folded.again.toFixed(0)} ms, ${whole(folded.bytes / 1024)} KiB`);
}

async function resting(): Promise<void> {
  console.log("\n1,000 sessions that rest");
  const before = memoryOf(server.pid);
  await ask({ kind: "sessions", count: 1_000 });
  const after = memoryOf(server.pid);
  show("memory of the server", `${whole(before)} MiB before, ${whole(after)} MiB after`);
  const first = await ask<number>({ kind: "first event", rounds: 100 });
  show("to the model, of 100", `p50 ${first.toFixed(1)} ms after the message was sent`);
}

/** Resident, of a process and its children, in MiB. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const own = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return children
    .filter((child) => child !== "")
    .reduce((sum, child) => sum + memoryOf(Number(child)), own);
}

async function reading(): Promise<void> {
  console.log("\n2,000 readers of one session");
  const took = await ask<number>({ kind: "readers", count: 2_000 });
  show("the last one has an event", `${took.toFixed(0)} ms after it was sent`);
}
