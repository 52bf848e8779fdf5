// Walks through an imported history, oldest first: it must be one that a store could have had.
import type { Context } from "../../../kernel/context.ts";
import { invalid } from "../../../kernel/base/failure.ts";
import type { LiveMemory } from "../memories/apply.ts";
import { ancestorsOf } from "../memories/paths.ts";
import { limits } from "../limits.ts";
import { entryRefused } from "./entries.ts";
import { transferLimits } from "../transfer/limits.ts";
import * as queries from "./queries.ts";
import { historyBounds, type StagedStore } from "./staged-store.ts";

export interface LiveMemories {
  /** By memory. */
  heads: Map<string, LiveMemory>;
  tree: PathTree;
}

interface Walk extends LiveMemories {
  /** Memories whose newest version so far is redacted, which no head may be. */
  redacted: Map<string, number>;
  /** Of the version before. */
  number: number;
}

/** Gives each version its number in the workspace, and answers what lives at the end. */
export async function checkHistory(
  { db }: Context,
  store: StagedStore,
  madeAt: ReadonlyMap<string, Date>,
  now: Date,
): Promise<LiveMemories> {
  const { storeId } = store.facts;
  const misplaced = await queries.findMisplaced(db, storeId, historyBounds);
  if (misplaced !== undefined)
    throw entryRefused(
      nameOf(misplaced.seq),
      misplaced.operation === "created"
        ? "makes a memory that has a version before it."
        : "writes to a memory that was deleted before.",
    );
  const walk: Walk = { heads: new Map(), tree: makePathTree(), redacted: new Map(), number: 0 };
  let from = { at: "-infinity", seq: 0 };
  for (;;) {
    const rows = transferLimits.chunkRowsMax;
    const steps = await queries.listSteps(db, storeId, { ...historyBounds, from, rows });
    for (const step of steps) {
      take(walk, step, madeAt, now);
      from = step;
    }
    if (steps.length === 0) break;
    const ids = steps.map(({ id }) => id);
    await store.write((tx, seq) => queries.number(tx, storeId, { seq, ids }), {
      bytes: 0,
      versions: ids.length,
    });
  }
  for (const seq of walk.redacted.values())
    throw entryRefused(
      nameOf(seq),
      "is redacted, and is the last version of a memory that was not deleted: there is no text for it.",
    );
  for (const head of walk.heads.values()) head.storeId = storeId;
  return walk;
}

const nameOf = (seq: number) =>
  `history/${String(seq - historyBounds.seqMin).padStart(8, "0")}.json`;

function take(
  walk: Walk,
  step: queries.StepRow,
  madeAt: ReadonlyMap<string, Date>,
  now: Date,
): void {
  const { heads, tree, redacted } = walk;
  const { memoryId, seq, operation, path, createdAt } = step;
  expectOrder(walk, step, now);
  const before = heads.get(memoryId);
  if (before !== undefined) tree.remove(before.path);
  redacted.delete(memoryId);
  if (operation === "deleted") {
    heads.delete(memoryId);
    return;
  }
  if (step.redactedAt !== null) redacted.set(memoryId, seq);
  else if (path !== null) expectFree(tree, path, seq);
  if (path !== null) tree.add(path, memoryId);
  heads.set(memoryId, {
    id: memoryId,
    storeId: "",
    path: path ?? "",
    versionId: step.id,
    sha256: step.sha256 ?? "",
    bytes: step.bytes ?? 0,
    createdAt: before?.createdAt ?? bornAt(step, madeAt.get(memoryId)),
    updatedAt: createdAt,
  });
  if (heads.size > limits.memoriesPerStore)
    throw invalid(
      `The history has more than ${limits.memoriesPerStore} memories at a time, which is all that a store holds.`,
      { code: "memory_limit_exceeded" },
    );
}

/** The first version that is kept may not be the first that there was. */
const bornAt = ({ operation, createdAt }: queries.StepRow, madeAt: Date | undefined) =>
  operation !== "created" && madeAt !== undefined && madeAt < createdAt ? madeAt : createdAt;

/** They come by their times: their numbers must rise as well. */
function expectOrder(walk: Walk, step: queries.StepRow, now: Date): void {
  const { seq, createdAt, redactedAt } = step;
  if (seq === walk.number) throw entryRefused(nameOf(seq), "stands twice in the archive.");
  if (seq < walk.number)
    throw entryRefused(
      nameOf(walk.number),
      "its created_at is earlier than that of a version before it.",
    );
  const ahead = createdAt > now ? "created_at" : (redactedAt ?? now) > now && "redacted_at";
  if (ahead !== false)
    throw entryRefused(
      nameOf(seq),
      `its ${ahead} lies in the future: look at the clocks of both servers.`,
    );
  walk.number = seq;
}

function expectFree(tree: PathTree, path: string, seq: number): void {
  if (tree.inTheWay(path) === undefined) return;
  throw entryRefused(
    nameOf(seq),
    tree.at(path) === undefined
      ? "its path is the folder of another memory of that time, or stands below one."
      : "its path is that of another memory of that time.",
  );
}

/** The paths that memories hold at a moment: no two share one, and none stands where another has its folder. */
interface PathTree {
  add(path: string, memoryId: string): void;
  remove(path: string): void;
  at(path: string): string | undefined;
  /** The path of a memory that is in the way; for one below, that of its folder. */
  inTheWay(path: string): string | undefined;
}

function makePathTree(): PathTree {
  const memories = new Map<string, string>();
  /** How many memories stand below each folder. */
  const folders = new Map<string, number>();
  const count = (path: string, step: 1 | -1) => {
    for (const folder of ancestorsOf(path)) {
      const left = (folders.get(folder) ?? 0) + step;
      if (left === 0) folders.delete(folder);
      else folders.set(folder, left);
    }
  };
  return {
    add: (path, memoryId) => {
      memories.set(path, memoryId);
      count(path, 1);
    },
    remove: (path) => {
      if (memories.delete(path)) count(path, -1);
    },
    at: (path) => memories.get(path),
    inTheWay: (path) =>
      memories.has(path) || folders.has(path)
        ? path
        : ancestorsOf(path).find((folder) => memories.has(folder)),
  };
}
