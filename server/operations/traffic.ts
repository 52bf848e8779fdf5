// Rule OPS9: requests by organization and minute, counted in memory and added to the database every two seconds.
import type { World } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { every } from "../../kernel/work/every.ts";
import { part } from "../../kernel/work/parts.ts";
import { addRequests, listMinutes } from "./queries-traffic.ts";
import { limits } from "./limits.ts";

export interface Traffic {
  /** Costs two looks into maps. */
  count(organizationId: string, status: number): void;
  /** Adds what was counted to the database: every two seconds, and once more at the stop. */
  flush(): Promise<void>;
}

interface Counts {
  requests: number;
  errors: number;
  /** Of the errors, those that no client caused. */
  failed: number;
}

const minuteMs = 60_000;
const minutesShown = 60;
const minuteOf = (at: Date) => Math.floor(at.getTime() / minuteMs);

function makeTraffic({ db, clock, logger }: World): Traffic {
  /** By organization, then by minute; not yet in the database. */
  let waiting = new Map<string, Map<number, Counts>>();
  let isFailing = false;

  function add(organizationId: string, minute: number, { requests, errors, failed }: Counts): void {
    let minutes = waiting.get(organizationId);
    if (minutes === undefined) waiting.set(organizationId, (minutes = new Map()));
    const known = minutes.get(minute);
    if (known === undefined) minutes.set(minute, { requests, errors, failed });
    else {
      known.requests += requests;
      known.errors += errors;
      known.failed += failed;
    }
  }

  async function flush(): Promise<void> {
    if (waiting.size === 0) return;
    const counted = [...waiting].flatMap(([organizationId, minutes]) =>
      [...minutes].map(([minute, counts]) => ({ organizationId, minute, ...counts })),
    );
    waiting = new Map();
    try {
      await db.tx((tx) =>
        addRequests(
          tx,
          counted.map((each) => ({ ...each, minute: new Date(each.minute * minuteMs) })),
        ),
      );
      isFailing = false;
    } catch (error) {
      // Until the database is back, and for no longer than it would be shown: memory stays bounded.
      const oldest = minuteOf(clock.now()) - minutesShown;
      for (const each of counted)
        if (each.minute > oldest) add(each.organizationId, each.minute, each);
      if (!isFailing)
        logger.warn({ error: String(error) }, "writing down requests failed, and is tried again");
      isFailing = true;
    }
  }

  return {
    count: (organizationId, status) =>
      add(organizationId, minuteOf(clock.now()), {
        requests: 1,
        errors: status >= 400 ? 1 : 0,
        failed: status >= 500 ? 1 : 0,
      }),
    flush,
  };
}

export const trafficPart = part("traffic", {
  make: (world: World) => makeTraffic(world),
  start: (world, { flush }) => {
    const name = "counting requests";
    const stop = every(world, limits.addRequestsEveryMs, { name, act: flush });
    return async () => {
      await stop();
      await flush();
    };
  },
});

/** Of all processes, minute by minute, the oldest first. */
export async function lastHour(on: Queryable, organizationId: string, now: Date) {
  const last = minuteOf(now);
  const first = last - minutesShown + 1;
  const rows = await listMinutes(on, organizationId, {
    from: new Date(first * minuteMs),
    until: new Date(last * minuteMs),
  });
  const byMinute = Array.from({ length: minutesShown }, () => 0);
  for (const { minute, requests } of rows) byMinute[minuteOf(minute) - first] = requests;
  const sum = (of: "requests" | "errors") => rows.reduce((total, row) => total + row[of], 0);
  return { requests: sum("requests"), errors: sum("errors"), byMinute };
}
