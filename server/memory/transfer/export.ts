// Exports a store as a tar: the history file by file, then the memories as plain files, all as of one moment.
import { Readable } from "node:stream";
import { unavailable, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { stream, type Reply } from "../../../kernel/http/output/reply.ts";
import { loadTexts } from "../memories/queries-write.ts";
import type { StoreRow } from "../stores/queries.ts";
import { expectStore, recordStoreEvent } from "../stores/service.ts";
import { presentVersion } from "../versions.ts";
import { packArchive, type ArchivedFile } from "./archive.ts";
import { transferLimits } from "./limits.ts";
import * as queries from "./queries.ts";
import { formatNumber, manifestType, type VersionRecord } from "./schema.ts";
import { workspaceOf } from "../../workspaces/module.ts";

export async function exportStore(context: Context, storeId: string): Promise<Reply> {
  const { name } = await expectStore(context, storeId);
  const bytes = Readable.from(packArchive(exportedFiles(context, storeId)), { objectMode: false });
  const disposition = `attachment; filename="${folderOf(name)}.tar"`;
  return stream(bytes, "application/x-tar", { "content-disposition": disposition });
}

/** As a store's folder is called where it is mounted. */
export const folderOf = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "") || "memory-store";

interface Head {
  versionId: string;
  /** Null where it has been redacted since, which can only be once the store has gone on. */
  path: string | null;
  bytes: number;
  at: Date;
}

type Heads = Map<string, Head>;

/**
 * No transaction stays open while a slow reader takes its time. The versions up to the snapshot never change
 * but by redaction and by their age, and both spare heads: where the text of a head is gone, the store has
 * gone on, and so does the export, to a later snapshot.
 */
export async function* exportedFiles(
  context: Context,
  storeId: string,
): AsyncGenerator<ArchivedFile> {
  const { db, clock } = context;
  let [store, snapshot] = await begin(context, storeId);
  yield jsonFile("store.json", manifestOf(store, clock.now()), clock.now());
  const heads: Heads = new Map();
  /** Which version each file holds that is out already. */
  const written = new Map<string, string>();
  let from = { at: "-infinity", seq: 0 };
  let number = 0;
  for (let snapshots = 1; ; snapshots++) {
    for (;;) {
      const rows = await queries.listHistory(db, storeId, { from, to: snapshot.seq });
      for (const row of rows) {
        number += 1;
        from = row;
        follow(heads, row);
        const name = `history/${String(number).padStart(8, "0")}.json`;
        yield jsonFile(name, recordOf(row), row.createdAt);
      }
      if (rows.length === 0) break;
    }
    if (isWhole(heads, snapshot)) {
      expectNoneStale(storeId, heads, written);
      if (yield* writeHeads(context, heads, written)) return;
    }
    if (snapshots === transferLimits.snapshotsMax) throw torn(storeId);
    snapshot = await snapshotOf(context, storeId);
  }
}

/** The export is in the audit log before its first byte is sent. */
function begin(context: Context, storeId: string): Promise<[StoreRow, queries.ExportSnapshot]> {
  return context.db.tx(async (tx) => {
    const store = await expectStore(context, storeId, tx);
    await recordStoreEvent(tx, context, "exported", storeId);
    return [store, await snapshotOf(context, storeId, tx)];
  });
}

async function snapshotOf(
  context: Context,
  storeId: string,
  on: Pick<Context["db"], "query"> = context.db,
): Promise<queries.ExportSnapshot> {
  const snapshot = await queries.findExportSnapshot(on, workspaceOf(context), storeId);
  if (snapshot === undefined) throw notFound("memory store", storeId);
  return snapshot;
}

function follow(heads: Heads, row: queries.HistoryRow): void {
  const { id: versionId, memoryId, operation, path, bytes, createdAt: at } = row;
  if (operation === "deleted") heads.delete(memoryId);
  else heads.set(memoryId, { versionId, path, bytes: bytes ?? 0, at });
}

const isWhole = (heads: Heads, { memories }: queries.ExportSnapshot) =>
  heads.size === memories && heads.values().every(({ path }) => path !== null);

/** What is out cannot be taken back: a file of a memory that went or moved meanwhile would come to life again. */
function expectNoneStale(storeId: string, heads: Heads, written: Map<string, string>): void {
  if (written.size === 0) return;
  const paths = new Set(heads.values().map(({ path }) => path));
  if (written.keys().some((path) => !paths.has(path))) throw torn(storeId);
}

const torn = (storeId: string) =>
  unavailable(
    `The memory store ${storeId} changed too fast while it was exported, and texts were redacted: export it again.`,
  );

/** False where a text is gone: the store has gone on. */
async function* writeHeads(
  { db }: Context,
  heads: Heads,
  written: Map<string, string>,
): AsyncGenerator<ArchivedFile, boolean> {
  const left = [...heads.values()]
    .filter(({ path, versionId }) => written.get(path ?? "") !== versionId)
    .sort((a, b) => ((a.path ?? "") < (b.path ?? "") ? -1 : 1));
  while (left.length > 0) {
    const page = left.splice(0, fitting(left));
    const texts = await loadTexts(
      db,
      page.map(({ versionId }) => versionId),
    );
    if (page.some(({ versionId }) => (texts.get(versionId) ?? null) === null)) return false;
    for (const { path, versionId, at } of page) {
      written.set(path ?? "", versionId);
      yield { name: `memories${path}`, bytes: Buffer.from(texts.get(versionId) ?? ""), at };
    }
  }
  return true;
}

/** How many make a page: one at least. */
function fitting(heads: readonly Head[]): number {
  let bytes = 0;
  const after = heads.findIndex((head, at) => {
    bytes += head.bytes;
    return at === transferLimits.pageRowsMax || (at > 0 && bytes > transferLimits.pageBytesMax);
  });
  return after === -1 ? heads.length : after;
}

const jsonFile = (name: string, value: object, at: Date): ArchivedFile => ({
  name,
  bytes: Buffer.from(`${JSON.stringify(value, null, 1)}\n`),
  at,
});

const manifestOf = (store: StoreRow, now: Date) => ({
  type: manifestType,
  format: formatNumber,
  name: store.name,
  description: store.description,
  metadata: store.metadata,
  memory_store_id: store.id,
  created_at: store.createdAt.toISOString(),
  archived_at: store.archivedAt?.toISOString() ?? null,
  exported_at: now.toISOString(),
});

const recordOf = (row: queries.HistoryRow): VersionRecord => ({
  ...presentVersion(row),
  memory_created_at: row.memoryCreatedAt?.toISOString() ?? null,
});
