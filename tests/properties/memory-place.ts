// Several processes' worth of memory stores over one database: each world has a pool and a line of writers of its own.
import { systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Context, World } from "../../kernel/context.ts";
import { startJobRunner } from "../../kernel/jobs/job-runner.ts";
import { type ConnectionSettings } from "../../kernel/sql/connection.ts";
import { type Database, openPool } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { kinds } from "../../server/memory/module.ts";
import { testDatabase } from "../postgres.ts";
import { until } from "../rules/support.ts";
import { contextOf } from "../simulation/caller.ts";
import { addOrganization, worldOf } from "../simulation/memory-world.ts";

export const workspaceId = "wrkspc_1";

export interface Place extends AsyncDisposable {
  worlds: readonly World[];
  connection: ConnectionSettings;
  /** On a pool that no code under test uses. */
  observer: Database;
  /** A request to the process of that number, counted round and round. */
  at(number: number): Context;
  /** Until there is none left. */
  runJobs(): Promise<void>;
}

interface Wanted {
  worlds: number;
  sections?: Readonly<Record<string, unknown>>;
  /** How far the clock of each process is off. */
  skewMs?: (number: number) => number;
}

const hints = { send: () => {}, listen: () => () => {}, close: () => Promise.resolve() };
const connectionsMax = 3;

export async function memoryPlace({ worlds: count, sections, skewMs }: Wanted): Promise<Place> {
  await using opening = new AsyncDisposableStack();
  const { db: observer, connection } = opening.use(await testDatabase());
  await addOrganization(observer, [workspaceId]);
  const worlds = Array.from({ length: count }, (_, number) => {
    const off = skewMs?.(number) ?? 0;
    const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + off) };
    const db = openPool({ connection, connectionsMax, logger: silentLogger });
    opening.defer(() => db.close());
    const ids = makeIds(clock, systemRandom);
    const parts = { clock, random: systemRandom, ids, db, hints };
    return worldOf(parts, silentLogger, sections);
  });
  const [first] = worlds;
  if (first === undefined) throw new Error("A place has a world.");
  const closing = opening.move();
  return {
    worlds,
    connection,
    observer,
    at: (number) => contextOf(worlds[number % count] ?? first, workspaceId),
    runJobs: async () => {
      const runner = startJobRunner({ ...first, owner: "jobs", kinds, context: first });
      const left = () => observer.query(sql`select kind from jobs limit 1`);
      await until(async () => (await left()).length === 0, "jobs are done").finally(() =>
        runner.drain(),
      );
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
