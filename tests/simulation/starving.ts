// Simulated processes that stand still for a while, or go on and hear nothing of the database.

export interface Starving<Process> {
  /** Time passes it by, and none of its statements goes on, until it wakes and finds that so much has passed. */
  putToSleep(process: Process, ms: number): void;
  isAsleep(process: Process): boolean;
  /** For so long the database answers nothing that it asks; its time goes on. */
  cutOff(process: Process, ms: number): void;
  hasDatabase(process: Process): boolean;
  /** So much time passes; answers how much of it the process notices just now. */
  pass(process: Process, ms: number): number;
  forget(process: Process): void;
}

export function makeStarving<Process extends { name: string }>(
  note: (line: string) => void,
): Starving<Process> {
  const asleep = new Map<Process, { ms: number; sleptMs: number }>();
  const cutOffMs = new Map<Process, number>();
  return {
    putToSleep: (process, ms) => {
      if (asleep.has(process)) return;
      note(`${process.name} sleeps ${ms}`);
      asleep.set(process, { ms, sleptMs: 0 });
    },
    isAsleep: (process) => asleep.has(process),
    cutOff: (process, ms) => {
      note(`${process.name} is cut off for ${ms}`);
      cutOffMs.set(process, ms);
    },
    hasDatabase: (process) => !asleep.has(process) && !cutOffMs.has(process),
    pass: (process, ms) => {
      const leftMs = (cutOffMs.get(process) ?? 0) - ms;
      if (leftMs > 0) cutOffMs.set(process, leftMs);
      else cutOffMs.delete(process);
      const sleep = asleep.get(process);
      if (sleep === undefined) return ms;
      sleep.sleptMs += ms;
      if (sleep.sleptMs < sleep.ms) return 0;
      asleep.delete(process);
      note(`${process.name} wakes`);
      return sleep.sleptMs;
    },
    forget: (process) => {
      asleep.delete(process);
      cutOffMs.delete(process);
    },
  };
}
