// What is struck while a batch is worked off, and when: servers are killed and put to sleep, the database is killed.
import type { Random } from "../../kernel/base/random.ts";
import type { ConnectionSettings } from "../../kernel/sql/connection.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { workLimits } from "../../server/batches/work/limits.ts";
import { killDatabase, oneOf } from "../durability-kill.ts";
import { until } from "../rules/support.ts";
import type { Losses } from "./batches-losses.ts";
import type { BusyUpstream } from "./batches-upstream.ts";
import type { PausableSocket, Moment } from "./batches-pausable-socket.ts";
import { killServer, startServer, type SpawnedServer } from "./spawned-servers.ts";
import type { ServerFacts } from "./server.ts";

/** `cut`: a server lives, and every connection to its database breaks. */
export type Strike = "server" | "database" | "pause" | "cut";

/** Where one of the servers runs; a server that is killed there is replaced by one with another name. */
export interface ServerSlot {
  name: string;
  server: SpawnedServer | undefined;
  starting: Promise<void>;
  isAsleep: boolean;
  socket: PausableSocket;
}

export interface ChaosSetup {
  db: Database;
  databaseDirectory: string;
  upstream: BusyUpstream;
  losses: Losses;
  items: number;
  random: Random;
  /** What was struck how, and when. */
  story: string[];
  /** Of a server with this name and this connection to its database. */
  factsFor(name: string, connection: ConnectionSettings): ServerFacts;
}

export interface StrikeReport {
  lastKillMs: number;
  outagesMs: number[];
  /** How often a server was struck in the middle of a write. */
  held: number;
}

/** Longer than a lease: others have its requests when it wakes, and are at them. */
const sleepMs = { least: workLimits.leaseMs, most: workLimits.leaseMs + workLimits.pollMs };
/** Until it has asked the database what it still has. */
const wakingMs = workLimits.pollMs + 500;

/** What is left of a lease at least, less the time until its renewal is tried again and has come through. */
const lastingMs = workLimits.leaseMs - workLimits.heartbeatMs - workLimits.awayMs - 1_000;

export async function openSlots(
  setup: ChaosSetup,
  sockets: readonly PausableSocket[],
): Promise<readonly ServerSlot[]> {
  const slots = sockets.map((socket, at) => {
    const starting = Promise.resolve();
    const name = `place-${at}`;
    const slot: ServerSlot = { name, server: undefined, starting, isAsleep: false, socket };
    fill(setup, slot);
    return slot;
  });
  await Promise.all(slots.map(({ starting }) => starting));
  return slots;
}

/** The next in the same slot: `place-0+`, `place-0++`. */
function fill({ factsFor }: ChaosSetup, slot: ServerSlot): void {
  slot.name += "+";
  slot.server = undefined;
  const start = async () => {
    slot.server = await startServer(factsFor(slot.name, slot.socket.connection));
  };
  slot.starting = start();
  // A failure reaches those who await it.
  slot.starting.catch(() => {});
}

/** One after the other, spread over the batch. */
export async function strikeAll(
  setup: ChaosSetup,
  slots: readonly ServerSlot[],
  plan: readonly Strike[],
): Promise<StrikeReport> {
  const { upstream, random, items } = setup;
  const struck: StrikeReport = { lastKillMs: 0, outagesMs: [], held: 0 };
  for (const [at, strike] of plan.entries()) {
    const share = (at + random.fraction()) / plan.length;
    const enough = Math.floor(items * (0.02 + 0.9 * share));
    const isTime = () => Promise.resolve(upstream.answered.size >= enough);
    await until(isTime, `${enough} answers before strike ${at}`);
    if (strike === "database") await strikeDatabase(setup, slots, struck);
    else await strikeServer(setup, slots, strike, struck);
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
  setup: ChaosSetup,
  slots: readonly ServerSlot[],
  strike: Exclude<Strike, "database">,
  struck: StrikeReport,
): Promise<void> {
  const { losses, random } = setup;
  const isAtIt = ({ server, name, isAsleep }: ServerSlot) =>
    server !== undefined && !isAsleep && losses.openOf(name).length > 0;
  const slot = await until(async () => {
    const all = slots.filter(isAtIt);
    return all[Math.floor(random.fraction() * all.length)];
  }, "a server that asks the upstream");
  const { name, server, socket } = slot;
  if (server === undefined) return;
  const moment = oneOf(moments[strike], random);
  socket.holdAt(moment);
  if (moment !== "any") {
    const isHeld = () => Promise.resolve(socket.isHeld());
    await until(isHeld, "an answer of the database", heldMsMax).catch(() => {});
    if (socket.isHeld()) struck.held += 1;
  }
  const open = losses.openOf(name);
  const struckMs = performance.now();
  const when = socket.isHeld() ? moment : "any";
  setup.story.push(`${Math.round(struckMs)}: ${strike} at ${name}, ${when}, ${open.length} open`);
  if (strike === "cut") return socket.cut();
  if (strike === "pause") putToSleep(setup, slot, server);
  else {
    await killServer(server);
    socket.cut();
    // What it had sent before, the upstream may read later.
    losses.span(name, struckMs, Infinity);
    struck.lastKillMs = struckMs;
  }
  await losses.note(name, open, struckMs);
  if (strike === "server") fill(setup, slot);
}

function putToSleep(
  { losses, random, story }: ChaosSetup,
  slot: ServerSlot,
  { child }: SpawnedServer,
): void {
  const { name, socket } = slot;
  const { least, most } = sleepMs;
  const asleepMs = performance.now();
  slot.isAsleep = true;
  child.kill("SIGSTOP");
  const wake = () => {
    child.kill("SIGCONT");
    socket.release();
    slot.isAsleep = false;
    story.push(`${Math.round(performance.now())}: ${name} wakes`);
    losses.span(name, asleepMs, performance.now() + wakingMs);
  };
  setTimeout(wake, least + random.fraction() * (most - least));
}

async function strikeDatabase(
  { db, databaseDirectory, losses, random, story }: ChaosSetup,
  slots: readonly ServerSlot[],
  struck: StrikeReport,
): Promise<void> {
  // A server that starts just now would not come up.
  await Promise.all(slots.map(({ starting }) => starting));
  const before = await bornAt(db);
  const struckMs = performance.now();
  const open = new Map(slots.map(({ name }) => [name, losses.openOf(name)]));
  killDatabase(databaseDirectory, random);
  // Its children may answer for a moment when the postmaster is dead.
  const isBack = async () => (await bornAt(db)) !== before;
  await until(() => isBack().catch(() => false), "the database is back");
  const backMs = performance.now();
  struck.outagesMs.push(Math.round(backMs - struckMs));
  story.push(`${Math.round(struckMs)}: database, back at ${Math.round(backMs)}`);
  // Only a database that is away for longer than leases last takes requests from the servers that work on them.
  if (backMs - struckMs > lastingMs)
    for (const [name, calls] of open) {
      losses.span(name, struckMs, backMs + wakingMs);
      await losses.note(name, calls, struckMs);
    }
  losses.wasAway(backMs + pauseMsMax(backMs - struckMs));
}

/** A write that failed is tried again after pauses that double: none is much longer than all before it together. */
const pauseMsMax = (outageMs: number) =>
  Math.min(outageMs + workLimits.awayMs, workLimits.awayMsMax);

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
