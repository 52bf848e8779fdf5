// Rule TRF1: sums by organization and minute, counted in memory and added to the database every two seconds.
import type { World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { every } from "../../kernel/work/every.ts";
import { limits } from "./limits.ts";

export const minuteMs = 60_000;
export const minutesShown = 60;
export const minuteOf = (at: Date): number => Math.floor(at.getTime() / minuteMs);

export interface CountedMinute<Sum> {
  organizationId: string;
  minute: Date;
  sum: Sum;
}

export interface MinuteSums<Sum> {
  /** What its caller adds to it at once. Costs two looks into maps. */
  of(organizationId: string, at: Date): Sum;
  /** Adds what was counted to the database: every two seconds, and once more at the stop. */
  flush(): Promise<void>;
}

interface SumKind<Sum> {
  /** What is counted, in words. */
  name: string;
  make(): Sum;
  merge(into: Sum, more: Sum): void;
  /** Adds to what other processes have counted. */
  write(tx: Tx, counted: readonly CountedMinute<Sum>[]): Promise<void>;
}

export function makeMinuteSums<Sum>(
  { db, clock, logger }: World,
  { name, make, merge, write }: SumKind<Sum>,
): MinuteSums<Sum> {
  /** By organization, then by minute; not yet in the database. */
  let waiting = new Map<string, Map<number, Sum>>();
  let isFailing = false;

  function sumOf(organizationId: string, minute: number): Sum {
    let minutes = waiting.get(organizationId);
    if (minutes === undefined) waiting.set(organizationId, (minutes = new Map()));
    let sum = minutes.get(minute);
    if (sum === undefined) minutes.set(minute, (sum = make()));
    return sum;
  }

  async function flush(): Promise<void> {
    if (waiting.size === 0) return;
    const counted = waiting;
    waiting = new Map();
    const rows = [...counted].flatMap(([organizationId, minutes]) =>
      [...minutes].map(([at, sum]) => ({ organizationId, minute: new Date(at * minuteMs), sum })),
    );
    try {
      await db.tx((tx) => write(tx, rows));
      isFailing = false;
    } catch (error) {
      // Until the database is back, and for no longer than it would be shown: memory stays bounded.
      const oldest = minuteOf(clock.now()) - minutesShown;
      for (const { organizationId, minute, sum } of rows)
        if (minuteOf(minute) > oldest) merge(sumOf(organizationId, minuteOf(minute)), sum);
      if (!isFailing)
        logger.warn({ error: String(error) }, `writing down ${name} failed, and is tried again`);
      isFailing = true;
    }
  }

  return { of: (organizationId, at) => sumOf(organizationId, minuteOf(at)), flush };
}

/** For as long as the process lives; the result stops it. */
export function startWriting(world: World, name: string, flush: () => Promise<void>) {
  const stop = every(world, limits.writeEveryMs, { name: `counting ${name}`, act: flush });
  return async () => {
    await stop();
    await flush();
  };
}
