// Histories of writes that nobody thought of, against a naive model: one by one, in groups, and through the database.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { World } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import {
  applyWrite,
  type AppliedWrites,
  type WorkspaceState,
  type NewVersion,
  type MemoryWrite,
} from "../../server/memory/memories/apply.ts";
import type { Quotas } from "../../server/memory/settings.ts";
import { addStore, archiveStore } from "../../server/memory/stores/service.ts";
import { indexWords } from "../../server/memory/search/index-words.ts";
import { writeMemory as writeThere } from "../../server/memory/memories/group-writer.ts";
import { checkMemory } from "../simulation/memory-check.ts";
import { contextOf } from "../simulation/caller.ts";
import { addWorkspace } from "../simulation/memory-world.ts";
import {
  bytesOf,
  contentOf,
  emptyModel,
  endedAs,
  type Ended,
  modelWrite,
  type Model,
  named,
  stories,
  storeNames,
  writeOf,
  type Written,
} from "./memory-model.ts";
import { memoryPlace, type Place } from "./memory-place.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;
const now = new Date("2026-03-01T00:00:00Z");

interface Made {
  model: Model;
  ground: WorkspaceState;
  ids: string[];
  versions: NewVersion[];
}

function begin(othersInFirst: number): Made {
  const model = emptyModel();
  const first = model.stores.get("s0");
  if (first !== undefined) first.others = othersInFirst;
  const stores = new Map(
    [...model.stores].map(([id, { others }]) => [
      id,
      { isArchived: false, memories: others, bytes: 0 },
    ]),
  );
  return { model, ground: { stores, heads: new Map(), bytes: 0 }, ids: [], versions: [] };
}

function applyTo(made: Made, applied: AppliedWrites, write: MemoryWrite, quotas: Quotas): Ended {
  const given = {
    now,
    quotas,
    nextVersionId: () => `v${made.versions.length + applied.versions.length}`,
  };
  const before = structuredClone({ ground: made.ground, applied });
  try {
    return endedAs({ head: applyWrite(made.ground, applied, write, given) });
  } catch (failure) {
    assert.deepEqual({ ground: made.ground, applied }, before, "a refused write changes nothing");
    return endedAs({ failure });
  }
}

/** As the database would have them: a version that keeps a text has its own copy of it. */
function settle({ versions }: Made, { versions: added }: AppliedWrites): void {
  for (const version of added) {
    const from = versions.find(({ id }) => id === version.copyOf);
    assert.equal(from === undefined, version.copyOf === null, "a copy of what is not there");
    versions.push(from === undefined ? version : { ...version, text: from.text });
  }
}

function check({ model, ground: state, versions }: Made): void {
  const seen = versions.map(({ storeId, memoryId, operation, path, text, sha256, bytes }) => {
    const hash = text === null ? null : contentOf(text);
    assert.deepEqual([sha256, bytes], [hash?.sha256 ?? null, hash?.bytes ?? null]);
    return { storeId, memoryId, operation, path, text };
  });
  assert.deepEqual(seen, model.written, "a version for each change, none for what changed nothing");
  const heads = [...state.heads.values()];
  const live = [...model.stores].flatMap(([storeId, store]) =>
    [...store.live].map(([path, { id, text }]) => ({ storeId, path, id, ...contentOf(text) })),
  );
  assert.equal(heads.length, live.length);
  for (const { storeId, path, id, sha256, bytes } of live) {
    const head = state.heads.get(id);
    const last = versions.findLast(({ memoryId }) => memoryId === id);
    assert.deepEqual(
      [head?.storeId, head?.path, head?.sha256, head?.bytes, head?.versionId],
      [storeId, path, sha256, bytes, last?.id],
    );
  }
  for (const storeId of storeNames) {
    const paths = heads.filter((head) => head.storeId === storeId).map(({ path }) => path);
    for (const one of paths)
      for (const other of paths)
        assert.ok(one === other || !other.startsWith(`${one}/`), `${one} stands above ${other}`);
    assert.equal(new Set(paths).size, paths.length, "two at one path");
    const { memories, bytes } = state.stores.get(storeId) ?? {};
    const others = model.stores.get(storeId)?.others ?? 0;
    assert.deepEqual([memories, bytes], [paths.length + others, bytesOf(model, storeId)]);
  }
  assert.equal(state.bytes, bytesOf(model));
}

const seen = new Map<string, number>();
const wantedEnds = [
  "create",
  "update",
  "delete",
  "not_found_error",
  "memory_store_archived",
  "memory_precondition_failed_error",
  "memory_path_conflict_error",
  "memory_limit_exceeded",
  "storage_quota_exceeded",
];
const quotaOf = fc.constantFrom(60, 400, 1_000_000);

test("a history of writes is that of a map of paths, step by step", () => {
  const property = fc.property(
    stories(isLong ? 60 : 25),
    fc.constantFrom(0, 1_998, 1_998),
    quotaOf,
    (story, others, bytesMax) => {
      const made = begin(others);
      const quotas = { storesMax: 10, bytesMax };
      for (const { steps, archives } of story) {
        archive(made, archives);
        const applied: AppliedWrites = { versions: [], touched: new Set() };
        for (const drawn of steps) {
          const write = writeOf(drawn, made.model, made.ids, () => `m${made.ids.length}`);
          const ended = applyTo(made, applied, write, quotas);
          assert.deepEqual(ended, named(modelWrite(made.model, write, quotas), ended));
          const how = "failed" in ended ? ended.failed : write.act;
          seen.set(how, (seen.get(how) ?? 0) + 1);
        }
        settle(made, applied);
        check(made);
      }
    },
  );
  fc.assert(property, { numRuns: isLong ? 3_000 : 300 });
  for (const how of wantedEnds)
    assert.ok((seen.get(how) ?? 0) > 10, `${how} was hardly tried: ${JSON.stringify([...seen])}`);
});

function archive({ model, ground: state }: Made, at: number | null): void {
  const id = storeNames[at ?? storeNames.length] ?? "";
  const [known, store] = [model.stores.get(id), state.stores.get(id)];
  if (known === undefined || store === undefined) return;
  known.archived = true;
  store.isArchived = true;
}

/** Of the property that goes through the database: names are of one workspace, and told apart by it. */
const placed = (workspace: string, write: MemoryWrite): MemoryWrite => ({
  ...write,
  storeId: `${workspace} ${write.storeId}`,
  memoryId: `${workspace} ${write.memoryId}`,
});
const unplaced = (id: string) => id.slice(id.indexOf(" ") + 1);

async function run(world: World, workspace: string, write: MemoryWrite): Promise<Ended> {
  const ended = await writeThere(world, workspace, placed(workspace, write)).then(
    (head) => endedAs({ head }),
    (failure: unknown) => endedAs({ failure }),
  );
  const isConflict = "failed" in ended && ended.conflicts !== undefined;
  return isConflict ? { ...ended, conflicts: ended.conflicts?.map(unplaced) ?? [] } : ended;
}

async function addStores({ observer, at }: Place, workspace: string): Promise<void> {
  await addWorkspace(observer, workspace);
  const context = contextOf(at(0), workspace);
  for (const name of storeNames) {
    const id = `${workspace} ${name}`;
    const facts = { id, name, description: "", metadata: {}, isComplete: true };
    await observer.tx((tx) => addStore(tx, context, facts));
  }
}

/** Whoever comes first is alone in its group: it changes nothing, and the others wait for it together. */
const nothing: MemoryWrite = {
  act: "delete",
  storeId: "nowhere",
  memoryId: "mem_never",
  author: null,
  expectedSha256: null,
};

test("writes in one group end as they do one by one, and as the model says", async () => {
  const bytesMax = 300;
  await using place = await memoryPlace({
    worlds: 1,
    sections: { memory: { workspace_bytes_max: bytesMax } },
  });
  const { observer } = place;
  const { at } = place;
  let runs = 0;
  const property = fc.asyncProperty(stories(6), async (story) => {
    const world: World = at(0);
    const model = emptyModel();
    const ids: string[] = [];
    const [grouped, alone] = [`grouped-${++runs}`, `alone-${runs}`] as const;
    for (const workspace of [grouped, alone]) await addStores(place, workspace);
    for (const { steps, archives } of story) {
      const archived = storeNames[archives ?? storeNames.length] ?? "";
      const store = model.stores.get(archived);
      if (store !== undefined) store.archived = true;
      for (const workspace of [grouped, alone])
        if (store !== undefined)
          await archiveStore(contextOf(world, workspace), `${workspace} ${archived}`);
      const expected: Ended[] = [];
      const writes = steps.map((drawn) => {
        const write = writeOf(drawn, model, ids, () => `m${ids.length}`);
        expected.push(modelWrite(model, write, { storesMax: 10, bytesMax }));
        return write;
      });
      const first = run(world, grouped, nothing);
      const together = await Promise.all(writes.map((write) => run(world, grouped, write)));
      assert.deepEqual(await first, { failed: "not_found_error" });
      await indexWords(world, grouped, new AbortController().signal);
      const inTurn: Ended[] = [];
      for (const write of writes) inTurn.push(await run(world, alone, write));
      for (const all of [together, inTurn])
        for (const [index, ended] of all.entries())
          assert.deepEqual(ended, named(expected[index] ?? ended, ended));
    }
    for (const workspace of [grouped, alone])
      assert.deepEqual(await writtenIn(observer, workspace), model.written);
  });
  await fc.assert(property, { numRuns: isLong ? 150 : 20, endOnFailure: false });
  await checkMemory(observer);
});

test("a folder that a group empties but for one memory is not taken", async () => {
  await using place = await memoryPlace({ worlds: 1 });
  const workspace = "emptied";
  await addStores(place, workspace);
  const world = place.at(0);
  const some = { storeId: "s0", author: null } as const;
  const creation = (path: string): MemoryWrite => {
    const content = contentOf(path);
    return { ...some, act: "create", memoryId: `at${path}`, path, content };
  };
  const paths = ["1", "2", "3", "4", "5"].map((name) => `/folder/${name}`);
  for (const path of paths) await run(world, workspace, creation(path));
  const goes = (path: string): MemoryWrite => ({
    ...some,
    act: "delete",
    memoryId: `at${path}`,
    expectedSha256: null,
  });
  const inOneGroup = async (writes: readonly MemoryWrite[]) => {
    const ends = [nothing, ...writes].map((write) => run(world, workspace, write));
    return (await Promise.all(ends)).at(-1);
  };
  const all = await inOneGroup([...paths.slice(0, 4).map(goes), creation("/folder")]);
  assert.deepEqual(all, {
    failed: "memory_path_conflict_error",
    conflicts: ["at/folder/5"],
  });
  const { sha256, bytes } = contentOf("/folder");
  const taken = await inOneGroup([...paths.slice(4).map(goes), creation("/folder")]);
  assert.deepEqual(taken, { path: "/folder", sha256, bytes });
  await checkMemory(place.observer);
});

async function writtenIn(on: Queryable, workspace: string): Promise<Written[]> {
  const rows = await on.query<Written>(sql`
    select store_id as "storeId", memory_id as "memoryId", operation, path, content as text
    from memory_versions where store_id like ${`${workspace} %`} order by seq`);
  return rows.map((row) => ({
    ...row,
    storeId: unplaced(row.storeId),
    memoryId: unplaced(row.memoryId),
  }));
}
