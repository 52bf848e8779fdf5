// Rules MEM22 and MEM23, over HTTP: how long versions stay, and a clock that does not always go forward.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { schedules } from "../../server/memory/module.ts";
import { errorOf, openTimedMemoryHouse } from "./memory-house.ts";
import { hours, minutes } from "./support.ts";

let m: Awaited<ReturnType<typeof openTimedMemoryHouse>>;
before(async () => {
  m = await openTimedMemoryHouse();
});
after(() => m[Symbol.asyncDispose]());

const days = (count: number) => hours(24 * count);

/** What goes every night, now. */
async function sweep(): Promise<void> {
  const { world } = m.house;
  const nightly = schedules.find(({ name }) => name === "memory.sweep");
  assert.deepEqual(nightly?.timing, { everyMs: days(1) });
  const job = nightly?.job(world.clock.now()) ?? assert.fail("no schedule");
  await world.db.tx((tx) => enqueue(tx, world, job));
  await m.idle();
}

/** A memory with so many versions, a minute apart, the first as old as now. */
async function written(store: string, path: string, versions: number): Promise<string> {
  const { id } = await m.create(store, path, `${path} 1`);
  for (let at = 2; at <= versions; at++) {
    m.wall.advance(minutes(1));
    await m.update(store, id, { content: `${path} ${at}` });
  }
  return id;
}

const textsOf = async (store: string, memory_id: string) =>
  (await m.versions(store, { memory_id, view: "full" })).map(({ content }) => content);

test("[MEM22] a version of less than 30 days stays, whatever became of its memory", async () => {
  const { id: store } = await m.store();
  const begun = m.wall.now();
  const id = await written(store, "/a", 13);
  await m.remove(store, id);
  m.wall.jumpTo(new Date(begun.getTime() + days(30)));
  await sweep();
  assert.equal((await m.versions(store)).length, 14);
  m.wall.advance(1);
  await sweep();
  assert.deepEqual((await textsOf(store, id)).at(-1), "/a 2");
  assert.equal((await m.versions(store)).length, 13);
});

test("[MEM22] of a live memory the head and the ten newest stay for ever, and the bytes of others are free", async () => {
  const { id: store } = await m.store();
  const many = await written(store, "/many", 12);
  const ten = await written(store, "/ten", 10);
  const one = await written(store, "/one", 1);
  const gone = await written(store, "/gone", 3);
  await m.remove(store, gone);
  const { size_bytes } = await m.storeOf(store);
  m.wall.advance(days(400));
  await sweep();
  const newest = Array.from({ length: 10 }, (_, at) => `/many ${12 - at}`);
  assert.deepEqual(await textsOf(store, many), newest);
  assert.equal((await textsOf(store, ten)).length, 10);
  assert.deepEqual(await textsOf(store, one), ["/one 1"]);
  assert.deepEqual(await textsOf(store, gone), []);
  const freed = "/many 1".length + "/many 2".length + 3 * "/gone 1".length;
  const after = await m.storeOf(store);
  assert.deepEqual([after.size_bytes, after.memory_count], [size_bytes - freed, 3]);
  assert.equal((await m.memory(store, many)).content, "/many 12");

  await m.update(store, many, { content: "/many 13" });
  m.wall.advance(days(1));
  await sweep();
  assert.deepEqual(await textsOf(store, many), ["/many 13", ...newest.slice(0, 9)]);
  await m.remove(store, ten);
  m.wall.advance(days(1));
  await sweep();
  const left = await m.versions(store, { memory_id: ten });
  assert.deepEqual(
    left.map(({ operation }) => operation),
    ["deleted"],
  );
  m.wall.advance(days(29) + 1);
  await sweep();
  assert.deepEqual(await m.versions(store, { memory_id: ten }), []);
});

test("[MEM22] archived stores are swept too, redacted versions as others, and a second sweep finds nothing", async () => {
  const { id: store } = await m.store();
  const id = await written(store, "/a", 12);
  const versions = await m.versions(store, { memory_id: id });
  await m.redact(store, versions.at(-1)?.id ?? "");
  await m.redact(store, versions[3]?.id ?? "");
  await m.good("POST", `/${store}/archive`);
  m.wall.advance(days(31));
  await sweep();
  const left = await m.versions(store, { memory_id: id });
  assert.deepEqual(
    left.map((version) => version.id),
    versions.slice(0, 10).map((version) => version.id),
  );
  const { size_bytes } = await m.storeOf(store);
  await sweep();
  assert.equal((await m.storeOf(store)).size_bytes, size_bytes);
  const [old] = versions.slice(-1);
  errorOf(await m.call("GET", `/${store}/memory_versions/${old?.id}`), 404);
});

test("[MEM23] a clock that runs back does not turn the order of versions, nor of what else happens", async () => {
  const { id: store } = await m.store();
  const made = await m.create(store, "/a", "1");
  const before = m.wall.now();
  m.wall.advance(-days(2));
  const back = await m.update(store, made.id, { content: "2" });
  assert.deepEqual([back.created_at, back.updated_at], [made.created_at, before.toISOString()]);
  m.wall.advance(minutes(1));
  const other = await m.create(store, "/b", "3");
  assert.equal(other.created_at, before.toISOString());
  m.wall.jumpTo(new Date(before.getTime() + minutes(1)));
  await m.update(store, made.id, { content: "4" });
  const versions = await m.versions(store, { view: "full", limit: 1 });
  assert.deepEqual(
    versions.map(({ content }) => content),
    ["4", "3", "2", "1"],
  );
  const times = versions.map(({ created_at }) => created_at);
  assert.deepEqual(times, times.toSorted().toReversed());
  m.wall.advance(-days(1));
  const archived = await m.good<{ archived_at: string; created_at: string; updated_at: string }>(
    "POST",
    `/${store}/archive`,
  );
  assert.ok(archived.archived_at >= archived.created_at);
  assert.ok(archived.updated_at >= archived.created_at);
  m.wall.advance(days(1));
});
