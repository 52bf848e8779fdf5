// What a server asks itself before it listens: answered like a user's, and nothing of it is left.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { unavailable } from "../../kernel/base/failure.ts";
import { openLogger } from "../../kernel/observe/logger.ts";
import type { World } from "../../kernel/context.ts";
import type { Database, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { makeApp } from "../../server/app.ts";
import { warmUp } from "../../server/warm_up/module.ts";
import { openWorld } from "../../server/world.ts";
import { testDatabase } from "../postgres.ts";

/** A process that has begun no work of its own: jobs would leave rows too. */
async function openStill() {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await testDatabase());
  const dataDirectory = mkdtempSync(join(tmpdir(), "plinth-warm-"));
  opening.defer(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const log: Record<string, unknown>[] = [];
  const write = (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>);
  const { world, close } = await openWorld({
    dataDirectory,
    publicUrl: "",
    masterKey: undefined,
    metricsToken: null,
    workers: 1,
    logger: openLogger({ format: "json", level: "info", destination: { write } }),
    database: { kind: "external", serverVersion: "test", ...database },
  });
  opening.defer(close);
  const opened = opening.move();
  return { world, log, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

test("[OPS11] the warm-up has messages answered, whole and streamed, and leaves no trace", async () => {
  await using still = await openStill();
  const { world, log } = still;
  const tables = await world.db.query<{ name: string }>(sql`
    select relname as name from pg_stat_user_tables where schemaname = 'public' order by relname`);
  const rows = async () => {
    const counts: string[] = [];
    for (const { name } of tables) {
      const [row] = await world.db.query<{ count: string }>({
        text: `select count(*)::text as count from "${name}"`,
        values: [],
      });
      counts.push(`${name} ${row?.count}`);
    }
    return counts;
  };
  const [before, lines, numbers] = [await rows(), log.length, await requestsIn(world)];
  const answered: string[] = [];
  const makeWatched: typeof makeApp = (trial, options) => {
    const app = makeApp(trial, options);
    return {
      ...app,
      dispatch: (request, response) => {
        const writeHead = response.writeHead.bind(response) as (
          ...head: unknown[]
        ) => typeof response;
        response.writeHead = (...head: unknown[]) => {
          const type = /application\/json|text\/event-stream/.exec(JSON.stringify(head))?.[0];
          answered.push(`${request.method} ${request.url} ${String(head[0])} ${type}`);
          return writeHead(...head);
        };
        app.dispatch(request, response);
      },
    };
  };
  // As long as it takes: a busy machine would end it before the first stream.
  await warmUp(world, makeWatched, { askMsMax: 60_000, totalMsMax: 60_000 });
  const kinds = [...new Set(answered)].toSorted();
  assert.deepEqual(kinds, [
    "POST /v1/messages 200 application/json",
    "POST /v1/messages 200 text/event-stream",
  ]);
  assert.deepEqual(await rows(), before);
  assert.equal(log.length, lines, JSON.stringify(log.at(-1)));
  assert.equal(await requestsIn(world), numbers);
});

const requestsIn = async ({ metrics }: World) =>
  (await metrics.text())
    .split("\n")
    .filter((line) => line.startsWith("plinth_http"))
    .join("\n");

test("[OPS11] a warm-up that fails is told, and keeps no server from starting", async () => {
  await using still = await openStill();
  await warmUp(still.world, () => {
    throw new Error("no app today");
  });
  const last = still.log.at(-1);
  assert.equal(last?.["message"], "the warm-up did not finish");
  assert.match(String(last["error"]), /no app today/);
});

type Query = Tx["query"];
const away = () => unavailable("The database is away.");
const mishaps: Record<string, (query: Query, measured: Promise<void>) => Query> = {
  "goes away": () => () => Promise.reject(away()),
  hangs: (_, measured) => async () => {
    await measured;
    throw away();
  },
  "is slow": (query) => async (statement) => {
    await systemClock.sleep(200);
    return query(statement);
  },
};

for (const [what, broken] of Object.entries(mishaps))
  test(`[OPS11] a database that ${what} during the warm-up keeps no server from starting`, async () => {
    await using still = await openStill();
    const { db } = still.world;
    const measured = Promise.withResolvers<void>();
    const limping: Database = {
      ...db,
      tx: (work) =>
        db.tx((tx) => {
          let isLimping = false;
          const query: Query = (statement) => {
            // By then keys and models are known, and a request is under way.
            isLimping ||= statement.text.includes("ledger");
            return isLimping ? broken(tx.query, measured.promise)(statement) : tx.query(statement);
          };
          return work({ ...tx, query });
        }),
    };
    const startedMs = systemClock.monotonicMs();
    await warmUp({ ...still.world, db: limping }, makeApp);
    const tookMs = systemClock.monotonicMs() - startedMs;
    measured.resolve();
    assert.ok(tookMs < 10_000, `it took ${tookMs} ms`);
    assert.equal(still.log.at(-1)?.["message"], "the warm-up did not finish");
  });
