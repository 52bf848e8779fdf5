// One batch on three servers that are killed, put to sleep and lose their database: results, ledger and upstream agree.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { silentLogger } from "../../kernel/base/logger.ts";
import { seededRandom } from "../../kernel/base/random.ts";
import type { ConnectionSettings } from "../../kernel/sql/connection.ts";
import { openPool, type Database } from "../../kernel/sql/database.ts";
import { migrate } from "../../kernel/sql/migrate.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { workLimits } from "../../server/batches/work/limits.ts";
import { initialize } from "../../server/organization-setup.ts";
import { migrationsDirectory } from "../../server/serve.ts";
import { scratch, startOwnerProcess } from "../kernel/sql-harness.ts";
import { askAt, until } from "../rules/support.ts";
import { costOf, faultsOf, prices, wasted, type LedgerRow, type Line } from "./batches-expected.ts";
import { makeLosses } from "./batches-losses.ts";
import {
  strikeAll,
  openSlots,
  planOf,
  type ServerSlot,
  type ChaosSetup,
} from "./batches-strikes.ts";
import { watchSlowness } from "../slowness.ts";
import { busyUpstream } from "./batches-upstream.ts";
import { readResults, watch } from "./batches-watch.ts";
import { openPausableSocket, type PausableSocket } from "./batches-pausable-socket.ts";
import { killServer, stopServer } from "./spawned-servers.ts";
import { serveShared, type ServerFacts } from "./server.ts";
import { checkBooks } from "../books.ts";
import { queryPosted } from "../posted.ts";

const seed = Number(process.env["PLINTH_MONEY_SEED"] ?? 1);
const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;
const servers = 3;
const items = isLong ? 12_000 : 3_000;
const counts = isLong
  ? { server: 50, database: 5, pause: 8, cut: 12 }
  : { server: 12, database: 2, pause: 2, cut: 3 };
/** Until the lease of the last one killed is over and another server looks. */
const leaseEndMs = workLimits.leaseMs + workLimits.pollMs;
/** Then what it had is done again: on an idle machine in this time. */
const workMs = 8_000;
/**
 * Results wait 25 ms for each other, and then for one transaction. Told in answers, of which a server gets some 100 in
 * a second: on a machine that is busy those are as late as the transactions, and where other programs have the disk
 * too a transaction waits longer than an answer does.
 */
const behindMax = 100;

/*
 * What an upstream may be asked beside one answer for each request: what it refused itself; what was open when its
 * process was killed or put to sleep; and what it had answered by then, but was not written: results are written in
 * groups, 25 ms and one transaction after they came. Both are noted at each strike, call by call, and every call that
 * is no result must be one of them. A broken connection, or a database that is back before leases are over, loses none.
 */

interface ChaosRun extends AsyncDisposable {
  setup: ChaosSetup;
  sockets: readonly PausableSocket[];
  key: string;
  dataDirectory: string;
  batch: { id: string };
}

async function openRun(home: string): Promise<ChaosRun> {
  await using opening = new AsyncDisposableStack();
  const random = seededRandom(seed);
  const databaseDirectory = join(home, "cluster");
  const dataDirectory = join(home, "data");
  // One that is durable, as in production: those of the other tests are not.
  const owner = await startOwnerProcess(databaseDirectory, { graceMs: 1_000 });
  opening.defer(() => owner.release());
  const { connection } = owner;
  const db = openPool({ connection, connectionsMax: 3, logger: silentLogger });
  opening.defer(() => db.close());
  await migrate(db, migrationsDirectory, { logger: silentLogger });
  const upstream = opening.use(await busyUpstream(random));
  const factsFor = (name: string, through: ConnectionSettings) =>
    factsOf(through, dataDirectory, `${upstream.url}/${name}`);
  const key = await makeKey(factsFor("first", connection));
  const sockets: PausableSocket[] = [];
  for (let at = 0; at < servers; at++)
    sockets.push(opening.use(await openPausableSocket(connection, join(home, `way-${at}`))));
  const batch = { id: "" };
  const losses = makeLosses({ db, calls: upstream.calls, batchId: () => batch.id });
  const setup = { db, databaseDirectory, upstream, losses, items, random, story: [], factsFor };
  const closing = opening.move();
  const close = () => closing.disposeAsync();
  return { setup, sockets, key, dataDirectory, batch, [Symbol.asyncDispose]: close };
}

const factsOf = (connection: ConnectionSettings, dataDirectory: string, base_url: string) => ({
  connection,
  dataDirectory,
  sections: {
    models: {
      upstreams: { busy: { kind: "messages", base_url } },
      models: [{ id: "some", upstream: "busy", prices }],
    },
  },
});

async function makeKey(facts: ServerFacts): Promise<string> {
  const server = await serveShared(facts, () => {});
  const { world } = server.opened;
  const some = { organization: "Batches", type: "platform", email: "a@batches.example" } as const;
  const { api_key: key } = await initialize(world, some);
  await server.stop();
  return key;
}

/** One in fifty cannot succeed. */
const names = Array.from({ length: items }, (_, at) => {
  const kind = at % 50 === 7 ? (["bad", "odd", "sick"][at % 3] ?? "") : "ok";
  return `${kind}-${at}`;
});

const paramsOf = (content: string) => ({
  model: "some",
  max_tokens: content.startsWith("odd-") ? -1 : 100,
  messages: [{ role: "user", content }],
});

test(`seed ${seed}: a batch through ${counts.server} killed servers and ${counts.database} killed databases`, async (t) => {
  using home = scratch();
  await using run = await openRun(home.path);
  const { setup, key, batch } = run;
  const slots = await openSlots(setup, run.sockets);
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    for (const { server } of slots) if (server !== undefined) await killServer(server);
  });
  const requests = names.map((custom_id) => ({ custom_id, params: paramsOf(custom_id) }));
  const url = slots[0]?.server?.url ?? "";
  const made = await askAt(url, "POST", "/v1/messages/batches", { key, body: { requests } });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  batch.id = (made.body as { id: string }).id;
  const path = `/v1/messages/batches/${batch.id}`;

  try {
    await workOff(t, run, slots, path);
  } catch (error) {
    throw new Error(`${String(error)}\n${await reportOf(setup, slots)}`, { cause: error });
  }
  for (const { server } of slots) if (server !== undefined) await stopServer(server);
  assert.deepEqual(readdirSync(join(run.dataDirectory, "blobs", "tails")), [], "tails are left");
});

async function workOff(
  t: TestContext,
  { setup, key }: ChaosRun,
  slots: readonly ServerSlot[],
  path: string,
): Promise<void> {
  const { db, random } = setup;
  const startedMs = performance.now();
  using slowness = watchSlowness();
  await using watching = watch(slots, path, key, items);
  const { lastKillMs, ...struck } = await strikeAll(setup, slots, planOf(counts, random));
  assert.equal(watching.seen.status, "in_progress", "it ended before the last kill");
  await until(watching.hasEnded, "the batch ends");
  const endedMs = performance.now();
  await Promise.all(slots.map(({ starting }) => starting));
  const text = await readResults(slots, path, key);
  await until(async () => (await countOf(db, "jobs")) === 0, "its files are put away");
  assert.equal(await readResults(slots, path, key), text, "the same once its files are put away");

  const seconds = Math.round((endedMs - startedMs) / 1000);
  const afterKillMs = Math.round(endedMs - lastKillMs);
  const slower = slowness.factor();
  const about = { seconds, afterKillMs, slower, ...struck, looks: watching.seen.looks };
  await checkLedger(t, setup, text, about);
  assert.ok(await watching.hasEnded(), "it stays ended");
  const endMsMax = leaseEndMs + workMs * slower;
  assert.ok(afterKillMs < endMsMax, `it ended ${afterKillMs} ms after the last kill`);
}

/** What was struck, what is left to do, and what the servers complained of. */
async function reportOf({ db, story }: ChaosSetup, slots: readonly ServerSlot[]): Promise<string> {
  const open = await db.query(sql`
    select id, lease_owner as owner, lease_until - clock_timestamp() as left, first_index as first
    from batch_chunks where not is_done order by id`);
  const logs = slots.map(({ name, server }) => `${name}: ${server?.stderr().slice(-2_000) ?? ""}`);
  const now = `${Math.round(performance.now())}: now`;
  return [...story, now, ...open.map((chunk) => JSON.stringify(chunk)), ...logs].join("\n");
}

async function checkLedger(
  t: TestContext,
  { db, upstream, losses }: ChaosSetup,
  text: string,
  about: { slower: number },
): Promise<void> {
  const { calls } = upstream;
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const rows = await queryPosted<LedgerRow>(
    db,
    sql`
    select request_id, kind, outcome, estimated, input_tokens as input, output_tokens as output,
      amount_nano as nano, list_amount_nano as list from ledger`,
  );
  const refused = calls.filter(({ fate }) => fate === "refused").length;
  const inVain = wasted({ lines, calls }).length;
  t.diagnostic(
    JSON.stringify({ ...about, calls: calls.length, refused, inVain, ...losses.report }),
  );
  const { attemptsMax } = workLimits;
  const { excuses } = losses;
  const faults = faultsOf({ items: names, lines, rows, calls, attemptsMax, excuses });
  assert.deepEqual(faults.slice(0, 5), [], `${faults.length} faults`);
  await checkSums(db, lines);
  const { behind, oldest } = losses.report;
  assert.ok(
    behind < behindMax * about.slower,
    `${behind} answers came after one that was not written: ${oldest}`,
  );
}

async function checkSums(db: Database, lines: readonly Line[]): Promise<void> {
  const half = lines.reduce((sum, { result }) => {
    if (result.type !== "succeeded") return sum;
    const { input_tokens: input, output_tokens: output } = result.message.usage;
    return sum + Math.ceil(costOf(input, output) / 2);
  }, 0);
  const [sums] = await queryPosted<
    Record<"rows" | "nano" | "requests" | "days" | "months", string>
  >(
    db,
    sql`select count(*)::text as rows, sum(amount_nano)::text as nano,
      (select sum(requests)::text from usage_days where kind = 'batch') as requests,
      (select sum(amount_nano)::text from usage_days) as days,
      (select sum(spent_nano)::text from spend_months) as months
      from ledger`,
  );
  const expected = String(half);
  assert.deepEqual([sums?.nano, sums?.days, sums?.months], [expected, expected, expected]);
  assert.equal(sums?.requests, sums?.rows);
  await checkBooks(db);
  for (const table of ["ledger_opens", "batch_chunks"] as const)
    assert.equal(await countOf(db, table), 0, table);
}

async function countOf(db: Database, table: string): Promise<number> {
  const which = table === "jobs" ? "jobs where kind like 'batches.%'" : table;
  const text = `select count(*) as count from ${which}`;
  const [row] = await db.query<{ count: number }>({ text, values: [] });
  return row?.count ?? 0;
}
