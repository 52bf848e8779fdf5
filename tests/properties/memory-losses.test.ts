// Groups of writes that break: a commit whose answer is lost, and a write that no database takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../kernel/base/logger.ts";
import { Failure } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { openPool, type Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { LiveMemory, MemoryWrite } from "../../server/memory/memories/apply.ts";
import { createStore } from "../../server/memory/stores/service.ts";
import { writeMemory as write } from "../../server/memory/memories/group-writer.ts";
import { scratch } from "../kernel/sql-harness.ts";
import { openPausableSocket } from "../money/batches-pausable-socket.ts";
import { until } from "../rules/support.ts";
import { checkMemory } from "../simulation/memory-check.ts";
import { contentOf } from "./memory-model.ts";
import { memoryPlace, type Place, workspaceId } from "./memory-place.ts";

const creation = (storeId: string, name: string, text = name, id = name): MemoryWrite => ({
  act: "create",
  storeId,
  memoryId: `mem_${id}`,
  author: { type: "api", id: "apikey_1" },
  path: `/${name}`,
  content: contentOf(text),
});

type Settled = PromiseSettledResult<LiveMemory | null>;

const codeOf = (end: Settled | undefined) => {
  if (end?.status !== "rejected") return end?.status;
  const { reason } = end as { reason: unknown };
  return reason instanceof Failure ? (reason.options.code ?? reason.type) : "a bug";
};

const namesIn = async ({ observer }: Place) => {
  const { heads } = await checkMemory(observer);
  return heads.map(({ id }) => id.replace("mem_", "")).sort();
};

const addStore = async ({ at }: Place) => (await createStore(at(0), { name: "Shared" })).id;

test("[MEM13] all who wait for a commit whose answer is lost are told so, and who comes after them is served", async () => {
  await using place = await memoryPlace({ worlds: 1 });
  using home = scratch();
  await using way = await openPausableSocket(place.connection, home.path);
  const db = openPool({ connection: way.connection, connectionsMax: 2, logger: silentLogger });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => db.close());
  const world: World = { ...place.at(0), db };
  const storeId = await addStore(place);
  // The first is alone in its group; the others come together while it is under way.
  const first = write(world, workspaceId, creation(storeId, "first"));
  const group = ["a", "b", "c"].map((name) => write(world, workspaceId, creation(storeId, name)));
  const refused = write(world, workspaceId, creation(storeId, "a", "", "other"));
  const ends = Promise.allSettled([...group, refused]);
  await first;
  way.holdAt("committed");
  const late = until(() => Promise.resolve(way.isHeld()), "the commit is held").then(() =>
    write(world, workspaceId, creation(storeId, "late")),
  );
  const early = ends.then((settled) =>
    assert.fail(`no commit was held: ${settled.map(codeOf).join(", ")}`),
  );
  await Promise.race([until(() => Promise.resolve(way.isHeld()), "the commit is held"), early]);
  early.catch(() => {});
  way.cut();
  for (const end of await ends) {
    assert.equal(codeOf(end), "commit_outcome_unknown");
    const { reason } = end as { reason: Failure };
    assert.equal(reason.status, 503);
    assert.equal(reason.options.headers?.["x-should-retry"], "false");
  }
  assert.equal((await late)?.path, "/late");
  assert.deepEqual(await namesIn(place), ["a", "b", "c", "first", "late"]);
});

test("[MEM13] a connection that breaks before the commit saves nothing, and says so", async () => {
  await using place = await memoryPlace({ worlds: 1 });
  const world = place.at(0);
  const { db } = world;
  const storeId = await addStore(place);
  const broken: World = { ...world, db: { ...db, tx: breaksAt(db, /memory_write_group/) } };
  const ends = await Promise.allSettled(
    ["a", "b", "c"].map((name) => write(broken, workspaceId, creation(storeId, name))),
  );
  for (const end of ends) assert.equal(codeOf(end), "database_away");
  assert.deepEqual(await namesIn(place), []);
});

/** The server ends the connection before a statement of that name. */
const breaksAt =
  (db: Database, at: RegExp): Database["tx"] =>
  (work, options) =>
    db.tx(
      (tx) =>
        work({
          ...tx,
          query: async (statement) => {
            if (at.test(statement.name ?? ""))
              await tx.query(sql`select pg_terminate_backend(pg_backend_pid())`);
            return tx.query(statement);
          },
        }),
      options,
    );

test("[MEM13] a write that breaks its statement takes none of its group with it", async () => {
  await using place = await memoryPlace({ worlds: 1 });
  const world = place.at(0);
  const storeId = await addStore(place);
  const first = write(world, workspaceId, creation(storeId, "first"));
  const texts = ["fine", "poison", "good", "venom"];
  const group = texts.map((name, at) =>
    // PostgreSQL takes no U+0000; routes refuse it, so here it stands for any bug.
    write(world, workspaceId, creation(storeId, name, at % 2 === 1 ? "\0" : name)),
  );
  const twice = write(world, workspaceId, creation(storeId, "fine", "", "other"));
  const [fine, poison, good, venom, taken] = await Promise.allSettled([...group, twice]);
  await first;
  assert.deepEqual([fine, poison, good, venom, taken].map(codeOf), [
    "fulfilled",
    "a bug",
    "fulfilled",
    "a bug",
    "memory_path_conflict_error",
  ]);
  assert.deepEqual(await namesIn(place), ["fine", "first", "good"]);
  assert.equal((await write(world, workspaceId, creation(storeId, "after")))?.path, "/after");
});

test("[MEM13] a write is not said to be saved while the first store of its workspace is being made", async () => {
  await using place = await memoryPlace({ worlds: 2 });
  const world = place.at(0);
  const { db } = world;
  const storeId = "memstore_guessed";
  let made: Promise<unknown> | undefined;
  const ids = { ...place.at(1).ids, next: () => storeId };
  // The store comes between the lock that finds no workspace and the look at its stores.
  const tx: Database["tx"] = (work, options) =>
    db.tx(
      (inner) =>
        work({
          ...inner,
          query: async (statement) => {
            const rows = await inner.query(statement);
            await (made ??= createStore({ ...place.at(1), ids }, { name: "First" }));
            return rows as never;
          },
        }),
      options,
    );
  const wanted = write({ ...world, db: { ...db, tx } }, workspaceId, creation(storeId, "a"));
  const [end] = await Promise.allSettled([wanted]);
  assert.equal(codeOf(end), "not_found_error");
  assert.deepEqual(await namesIn(place), []);
});
