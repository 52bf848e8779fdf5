// Whether the data directory can be written, has room, and how long its disk takes to be sure.
import { link, mkdtemp, open, rm, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { fail, ok, warn, type DoctorCheck } from "./check.ts";

const GiB = 1024 ** 3;
const flushes = 15;

export async function checkDisk(dataDir: string, clock: Clock): Promise<DoctorCheck[]> {
  const directory = await nearestDirectory(resolve(dataDir));
  let probe: string;
  try {
    probe = await mkdtemp(`${directory}/.plinth-doctor-`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const mend = "Make it writable for this user, or set data_dir to another directory.";
    const untried = "Not tried, because nothing can be written";
    return [
      fail("data directory", `${directory} cannot be written (${code})`, mend),
      await checkSpace(directory),
      warn("disk speed", untried, mend),
      warn("file system", untried, mend),
    ];
  }
  try {
    return [
      ok("data directory", directory === resolve(dataDir) ? directory : `${dataDir} can be made`),
      await checkSpace(directory),
      await checkFlush(probe, clock),
      await checkLinks(probe),
    ];
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

/** The directory itself, or the nearest existing one above it, in which it would be made. */
async function nearestDirectory(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (found !== undefined || at === dirname(at)) return at;
  }
}

async function checkSpace(directory: string): Promise<DoctorCheck> {
  const { bavail, bsize } = await statfs(directory);
  const free = (bavail * bsize) / GiB;
  const found = `${free.toFixed(1)} GiB free`;
  if (free < 0.5) return fail("disk space", found, "Free some: below 512 MiB nothing is safe.");
  return free < 5
    ? warn("disk space", found, "Five GiB or more leave room for files and batches.")
    : ok("disk space", found);
}

/** Every acknowledged write waits for one of these. */
async function checkFlush(probe: string, clock: Clock): Promise<DoctorCheck> {
  try {
    return await timeFlushes(probe, clock);
  } catch (error) {
    const found = `Nothing can be written (${error instanceof Error ? error.message : "unknown"})`;
    return fail("disk speed", found, "Free some space, or set data_dir to another disk.");
  }
}

async function timeFlushes(probe: string, clock: Clock): Promise<DoctorCheck> {
  const handle = await open(`${probe}/flush`, "w", 0o600);
  const times: number[] = [];
  try {
    for (let i = 0; i < flushes; i++) {
      await handle.write(Buffer.alloc(4_096, i));
      const startMs = clock.monotonicMs();
      await handle.datasync();
      times.push(clock.monotonicMs() - startMs);
    }
  } finally {
    await handle.close();
  }
  const median = times.sort((a, b) => a - b)[Math.floor(flushes / 2)] ?? 0;
  const found = `${median.toFixed(2)} ms to flush`;
  return median > 20
    ? warn("disk speed", found, "Put data_dir on a solid-state disk that is not a network share.")
    : ok("disk speed", found);
}

/** Blobs are published by a hard link, which some network and removable file systems lack. */
async function checkLinks(probe: string): Promise<DoctorCheck> {
  try {
    await link(`${probe}/flush`, `${probe}/link`);
    return ok("file system", "It has hard links");
  } catch {
    return fail("file system", "It has no hard links", "Put data_dir on a local file system.");
  }
}
