// The days of the request log: each is a partition, made before it begins, indexed when it is over, dropped whole.
import type { World } from "../../kernel/context.ts";
import {
  actOnDay,
  dayOf,
  listDays,
  makeAhead,
  neededDays,
  startOf,
} from "../../kernel/sql/partitions/days.ts";
import { limits } from "./limits.ts";

const table = "requests";

export const makeDays = ({ db }: Pick<World, "db">) => neededDays(db, table);

/** Makes the next days, indexes those that are over, and drops all but the last `kept`, today among them. */
export async function keepDays({ db }: Pick<World, "db">, kept: number, now: Date): Promise<void> {
  const today = dayOf(now);
  await makeAhead(db, table, { today, days: limits.daysAhead });
  for (const day of await listDays(db, table)) {
    if (day <= today - kept) await actOnDay(db, table, "drop", day);
    else if (startOf(day + 1).getTime() + limits.indexedAfterMs <= now.getTime())
      await actOnDay(db, table, "index", day);
  }
}

/** The beginning of the first day that may have no indexes of its own yet. */
export const openSince = (now: Date): Date =>
  startOf(dayOf(new Date(now.getTime() - limits.openForMs)));
