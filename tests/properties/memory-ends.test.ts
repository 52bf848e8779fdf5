// What ends racing with writers of several processes: archived and deleted stores, redacted and swept versions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import type { JobRun } from "../../kernel/jobs/run.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/memory/limits.ts";
import { createMemory, deleteMemory, updateMemory } from "../../server/memory/memories/service.ts";
import { kinds } from "../../server/memory/module.ts";
import { archiveStore, createStore, deleteStore } from "../../server/memory/stores/service.ts";
import { redactVersion } from "../../server/memory/versions.ts";
import { checkMemory } from "../simulation/memory-check.ts";
import { memoryPlace, type Place } from "./memory-place.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;
const worlds = 4;
const rounds = isLong ? 20 : 3;

const skewMs = (number: number) => (number - 2) * 90_000;
const sweepKind = "memory.sweep";
const names = Array.from({ length: 16 }, (_, number) => `/${number % 4}/${number}`);

/** Each end that was said, in the order in which it was heard. */
interface Told {
  /** When it was asked: before something else was known, or after. */
  afterwards: boolean;
  end: string;
}

interface Load extends AsyncDisposable {
  told: Told[];
  /** From now on everybody knows. */
  know(): void;
  /** After so many more ends. */
  heard(more: number): Promise<void>;
  stop(): Promise<void>;
}

/** One writer for each memory, now a new text, now another path, without end. */
async function write(place: Place, storeId: string): Promise<Load> {
  const told: Told[] = [];
  const over = new AbortController();
  let known = false;
  let listening: { count: number; heard: () => void } | undefined;
  const ids = await Promise.all(
    names.map(async (path, number) => {
      const made = createMemory(place.at(number), storeId, { path, content: "first" }, {});
      return (await made).id;
    }),
  );
  const writer = async (number: number) => {
    for (let round = 0; !over.signal.aborted; round++) {
      const params = { memory_store_id: storeId, memory_id: ids[number] ?? "" };
      const path = `${names[number]}${round % 3 === 0 ? ".moved" : ""}`;
      const body = { path, content: `${number} ${round}` };
      const one: Told = { afterwards: known, end: "done" };
      await updateMemory(place.at(number + round), params, body, {}).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        one.end = error.options.code ?? error.type;
      });
      told.push(one);
      if (listening !== undefined && told.length >= listening.count) listening.heard();
    }
  };
  const all = Promise.all(names.map((_, number) => writer(number)));
  // Whoever waits for more ends hears of a writer that broke.
  all.catch(() => {});
  return {
    told,
    know: () => {
      known = true;
    },
    heard: async (more) => {
      const enough = new Promise<void>((heard) => {
        listening = { count: told.length + more, heard };
      });
      await Promise.race([enough, all]);
    },
    stop: async () => {
      over.abort();
      await all;
    },
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await Promise.allSettled([all]);
    },
  };
}

function checkTold({ told }: Load, refusal: string): void {
  for (const { afterwards, end } of told)
    assert.ok(end === refusal || (end === "done" && !afterwards), `${end}, ${afterwards}`);
  for (const end of ["done", refusal])
    assert.ok(
      told.some((one) => one.end === end),
      end,
    );
}

test("[MEM23] nothing is written after a store was archived, whatever the clocks say", async () => {
  await using place = await memoryPlace({ worlds, skewMs });
  for (let round = 0; round < rounds; round++) {
    const { id } = await createStore(place.at(0), { name: "Shared" });
    await using load = await write(place, id);
    await load.heard(60);
    const { archived_at } = await archiveStore(place.at(round), id);
    load.know();
    const again = await archiveStore(place.at(round + 1), id);
    assert.equal(again.archived_at, archived_at);
    await load.heard(60);
    await load.stop();
    checkTold(load, "memory_store_archived");
    const { versions } = await checkMemory(place.observer);
    const done = load.told.filter(({ end }) => end === "done").length;
    const mine = versions.filter(({ store_id }) => store_id === id);
    assert.equal(mine.length, names.length + done);
  }
});

test("[MEM4] of a store that was deleted under its writers nothing is left once jobs ran", async () => {
  await using place = await memoryPlace({ worlds });
  const { observer } = place;
  const { id: other } = await createStore(place.at(0), { name: "Other" });
  await using kept = await write(place, other);
  for (let round = 0; round < rounds; round++) {
    const { id } = await createStore(place.at(round), { name: "Shared" });
    await using load = await write(place, id);
    await load.heard(60);
    await deleteStore(place.at(round), id);
    load.know();
    const jobs = place.runJobs();
    await load.heard(60);
    await load.stop();
    await jobs;
    checkTold(load, "not_found_error");
  }
  await kept.stop();
  const { stores } = await checkMemory(observer);
  assert.deepEqual(
    stores.map(({ id }) => id),
    [other],
  );
});

test("[MEM22] a sweep that meets the rows of a deleted store takes no bytes from the others", async () => {
  await using place = await memoryPlace({ worlds });
  const { observer } = place;
  const world = place.at(0);
  const [first, second] = await Promise.all(
    ["First", "Second"].map((name) => createStore(place.at(0), { name })),
  );
  assert.ok(first !== undefined && second !== undefined);
  for (const { id: memory_store_id } of [first, second])
    for (const path of names) {
      const made = createMemory(world, memory_store_id, { path, content: "some text" }, {});
      const { id: memory_id } = await made;
      // What was deleted keeps none of its versions for ever.
      if (path.endsWith("1")) await deleteMemory(world, { memory_store_id, memory_id }, undefined);
    }
  await age(place, 4 * names.length);
  // Between its look at the stores and its work, both may go.
  const sweep = kinds.find(({ kind }) => kind === sweepKind);
  const db: World["db"] = {
    ...world.db,
    query: async (statement) => {
      const rows = await world.db.query(statement);
      await deleteStore(place.at(1), first.id);
      return rows as never;
    },
  };
  const run = { signal: new AbortController().signal, finish: () => Promise.resolve() };
  await sweep?.run({ ...world, db }, run as unknown as JobRun);
  await place.runJobs();
  const { stores } = await checkMemory(observer, { swept: true });
  assert.deepEqual(
    stores.map(({ id, memories }) => [id, memories]),
    [[second.id, names.filter((path) => !path.endsWith("1")).length]],
  );
});

/** All versions up to that number are older than anything is kept. */
async function age({ observer }: Place, seq: number): Promise<void> {
  const ms = limits.retentionMs + 60_000;
  await observer.query(sql`
    update memory_versions set created_at = created_at - ${ms} * interval '1 millisecond'
    where seq <= ${seq}`);
}

test("[MEM22] sweeps under writers: heads and the ten newest stay, bytes are what is left", async () => {
  await using place = await memoryPlace({ worlds });
  const { observer } = place;
  const { id: storeId } = await createStore(place.at(0), { name: "Shared" });
  await using load = await write(place, storeId);
  const enqueueSweep = () =>
    observer.tx((tx) => enqueue(tx, place.at(0), { kind: sweepKind, payload: {} }));
  for (let round = 0; round < rounds; round++) {
    await load.heard(400);
    const { versions } = await checkMemory(await stillAt(place), { swept: true });
    await age(place, versions.at(-100)?.seq ?? 0);
    await enqueueSweep();
    const some = load.heard(100);
    await place.runJobs();
    await some;
  }
  await load.stop();
  for (const { end } of load.told) assert.equal(end, "done");
  const before = await checkMemory(observer, { swept: true });
  await age(place, before.versions.at(-1)?.seq ?? 0);
  await enqueueSweep();
  await place.runJobs();
  const { versions, heads } = await checkMemory(observer, { swept: true });
  const kept = Map.groupBy(versions, ({ memory_id }) => memory_id);
  assert.equal(heads.length, names.length);
  for (const { id } of heads) {
    const history = before.versions.filter(({ memory_id }) => memory_id === id);
    assert.deepEqual(kept.get(id), history.slice(-limits.versionsAlwaysKept).map(aged));
  }

  function aged(version: (typeof versions)[number]) {
    const created_at = kept.get(version.memory_id)?.find(({ id }) => id === version.id)?.created_at;
    return { ...version, created_at };
  }
});

/** What a transaction sees that began now: all tables as of one moment. */
async function stillAt({ observer }: Place) {
  const tables: object[][] = [];
  const asked: string[] = [];
  await observer.tx(
    async (tx) => {
      await checkMemory(
        {
          query: async (statement) => {
            const rows = await tx.query(statement);
            tables.push(rows);
            asked.push(statement.text);
            return rows as never;
          },
        },
        { swept: true },
      );
    },
    { isolation: "repeatable read" },
  );
  return {
    query: ({ text }: { text: string }) => Promise.resolve(tables[asked.indexOf(text)] as never),
  };
}

test("[MEM20] a version is redacted under writers and deleters: never a head, and never back", async (t) => {
  await using place = await memoryPlace({ worlds, skewMs });
  const { observer, at } = place;
  const ends: Record<string, number> = {};
  const redacted = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const { id: memory_store_id } = await createStore(at(0), { name: "Shared" });
    const { id: memory_id, ...made } = await createMemory(
      at(0),
      memory_store_id,
      { path: "/a", content: "secret" },
      {},
    );
    const params = { memory_store_id, memory_id };
    const known = [made.memory_version_id];
    const redact = async (number: number) => {
      const memory_version_id = known.at(-1 - (number % 2)) ?? known[0] ?? "";
      const end = await redactVersion(at(number), { memory_store_id, memory_version_id }, {}).then(
        () => "redacted",
        (error: unknown) => {
          if (!(error instanceof Failure)) throw error;
          return error.options.code ?? error.type;
        },
      );
      if (end === "redacted") redacted.add(memory_version_id);
      ends[end] = (ends[end] ?? 0) + 1;
    };
    for (let turn = 0; turn < 12; turn++) {
      // Now the text stays under another path, now it changes: the copy is made while its origin may go.
      const body = turn % 2 === 0 ? { path: `/${turn}` } : { content: `text ${turn}` };
      const [{ memory_version_id }] = await Promise.all([
        updateMemory(at(turn), params, body, {}),
        ...Array.from({ length: 4 }, (_, number) => redact(number)),
      ]);
      known.push(memory_version_id);
    }
    await Promise.all([deleteMemory(at(1), params, undefined), redact(0), redact(2)]);
    await redact(0);
  }
  t.diagnostic(JSON.stringify(ends));
  const { redacted: done = 0, memory_version_is_head: refused = 0, ...others } = ends;
  assert.deepEqual(others, {});
  assert.ok(done > 10 && refused > 5, "the race tried too little");
  await place.runJobs();
  const { versions } = await checkMemory(observer);
  const seen = versions.filter(({ redacted_at }) => redacted_at !== null).map(({ id }) => id);
  assert.deepEqual(seen.sort(), [...redacted].sort());
  // The rows that said it, and those that found it, are free: until then they are in the files.
  const freed = await observer.query<{ name: string }>(sql`
    select relname as name from pg_stat_user_tables
    where relname in ('memories', 'memory_versions') and vacuum_count > 0 order by relname`);
  assert.deepEqual(freed, [{ name: "memories" }, { name: "memory_versions" }]);
});
