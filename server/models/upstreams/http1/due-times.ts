// When each of many things is due, where that moves with every byte: one sleeper, and an assignment sets a time.
import type { Clock } from "../../../../kernel/base/clock.ts";
import { http1Limits as limits } from "./limits.ts";

export interface Due {
  /** Infinity where it waits for nothing. Set by `DueTimes.set` only. */
  dueMs: number;
  /** It is due: it takes itself out, or gets another time. */
  passed(): void;
}

export interface DueTimes {
  add(one: Due): void;
  remove(one: Due): void;
  set(one: Due, afterMs: number): void;
}

export function dueTimes(clock: Clock): DueTimes {
  const all = new Set<Due>();
  let wakesMs = Number.POSITIVE_INFINITY;
  let sleeping: AbortController | undefined;

  async function keep(): Promise<void> {
    while (all.size > 0) {
      const nowMs = clock.monotonicMs();
      for (const one of all) if (one.dueMs <= nowMs) one.passed();
      let sleepMs: number = limits.sleepMsMax;
      for (const { dueMs } of all) sleepMs = Math.min(sleepMs, dueMs - nowMs);
      wakesMs = nowMs + sleepMs;
      sleeping = new AbortController();
      await clock.sleep(sleepMs, sleeping.signal);
    }
    sleeping = undefined;
    wakesMs = Number.POSITIVE_INFINITY;
  }

  return {
    add: (one) => {
      all.add(one);
      if (sleeping === undefined) void keep();
    },
    remove: (one) => {
      all.delete(one);
      if (all.size === 0) sleeping?.abort();
    },
    set: (one, afterMs) => {
      one.dueMs = clock.monotonicMs() + afterMs;
      if (one.dueMs >= wakesMs) return;
      wakesMs = one.dueMs;
      sleeping?.abort();
    },
  };
}
