// What it costs to hand in a large batch: time, memory, and how long the server answers no other client meanwhile.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { clear, ownLagMs } from "./api.ts";
import { median, ratio, show, whole } from "../figures.ts";
import { openHelper, type Helper } from "../helper.ts";
import { type Shape, writeBody } from "./items.ts";
import { idleMb, watchMemory } from "./memory.ts";
import { measured, minus, total, type Measured, type Used } from "./processes.ts";
import type { Took } from "./reference.ts";
import type { Server } from "../server.ts";

const rounds = 3;
const warmMessages: Shape = { count: 20_000, bytes: 2_000 };

const largest = { title: "100,000 items of 2.55 KB", count: 100_000, bytes: 2_550 };
const shapes = [
  { title: "100,000 items of 2 KB", count: 100_000, bytes: 2_000 },
  largest,
  { title: "2,500 items of 102 KB", count: 2_500, bytes: 102_000 },
];

interface Subject {
  server: Server;
  client: Helper;
  /** One for each process that serves. */
  connections: number;
}

export async function submit(subject: Subject): Promise<void> {
  const { server, client } = subject;
  const started = await idleMb(server.pid);
  await withBody(subject, largest, async (file, megabytes) => {
    console.log(`Submit ${megabytes} to a server that has just started`);
    const found = await once(subject, file, true);
    showMemory(started, found);
    showDelay([found]);
  });
  await client.ask({ kind: "messages", shape: warmMessages, connections: 32 });
  const idle = await idleMb(server.pid);
  for (const shape of shapes)
    await withBody(subject, shape, async (file, megabytes) => {
      console.log(`Submit ${shape.title}, ${megabytes}: ${rounds} rounds`);
      const remembered = await once(subject, file, true);
      const found: Once[] = [];
      const parsed: Took[] = [];
      for (let round = 0; round < rounds; round++) {
        found.push(await once(subject, file, false));
        await using reference = openHelper("batches/reference.ts");
        parsed.push(await reference.ask<Took>({ kind: "parse", file }));
      }
      showTime(found, parsed);
      showMemory(idle, remembered);
      showDelay([...found, remembered]);
    });
}

async function withBody(
  { server }: Subject,
  shape: Shape,
  work: (file: string, megabytes: string) => Promise<void>,
): Promise<void> {
  const file = join(server.directory, "body.json");
  const bytes = writeBody(file, shape);
  await work(file, `${whole(bytes / 1e6)} MB`);
  rmSync(file);
}

interface Once extends Measured {
  /** The most while it was sent; looking for it takes time, so those rounds say nothing about that. */
  memory: Used | undefined;
  longestMs: number;
  bareLongestMs: number;
  ownLagMs: number;
}

async function once(subject: Subject, file: string, isRemembered: boolean): Promise<Once> {
  const { server, client, connections } = subject;
  await using bare = openHelper("batches/reference.ts");
  await using probe = openHelper("batches/probe.ts");
  const targets = [
    { url: server.url, connections },
    { url: await bare.ask<string>({ kind: "listen" }), connections: 1 },
  ];
  await ownLagMs(server);
  const memory = isRemembered ? watchMemory(server.pid) : undefined;
  await probe.ask({ kind: "start", targets });
  let id = "";
  const { seconds, cpu } = await measured(server.pid, async () => {
    id = await client.ask<string>({ kind: "submit", file });
  });
  const peak = memory?.stop();
  const [longestMs = 0, bareLongestMs = 0] = await probe.ask<number[]>({ kind: "stop" });
  const lagMs = await ownLagMs(server);
  await clear(server, id);
  return { seconds, cpu, memory: peak, longestMs, bareLongestMs, ownLagMs: lagMs };
}

function showTime(found: Once[], parsed: Took[]): void {
  const seconds = median(found.map((each) => each.seconds));
  const cpu = median(found.map((each) => total(each.cpu)));
  const database = median(found.map((each) => each.cpu.database));
  const parseSeconds = median(parsed.map((each) => each.seconds));
  const parseCpu = median(parsed.map((each) => each.cpuSeconds));
  const over = (value: number, reference: number) =>
    `${value.toFixed(2)} s, parsing the file ${reference.toFixed(2)} s: ${ratio(value, reference)} (wanted at most 4)`;
  show("until the answer", over(seconds, parseSeconds));
  show("CPU", `${over(cpu, parseCpu)}; ${database.toFixed(2)} s of it the database's`);
}

function showMemory(idle: Used, { memory }: Once): void {
  if (memory === undefined) return;
  const { server } = minus(memory, idle);
  const all = total(memory) - total(idle);
  show(
    "memory over idle",
    `${whole(server)} MB over ${whole(idle.server)} (wanted at most 120); with the database ${whole(all)} over ${whole(total(idle))}`,
  );
}

function showDelay(found: Once[]): void {
  const longest = (of: (each: Once) => number) => whole(Math.max(...found.map(of)));
  const all = (of: (each: Once) => number) => found.map((each) => whole(of(each))).join(", ");
  const ours = all(({ longestMs }) => longestMs);
  const bare = all(({ bareLongestMs }) => bareLongestMs);
  show(
    "longest without an answer",
    `${longest(({ longestMs }) => longestMs)} ms (wanted under 50): rounds ${ours}, ` +
      `a bare server beside it ${bare}, by its own metric ${all((each) => each.ownLagMs)}`,
  );
}
