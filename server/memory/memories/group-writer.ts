// Writes of one workspace, in the order in which they came: many at once are one transaction.
import type { World } from "../../../kernel/context.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { part } from "../../../kernel/work/parts.ts";
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
import { tellChanges, type WorkspaceChange } from "../../workspaces/module.ts";

interface Waiting {
  write: MemoryWrite;
  settle: PromiseWithResolvers<LiveMemory | null>;
}

type Outcome = { head: LiveMemory | null } | { failure: unknown };

/** By workspace: what other processes write, the lock keeps in order. */
export const memoryWritesPart = part("writes of memories", {
  make: () => new Map<string, Waiting[]>(),
});

/** The head as it is after the write; null where it is gone. */
export function writeMemory(
  world: World,
  workspaceId: string,
  write: MemoryWrite,
): Promise<LiveMemory | null> {
  const queues = memoryWritesPart.of(world);
  const settle = Promise.withResolvers<LiveMemory | null>();
  const queue = queues.get(workspaceId);
  if (queue !== undefined) {
    queue.push({ write, settle });
    return settle.promise;
  }
  const newQueue: Waiting[] = [{ write, settle }];
  queues.set(workspaceId, newQueue);
  void workOff(world, workspaceId, queues, newQueue);
  return settle.promise;
}

/** Never rejects: each waiting write gets its outcome. */
async function workOff(
  world: World,
  workspaceId: string,
  queues: Map<string, Waiting[]>,
  queue: Waiting[],
): Promise<void> {
  while (queue.length > 0) await settleGroup(world, workspaceId, takeGroup(queue));
  queues.delete(workspaceId);
}

function takeGroup(queue: Waiting[]): Waiting[] {
  let [count, bytes] = [0, 0];
  for (const { write } of queue) {
    bytes += write.act === "delete" ? 0 : (write.content?.bytes ?? 0);
    if (count === limits.groupWritesMax || (count > 0 && bytes > limits.groupBytesMax)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

async function settleGroup(world: World, workspaceId: string, group: Waiting[]): Promise<void> {
  try {
    const writes = group.map((waiting) => waiting.write);
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
    const state = await loadState(tx, workspaceId, workspace?.bytes ?? 0, wanted);
    const before = new Map([...state.heads].map(([id, { path }]) => [id, path]));
    const applied: AppliedWrites = { versions: [], touched: new Set() };
    // A clock that ran back, here or on another machine, does not turn the order of versions.
    const now = new Date(Math.max(clock.now().getTime(), workspace?.writtenAt.getTime() ?? 0));
    const terms = { now, quotas, nextVersionId: () => ids.next("memver_") };
    const outcomes = writes.map((each): Outcome => {
      try {
        return { head: applyWrite(state, applied, each, terms) };
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
    await queries.writeGroup(tx, { workspaceId, now, seq: workspace.seq, state, applied });
    tellChanges(tx, world, workspaceId, changesOf(applied, before, state));
    return outcomes;
  });
}

/** At the paths where something is another now; a list changes with what comes, goes or moves. */
function changesOf(
  { versions }: AppliedWrites,
  before: ReadonlyMap<string, string>,
  { heads }: WorkspaceState,
): WorkspaceChange[] {
  const changes = new Map<string, WorkspaceChange>();
  for (const { storeId, memoryId, path } of versions)
    for (const each of [path, before.get(memoryId) ?? path])
      changes.set(`${storeId} ${each}`, { of: "memory", storeId, path: each });
  const isListed = versions.some(({ memoryId: id }) => before.get(id) !== heads.get(id)?.path);
  return [...changes.values(), ...(isListed ? [{ of: "list", list: "memories" } as const] : [])];
}

/** A memory that only moved keeps its text: each version has its own. */
async function fillTexts(tx: Tx, { versions }: AppliedWrites): Promise<void> {
  const copied = versions.flatMap(({ copyOf }) => copyOf ?? []);
  if (copied.length === 0) return;
  const texts = await queries.loadTexts(tx, copied);
  for (const version of versions)
    if (version.copyOf !== null) version.text = texts.get(version.copyOf) ?? null;
}

async function loadState(
  tx: Tx,
  workspaceId: string,
  bytes: number,
  writes: readonly MemoryWrite[],
): Promise<WorkspaceState> {
  const storeIds = [...new Set(writes.map(({ storeId }) => storeId))];
  const folders = writes.flatMap((each) =>
    each.act !== "delete" && each.path !== null ? [{ storeId: each.storeId, path: each.path }] : [],
  );
  const paths = folders.flatMap(({ storeId, path }) =>
    [path, ...ancestorsOf(path)].map((each) => ({ storeId, path: each })),
  );
  const stores = await queries.loadStores(tx, workspaceId, storeIds);
  const memoryIds = writes.flatMap((each) => (each.act === "create" ? [] : [each.memoryId]));
  const belowMax = writes.length + 1;
  const heads = await queries.loadHeads(tx, { memoryIds, paths, folders, belowMax });
  return {
    stores: new Map(stores.map((store) => [store.id, store])),
    heads: new Map(heads.map((head) => [head.id, head])),
    bytes,
  };
}
