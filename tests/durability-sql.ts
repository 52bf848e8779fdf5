// The cheap kind of durability rounds: a process that writes to the database itself, without the server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { silentLogger } from "../kernel/base/logger.ts";
import type { Random } from "../kernel/base/random.ts";
import { openDatabase } from "../kernel/sql/open-database.ts";
import { sql } from "../kernel/sql/statement.ts";
import {
  killDatabase,
  moment,
  oneOf,
  type KillRounds,
  type RoundOutcome,
} from "./durability-kill.ts";
import { processesOf, until } from "./kernel/sql-harness.ts";

const victims = ["writer", "database", "both"] as const;

export function writerRounds(directory: string, random: Random): KillRounds {
  return {
    round: (number) => round(directory, `round${number}`, random),
    finish: async () => {
      const left = processesOf(directory).length;
      return left === 0 ? [] : [`${left} processes are left`];
    },
  };
}

async function round(directory: string, prefix: string, random: Random): Promise<RoundOutcome> {
  const victim = oneOf(victims, random);
  const running = await start(directory, prefix);
  await until("the first write is acknowledged", () => running.acknowledged.length > 0);
  await moment(random);
  if (victim !== "writer") killDatabase(directory, random);
  if (victim === "database") {
    const before = running.acknowledged.length;
    await until("writes go on", () => running.acknowledged.length > before + 50);
  }
  await running.kill();
  const startedAt = performance.now();
  const stored = await read(directory);
  const missing = running.acknowledged.filter((id) => !stored.has(id));
  const ms = Math.round(performance.now() - startedAt);
  return {
    acknowledged: running.acknowledged.length,
    faults: missing.map((id) => `${id} was acknowledged and is gone`),
    summary: `killed ${victim}, ${running.acknowledged.length} acknowledged, read back after ${ms} ms`,
  };
}

async function start(directory: string, prefix: string) {
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
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return { acknowledged: lines, kill };
}

/** Starts cleanly, reads everything that is stored, and stops. */
async function read(directory: string): Promise<Set<string>> {
  const opened = await openDatabase({ directory, logger: silentLogger });
  try {
    const rows = await opened.db.query<{ id: string }>(sql`select id from acknowledged`);
    return new Set(rows.map((row) => row.id));
  } finally {
    await opened.close();
  }
}
