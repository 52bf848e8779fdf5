// Who is struck while a batch is worked off, and when: servers are killed and put to sleep, the database is killed.
import type { Random } from "../../kernel/base/random.ts";
import type { ConnectionSettings, Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { workLimits } from "../../server/batches/work/limits.ts";
import { killDatabase, oneOf } from "../durability-kill.ts";
import { until } from "../rules/support.ts";
import type { Losses } from "./batches-losses.ts";
import type { BusyUpstream } from "./batches-upstream.ts";
import type { HeldWay, Moment } from "./batches-ways.ts";
import { killServer, startServer, type Server } from "./fleet.ts";
import type { ServerFacts } from "./server.ts";

/** `cut`: a server lives, and every connection to its database breaks. */
export type Strike = "server" | "database" | "pause" | "cut";

/** Where one of the servers runs; whoever is killed there is replaced by one with another name. */
export interface Place {
  name: string;
  server: Server | undefined;
  starting: Promise<void>;
  isAsleep: boolean;
  way: HeldWay;
}

export interface Stage {
  db: Database;
  databaseDirectory: string;
  upstream: BusyUpstream;
  losses: Losses;
  items: number;
  random: Random;
  /** Who was struck how, and when. */
  story: string[];
  /** Of a server with this name that has this way to its database. */
  factsFor(name: string, connection: ConnectionSettings): ServerFacts;
}

export interface Struck {
  lastKillMs: number;
  outagesMs: number[];
  /** How often somebody was struck in the middle of a write. */
  held: number;
}

/** Longer than a lease: others have its requests when it wakes, and are at them. */
const sleepMs = { least: workLimits.leaseMs, most: workLimits.leaseMs + workLimits.pollMs };
/** Until it has asked the database what it still has. */
const wakingMs = workLimits.pollMs + 500;

/** What is left of a lease at least, less the time until its renewal is tried again and has come through. */
const lastingMs = workLimits.leaseMs - workLimits.heartbeatMs - workLimits.awayMs - 1_000;

export async function openPlaces(
  stage: Stage,
  ways: readonly HeldWay[],
): Promise<readonly Place[]> {
  const places = ways.map((way, at) => {
    const starting = Promise.resolve();
    const name = `place-${at}`;
    const place: Place = { name, server: undefined, starting, isAsleep: false, way };
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
    place.server = await startServer(factsFor(place.name, place.way.connection));
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
  const struck: Struck = { lastKillMs: 0, outagesMs: [], held: 0 };
  for (const [at, strike] of plan.entries()) {
    const share = (at + random.fraction()) / plan.length;
    const enough = Math.floor(items * (0.02 + 0.9 * share));
    const isTime = () => Promise.resolve(upstream.answered.size >= enough);
    await until(isTime, `${enough} answers before strike ${at}`);
    if (strike === "database") await strikeDatabase(stage, places, struck);
    else await strikeServer(stage, places, strike, struck);
  }
  return struck;
}

const moments: Record<Exclude<Strike, "database">, readonly [Moment, ...Moment[]]> = {
  server: ["any", "writing", "committed"],
  pause: ["any", "writing", "committed"],
  cut: ["writing", "committed"],
};
/** A server that has nothing to write for so long is struck as it is. */
const heldMsMax = 1_000;

async function strikeServer(
  stage: Stage,
  places: readonly Place[],
  strike: Exclude<Strike, "database">,
  struck: Struck,
): Promise<void> {
  const { losses, random } = stage;
  const isAtIt = ({ server, name, isAsleep }: Place) =>
    server !== undefined && !isAsleep && losses.openOf(name).length > 0;
  const place = await until(async () => {
    const all = places.filter(isAtIt);
    return all[Math.floor(random.fraction() * all.length)];
  }, "a server that asks the upstream");
  const { name, server, way } = place;
  if (server === undefined) return;
  const moment = oneOf(moments[strike], random);
  way.holdAt(moment);
  if (moment !== "any") {
    const isHeld = () => Promise.resolve(way.isHeld());
    await until(isHeld, "an answer of the database", heldMsMax).catch(() => {});
    if (way.isHeld()) struck.held += 1;
  }
  const open = losses.openOf(name);
  const struckMs = performance.now();
  const when = way.isHeld() ? moment : "any";
  stage.story.push(`${Math.round(struckMs)}: ${strike} at ${name}, ${when}, ${open.length} open`);
  if (strike === "cut") return way.cut();
  if (strike === "pause") putToSleep(stage, place, server);
  else {
    await killServer(server);
    way.cut();
    // What it had sent before, the upstream may read later.
    losses.span(name, struckMs, Infinity);
    struck.lastKillMs = struckMs;
  }
  await losses.note(name, open, struckMs);
  if (strike === "server") fill(stage, place);
}

function putToSleep({ losses, random, story }: Stage, place: Place, { child }: Server): void {
  const { name, way } = place;
  const { least, most } = sleepMs;
  const asleepMs = performance.now();
  place.isAsleep = true;
  child.kill("SIGSTOP");
  const wake = () => {
    child.kill("SIGCONT");
    way.release();
    place.isAsleep = false;
    story.push(`${Math.round(performance.now())}: ${name} wakes`);
    losses.span(name, asleepMs, performance.now() + wakingMs);
  };
  setTimeout(wake, least + random.fraction() * (most - least));
}

async function strikeDatabase(
  { db, databaseDirectory, losses, random, story }: Stage,
  places: readonly Place[],
  struck: Struck,
): Promise<void> {
  // A server that starts just now would not come up.
  await Promise.all(places.map(({ starting }) => starting));
  const before = await bornAt(db);
  const struckMs = performance.now();
  const open = new Map(places.map(({ name }) => [name, losses.openOf(name)]));
  killDatabase(databaseDirectory, random);
  // Its children may answer for a moment when the postmaster is dead.
  const isBack = async () => (await bornAt(db)) !== before;
  await until(() => isBack().catch(() => false), "the database is back");
  const backMs = performance.now();
  struck.outagesMs.push(Math.round(backMs - struckMs));
  story.push(`${Math.round(struckMs)}: database, back at ${Math.round(backMs)}`);
  // Only a database that is away for longer than leases last takes requests from those who work on them.
  if (backMs - struckMs > lastingMs)
    for (const [name, calls] of open) {
      losses.span(name, struckMs, backMs + wakingMs);
      await losses.note(name, calls, struckMs);
    }
  losses.wasAway(backMs + workLimits.awayMs);
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
