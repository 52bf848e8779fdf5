// Writers of several processes on the same stores: nothing is lost, counts and quotas are exact, paths stay a tree.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import { sql } from "../../kernel/sql/statement.ts";
import {
  createMemory,
  deleteMemory,
  retrieveMemory,
  updateMemory,
} from "../../server/memory/memories/service.ts";
import { createStore, deleteStore } from "../../server/memory/stores/service.ts";
import { checkMemory } from "../simulation/memory-check.ts";
import { memoryPlace, type Place, workspaceId } from "./memory-place.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;
const worlds = 8;
const writers = 64;

const times = <T>(count: number, of: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => of(at));

/** How each ended: "done", or why not. A bug is thrown. */
async function endOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof Failure) return error.options.code ?? error.type;
    throw error;
  }
}

async function countEnds(works: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const end of await Promise.all(works.map(endOf))) counts[end] = (counts[end] ?? 0) + 1;
  return counts;
}

const addStore = async ({ at }: Place) => (await createStore(at(0), { name: "Shared" })).id;

/** Reads, adds a line and writes, until nobody was quicker. */
async function appendLine(context: Context, storeId: string, id: string, line: string) {
  const params = { memory_store_id: storeId, memory_id: id };
  for (let refused = 0; ; refused++) {
    const { content, content_sha256 } = await retrieveMemory(context, params, {});
    const body = { content: `${content}${line}\n`, content_sha256 };
    const end = await endOf(updateMemory(context, params, body, {}));
    if (end === "done") return refused;
    assert.equal(end, "memory_precondition_failed_error");
  }
}

test("[MEM13] 64 writers of 8 processes add lines to one memory: each is there once, a version for each", async (t) => {
  await using place = await memoryPlace({ worlds, skewMs: (number) => (number - 4) * 60_000 });
  const { at, observer } = place;
  const storeId = await addStore(place);
  const { id } = await createMemory(at(0), storeId, { path: "/log", content: "" }, {});
  const params = { memory_store_id: storeId, memory_id: id };
  const each = isLong ? 6 : 2;
  const refused = await Promise.all(
    times(writers, async (writer) => {
      let sum = 0;
      for (let line = 0; line < each; line++) {
        sum += await appendLine(at(writer), storeId, id, `${writer} ${line}`);
        // Whoever reads from now on, reads it, wherever.
        const seen = await retrieveMemory(at(writer + line), params, {});
        assert.ok(seen.content?.split("\n").includes(`${writer} ${line}`));
      }
      return sum;
    }),
  );
  const { content } = await retrieveMemory(at(1), params, {});
  const expected = times(writers, (writer) => times(each, (line) => `${writer} ${line}`)).flat();
  assert.deepEqual(content?.trimEnd().split("\n").sort(), expected.sort());
  const { versions } = await checkMemory(observer);
  assert.equal(versions.length, 1 + expected.length);
  const all = refused.reduce((sum, one) => sum + one, 0);
  t.diagnostic(`${all} were too late and read again`);
  assert.ok(all > writers, "hardly anybody was too late");
});

test("[MEM10] of 2,100 creators exactly 2,000 succeed, and each place that is freed is taken once", async () => {
  await using place = await memoryPlace({ worlds });
  const { at, observer } = place;
  const storeId = await addStore(place);
  const create = (number: number) =>
    createMemory(at(number), storeId, { path: `/${number % 30}/${number}`, content: "x" }, {});
  const made = times(2_100, create);
  assert.deepEqual(await countEnds(made), { done: 2_000, memory_limit_exceeded: 100 });
  const ids = (await Promise.allSettled(made)).flatMap((end) =>
    end.status === "fulfilled" ? [end.value.id] : [],
  );
  const paramsOf = (number: number) => ({
    memory_store_id: storeId,
    memory_id: ids[number] ?? "",
  });
  // A full store is changed and emptied as any other.
  const updates = times(40, (n) =>
    updateMemory(at(n), paramsOf(n + 100), { content: `${n}`, path: `/moved/${n}` }, {}),
  );
  const works = times(60, (n) => [
    ...(n % 3 === 0 ? [deleteMemory(at(n), paramsOf(n), undefined)] : []),
    create(3_000 + n),
  ]).flat();
  const gone = 20;
  const [updated, ended] = await Promise.all([countEnds(updates), countEnds(works)]);
  assert.deepEqual(updated, { done: 40 });
  const { done = 0, memory_limit_exceeded: refused = 0 } = ended;
  assert.equal(done + refused, 80);
  const { stores, heads } = await checkMemory(observer);
  assert.equal(heads.length, 2_000 - gone + (done - gone));
  assert.ok(heads.length <= 2_000);
  const missing = 2_000 - heads.length;
  const filled = await countEnds(times(missing + 5, (n) => create(4_000 + n)));
  const full = { memory_limit_exceeded: 5, ...(missing > 0 && { done: missing }) };
  assert.deepEqual(filled, full);
  assert.equal(stores.length, 1);
  // More rows than one statement of the clean-up takes.
  await deleteStore(at(0), storeId);
  await place.runJobs();
  assert.deepEqual(await checkMemory(observer), { stores: [], heads: [], versions: [] });
});

test("[MEM24] the quota of bytes is used to the last byte and never passed, over several stores", async () => {
  const sections = { memory: { workspace_bytes_max: 10_000 } };
  await using place = await memoryPlace({ worlds, sections });
  const { at, observer } = place;
  const stores = await Promise.all(times(3, () => addStore(place)));
  const create = (number: number, bytes: number) => {
    const body = { path: `/${number}`, content: "x".repeat(bytes) };
    return createMemory(at(number), stores[number % 3] ?? "", body, {});
  };
  const odd = await countEnds(times(150, (number) => create(number, 90 + (number % 3) * 10)));
  assert.equal((odd["done"] ?? 0) + (odd["storage_quota_exceeded"] ?? 0), 150);
  const taken = async () => {
    const found = await checkMemory(observer);
    return found.stores.reduce((sum, { bytes }) => sum + bytes, 0);
  };
  const first = await taken();
  assert.ok(first > 10_000 - 90 && first <= 10_000, `${first}: whatever was refused had no room`);
  const left = 10_000 - first;
  const ones = await countEnds(times(left + 40, (number) => create(1_000 + number, 1)));
  assert.deepEqual(ones, { storage_quota_exceeded: 40, ...(left > 0 && { done: left }) });
  assert.equal(await taken(), 10_000);
  // What goes with a store makes room for exactly as much.
  const [gone = ""] = stores.splice(0, 1);
  const before = (await checkMemory(observer)).stores.find(({ id }) => id === gone);
  await deleteStore(at(0), gone);
  stores.unshift(await addStore(place));
  const room = Math.floor((before?.bytes ?? 0) / 100);
  const again = await countEnds(times(room + 20, (number) => create(9_000 + number, 100)));
  assert.deepEqual(again, { done: room, storage_quota_exceeded: 20 });
  await place.runJobs();
  await checkMemory(observer);
});

test("[MEM24] the quota of stores is exact under a race", async () => {
  const sections = { memory: { workspace_stores_max: 10 } };
  await using place = await memoryPlace({ worlds, sections });
  const { at, observer } = place;
  const create = (number: number) => createStore(at(number), { name: `Store ${number}` });
  assert.deepEqual(await countEnds(times(40, create)), { done: 10, storage_quota_exceeded: 30 });
  const { stores } = await checkMemory(observer);
  const gone = stores.slice(0, 4).map(({ id }, number) => deleteStore(at(number), id));
  // The same twice: one of them finds nothing.
  const twice = stores.slice(0, 4).map(({ id }, number) => deleteStore(at(number + 1), id));
  assert.deepEqual(await countEnds([...gone, ...twice]), { done: 4, not_found_error: 4 });
  assert.deepEqual(await countEnds(times(9, create)), { done: 4, storage_quota_exceeded: 5 });
  await place.runJobs();
  await checkMemory(observer);
});

test("[MEM8] swaps, cycles and parents beside children never end in a conflict of paths", async (t) => {
  await using place = await memoryPlace({ worlds });
  const { at, observer } = place;
  const storeId = await addStore(place);
  const names = ["a", "b", "c", "d", "e", "f"];
  const paths = names.flatMap((one) => [
    `/${one}`,
    ...names.flatMap((two) => [`/${one}/${two}`, `/${one}/${two}/x`]),
  ]);
  const ids: string[] = [];
  const pick = <T>(from: readonly T[], number: number) => from[number % from.length];
  const ends: Record<string, number> = {};
  const rounds = isLong ? 60 : 15;
  await Promise.all(
    times(writers, async (writer) => {
      for (let round = 0; round < rounds; round++) {
        // Any order will do, as long as it is not the same for all.
        const number = (writer * 7_919 + round * 104_729 + 13) % 1_000_003;
        const path = pick(paths, number) ?? "";
        const params = { memory_store_id: storeId, memory_id: pick(ids, number >> 3) ?? "none" };
        const act = number % 5;
        const content = `${writer} ${round}`;
        const work =
          act < 2
            ? createMemory(at(writer), storeId, { path, content }, {}).then(({ id }) =>
                ids.push(id),
              )
            : act < 4
              ? updateMemory(at(writer), params, act === 2 ? { path } : { path, content }, {})
              : deleteMemory(at(writer), params, undefined);
        const end = await endOf(work);
        ends[end] = (ends[end] ?? 0) + 1;
      }
    }),
  );
  t.diagnostic(JSON.stringify(ends));
  const { done = 0, memory_path_conflict_error: conflicts = 0, not_found_error = 0 } = ends;
  assert.equal(done + conflicts + not_found_error, writers * rounds, JSON.stringify(ends));
  assert.ok(done > 100 && conflicts > 100, "the race tried too little");
  await checkMemory(observer);
  assert.equal((await countOf(place)) <= done, true);
});

async function countOf({ observer }: Place): Promise<number> {
  const [row] = await observer.query<{ count: number }>(
    sql`select count(*) as count from memory_versions`,
  );
  return row?.count ?? 0;
}

test("[MEM8] many create one path, its parent and its child at once: one stands", async () => {
  await using place = await memoryPlace({ worlds });
  const { at, observer } = place;
  for (let round = 0; round < (isLong ? 40 : 6); round++) {
    const storeId = await addStore(place);
    const some = ["/a", "/a/b", "/a/b/c"];
    const works = times(24, (n) =>
      createMemory(at(n), storeId, { path: some[(n + round) % 3] ?? "", content: `${n}` }, {}),
    );
    assert.deepEqual(await countEnds(works), { done: 1, memory_path_conflict_error: 23 });
  }
  await checkMemory(observer);
  const [row] = await observer.query<{ seq: number }>(
    sql`select seq from memory_workspaces where workspace_id = ${workspaceId}`,
  );
  assert.equal(row?.seq, await countOf(place));
});
