// How each upstream fares in this process: what the console shows, and what a person asks first when answers fail.
import type { Clock } from "../../../kernel/base/clock.ts";
import type { UpstreamMeter } from "../../../kernel/observe/models/instruments.ts";
import { upstreamLimits as limits } from "../upstreams/limits.ts";

/** Plain data: it goes to other processes as it is. Times are milliseconds of the epoch. */
export interface UpstreamHealth {
  /** Requests under way. */
  open: number;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  /** The first failure after the last success. */
  failingSince: number | null;
  /** What the last failure was, in a few words without addresses or texts of the upstream. */
  lastFailure: string | null;
  /** Until the head of a reply, or the first event: of the last answers, oldest first. */
  answerMs: readonly number[];
  /** What ended in the minutes that count as lately, oldest first; minutes without anything are left out. */
  minutes: readonly Minute[];
}

interface Minute {
  minute: number;
  answered: number;
  failed: number;
}

export interface HealthRecord {
  /** Requests under way. */
  open(): number;
  opened(): void;
  closed(): void;
  /** An answer has begun; whether it is a whole one is known later. */
  began(afterMs: number): void;
  /**
   * It came to its end, or its reader went away: the upstream did what it was asked. Timed where it is told when the
   * request began, by the monotonic clock.
   */
  succeeded(startedMs?: number): void;
  failed(what: string): void;
  /** As it is now. */
  read(): UpstreamHealth;
}

export const minuteOf = (date: Date) => Math.floor(date.getTime() / 60_000);

export function healthRecord(clock: Clock, meter?: UpstreamMeter): HealthRecord {
  let open = 0;
  let lastSuccessAt: number | null = null;
  let lastFailureAt: number | null = null;
  let failingSince: number | null = null;
  let lastFailure: string | null = null;
  const answerMs: number[] = [];
  const ring: Minute[] = [];

  function minuteNow(): Minute {
    const minute = minuteOf(clock.now());
    const index = minute % limits.healthMinutes;
    const known = ring[index];
    if (known?.minute === minute) return known;
    return (ring[index] = { minute, answered: 0, failed: 0 });
  }

  return {
    open: () => open,
    opened: () => void open++,
    closed: () => void open--,
    began: (afterMs) => {
      meter?.firstByte.observe(afterMs / 1_000);
      answerMs.push(afterMs);
      if (answerMs.length > limits.healthAnswersMax) answerMs.shift();
    },
    succeeded: (startedMs) => {
      meter?.answered.inc();
      if (startedMs !== undefined) meter?.whole.observe((clock.monotonicMs() - startedMs) / 1_000);
      minuteNow().answered++;
      lastSuccessAt = clock.now().getTime();
      failingSince = null;
    },
    failed: (what) => {
      meter?.failed.inc();
      minuteNow().failed++;
      lastFailureAt = clock.now().getTime();
      failingSince ??= lastFailureAt;
      lastFailure = what;
    },
    read: () => {
      const first = minuteOf(clock.now()) - limits.healthMinutes + 1;
      return {
        open,
        lastSuccessAt,
        lastFailureAt,
        failingSince,
        lastFailure,
        answerMs: [...answerMs],
        minutes: ring
          .filter(({ minute }) => minute >= first)
          .map((one) => ({ ...one }))
          .toSorted((a, b) => a.minute - b.minute),
      };
    },
  };
}
