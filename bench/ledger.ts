// What a hop costs in the ledger: rows a second, Node's and the database's CPU, against plain inserts.
import { readFileSync } from "node:fs";
import { systemClock } from "../kernel/base/clock.ts";
import { makeIds } from "../kernel/base/ids.ts";
import { silentLogger } from "../kernel/base/logger.ts";
import { systemRandom } from "../kernel/base/random.ts";
import { openPool } from "../kernel/sql/database.ts";
import { preparedAs, sql } from "../kernel/sql/statement.ts";
import { makeLimits } from "../server/limits/module.ts";
import { makeLedger, makeNode, type NewHop, type Payer } from "../server/usage/module.ts";
import { checkBooks } from "../tests/books.ts";
import { testDatabase } from "../tests/postgres.ts";

const secondsEach = Number(process.argv[2] ?? 2);
const ids = makeIds(systemClock, systemRandom);
const hints = { send: () => {}, listen: () => () => {}, close: async () => {} };

await using test = await testDatabase();
const db = openPool({ connection: test.connection, connectionsMax: 8, logger: silentLogger });
const world = { clock: systemClock, db, ids, hints, logger: silentLogger };
const node = makeNode(world);
const ledger = makeLedger(world, node);
const stop = node.start();
await db.query(sql`create table plain (id text collate "C" primary key, organization_id text,
  model text, at timestamptz, amount_nano bigint)`);

const payer: Payer = {
  organizationId: "org_01k0000000000000000000000",
  workspaceId: "wrkspc_01k0000000000000000000000",
  credentialId: "key_01k0000000000000000000000",
  userId: null,
  model: "sim-large",
  upstream: "simulator",
  kind: "message",
};

const newHop = (): NewHop => ({
  id: ids.next("hop_"),
  requestId: ids.next("req_"),
  reserveNano: 1_000_000,
  at: systemClock.now(),
  // As a request makes it: a new value of the same fields.
  payer: { ...payer },
});
const counts = { input: 500, output: 200, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
const settlement = {
  outcome: "served" as const,
  counts,
  amountNano: 700,
  listAmountNano: 700,
  estimated: false,
};

/** Reserved, durable, then settled: what a stream of some length does. */
async function openAndClose(): Promise<void> {
  const hop = newHop();
  await ledger.open(hop);
  await ledger.close(hop.id, settlement);
}

/** Settled while the reservation still waits: what an answer that comes at once does. */
async function merged(): Promise<void> {
  const hop = newHop();
  await Promise.all([ledger.open(hop), ledger.close(hop.id, settlement)]);
}

/** One narrow row by itself: the least that anything durable costs. */
async function plainInsert(): Promise<void> {
  const { id, at } = newHop();
  const { organizationId, model } = payer;
  await db.query(
    preparedAs(
      "bench_plain",
      sql`insert into plain (id, organization_id, model, at, amount_nano)
        values (${id}, ${organizationId}, ${model}, ${at}, 700)`,
    ),
  );
}

/** CPU of all processes of this database, in seconds: theirs while they live, so no pool may shrink meanwhile. */
async function databaseSeconds(): Promise<number> {
  const rows = await test.db.query<{ pid: number }>(sql`
    select pid from pg_stat_activity where datname = current_database() or backend_type <> 'client backend'`);
  const ticks = rows.map(({ pid }) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return Number(fields[11]) + Number(fields[12]);
    } catch {
      return 0;
    }
  });
  return ticks.reduce((sum, one) => sum + one, 0) / 100;
}

interface Measured {
  perSecond: number;
  nodeUs: number;
  databaseUs: number;
  p50Ms: number;
}

async function measure(work: () => Promise<void>, concurrency: number): Promise<Measured> {
  const times: number[] = [];
  const endMs = performance.now() + secondsEach * 1000;
  const [databaseBefore, cpu, startMs] = [
    await databaseSeconds(),
    process.cpuUsage(),
    performance.now(),
  ];
  const one = async () => {
    while (performance.now() < endMs) {
      const beganMs = performance.now();
      await work();
      times.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const database = (await databaseSeconds()) - databaseBefore;
  const done = times.length;
  return {
    perSecond: done / seconds,
    nodeUs: (user + system) / done,
    databaseUs: (database * 1e6) / done,
    p50Ms: times.sort((a, b) => a - b)[Math.floor(done / 2)] ?? 0,
  };
}

const show = (name: string, { perSecond, nodeUs, databaseUs, p50Ms }: Measured) =>
  console.log(
    `${name.padEnd(34)} ${String(Math.round(perSecond)).padStart(7)}/s  node ${nodeUs.toFixed(0).padStart(4)} µs  ` +
      `database ${databaseUs.toFixed(0).padStart(4)} µs  p50 ${p50Ms.toFixed(2)} ms`,
  );

await measure(openAndClose, 16);
for (const concurrency of [1, 16, 256]) {
  show(`${concurrency} at once: open, then close`, await measure(openAndClose, concurrency));
  show(`${concurrency} at once: merged`, await measure(merged, concurrency));
  show(`${concurrency} at once: plain inserts`, await measure(plainInsert, concurrency));
}

const limits = makeLimits(world, node);
const who = { organizationId: "org_bench", workspaceId: "wrkspc_bench" };
const asked = { model: { group: "sim" }, inputTokens: 500, outputTokensMax: 1_000, reserveNano: 1 };
const context = { who, headers: {} };
await limits.admit(context, asked);
let waited = 0;
const admissions = 200_000;
const startMs = performance.now();
for (let n = 0; n < admissions; n++) {
  const admission = limits.admit(context, asked);
  if (admission instanceof Promise) {
    waited += 1;
    await admission;
  } else admission.settle({ inputTokens: 500, outputTokens: 20, nano: 1 });
  // The event loop must run, or no slice would ever be renewed.
  if (n % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
}
const us = ((performance.now() - startMs) / admissions) * 1000;
console.log(`admit and settle: ${us.toFixed(2)} µs, of ${admissions} ${waited} waited`);
await ledger.drain();
await stop();
await checkBooks(db);
await db.close();
