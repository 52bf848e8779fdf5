// What the machine offers, checked one thing at a time, each with advice where something is missing.
import { request } from "node:http";
import { availableParallelism, freemem, loadavg, totalmem } from "node:os";
import type { Clock } from "../../base/clock.ts";
import { ExitError } from "../../base/failure.ts";
import { expectAddress } from "../../base/free-port.ts";
import { plural } from "../../base/plural.ts";
import { fail, ok, warn, type DoctorCheck } from "./check.ts";
import { checkDisk } from "./disk.ts";
import { checkSandbox } from "./sandbox.ts";

export type { DoctorCheck } from "./check.ts";

export interface DoctorOptions {
  dataDir: string;
  host: string;
  port: number;
  /** Where the server of this data directory listens, if it runs: asked then instead of the settings' address. */
  running?: { host: string; port: number } | undefined;
  clock: Clock;
  /**
   * Where /proc and /sys are mounted, and what is searched for programs; tests put others there.
   */
  root?: string;
  path?: string;
}

/** All checks that need no database, in the order in which they are read. */
export async function runChecks(options: DoctorOptions): Promise<DoctorCheck[]> {
  const {
    dataDir,
    host,
    port,
    running,
    clock,
    root = "",
    path = process.env["PATH"] ?? "",
  } = options;
  const [disk, time, listening, sandbox] = await Promise.all([
    checkDisk(dataDir, clock),
    checkClock(clock),
    running === undefined ? checkPort(host, port) : checkRunning(running),
    checkSandbox({ root, path }),
  ]);
  return [
    checkNode(process.versions.node),
    checkProcessors(availableParallelism(), loadavg()[0] ?? 0),
    checkMemory({ total: totalmem(), free: freemem(), allowed: process.constrainedMemory() }),
    ...disk,
    time,
    checkTimeZones(),
    listening,
    ...sandbox,
  ];
}

/** 24.7 brought argon2, 22.18 type stripping without a flag; 26 is what is tested. */
export function checkNode(version: string): DoctorCheck {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const mend = "Start with `npm start` or ./plinth, which bring Node 26.";
  if (major < 24 || (major === 24 && minor < 7)) return fail("node", `Node ${version}`, mend);
  return major < 26 ? warn("node", `Node ${version}`, mend) : ok("node", `Node ${version}`);
}

export function checkProcessors(count: number, load: number): DoctorCheck {
  const found = `${plural(count, "core")}, load ${load.toFixed(1)}`;
  if (load > count * 2)
    return warn("processors", found, "The machine is busy with something else: stop it, or wait.");
  return count < 2
    ? warn("processors", found, "One core serves; two or more keep agents and requests apart.")
    : ok("processors", found);
}

const MiB = 1024 * 1024;

export function checkMemory(memory: { total: number; free: number; allowed: number }): DoctorCheck {
  // Without a limit the kernel names a number beyond what the machine has.
  const isLimited = memory.allowed > 0 && memory.allowed < memory.total;
  const usable = isLimited ? memory.allowed : memory.total;
  const found = `${Math.round(usable / MiB)} MiB${isLimited ? " (limited)" : ""}, ${Math.round(memory.free / MiB)} MiB free`;
  if (usable < 512 * MiB)
    return fail("memory", found, "Give it 512 MiB at least, 2 GiB for agents.");
  return usable < 1_800 * MiB
    ? warn("memory", found, "Enough for a try; 2 GiB are wanted for agents.")
    : ok("memory", found);
}

const clockWatchMs = 60;
const clockDriftMs = 25;

/** The wall clock must walk as fast as the steady one, and not lie in the past. */
export async function checkClock(clock: Clock): Promise<DoctorCheck> {
  const [wallMs, steadyMs] = [clock.now().getTime(), clock.monotonicMs()];
  await clock.sleep(clockWatchMs);
  const wentMs = clock.now().getTime() - wallMs;
  const driftMs = Math.round(wentMs - (clock.monotonicMs() - steadyMs));
  const now = clock.now().toISOString();
  if (now < "2026-01-01")
    return fail(
      "clock",
      `It says ${now}`,
      "Set the machine's clock: certificates and schedules fail.",
    );
  return Math.abs(driftMs) > clockDriftMs
    ? warn(
        "clock",
        `It jumped by ${driftMs} ms while it was watched`,
        "Let one service set the time, by slewing.",
      )
    : ok("clock", now);
}

/** Schedules need the real rules: New York is four hours behind in July and five in January. */
export function checkTimeZones(): DoctorCheck {
  const hourIn = (zone: string, at: string) =>
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit" }).format(new Date(at));
  try {
    const isRight =
      hourIn("America/New_York", "2026-07-01T12:00:00Z") === "08" &&
      hourIn("America/New_York", "2026-01-01T12:00:00Z") === "07" &&
      hourIn("Asia/Kolkata", "2026-01-01T12:45:00Z") === "18";
    if (isRight) return ok("time zones", `tzdata ${process.versions.tz ?? "of the system"}`);
  } catch {
    // A Node without time zone data throws for the name; the advice is the same.
  }
  return fail("time zones", "The time zone data is missing", "Use a Node with full ICU data.");
}

/** Free, or taken by another Plinth or another program; found out as a start does, without listening there. */
export async function checkPort(host: string, port: number): Promise<DoctorCheck> {
  const endpoint = `${host}:${port}`;
  try {
    await expectAddress(host, port);
    return ok("port", port === 0 ? "any free one" : `${endpoint} is free`);
  } catch (error) {
    const cause = error instanceof ExitError ? error.cause : error;
    const code = cause instanceof Error && "code" in cause ? cause.code : "";
    if (code === "EADDRINUSE") return await whoListens(host, port, endpoint);
    if (code === "EACCES")
      return fail("port", `${endpoint} is not allowed`, "Choose a port from 1024 on.");
    return fail(
      "port",
      `${endpoint} cannot be listened at`,
      "Set host to an address of this machine.",
    );
  }
}

/** The port of the server that holds the data directory. */
async function checkRunning({ host, port }: { host: string; port: number }): Promise<DoctorCheck> {
  const endpoint = `${host}:${port}`;
  return (await isPlinth(host, port))
    ? ok("port", `${endpoint} is answered by the server of this data directory`)
    : fail(
        "port",
        `${endpoint}, where the server of this data directory listens, does not answer`,
        "Look at its log; restart it if it hangs.",
      );
}

async function whoListens(host: string, port: number, endpoint: string): Promise<DoctorCheck> {
  return (await isPlinth(host, port))
    ? fail(
        "port",
        `${endpoint} is answered by a Plinth with another data directory`,
        "Name that one with --data-dir, or set another port for this one.",
      )
    : fail("port", `${endpoint} is taken by another program`, "Stop it, or set another port.");
}

/** Plinth names itself in the `server` header or in the body of /healthz. */
function isPlinth(host: string, port: number): Promise<boolean> {
  const address = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return new Promise((resolve) => {
    const asked = request(
      { host: address, port, path: "/healthz", timeout: 1_000, agent: false },
      (reply) => {
        let text = String(reply.headers.server ?? "");
        reply.setEncoding("utf8");
        reply.on("data", (chunk: string) => {
          if (text.length < 4_096) text += chunk;
          else reply.destroy();
        });
        reply.on("close", () => resolve(/plinth/i.test(text)));
      },
    );
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
    asked.end();
  });
}
