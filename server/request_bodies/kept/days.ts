// The days of kept bodies: each is a partition, made before it begins, dropped whole when no workspace may keep it.
import type { World } from "../../../kernel/context.ts";
import {
  actOnDay,
  dayOf,
  listDays,
  makeAhead,
  neededDays,
} from "../../../kernel/sql/partitions/days.ts";
import { limits } from "../limits.ts";

const table = "request_bodies";

export const makeBodyDays = ({ db }: Pick<World, "db">) => neededDays(db, table);

export async function keepBodyDays({ db }: Pick<World, "db">, now: Date): Promise<void> {
  const today = dayOf(now);
  await makeAhead(db, table, { today, days: limits.daysAhead });
  for (const day of await listDays(db, table))
    if (day < today - limits.keptDaysMax) await actOnDay(db, table, "drop", day);
}
