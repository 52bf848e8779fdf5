// Rules MEM51 to MEM53: an import is seen whole or not at all, within its quotas; who is slow holds nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { indexWords } from "../../server/memory/search/index-words.ts";
import { checkMemory } from "../simulation/memory-check.ts";
import { errorOf, openMemoryHouse, openTimedMemoryHouse } from "./memory-house.ts";
import { entriesOf, tarOf, transfersOf } from "./memory-transfer-house.ts";
import { hours, until } from "./support.ts";

type Opened = Awaited<ReturnType<typeof openTimedMemoryHouse>>;
let opened: Opened;
let stores: ReturnType<typeof transfersOf>;
before(async () => {
  opened = await openTimedMemoryHouse();
  stores = transfersOf(opened.house, opened.platform);
});
after(() => opened[Symbol.asyncDispose]());

const files = (count: number, bytes: number, name = "file") =>
  Array.from({ length: count }, (_, at) => ({
    name: `${name}-${at}.md`,
    content: String(at % 10).repeat(bytes),
  }));

const rowsLeft = async () => {
  const [row] = await opened.house.world.db.query<{ left: number }>(sql`
    select (select count(*) from memory_stores where not is_complete)::int
      + (select count(*) from memory_versions where store_id not in (select id from memory_stores))::int
      as left`);
  return row?.left ?? -1;
};

/** An upload that waits after its first part, which is large enough to be written. */
async function begun(bytes: Buffer) {
  const gate = Promise.withResolvers<void>();
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (isFirst) {
        isFirst = false;
        controller.enqueue(new Uint8Array(bytes.subarray(0, bytes.length - 4_096)));
        return;
      }
      await gate.promise;
      controller.enqueue(new Uint8Array(bytes.subarray(bytes.length - 4_096)));
      controller.close();
    },
  });
  const abort = new AbortController();
  const answer = stores.import(body, { signal: abort.signal });
  answer.catch(() => {});
  const id = await until(async () => {
    const [row] = await opened.house.world.db.query<{ id: string }>(
      sql`select id from memory_stores where not is_complete`,
    );
    return row?.id;
  }, "the import to begin");
  return { id, answer, abort: () => abort.abort(), finish: () => gate.resolve() };
}

test("[MEM51] nobody sees a store before its import is whole", async () => {
  const upload = await begun(await tarOf(files(30, 100_000)));
  const { id } = upload;
  const { data } = await stores.good("GET", "?include_archived=true");
  assert.ok(!data.some((store: { id: string }) => store.id === id));
  for (const [method, path] of [
    ["GET", ""],
    ["POST", ""],
    ["DELETE", ""],
    ["POST", "/archive"],
    ["GET", "/export"],
    ["GET", "/memories"],
    ["GET", "/memory_versions"],
  ] as const)
    errorOf(await stores.ask(method, `/${id}${path}`, method === "POST" ? {} : undefined), 404);
  upload.finish();
  const { status, body } = await upload.answer;
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.id, id);
  assert.equal((await stores.memories(id)).length, 30);
});

test("[MEM51] an upload that is broken off leaves nothing", async () => {
  const upload = await begun(await tarOf(files(30, 100_000)));
  upload.abort();
  await assert.rejects(upload.answer);
  await until(async () => (await rowsLeft()) === 0, "its rows to go");
  await opened.idle();
});

test("[MEM51] what a process left that died is swept after six hours; one that lives on is told", async () => {
  const upload = await begun(await tarOf(files(30, 100_000)));
  const { world } = opened.house;
  const sweep = async () => {
    await world.db.tx((tx) => enqueue(tx, world, { kind: "memory.imports", payload: {} }));
    await opened.idle();
  };
  opened.wall.advance(hours(5));
  await sweep();
  assert.equal(await rowsLeft(), 1);
  opened.wall.advance(hours(2));
  await sweep();
  assert.equal(await rowsLeft(), 0);
  upload.finish();
  const error = errorOf(await upload.answer, 409);
  assert.match(error.message, /^The import took so long/);
  await opened.idle();
  assert.equal(await rowsLeft(), 0);
});

test("[MEM51] imports beside each other and beside writes keep counts and numbers right", async () => {
  const { id } = await stores.make();
  const first = await stores.write(id, "/0.md", "one");
  const { bytes } = await stores.export(id);
  const tar = await tarOf(files(700, 10));
  const writing = Array.from({ length: 30 }, (_, at) =>
    stores.good("POST", `/${id}/memories/${first.id}`, { content: `text ${at}` }),
  );
  const imports = [tar, bytes, tar, gzipSync(bytes)].map((body) => stores.import(body));
  await Promise.all(writing);
  for (const { status, body } of await Promise.all(imports))
    assert.equal(status, 200, JSON.stringify(body));
  await indexWords(opened.house.world, null, new AbortController().signal);
  await checkMemory(opened.house.world.db, { imported: true });
});

test("[MEM52] quotas of the workspace are exact, for histories and for files", async () => {
  const sections = { memory: { workspace_bytes_max: 250_000, workspace_stores_max: 3 } };
  await using small = await openMemoryHouse({ sections });
  const own = transfersOf(small.house, small.platform);
  const { id } = await own.make();
  await own.write(id, "/a.md", "x".repeat(100_000));
  const { files: kept, bytes } = await own.export(id);
  const code = "storage_quota_exceeded";
  const tooMuch = new Map([...kept, ["memories/b.md", "x".repeat(50_001)]]);
  errorOf(await own.import(await tarOf(entriesOf(tooMuch))), 400, code);
  errorOf(await own.import(await tarOf(files(2, 75_001))), 400, code);
  await small.idle();
  const justRight = new Map([...kept, ["memories/b.md", "x".repeat(50_000)]]);
  const { status, body } = await own.import(await tarOf(entriesOf(justRight)));
  assert.equal(status, 200, JSON.stringify(body));
  errorOf(await own.import(await tarOf(files(1, 1))), 400, code);
  await own.good("DELETE", `/${id}`);
  await small.idle();
  assert.equal((await own.import(await tarOf(files(2, 50_000)))).status, 200);
  await own.make();
  errorOf(await own.import(bytes), 400, code);
  await indexWords(small.house.world, null, new AbortController().signal);
  await small.idle();
  await checkMemory(small.house.world.db, { imported: true });
});

test("[MEM52] what unpacks to far more than its files hold is refused", async () => {
  const tar = await tarOf(files(2, 10));
  const zeros = Buffer.alloc(70 * 1024 * 1024);
  const hidden = await tarOf([{ name: ".DS_Store", content: zeros }]);
  for (const bomb of [Buffer.concat([tar, zeros]), hidden]) {
    const error = errorOf(await stores.import(gzipSync(bomb)), 413);
    assert.match(error.message, /^The archive unpacks to far more/);
  }
  await opened.idle();
  assert.equal(await rowsLeft(), 0);
});

const allFree = () =>
  until(async () => {
    const { open, idle } = opened.house.world.db.stats();
    return open === idle;
  }, "all connections to be free");

test("[MEM53] whoever sends an import slowly holds no connection to the database", async () => {
  const upload = await begun(await tarOf(files(30, 100_000)));
  await allFree();
  const { id } = await stores.make();
  await stores.write(id, "/meanwhile.md", "no lock");
  upload.finish();
  assert.equal((await upload.answer).status, 200);
});

test("[MEM53] whoever reads an export slowly holds no connection to the database", async () => {
  const { body: store } = await stores.import(await tarOf(files(400, 100_000)));
  const response = await stores.open(store.id);
  const reader = response.body?.getReader();
  await reader?.read();
  const { db } = opened.house.world;
  await allFree();
  // One that waits for the reader would be there at each look; those of other work come and go.
  await until(async () => {
    const waiting = await db.query(sql`
      select state from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`);
    return waiting.length === 0;
  }, "no transaction to wait for the reader");
  const changed = await stores.memories(store.id);
  await stores.good("DELETE", `/${store.id}/memories/${changed.at(-1).id}`);
  let bytes = 0;
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    bytes += part.value.length;
  }
  assert.ok(bytes > 400 * 200_000, `${bytes}`);
});
