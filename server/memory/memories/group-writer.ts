// Writes of one workspace, in the order in which they came: many at once are one transaction.
import type { World } from "../../../kernel/context.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import {
  applyWrite,
  type AppliedWrites,
  type WorkspaceState,
  type LiveMemory,
  type MemoryWrite,
} from "./apply.ts";
import { limits } from "../limits.ts";
import { ancestorsOf } from "./paths.ts";
import * as queries from "./queries-write.ts";
import { quotasOf } from "../settings.ts";

interface Waiting {
  writeMemory: MemoryWrite;
  settle: PromiseWithResolvers<LiveMemory | null>;
}

type Outcome = { head: LiveMemory | null } | { failure: unknown };

/** Of this process, by database: what other processes write, the lock keeps in order. */
const byDatabase = new WeakMap<World["db"], Map<string, Waiting[]>>();

/** The head as it is after the write; null where it is gone. */
export function write(
  world: World,
  workspaceId: string,
  wanted: MemoryWrite,
): Promise<LiveMemory | null> {
  let lines = byDatabase.get(world.db);
  if (lines === undefined) byDatabase.set(world.db, (lines = new Map()));
  const settle = Promise.withResolvers<LiveMemory | null>();
  const line = lines.get(workspaceId);
  if (line !== undefined) {
    line.push({ writeMemory: wanted, settle });
    return settle.promise;
  }
  const opened: Waiting[] = [{ writeMemory: wanted, settle }];
  lines.set(workspaceId, opened);
  void workOff(world, workspaceId, lines, opened);
  return settle.promise;
}

/** Never rejects: each who waits is told. */
async function workOff(
  world: World,
  workspaceId: string,
  lines: Map<string, Waiting[]>,
  line: Waiting[],
): Promise<void> {
  while (line.length > 0) await settleGroup(world, workspaceId, takeGroup(line));
  lines.delete(workspaceId);
}

function takeGroup(line: Waiting[]): Waiting[] {
  let [count, bytes] = [0, 0];
  for (const { writeMemory: each } of line) {
    bytes += each.act === "delete" ? 0 : (each.content?.bytes ?? 0);
    if (count === limits.groupWritesMax || (count > 0 && bytes > limits.groupBytesMax)) break;
    count += 1;
  }
  return line.splice(0, count);
}

async function settleGroup(world: World, workspaceId: string, group: Waiting[]): Promise<void> {
  try {
    const writes = group.map((waiting) => waiting.writeMemory);
    const outcomes = await commitGroup(world, workspaceId, writes);
    for (const [at, { settle }] of group.entries()) {
      const outcome = outcomes[at];
      if (outcome !== undefined && "head" in outcome) settle.resolve(outcome.head);
      else settle.reject(outcome?.failure);
    }
  } catch (error) {
    // What broke over one of them shall not take the others with it.
    if (error instanceof Failure || group.length === 1)
      for (const { settle } of group) settle.reject(error);
    else for (const one of group) await settleGroup(world, workspaceId, [one]);
  }
}

function commitGroup(
  world: World,
  workspaceId: string,
  writes: readonly MemoryWrite[],
): Promise<Outcome[]> {
  const { db, clock, ids } = world;
  const quotas = quotasOf(world);
  return db.tx(async (tx) => {
    const workspace = await queries.lockWorkspace(tx, workspaceId);
    // Without its row there is no lock, and no store yet: one that comes meanwhile is not looked for.
    const wanted = workspace === undefined ? [] : writes;
    const state = await loadGround(tx, workspaceId, workspace?.bytes ?? 0, wanted);
    const before = new Map([...state.heads].map(([id, { path }]) => [id, path]));
    const applied: AppliedWrites = { versions: [], touched: new Set() };
    // A clock that ran back, here or on another machine, does not turn the order of versions.
    const now = new Date(Math.max(clock.now().getTime(), workspace?.writtenAt.getTime() ?? 0));
    const given = { now, quotas, nextVersionId: () => ids.next("memver_") };
    const outcomes = writes.map((each): Outcome => {
      try {
        return { head: applyWrite(state, applied, each, given) };
      } catch (failure) {
        if (failure instanceof Failure) return { failure };
        throw failure;
      }
    });
    if (applied.versions.length === 0 || workspace === undefined) return outcomes;
    const moved = [...applied.touched].filter(
      (id) => before.has(id) && state.heads.get(id)?.path !== before.get(id),
    );
    await fillTexts(tx, applied);
    if (moved.length > 0) await queries.removeHeads(tx, moved);
    await queries.writeGroup(tx, { workspaceId, now, seq: workspace.seq, ground: state, applied });
    return outcomes;
  });
}

/** A memory that only moved keeps its text: each version has its own. */
async function fillTexts(tx: Tx, { versions }: AppliedWrites): Promise<void> {
  const copied = versions.flatMap(({ copyOf }) => copyOf ?? []);
  if (copied.length === 0) return;
  const texts = await queries.loadTexts(tx, copied);
  for (const version of versions)
    if (version.copyOf !== null) version.text = texts.get(version.copyOf) ?? null;
}

async function loadGround(
  tx: Tx,
  workspaceId: string,
  bytes: number,
  writes: readonly MemoryWrite[],
): Promise<WorkspaceState> {
  const storeIds = [...new Set(writes.map(({ storeId }) => storeId))];
  const folders = writes.flatMap((each) =>
    each.act !== "delete" && each.path !== null ? [{ storeId: each.storeId, path: each.path }] : [],
  );
  const places = folders.flatMap(({ storeId, path }) =>
    [path, ...ancestorsOf(path)].map((place) => ({ storeId, path: place })),
  );
  const stores = await queries.loadStores(tx, workspaceId, storeIds);
  const memoryIds = writes.flatMap((each) => (each.act === "create" ? [] : [each.memoryId]));
  const belowMax = writes.length + 1;
  const heads = await queries.loadHeads(tx, { memoryIds, places, folders, belowMax });
  return {
    stores: new Map(stores.map((store) => [store.id, store])),
    heads: new Map(heads.map((head) => [head.id, head])),
    bytes,
  };
}
