// Creates, shows, lists, changes, archives and deletes memory stores.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../../kernel/context.ts";
import { forbidden, invalid, notFound } from "../../../kernel/base/failure.ts";
import { expectMetadata, patchedMetadata } from "../../../kernel/base/metadata.ts";
import { cleanName } from "../../../kernel/base/name.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { enqueue } from "../../../kernel/jobs/jobs.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { recordByCaller } from "../../audit/module.ts";
import { removeKind } from "../jobs.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import { addWorkspace, lockWorkspace } from "../memories/queries-write.ts";
import type { CreateStore, MemoryStore, StoreQuery, UpdateStore } from "../schema.ts";
import { quotasOf } from "../settings.ts";
import { workspaceEvent } from "../../webhooks/module.ts";
import { tellChanges, workspaceOf } from "../../workspaces/module.ts";

export async function createStore(context: Context, body: CreateStore): Promise<MemoryStore> {
  const { db, ids } = context;
  const id = ids.next("memstore_");
  const facts = {
    name: nameOf(body.name),
    description: body.description ?? "",
    metadata: expectMetadata(body.metadata ?? {}),
  };
  return db.tx(async (tx) => {
    await addStore(tx, context, { id, ...facts, isComplete: true });
    await recordStoreEvent(tx, context, "created", id);
    // Read within: if the read failed after the commit, the store would be there, and the answer an error.
    return present(await expectStore(context, id, tx));
  });
}

type NewStore = Omit<queries.NewStore, "organizationId" | "createdAt">;

/** The quota counts stores that an import is filling, too. */
export async function addStore(tx: Tx, context: Context, store: NewStore): Promise<void> {
  const workspaceId = workspaceOf(context);
  const { storesMax } = quotasOf(context);
  await addWorkspace(tx, workspaceId);
  const workspace = await lockWorkspace(tx, workspaceId);
  assert(workspace !== undefined, "The row of the workspace was not added.");
  if (workspace.stores >= storesMax)
    throw invalid(
      `This workspace has ${workspace.stores} memory stores, and its quota is ${storesMax}: delete one, or have the quota raised.`,
      { code: "storage_quota_exceeded" },
    );
  await queries.insertStore(tx, workspaceId, {
    ...store,
    organizationId: context.who.organizationId,
    createdAt: context.clock.now(),
  });
  await queries.addToWorkspace(tx, workspaceId, { stores: 1 });
}

export async function retrieveStore(context: Context, id: string): Promise<MemoryStore> {
  return present(await expectStore(context, id));
}

export async function expectStore(
  context: Context,
  id: string,
  on: Pick<Tx, "query"> = context.db,
): Promise<queries.StoreRow> {
  const row = await queries.findStore(on, workspaceOf(context), id);
  if (row === undefined) throw notFound("memory store", id);
  return row;
}

/** A worker has the stores of the session that it works for, as the session has them. */
export function expectReached({ who }: Context, id: string, act: "read" | "write"): void {
  if (who.worker === undefined) return;
  const access = who.worker.memoryStores?.get(id);
  if (access === undefined) throw notFound("memory store", id);
  if (act === "write" && access === "read_only")
    throw forbidden(
      `The session has the memory store ${id} with read_only: its worker writes nothing there.`,
    );
}

export async function listStores(context: Context, query: StoreQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("memory stores", workspaceId, query.page) as string | undefined;
  const { gte, lte } = query.created_at ?? {};
  const rows = await queries.listStores(db, workspaceId, {
    includesArchived: query.include_archived ?? false,
    from: gte === undefined ? null : new Date(gte),
    to: lte === undefined ? null : new Date(lte),
    before: before ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, ({ id }) =>
    cursors.write("memory stores", workspaceId, id),
  );
  return { ...page, data: page.data.map(present) };
}

/** What is not named stays, and so does `updated_at` where nothing changes. */
export async function updateStore(
  context: Context,
  id: string,
  body: UpdateStore,
): Promise<MemoryStore> {
  const { db, clock } = context;
  const workspaceId = workspaceOf(context);
  return db.tx(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    const store = await expectStore(context, id, tx);
    if (store.archivedAt !== null)
      throw invalid(
        `The memory store ${id} is archived: it is changed no more. Make another one.`,
        {
          code: "memory_store_archived",
        },
      );
    const next = {
      ...store,
      name: body.name == null ? store.name : nameOf(body.name),
      description: body.description ?? store.description,
      metadata: patchedMetadata(store.metadata, body.metadata),
    };
    if (isDeepStrictEqual(next, store)) return present(store);
    await queries.setStore(tx, workspaceId, id, { ...next, updatedAt: clock.now() });
    await recordStoreEvent(tx, context, "updated", id);
    return present(await expectStore(context, id, tx));
  });
}

/** A second time it changes nothing. */
export async function archiveStore(context: Context, id: string): Promise<MemoryStore> {
  const { db, clock } = context;
  const workspaceId = workspaceOf(context);
  return db.tx(async (tx) => {
    const workspace = await lockWorkspace(tx, workspaceId);
    const store = await expectStore(context, id, tx);
    if (store.archivedAt !== null) return present(store);
    // The process that wrote before may have a clock that runs ahead of this one's.
    const writtenMs = workspace?.writtenAt.getTime() ?? 0;
    const at = new Date(Math.max(clock.now().getTime(), writtenMs));
    await queries.setArchived(tx, workspaceId, id, at);
    await recordStoreEvent(tx, context, "archived", id);
    return present(await expectStore(context, id, tx));
  });
}

/** Gone at once; its rows go in the background. */
export async function deleteStore(context: Context, id: string) {
  const { db } = context;
  const workspaceId = workspaceOf(context);
  await db.tx(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    await expectStore(context, id, tx);
    await queries.deleteStore(tx, workspaceId, id);
    await recordStoreEvent(tx, context, "deleted", id);
    await enqueue(tx, context, { kind: removeKind, payload: { storeId: id } });
  });
  return { id, type: "memory_store_deleted" as const };
}

export const nameOf = (name: string) => cleanName("name", name, limits.storeNameCharactersMax);

type StoreVerb = "created" | "imported" | "updated" | "exported" | "archived" | "deleted";

export async function recordStoreEvent(
  tx: Tx,
  context: Context,
  verb: StoreVerb,
  id: string,
): Promise<void> {
  await recordByCaller(tx, context, {
    action: `memory_store.${verb}`,
    target: { type: "memory_store", id },
  });
  const workspaceId = workspaceOf(context);
  if (verb !== "created" && verb !== "exported")
    tellChanges(tx, context, workspaceId, [
      { of: "memory_store", id },
      { of: "list", list: "memories" },
    ]);
  // A store is seen first when its import has ended.
  const made = verb === "imported" ? "created" : verb;
  if (made === "updated" || made === "exported") return;
  await workspaceEvent(tx, context, { workspaceId, type: `memory_store.${made}`, id });
}

const present = (row: queries.StoreRow): MemoryStore => ({
  id: row.id,
  type: "memory_store",
  name: row.name,
  description: row.description,
  metadata: row.metadata,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  archived_at: row.archivedAt?.toISOString() ?? null,
  memory_count: row.memories,
  size_bytes: row.bytes,
});
