// The status of a session, made of those of its threads.
import type { ThreadState } from "../conversation/state.ts";

/** A thread that waits for other agents does nothing itself. */
export const isActive = ({ status, calls }: ThreadState): boolean =>
  status === "running" && !isWaitingForAgents(calls);

const isWaitingForAgents = (calls: ThreadState["calls"]): boolean => {
  const open = calls.filter(({ result }) => result === null);
  return open.length > 0 && open.every(({ kind }) => kind === "agent");
};

/** All threads together. */
export function sessionStatus(states: readonly ThreadState[]): ThreadState["status"] {
  if (states.some(isActive)) return "running";
  if (states.some(({ status }) => status === "rescheduling")) return "rescheduling";
  return states[0]?.status === "terminated" ? "terminated" : "idle";
}
