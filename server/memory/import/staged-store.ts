// Where an import gathers its rows: a store that is not seen yet, written chunk by chunk as the archive comes.
import assert from "node:assert/strict";
import type { Context } from "../../../kernel/context.ts";
import { conflict, invalid } from "../../../kernel/base/failure.ts";
import { enqueue } from "../../../kernel/jobs/jobs.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { removeKind } from "../jobs.ts";
import { authorOf } from "../authors.ts";
import { deleteStore, findStore } from "../stores/queries.ts";
import { lockWorkspace, type WorkspaceRow } from "../memories/queries-write.ts";
import { quotasOf } from "../settings.ts";
import { addStore } from "../stores/service.ts";
import { transferLimits } from "../transfer/limits.ts";
import * as queries from "./queries.ts";
import { workspaceOf } from "../../workspaces/module.ts";

/** Numbers of rows until they get those of the workspace, which are far below. */
export const historyBounds = { seqMin: 2 ** 51, seqMax: 2 ** 52 } as const;
export const fileSeq = historyBounds.seqMax;

export interface StagedStore {
  readonly facts: queries.Import;
  /** History counts towards the quota as it comes; of the files it is not known yet which will be versions. */
  add(row: queries.StagedRow): Promise<void>;
  /** A file that is named again: the later one counts. */
  drop(id: string): void;
  flush(): Promise<void>;
  /** Also for an import without a row. */
  open(): Promise<void>;
  /** Under the lock of the workspace: the work gets the last number in it, and says what it adds. */
  write(work: (tx: Tx, seq: number) => Promise<void>, adds: Added): Promise<void>;
  discard(): Promise<void>;
}

export interface Added {
  bytes: number;
  versions: number;
}

export function openStagedStore(context: Context): StagedStore {
  const { db, clock, ids } = context;
  const workspaceId = workspaceOf(context);
  const storeId = ids.next("memstore_");
  const facts = { storeId, at: clock.now(), author: authorOf(context) };
  let isOpen = false;
  let rows: queries.StagedRow[] = [];
  let dropped: string[] = [];
  let bytes = 0;

  const write: StagedStore["write"] = async (work, adds) => {
    await db.tx(async (tx) => {
      if (!isOpen) await addStore(tx, context, { ...emptyStore, id: storeId });
      const workspace = await lockWorkspace(tx, workspaceId);
      assert(workspace !== undefined, "The workspace of an import has no row.");
      expectRoom(context, workspace, adds.bytes);
      await work(tx, workspace.seq);
      const at = clock.now();
      if (!(await queries.count(tx, workspaceId, { storeId, at, ...adds }))) throw importLost();
    });
    isOpen = true;
  };

  const flush = async () => {
    const chunk = rows;
    const gone = dropped;
    if (chunk.length === 0 && gone.length === 0) return;
    [rows, dropped, bytes] = [[], [], 0];
    const counted = chunk.filter(({ seq }) => seq < fileSeq);
    const sum = counted.reduce((total, row) => total + (row.bytes ?? 0), 0);
    await write(
      async (tx) => {
        await queries.insertRows(tx, facts, chunk);
        if (gone.length > 0) await queries.deleteRows(tx, storeId, gone);
      },
      { bytes: sum, versions: 0 },
    );
  };

  return {
    facts,
    write,
    flush,
    open: async () => {
      if (!isOpen) await write(async () => {}, { bytes: 0, versions: 0 });
    },
    add: async (row) => {
      rows.push(row);
      bytes += row.bytes ?? 0;
      const { chunkRowsMax, chunkBytesMax } = transferLimits;
      if (rows.length >= chunkRowsMax || bytes >= chunkBytesMax) await flush();
    },
    drop: (id) => void dropped.push(id),
    discard: async () => {
      if (isOpen) await removeUnfinished(context, workspaceId, storeId);
    },
  };
}

const emptyStore = { name: "", description: "", metadata: {}, isComplete: false };

/** It was never seen: it leaves no event, and its rows go in the background. One that is complete stays. */
export async function removeUnfinished(
  world: Pick<Context, "db" | "ids" | "hints">,
  workspaceId: string,
  storeId: string,
): Promise<void> {
  await world.db.tx(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    if ((await findStore(tx, workspaceId, storeId)) !== undefined) return;
    await deleteStore(tx, workspaceId, storeId);
    await enqueue(tx, world, { kind: removeKind, payload: { storeId } });
  });
}

function expectRoom(context: Context, { bytes: held }: WorkspaceRow, bytes: number): void {
  const { bytesMax } = quotasOf(context);
  if (bytes > 0 && held + bytes > bytesMax)
    throw invalid(
      `The memory stores of this workspace hold ${held} of ${bytesMax} bytes, all versions counted, what came of this import too: the rest does not fit. Delete a store, redact old versions, or have the quota raised.`,
      { code: "storage_quota_exceeded" },
    );
}

export const importLost = () =>
  conflict("The import took so long that it was given up and removed: send it again.");
