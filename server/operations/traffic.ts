// Requests of the last hour, minute by minute and organization by organization, in this process' memory.
import type { Clock } from "../../kernel/base/clock.ts";

const minutes = 60;

interface Counts {
  minute: number;
  requests: number;
  errors: number;
}

export interface Traffic {
  count(organizationId: string, failed: boolean): void;
  lastHour(organizationId: string): { requests: number; errors: number; byMinute: number[] };
}

export function makeTraffic(clock: Clock): Traffic {
  const rings = new Map<string, Counts[]>();
  const thisMinute = () => Math.floor(clock.now().getTime() / 60_000);

  return {
    count: (organizationId, failed) => {
      let ring = rings.get(organizationId);
      if (ring === undefined) rings.set(organizationId, (ring = []));
      const minute = thisMinute();
      const place = minute % minutes;
      let counts = ring[place];
      if (counts?.minute !== minute) ring[place] = counts = { minute, requests: 0, errors: 0 };
      counts.requests += 1;
      if (failed) counts.errors += 1;
    },
    lastHour: (organizationId) => {
      const ring = rings.get(organizationId) ?? [];
      const last = thisMinute();
      const byMinute: number[] = [];
      let errors = 0;
      for (let minute = last - minutes + 1; minute <= last; minute++) {
        const counts = ring[minute % minutes];
        const current = counts?.minute === minute ? counts : undefined;
        byMinute.push(current?.requests ?? 0);
        errors += current?.errors ?? 0;
      }
      return { requests: byMinute.reduce((sum, count) => sum + count, 0), errors, byMinute };
    },
  };
}
