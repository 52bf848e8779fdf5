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
