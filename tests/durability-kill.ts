// A durability round: which process is killed, when and how, and what comes of it.
import type { Random } from "../kernel/base/random.ts";
import { parentOf } from "./bad-days/plinth.ts";
import { kill, processesOf } from "./kernel/sql-harness.ts";

export interface RoundOutcome {
  acknowledged: number;
  faults: string[];
  /** What happened, for the round's line. */
  summary: string;
}

export interface KillRounds {
  round(number: number): Promise<RoundOutcome>;
  /** Ends cleanly; returns what went wrong with that. */
  finish(): Promise<string[]>;
}

const momentMsMax = 700;

export const moment = (random: Random) =>
  new Promise((resolve) => setTimeout(resolve, random.fraction() * momentMsMax));

export function oneOf<T>(choices: readonly [T, ...T[]], random: Random): T {
  return choices[Math.floor(random.fraction() * choices.length)] ?? choices[0];
}

/** The postmaster alone, whose children then end by themselves, or all of them at once. */
export function killDatabase(directory: string, random: Random): void {
  const [postmaster] = processesOf(directory, "listen_addresses");
  if (postmaster === undefined) throw new Error("there is no postmaster to kill");
  const children = processesOf("postgres: ").filter((pid) => parentOf(pid) === postmaster);
  const alone = random.fraction() < 0.5;
  for (const pid of alone ? [postmaster] : [postmaster, ...children]) kill(pid);
}

/** The processes that the first one started and that serve. */
export function workersOf(first: number): number[] {
  return processesOf("server/worker.ts").filter((pid) => parentOf(pid) === first);
}
