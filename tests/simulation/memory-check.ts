// What must hold of memory stores after any faults: heads are versions, counts are sums, paths exclude each other.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface VersionFound {
  id: string;
  store_id: string;
  memory_id: string;
  seq: number;
  operation: "created" | "modified" | "deleted";
  path: string | null;
  content: string | null;
  sha256: string | null;
  bytes: number | null;
  created_at: Date;
  redacted_at: Date | null;
}

export interface HeadFound {
  id: string;
  store_id: string;
  workspace_id: string;
  path: string;
  version_id: string;
  sha256: string;
  bytes: number;
  updated_at: Date;
}

interface StoreFound {
  id: string;
  name: string;
  workspace_id: string;
  memories: number;
  bytes: number;
  archived_at: Date | null;
}

export interface MemoryFound {
  stores: StoreFound[];
  heads: HeadFound[];
  /** In the order in which they were written. */
  versions: VersionFound[];
}

/**
 * Of histories that were swept, the beginnings may be gone; while jobs run, stores may have remains. Those that
 * were imported are older than what was written before they came: then times rise within a store only.
 */
export async function checkMemory(
  on: Queryable,
  { swept = false, remains = false, imported = false } = {},
): Promise<MemoryFound> {
  const found = await read(on);
  if (remains) leaveOut(found);
  const { stores, heads, versions } = found;
  const ofStore = Map.groupBy(versions, (version) => version.store_id);
  const headsOf = Map.groupBy(heads, (head) => head.store_id);
  for (const store of stores) {
    const inIt = headsOf.get(store.id) ?? [];
    const paths = inIt.map(({ path }) => path);
    checkPaths(store.id, paths);
    assert.equal(store.memories, inIt.length, `${store.id}: its memories`);
    const kept = ofStore.get(store.id) ?? [];
    assert.equal(store.bytes, sumOf(kept), `${store.id}: its bytes`);
    const { archived_at: end } = store;
    const late = kept.filter((one) => one.operation !== "deleted" && end && one.created_at > end);
    assert.deepEqual(late, [], `${store.id}: written after it was archived`);
  }
  const known = new Set(stores.map(({ id }) => id));
  for (const { id, store_id } of [...heads, ...versions])
    assert.ok(known.has(store_id), `${id} is left of a store that is gone`);
  const headOf = new Map(heads.map((head) => [head.id, head]));
  const histories = Map.groupBy(versions, (version) => version.memory_id);
  for (const [id, history] of histories) checkHistory(history, headOf.get(id), swept);
  for (const { id } of heads) assert.ok(histories.has(id), `${id} is live and has no version`);
  await checkWorkspaces(on, found);
  const homes = new Map(stores.map(({ id, workspace_id }) => [id, workspace_id]));
  const homeOf = ({ store_id }: VersionFound) => homes.get(store_id) ?? "";
  checkTimes(imported ? ofStore : Map.groupBy(versions, homeOf));
  await checkSearch(on);
  return found;
}

function leaveOut(found: MemoryFound): void {
  const known = new Set(found.stores.map(({ id }) => id));
  found.heads = found.heads.filter(({ store_id }) => known.has(store_id));
  found.versions = found.versions.filter(({ store_id }) => known.has(store_id));
}

const sumOf = (versions: readonly VersionFound[]) =>
  versions.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);

function checkPaths(storeId: string, paths: readonly string[]): void {
  const taken = new Set(paths);
  assert.equal(taken.size, paths.length, `${storeId}: two memories at one path`);
  for (const path of paths)
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      assert.ok(!taken.has(path.slice(0, at)), `${storeId}: ${path} stands below a memory`);
}

function checkHistory(
  history: readonly VersionFound[],
  head: HeadFound | undefined,
  swept: boolean,
): void {
  const last = history.at(-1);
  assert.ok(last !== undefined);
  assert.equal(last.operation === "deleted", head === undefined, `${last.memory_id}: its end`);
  if (head !== undefined) {
    const { id, path, sha256, bytes } = last;
    assert.deepEqual(
      [id, path, sha256, bytes],
      [head.version_id, head.path, head.sha256, head.bytes],
      `${head.id}: its head`,
    );
    assert.equal(last.redacted_at, null, `${head.id}: its head is redacted`);
  }
  for (const [at, version] of history.entries()) {
    const { id, operation, path, content, sha256, bytes } = version;
    const before = history[at - 1];
    assert.equal(before === undefined || swept, operation === "created" || swept, `${id}: first`);
    assert.ok(at === 0 || operation !== "created", `${id} is not the first`);
    assert.ok(at === history.length - 1 || operation !== "deleted", `${id} is not the last`);
    if (version.redacted_at !== null)
      assert.deepEqual([path, content, sha256, bytes], [null, null, null, null], `${id} is back`);
    else if (operation === "deleted")
      assert.deepEqual([content, sha256, bytes], [null, null, null]);
    else {
      assert.ok(path !== null && content !== null, `${id} says nothing`);
      const hash = createHash("sha256").update(content).digest("hex");
      assert.deepEqual([sha256, bytes], [hash, Buffer.byteLength(content)], `${id}: its text`);
    }
    if (before === undefined || before.redacted_at !== null || version.redacted_at !== null)
      continue;
    const isChange = operation === "deleted" || before.path !== path || before.sha256 !== sha256;
    assert.ok(isChange, `${id} changes nothing`);
  }
}

function checkTimes(groups: ReadonlyMap<string, readonly VersionFound[]>): void {
  for (const versions of groups.values())
    for (const [at, { id, created_at }] of versions.entries())
      assert.ok(created_at >= (versions[at - 1]?.created_at ?? new Date(0)), `${id}: its time`);
}

async function checkWorkspaces(on: Queryable, { stores, versions }: MemoryFound): Promise<void> {
  const rows = await on.query<{
    id: string;
    stores: number;
    bytes: number;
    seq: number;
    written_at: Date;
  }>(sql`select workspace_id as id, stores, bytes, seq, written_at from memory_workspaces`);
  const homes = new Map(stores.map(({ id, workspace_id }) => [id, workspace_id]));
  const groups = Map.groupBy(versions, ({ store_id }) => homes.get(store_id));
  for (const { id, seq, written_at, ...counted } of rows) {
    const mine = groups.get(id) ?? [];
    const many = stores.filter(({ workspace_id }) => workspace_id === id).length;
    assert.deepEqual(counted, { stores: many, bytes: sumOf(mine) }, `${id}: its counts`);
    assert.equal(new Set(mine.map((version) => version.seq)).size, mine.length, `${id}: numbers`);
    const last = mine.at(-1);
    assert.ok(last === undefined || (last.seq <= seq && last.created_at <= written_at), id);
  }
}

/** What is searched is what the heads say, where their words were found and are plain. */
async function checkSearch(on: Queryable): Promise<void> {
  const wrong = await on.query(sql`
    select memory.id from memories as memory
    join memory_versions as version on version.id = memory.version_id
    where version.content ~ '^[a-z0-9 ]*$' and memory.path ~ '^[a-z0-9/._-]*$'
      and memory.search <>
        setweight(to_tsvector('simple', translate(memory.path, '/._-', '    ')), 'A')
          || to_tsvector('simple', version.content)
    order by memory.id limit 5`);
  assert.deepEqual(wrong, [], "what is searched is not what is there");
}

async function read(on: Queryable): Promise<MemoryFound> {
  const stores = await on.query<StoreFound>(sql`
    select id, name, workspace_id, memories, bytes, archived_at from memory_stores order by id`);
  const heads = await on.query<HeadFound>(sql`
    select id, store_id, workspace_id, path, version_id, content_sha256 as sha256, bytes,
      updated_at
    from memories order by id`);
  const versions = await on.query<VersionFound>(sql`
    select id, store_id, memory_id, seq, operation, path, content, content_sha256 as sha256, bytes,
      created_at, redacted_at
    from memory_versions order by seq`);
  return { stores, heads, versions };
}
