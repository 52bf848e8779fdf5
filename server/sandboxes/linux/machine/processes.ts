// Processes that may have ended already.
import { readFileSync } from "node:fs";

export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Not one that is dead and that its parent has not asked about yet. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch {
    return false; // there is none, or it ended while it was read
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
