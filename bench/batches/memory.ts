// How much memory the server's processes take while something happens.
import { setTimeout as sleep } from "node:timers/promises";
import { familyOf, memoryMb, type Family, type Used } from "./processes.ts";

const everyMs = 20;
/** The database's are many and change little: each look at them would cost more than it shows. */
const looksPerDatabaseLook = 10;

/** The median of some looks, when nothing happens. */
export async function idleMb(pid: number): Promise<Used> {
  await sleep(2_000);
  return memoryMb(familyOf(pid));
}

/** The most of each at any time until it is stopped. */
export function watchMemory(pid: number): { stop(): Used } {
  const family = familyOf(pid);
  const peak = { server: 0, database: 0 };
  let looks = 0;
  const look = () => {
    const isForAll = looks++ % looksPerDatabaseLook === 0;
    const seen: Family = isForAll ? family : { ...family, database: [] };
    const now = memoryMb(seen);
    peak.server = Math.max(peak.server, now.server);
    peak.database = Math.max(peak.database, now.database);
  };
  look();
  const timer = setInterval(look, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return peak;
    },
  };
}
