// Rule TRF1: requests of each organization by minute, and how many of them failed.
import type { World } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { part } from "../../kernel/work/parts.ts";
import { makeMinuteSums, minuteMs, minuteOf, minutesShown, startWriting } from "./minute-sums.ts";
import { addRequests, listMinutes } from "./queries.ts";

export interface Traffic {
  count(organizationId: string, status: number): void;
  flush(): Promise<void>;
}

const name = "requests";

function makeTraffic(world: World): Traffic {
  const { clock } = world;
  const sums = makeMinuteSums(world, {
    name,
    make: () => ({ requests: 0, errors: 0, failed: 0 }),
    merge: (into, { requests, errors, failed }) => {
      into.requests += requests;
      into.errors += errors;
      into.failed += failed;
    },
    write: addRequests,
  });
  return {
    count: (organizationId, status) => {
      const sum = sums.of(organizationId, clock.now());
      sum.requests += 1;
      if (status >= 400) sum.errors += 1;
      if (status >= 500) sum.failed += 1;
    },
    flush: sums.flush,
  };
}

export const trafficPart = part("traffic", {
  make: (world: World) => makeTraffic(world),
  start: (world, { flush }) => startWriting(world, name, flush),
});

/** Of all processes: this minute and the 59 before it, the oldest first, and the 60 before those. */
export async function lastHours(on: Queryable, organizationId: string, now: Date) {
  const last = minuteOf(now);
  const first = last - minutesShown + 1;
  const rows = await listMinutes(on, organizationId, {
    from: new Date((first - minutesShown) * minuteMs),
    until: new Date(last * minuteMs),
  });
  const byMinute = Array.from({ length: minutesShown }, () => 0);
  const lastHour = { requests: 0, errors: 0 };
  const hourBefore = { requests: 0, errors: 0 };
  for (const { minute, requests, errors } of rows) {
    const at = minuteOf(minute) - first;
    const sum = at < 0 ? hourBefore : lastHour;
    sum.requests += requests;
    sum.errors += errors;
    if (at >= 0) byMinute[at] = requests;
  }
  return { lastHour, hourBefore, byMinute };
}
