// Takes an archive in as it comes, entry by entry and in any order: what it is shows at its end.
import { createHash } from "node:crypto";
import { invalid } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { MemoryContent } from "../memories/apply.ts";
import { contentOf } from "../memories/content.ts";
import { limits } from "../limits.ts";
import { isHidden, type ArchiveEntry } from "../../../kernel/archive/entry.ts";
import { readTar } from "../../../kernel/archive/tar.ts";
import { contentIn, expectFile, pathOf, entryRefused, textOf } from "./entries.ts";
import { tarLimits, transferLimits } from "../transfer/limits.ts";
import { readManifest, readRecord, type Recorded } from "./version-record.ts";
import type { Manifest } from "../transfer/schema.ts";
import { fileSeq, historyBounds, type StagedStore } from "./staged-store.ts";

export interface StagedFile {
  /** Of the row that holds its text. */
  id: string;
  /** As it stands in the archive. */
  name: string;
  sha256: string;
  bytes: number;
}

export interface ArchiveContents {
  /** Where `store.json` stands, in an export. */
  manifest: { path: string; value: Manifest } | null;
  /** By their paths in the archive. */
  files: Map<string, StagedFile>;
  versions: number;
  /** When memories were made whose first version may be gone. */
  madeAt: Map<string, Date>;
  /** The one folder that all files stand in; null where there are several, or files beside it. */
  top: string | null;
  skipped: string[];
}

const manifestPath = /^(?:[^/]+\/)?store\.json$/;
export const recordPath = /^(?:[^/]+\/)?history\/(\d{8,10})\.json$/;

export async function gather(
  context: Context,
  store: StagedStore,
  body: AsyncIterable<Buffer>,
): Promise<ArchiveContents> {
  const found: ArchiveContents = {
    manifest: null,
    files: new Map(),
    versions: 0,
    madeAt: new Map(),
    top: null,
    skipped: [],
  };
  let seen = 0;
  for await (const entry of readTar(body, tarLimits)) {
    const path = pathOf(entry);
    if (!expectFile(entry)) continue;
    if (isHidden(path)) {
      skip(found, path);
      continue;
    }
    const top = path.includes("/") ? path.slice(0, path.indexOf("/")) : null;
    found.top = seen === 0 || found.top === top ? top : null;
    seen += 1;
    await take(context, store, found, path, entry);
  }
  await store.flush();
  return found;
}

export function skip({ skipped }: ArchiveContents, path: string): void {
  if (skipped.length < transferLimits.skippedNamesMax) skipped.push(path);
}

async function take(
  context: Context,
  store: StagedStore,
  found: ArchiveContents,
  path: string,
  entry: ArchiveEntry,
): Promise<void> {
  const isManifest = manifestPath.test(path);
  const digits = recordPath.exec(path)?.[1];
  if (!isManifest && digits === undefined)
    return takeFile(context, store, found, path, entry, await contentIn(entry, path));
  const { manifestBytesMax, recordBytesMax } = transferLimits;
  const text = await textOf(entry, path, isManifest ? manifestBytesMax : recordBytesMax);
  const manifest = isManifest ? readManifest(path, text) : undefined;
  if (manifest !== undefined) {
    if (found.manifest !== null && found.manifest.path !== path)
      throw entryRefused(path, "there is another store.json: import one export at a time.");
    found.manifest = { path, value: manifest };
    return;
  }
  const record = digits === undefined ? undefined : readRecord(path, text);
  if (record !== undefined) return takeVersion(context, store, found, Number(digits), record);
  return takeFile(context, store, found, path, entry, contentOf("content", text));
}

async function takeVersion(
  { ids }: Context,
  store: StagedStore,
  found: ArchiveContents,
  number: number,
  { memoryId: oldId, memoryCreatedAt, ...facts }: Recorded,
): Promise<void> {
  found.versions += 1;
  if (found.versions > transferLimits.importVersionsMax)
    throw invalid(
      `The archive holds more than ${transferLimits.importVersionsMax} versions, the most that are imported. Leave the oldest files of its history out.`,
    );
  const memoryId = newMemoryId(store.facts.storeId, oldId);
  // Of twice as many as can live: one may have gone while it was exported, and another come.
  if (memoryCreatedAt !== null && found.madeAt.size < 2 * limits.memoriesPerStore)
    found.madeAt.set(memoryId, memoryCreatedAt);
  const seq = historyBounds.seqMin + number;
  await store.add({ ...facts, id: ids.next("memver_"), memoryId, seq });
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A new id for each old one, without a list of them: the time is that of the import, the rest is worked out. */
function newMemoryId(storeId: string, oldId: string): string {
  const hash = createHash("sha256").update(`${storeId} ${oldId}`).digest();
  const letters = Array.from(hash.subarray(0, 16), (byte) => alphabet[byte & 31]);
  return `mem_${storeId.slice(-26, -16)}${letters.join("")}`;
}

async function takeFile(
  { ids }: Context,
  store: StagedStore,
  { files }: ArchiveContents,
  path: string,
  { name = "" }: ArchiveEntry,
  content: MemoryContent,
): Promise<void> {
  const before = files.get(path);
  if (before !== undefined && before.name !== name)
    throw entryRefused(
      path,
      "two files have this name, once their characters are composed. Rename one.",
    );
  // A file that is named again was added to the archive later, and counts.
  if (before !== undefined) store.drop(before.id);
  else if (files.size >= 2 * limits.memoriesPerStore)
    throw invalid(
      `The archive holds more files than the ${limits.memoriesPerStore} memories of a store. Split it.`,
      { code: "memory_limit_exceeded" },
    );
  const { text, sha256, bytes } = content;
  const id = ids.next("memver_");
  files.set(path, { id, name, sha256, bytes });
  const { at: createdAt, author } = store.facts;
  await store.add({
    id,
    memoryId: ids.next("mem_"),
    seq: fileSeq + files.size,
    operation: "created",
    path,
    text,
    sha256,
    bytes,
    createdAt,
    author,
    redactedAt: null,
    redactedBy: null,
    reason: null,
  });
}
