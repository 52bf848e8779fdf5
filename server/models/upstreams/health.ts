// How each upstream fares: what the console shows, and what a person asks first when answers fail.
import type { Clock } from "../../../kernel/base/clock.ts";

export interface UpstreamHealth {
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  /** What the last failure was, in a few words without addresses or texts of the upstream. */
  lastFailure: string | null;
  consecutiveFailures: number;
  /** Until the head of a reply, weighed: each new one counts a fifth. Null before the first. */
  latencyMs: number | null;
  /** Requests under way. */
  open: number;
}

export interface HealthRecord {
  /** Requests under way. */
  open(): number;
  opened(): void;
  closed(): void;
  succeeded(latencyMs: number): void;
  failed(what: string): void;
  /** As it is now. */
  read(): UpstreamHealth;
}

const newestWeight = 0.2;

export function healthRecord(clock: Clock): HealthRecord {
  const health: UpstreamHealth = {
    lastSuccessAt: null,
    lastFailureAt: null,
    lastFailure: null,
    consecutiveFailures: 0,
    latencyMs: null,
    open: 0,
  };
  return {
    open: () => health.open,
    opened: () => void health.open++,
    closed: () => void health.open--,
    succeeded: (latencyMs) => {
      health.lastSuccessAt = clock.now();
      health.consecutiveFailures = 0;
      const before = health.latencyMs ?? latencyMs;
      health.latencyMs = before + newestWeight * (latencyMs - before);
    },
    failed: (what) => {
      health.lastFailureAt = clock.now();
      health.lastFailure = what;
      health.consecutiveFailures++;
    },
    read: () => ({ ...health }),
  };
}
