// Rule BAT36: the leases of a batch's requests while writes have them locked, by clocks that are set.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { unavailable } from "../../kernel/base/failure.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { seededRandom } from "../../kernel/base/random.ts";
import { openLocalBlobs } from "../../kernel/blob/local.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { startRunner } from "../../server/batches/module.ts";
import { claimChunks } from "../../server/batches/queries-work.ts";
import { cancelBatch, createBatch } from "../../server/batches/service.ts";
import { workLimits } from "../../server/batches/work/limits.ts";
import { catalogOf } from "../../server/models/module.ts";
import { startLedger } from "../../server/usage/module.ts";
import { localHints } from "../kernel/jobs-harness.ts";
import { timedDatabase } from "../kernel/timed-database.ts";
import { prepare, worldOf } from "../simulation/batches.ts";
import { contextOf } from "../simulation/caller.ts";
import { until } from "./support.ts";

/** A process that works batches off, and passes time only where the test does. */
async function openScene() {
  await using opening = new AsyncDisposableStack();
  const timed = opening.use(await timedDatabase());
  await prepare(timed);
  const directory = mkdtempSync(join(tmpdir(), "plinth-lease-"));
  opening.defer(() => rmSync(directory, { recursive: true, force: true }));
  const clock = makeManualClock(await timed.now());
  const random = seededRandom(1);
  let [beats, renewals, isAway] = [0, 0, false];
  const writing = { isHeld: false, came: 0, go: Promise.withResolvers<void>() };
  const late = new Map<
    string,
    { rowsMin: number; came: PromiseWithResolvers<void>; go: Promise<void> }
  >();
  const db: Database = {
    ...timed.db,
    query: async <Row extends object>(statement: Parameters<Database["query"]>[0]) => {
      if (isAway) throw unavailable("The database is away.", 1, { code: "database_away" });
      const isRenewal = statement.name === "batch_chunks_renew";
      if (isRenewal) renewals += 1;
      const rows = await timed.db.query<Row>(statement);
      if (isRenewal) renewals -= 1;
      const held = late.get(statement.name ?? "");
      if (held !== undefined && rows.length >= held.rowsMin) {
        held.came.resolve();
        await held.go;
      }
      if (isRenewal) beats += 1;
      return rows;
    },
    // Held where its rows are locked: before it enters its results.
    tx: (work, options) =>
      timed.db.tx(
        (inside) =>
          work({
            ...inside,
            query: async (statement) => {
              if (writing.isHeld && statement.name === "batches_insert_results") {
                writing.came += 1;
                await writing.go.promise;
              }
              return inside.query(statement);
            },
          }),
        options,
      ),
  };
  const files = {
    blobs: await openLocalBlobs({ directory }),
    segmentOptions: { directory: join(directory, "tails") },
  };
  const ids = makeIds(clock, random);
  const world = worldOf(files, { clock, random, ids, db, hints: localHints() }, silentLogger);
  const stopLedger = startLedger(world);
  const stop = startRunner(world);
  const pass = async (ms: number) => {
    await timed.advance(ms);
    clock.advance(ms);
  };
  opening.defer(async () => {
    writing.go.resolve();
    const ticking = setInterval(() => clock.advance(500), 20);
    await stop();
    await stopLedger().finally(() => clearInterval(ticking));
  });
  const opened = opening.move();
  return {
    timed,
    world,
    context: contextOf(world, "wrkspc_1"),
    pass,
    /** However slow the machine is: what a lease needs has been answered. */
    renewed: async () => {
      await nextLoopIteration();
      await until(async () => renewals === 0, "the answer to a renewal");
    },
    beat: async () => {
      const before = beats;
      await pass(workLimits.heartbeatMs);
      await until(async () => beats > before, "a heartbeat");
    },
    /** The next writes wait until they are let go. */
    holdWrites: () => Object.assign(writing, { isHeld: true, go: Promise.withResolvers<void>() }),
    writesHeld: () => writing.came,
    letWritesGo: () => {
      writing.isHeld = false;
      writing.go.resolve();
    },
    /** An answer with so many rows comes only when it is let go. */
    delay: (name: string, rowsMin: number) => {
      const [came, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      late.set(name, { rowsMin, came, go: go.promise });
      opened.defer(go.resolve);
      const letGo = () => {
        late.delete(name);
        go.resolve();
      };
      return { came: came.promise, letGo };
    },
    loseDatabase: () => void (isAway = true),
    findDatabase: () => void (isAway = false),
    count: async (what: string) => {
      const text = `select count(*)::int as count from ${what}`;
      const [row] = await timed.observer.query<{ count: number }>({ text, values: [] });
      return row?.count ?? 0;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const bodyOf = (texts: readonly string[]) => {
  const requests = texts.map((content, at) => ({
    custom_id: `c-${at}`,
    params: { model: "sim-small", max_tokens: 300, messages: [{ role: "user", content }] },
  }));
  return (async function* () {
    yield Buffer.from(JSON.stringify({ requests }));
  })();
};

const another = (on: Database) =>
  claimChunks(on, "another", { leaseMs: workLimits.leaseMs, except: [], most: 4 });

test("[BAT36] a write that heartbeats find at it for longer than the lease keeps its requests", async () => {
  await using s = await openScene();
  s.holdWrites();
  const { id } = await createBatch(s.context, bodyOf(["Hello", "[[tokens 300]] [[rate 1]]"]));
  await until(async () => {
    if (s.writesHeld() > 0) return true;
    await s.pass(50);
    return false;
  }, "a write");
  for (let beat = 0; beat < 3; beat++) await s.beat();
  await s.pass(1);
  s.letWritesGo();
  await until(async () => (await s.count("batch_results")) === 1, "the result");
  assert.deepEqual(await another(s.timed.db), [], "another process took its requests");
  // And goes on with them: what was under way is neither ended nor asked again.
  for (let beat = 0; beat < 4; beat++) await s.beat();
  assert.deepEqual(await another(s.timed.db), []);
  assert.equal(await s.count("batch_chunks where lease_epoch = 1"), 1);
  await cancelBatch(s.context, id);
});

test("[BAT36] what heartbeats found locked ends with its lease, where the database cannot be asked", async () => {
  await using s = await openScene();
  await createBatch(s.context, bodyOf(["[[tokens 300]] [[rate 1]]"]));
  const underWay = () => catalogOf(s.world).underWay("simulator");
  await until(async () => {
    if (underWay() === 1) return true;
    await s.pass(50);
    return false;
  }, "its request to be under way");
  await s.beat();
  await s.timed.observer.tx(async (tx) => {
    await tx.query(sql`select from batch_chunks for no key update`);
    for (let beat = 0; beat < 2; beat++) await s.beat();
    assert.equal(underWay(), 1);
    s.loseDatabase();
    await s.pass(workLimits.leaseMs - 2 * workLimits.heartbeatMs);
    await until(async () => underWay() === 0, "its end").finally(s.findDatabase);
  });
});

test("[BAT36] requests whose renewal is never answered end with their lease", async () => {
  await using s = await openScene();
  await createBatch(s.context, bodyOf(["[[tokens 300]] [[rate 1]]"]));
  const underWay = () => catalogOf(s.world).underWay("simulator");
  await until(async () => {
    if (underWay() === 1) return true;
    await s.pass(50);
    return false;
  }, "its request to be under way");
  const renewal = s.delay("batch_chunks_renew", 0);
  await s.pass(workLimits.heartbeatMs);
  await renewal.came;
  await s.pass(workLimits.leaseMs);
  await until(async () => underWay() === 0, "its end", 5_000).finally(renewal.letGo);
});

test("[BAT36] requests are kept through a database that is away for a second less than their lease has left", async () => {
  await using s = await openScene();
  await createBatch(s.context, bodyOf(["[[tokens 300]] [[rate 1]]"]));
  await until(async () => {
    if (catalogOf(s.world).underWay("simulator") === 1) return true;
    await s.pass(50);
    return false;
  }, "its request to be under way");
  await s.beat();
  // No part of a heartbeat: each that fails makes the next come later.
  const step = 130;
  await s.pass(workLimits.heartbeatMs - step);
  s.loseDatabase();
  const awayMs = workLimits.leaseMs - workLimits.heartbeatMs - 1_000;
  for (let ms = 0; ms < awayMs; ms += step) await s.pass(step);
  s.findDatabase();
  for (let ms = 0; ms < 2_000; ms += step) {
    await s.pass(step);
    await s.renewed();
  }
  assert.equal(await s.count("batch_chunks where lease_epoch = 1"), 1);
});

test("[BAT36] what a process was told so late that its lease is over is not begun there", async () => {
  await using s = await openScene();
  const claim = s.delay("batches_claim", 1);
  await createBatch(s.context, bodyOf(["[[tokens 300]] [[rate 1]]"]));
  await claim.came;
  await s.pass(workLimits.leaseMs + 1);
  assert.equal((await another(s.timed.db)).length, 1);
  claim.letGo();
  for (let ms = 0; ms < workLimits.pollMs; ms += 100) {
    await s.pass(100);
    await s.renewed();
    assert.equal(catalogOf(s.world).underWay("simulator"), 0);
  }
});
