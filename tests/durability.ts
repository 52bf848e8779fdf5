// Kills the server, its database, or both at random moments, and counts acknowledged writes that are gone.
// node tests/durability.ts [--rounds 50] [--seed 1]
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { silentLogger } from "../kernel/base/logger.ts";
import { type Random, seededRandom } from "../kernel/base/random.ts";
import { openDatabase } from "../kernel/sql/resolver.ts";
import { sql } from "../kernel/sql/statement.ts";
import { kill, processesOf, scratch, until } from "./kernel/sql-harness.ts";

/** What is killed, and asked afterwards: a writer on the database today, the HTTP server as well. */
interface Subject {
  start(directory: string, prefix: string): Promise<Running>;
  /** Starts cleanly, reads everything that is stored, and stops. */
  stored(directory: string): Promise<Set<string>>;
}

interface Running {
  /** Grows while writes are acknowledged. */
  acknowledged: string[];
  killServer(): Promise<void>;
}

const victims = ["server", "database", "both"] as const;
type Victim = (typeof victims)[number];

const writerOnDatabase: Subject = {
  start: async (directory, prefix) => {
    const script = join(import.meta.dirname, "durability-writer.ts");
    const child = spawn(process.execPath, [script, directory, prefix], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
    await until("the writer is ready", () => {
      if (child.exitCode !== null) throw new Error("the writer did not start");
      return lines[0] === "ready";
    });
    lines.shift();
    return {
      acknowledged: lines,
      killServer: async () => {
        child.kill("SIGKILL");
        await ended;
      },
    };
  },
  stored: async (directory) => {
    const opened = await openDatabase({ directory, logger: silentLogger });
    try {
      const rows = await opened.db.query<{ id: string }>(sql`select id from acknowledged`);
      return new Set(rows.map((row) => row.id));
    } finally {
      await opened.close();
    }
  },
};

/** The postmaster alone, whose children then end by themselves, or all of them at once. */
function killDatabase(directory: string, random: Random): void {
  const [postmaster = 0] = processesOf(directory, "listen_addresses");
  if (random.fraction() < 0.5) process.kill(postmaster, "SIGKILL");
  else for (const pid of [postmaster, ...childrenOf(postmaster)]) kill(pid);
}

function childrenOf(parent: number): number[] {
  return processesOf("postgres: ").filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number {
  const [, afterName = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  return Number(afterName.split(" ")[1]);
}

async function round(subject: Subject, directory: string, prefix: string, random: Random) {
  const victim: Victim = victims[Math.floor(random.fraction() * victims.length)] ?? "both";
  const running = await subject.start(directory, prefix);
  await until("the first write is acknowledged", () => running.acknowledged.length > 0, 60_000);
  await new Promise((resolve) => setTimeout(resolve, random.fraction() * 700));
  if (victim !== "server") killDatabase(directory, random);
  if (victim === "database") {
    const before = running.acknowledged.length;
    await until("writes go on", () => running.acknowledged.length > before + 50, 60_000);
  }
  await running.killServer();
  const startedAt = performance.now();
  const stored = await subject.stored(directory);
  const missing = running.acknowledged.filter((id) => !stored.has(id));
  const ms = Math.round(performance.now() - startedAt);
  return { victim, acknowledged: running.acknowledged.length, missing: missing.length, ms };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: "string", default: "50" }, seed: { type: "string", default: "1" } },
  });
  const random = seededRandom(Number(values.seed));
  using home = scratch();
  let passed = 0;
  let failed = 0;
  let acknowledged = 0;
  for (let number = 1; number <= Number(values.rounds); number++) {
    try {
      const result = await round(writerOnDatabase, home.path, `round${number}`, random);
      const left = processesOf(home.path).length;
      const good = result.missing === 0 && left === 0 && result.acknowledged > 0;
      if (good) passed++;
      else failed++;
      acknowledged += result.acknowledged;
      console.log(
        `round ${number}: killed ${result.victim}, ${result.acknowledged} acknowledged, ${result.missing} missing, ` +
          `read back after ${result.ms} ms, ${left} processes left: ${good ? "passed" : "FAILED"}`,
      );
    } catch (error) {
      failed++;
      console.log(`round ${number}: FAILED (${(error as Error).message})`);
    }
  }
  console.log(`${acknowledged} acknowledged writes; ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
