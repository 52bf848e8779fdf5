// What the server's processes and its database's use, as the kernel counts it in /proc.
import { readFileSync, readdirSync } from "node:fs";

/** Seconds of CPU, or megabytes of memory. */
export interface Used {
  server: number;
  database: number;
}

interface Process {
  pid: number;
  parent: number;
  isDatabase: boolean;
  /** Of all its threads and of the children that it has buried: nothing that ended is lost. */
  cpuSeconds: number;
}

export interface Family {
  server: Process[];
  database: Process[];
}

const ticksPerSecond = 100;

export const minus = (a: Used, b: Used): Used => ({
  server: a.server - b.server,
  database: a.database - b.database,
});

export const total = ({ server, database }: Used) => server + database;

/** CPU since the start, of the process, its workers and the database that it has started. */
export const cpuSeconds = (pid: number): Used => sums(familyOf(pid), (each) => each.cpuSeconds);

/** Memory in use now; what several processes share is counted once. */
export const memoryMb = (family: Family): Used => sums(family, ({ pid }) => pssMb(pid));

function sums(family: Family, of: (process: Process) => number): Used {
  const sum = (all: Process[]) => all.reduce((before, each) => before + of(each), 0);
  return { server: sum(family.server), database: sum(family.database) };
}

export interface Measured {
  seconds: number;
  cpu: Used;
}

/** What the server uses while something is done. */
export async function measured(pid: number, work: () => Promise<unknown>): Promise<Measured> {
  const before = cpuSeconds(pid);
  const startMs = performance.now();
  await work();
  const seconds = (performance.now() - startMs) / 1000;
  return { seconds, cpu: minus(cpuSeconds(pid), before) };
}

export function familyOf(pid: number): Family {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? processOf(name) : []));
  const family = all.filter((process) => process.pid === pid);
  // Grows while it is walked, until no process has further children.
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  const isDatabase = (process: Process) => process.isDatabase;
  return {
    server: family.filter((process) => !isDatabase(process)),
    database: family.filter(isDatabase),
  };
}

function processOf(pid: string): Process[] {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return [];
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat.slice(nameEnd + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return [
    {
      pid: Number(pid),
      parent: Number(fields[1]),
      isDatabase: stat.slice(stat.indexOf("(") + 1, nameEnd) === "postgres",
      cpuSeconds: ticks / ticksPerSecond,
    },
  ];
}

function pssMb(pid: number): number {
  const kilobytes = /^Pss: +(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? "")?.[1];
  return (Number(kilobytes ?? 0) * 1024) / 1e6;
}

/** Undefined when the process has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
