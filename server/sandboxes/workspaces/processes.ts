// Processes that may have ended already, and the sandbox that another process of this machine has left running in a
// workspace, because it stands still. Two sandboxes that have mounted one image would destroy its file system.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../kernel/base/clock.ts";
import { sandboxLimits } from "../limits.ts";
import { SandboxError } from "../provider.ts";

export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Not one that is dead and that its parent has not asked about yet. */
export function isRunning(pid: number): boolean {
  if (process.platform !== "linux") return isThere(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch {
    return false; // there is none, or it ended while it was read
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Those that it has started. */
export function innerProcesses(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .trim()
      .split(/\s+/)
      .filter(Boolean)
      .map(Number);
  } catch {
    // It ended just now, or this kernel does not list them: then the outer one takes it along.
    return [];
  }
}

const fileName = "running";
const lookMs = 10;

/** Before it does anything. */
export const noteRunning = (directory: string, pid: number): void =>
  writeFileSync(join(directory, fileName), `${pid} ${startOf(pid)}`, { mode: 0o600 });

/** Resolves when nothing of it is left; `isMounted` says whether its workspace still is. */
export async function endPredecessor(
  directory: string,
  { clock, isMounted }: { clock: Clock; isMounted: () => boolean },
): Promise<void> {
  const [pid = "", start] = readIfThere(join(directory, fileName)).split(" ");
  if (pid === "") return;
  const isLeft = () => isRunning(Number(pid)) && startOf(Number(pid)) === start;
  if (isLeft()) for (const each of innerProcesses(Number(pid))) killProcess(each);
  await untilLetGo(clock, () => isLeft() || isMounted());
}

/** The kernel lets go of a file system some time after the last process that had it has ended. */
export async function untilLetGo(clock: Clock, isLeft: () => boolean): Promise<void> {
  for (let waitedMs = 0; isLeft(); waitedMs += lookMs) {
    if (waitedMs >= sandboxLimits.endMs)
      throw new SandboxError("The sandbox that was in this workspace before does not end.");
    await clock.sleep(lookMs);
  }
}

/** Numbers of processes are used again: with its start one is itself. */
function startOf(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // there is none, or it ended just now
  }
}
