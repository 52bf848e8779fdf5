// What the plain files of an archive come to: memories, new versions of them, or nothing new.
import { invalid } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";
import { problemOf } from "../memories/paths.ts";
import { entryRefused } from "./entries.ts";
import { recordPath, skip, type ArchiveContents, type StagedFile } from "./read-archive.ts";
import type { LiveMemories } from "./check-history.ts";
import { transferLimits } from "../transfer/limits.ts";
import * as queries from "./queries.ts";
import type { StagedStore } from "./staged-store.ts";

interface Written extends queries.ImportedFileRow {
  bytes: number;
}

/** Answers how many versions they made. */
export async function settleFiles(
  { ids }: Context,
  store: StagedStore,
  found: ArchiveContents,
  living: LiveMemories,
  now: Date,
): Promise<number> {
  const folder = folderOf(found);
  const written: Written[] = [];
  for (const [name, file] of sorted(found.files)) {
    if (!name.startsWith(folder)) {
      expectStray(name);
      skip(found, name);
      store.drop(file.id);
      continue;
    }
    const path = `/${name.slice(folder.length)}`;
    const problem = problemOf(path);
    if (problem !== undefined) throw entryRefused(name, `its path ${problem}`);
    const row = settled(living, { name, path, file, memoryId: ids.next("mem_") }, now, store);
    if (row === undefined) store.drop(file.id);
    else written.push(row);
  }
  // Rows that are no versions go first: their texts do not count.
  await store.flush();
  const { storeId } = store.facts;
  for (let at = 0; at < written.length; at += transferLimits.chunkRowsMax) {
    const files = written.slice(at, at + transferLimits.chunkRowsMax);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const facts = { ...store.facts, storeId, at: now };
    await store.write((tx, seq) => queries.writeFiles(tx, facts, { seq, files }), {
      bytes,
      versions: files.length,
    });
  }
  return written.length;
}

const sorted = (files: ArchiveContents["files"]) => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

/** The folder in the archive that stands for the store's root. */
function folderOf({ manifest, top, versions }: ArchiveContents): string {
  if (manifest !== null) return manifest.path.replace(/store\.json$/, "memories/");
  if (versions > 0)
    throw invalid(
      "The archive holds a history, but no store.json: it is an export that lost its first file. Export again, or leave the folder history out.",
    );
  return top === null ? "" : `${top}/`;
}

/** Beside an export anything may lie, but where its history stands it has to be history. */
function expectStray(name: string): void {
  if (recordPath.test(name))
    throw entryRefused(
      name,
      "is no version of a memory: it is broken, or stands in the wrong place.",
    );
}

function settled(
  { heads, tree }: LiveMemories,
  {
    name,
    path,
    file,
    memoryId,
  }: { name: string; path: string; file: StagedFile; memoryId: string },
  now: Date,
  { facts: { storeId } }: StagedStore,
): Written | undefined {
  const { id, sha256, bytes } = file;
  const head = heads.get(tree.at(path) ?? "");
  if (head?.sha256 === sha256) return undefined;
  const facts = { path, versionId: id, sha256, bytes, updatedAt: now };
  if (head !== undefined) {
    heads.set(head.id, { ...head, ...facts });
    return { id, memoryId: head.id, operation: "modified", path, bytes };
  }
  if (tree.inTheWay(path) !== undefined)
    throw entryRefused(
      name,
      "stands where another memory has its folder, or below a memory. Rename it.",
    );
  if (heads.size >= limits.memoriesPerStore)
    throw invalid(
      `The archive holds more than ${limits.memoriesPerStore} memories, which is all that a store holds. Split it.`,
      { code: "memory_limit_exceeded" },
    );
  tree.add(path, memoryId);
  heads.set(memoryId, { ...facts, id: memoryId, storeId, createdAt: now });
  return { id, memoryId, operation: "created", path, bytes };
}
