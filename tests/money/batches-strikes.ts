// Who is struck while a batch is worked off, and when: servers are killed and put to sleep, the database is killed.
import type { Random } from "../../kernel/base/random.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { workLimits } from "../../server/batches/work/limits.ts";
import { killDatabase, oneOf } from "../durability-kill.ts";
import { until } from "../rules/support.ts";
import type { Losses } from "./batches-losses.ts";
import type { BusyUpstream } from "./batches-upstream.ts";
import { killServer, startServer, type Server } from "./fleet.ts";
import type { ServerFacts } from "./server.ts";

export type Strike = "server" | "database" | "pause";

/** Where one of the servers runs; whoever is killed there is replaced by one with another name. */
export interface Place {
  name: string;
  server: Server | undefined;
  starting: Promise<void>;
  isAsleep: boolean;
}

export interface Stage {
  db: Database;
  databaseDirectory: string;
  upstream: BusyUpstream;
  losses: Losses;
  items: number;
  random: Random;
  factsFor(name: string): ServerFacts;
}

export interface Struck {
  lastKillMs: number;
  outagesMs: number[];
}

/** Longer than a lease, so that others have its requests when it wakes. */
const sleepMs = workLimits.leaseMs + 1_500;
/** Until it has asked the database what it still has. */
const wakingMs = workLimits.pollMs + 500;

export async function openPlaces(stage: Stage, count: number): Promise<readonly Place[]> {
  const places = Array.from({ length: count }, (_, at) => {
    const starting = Promise.resolve();
    const place: Place = { name: `place-${at}`, server: undefined, starting, isAsleep: false };
    fill(stage, place);
    return place;
  });
  await Promise.all(places.map(({ starting }) => starting));
  return places;
}

/** The next in the same place: `place-0+`, `place-0++`. */
function fill({ factsFor }: Stage, place: Place): void {
  place.name += "+";
  place.server = undefined;
  const start = async () => {
    place.server = await startServer(factsFor(place.name));
  };
  place.starting = start();
  // Told to whoever waits for it.
  place.starting.catch(() => {});
}

/** One after the other, spread over the batch. */
export async function deal(
  stage: Stage,
  places: readonly Place[],
  plan: readonly Strike[],
): Promise<Struck> {
  const { upstream, random, items } = stage;
  const struck: Struck = { lastKillMs: 0, outagesMs: [] };
  for (const [at, strike] of plan.entries()) {
    const share = (at + random.fraction()) / plan.length;
    const enough = Math.floor(items * (0.02 + 0.9 * share));
    const isTime = () => Promise.resolve(upstream.answered.size >= enough);
    await until(isTime, `${enough} answers before strike ${at}`, 60_000);
    if (strike === "database") await strikeDatabase(stage, places, struck);
    else await strikeServer(stage, places, strike, struck);
  }
  return struck;
}

async function strikeServer(
  stage: Stage,
  places: readonly Place[],
  strike: "server" | "pause",
  struck: Struck,
): Promise<void> {
  const { losses, random } = stage;
  const isAtIt = ({ server, name, isAsleep }: Place) =>
    server !== undefined && !isAsleep && losses.openOf(name).length > 0;
  const place = await until(async () => {
    const all = places.filter(isAtIt);
    return all[Math.floor(random.fraction() * all.length)];
  }, "a server that asks the upstream");
  const { name, server } = place;
  if (server === undefined) return;
  const open = losses.openOf(name);
  const struckMs = performance.now();
  if (strike === "pause") {
    place.isAsleep = true;
    server.child.kill("SIGSTOP");
    setTimeout(() => {
      server.child.kill("SIGCONT");
      place.isAsleep = false;
      losses.span(name, struckMs, performance.now() + wakingMs);
    }, sleepMs);
  } else {
    await killServer(server);
    // What it had sent before, the upstream may read later.
    losses.span(name, struckMs, Infinity);
    struck.lastKillMs = struckMs;
  }
  await losses.note(name, open, struckMs);
  if (strike === "server") fill(stage, place);
}

async function strikeDatabase(
  { db, databaseDirectory, losses, random }: Stage,
  places: readonly Place[],
  struck: Struck,
): Promise<void> {
  // A server that starts just now would not come up.
  await Promise.all(places.map(({ starting }) => starting));
  const before = await bornAt(db);
  const struckMs = performance.now();
  killDatabase(databaseDirectory, random);
  // Its children may answer for a moment when the postmaster is dead.
  const isBack = async () => (await bornAt(db)) !== before;
  await until(() => isBack().catch(() => false), "the database is back", 30_000);
  const backMs = performance.now();
  struck.outagesMs.push(Math.round(backMs - struckMs));
  losses.wasAway(backMs + workLimits.awayMs);
  // Only a database that is away for longer than leases last takes requests from those who work on them.
  if (backMs - struckMs > workLimits.leaseMs - workLimits.heartbeatMs)
    for (const { name } of places)
      losses.span(name, struckMs - workLimits.awayMs, backMs + wakingMs);
}

async function bornAt(db: Database): Promise<string> {
  const [row] = await db.query<{ at: string }>(sql`select pg_postmaster_start_time()::text as at`);
  return row?.at ?? "";
}

/** So many of each, in an order that the seed decides; a killed server comes last. */
export function planOf(counts: Record<Strike, number>, random: Random): Strike[] {
  const left = { ...counts, server: counts.server - 1 };
  const plan: Strike[] = [];
  for (;;) {
    const [first, ...rest] = Object.entries(left).flatMap(([strike, count]) =>
      Array.from({ length: count }, () => strike as Strike),
    );
    if (first === undefined) return [...plan, "server"];
    const next = oneOf([first, ...rest], random);
    left[next] -= 1;
    plan.push(next);
  }
}
