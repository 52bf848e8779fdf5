// Imports a tar as a new store: an export with its history, of any other tar each file as a memory.
import type { IncomingHttpHeaders } from "node:http";
import { Failure, invalid } from "../../../kernel/base/failure.ts";
import { expectMetadata } from "../../../kernel/base/metadata.ts";
import type { Context } from "../../../kernel/context.ts";
import { clientGone } from "../../../kernel/http/input/body.ts";
import { lockWorkspace } from "../memories/queries-write.ts";
import { nameOf, recordStoreEvent, retrieveStore } from "../stores/service.ts";
import { settleFiles } from "./plain-files.ts";
import { gather, type ArchiveContents } from "./read-archive.ts";
import { checkHistory } from "./check-history.ts";
import * as queries from "./queries.ts";
import type { ImportedStore, ImportQuery } from "../transfer/schema.ts";
import { importLost, openStagedStore, type StagedStore } from "./staged-store.ts";
import { workspaceOf } from "../../workspaces/module.ts";

/** The store is seen once it is whole; when something goes wrong on the way, nothing of it stays. */
export async function importStore(
  context: Context,
  { name, description }: ImportQuery,
  body: AsyncIterable<Buffer>,
): Promise<ImportedStore> {
  expectType(context.headers);
  const given = { name: name === undefined ? undefined : nameOf(name), description };
  const store = openStagedStore(context);
  const { storeId } = store.facts;
  try {
    const found = await gather(context, store, body);
    const imported = await settle(context, store, found, given);
    return { ...(await retrieveStore(context, storeId)), imported };
  } catch (error) {
    await store.discard().catch((trouble: unknown) => {
      context.logger.warn({ error: trouble }, "what an import left goes with the next sweep");
    });
    throw error;
  }
}

const types = /^application\/(?:(?:x-)?tar|(?:x-)?gzip|(?:x-)?gtar|octet-stream)$/;

function expectType({ "content-type": type = "application/x-tar" }: IncomingHttpHeaders): void {
  const name = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!types.test(name))
    throw invalid(
      `The content-type is ${JSON.stringify(name.slice(0, 80))}; this route takes application/x-tar, application/gzip or application/octet-stream.`,
      { status: 415 },
    );
}

async function settle(
  context: Context,
  store: StagedStore,
  found: ArchiveContents,
  given: { name: string | undefined; description: string | undefined },
): Promise<ImportedStore["imported"]> {
  const { db } = context;
  const { storeId } = store.facts;
  const workspaceId = workspaceOf(context);
  const { manifest, top } = found;
  if (manifest === null && found.files.size === 0 && found.versions === 0)
    throw invalid("The archive holds no file that could become a memory.");
  const facts = {
    name: given.name ?? nameFrom(manifest?.value.name, top),
    description: given.description ?? manifest?.value.description ?? "",
    metadata: expectMetadata(manifest?.value.metadata ?? {}),
  };
  await store.open();
  const now = await timeOf(context);
  const living = await checkHistory(context, store, found.madeAt, now);
  const written = await settleFiles(context, store, found, living, now);
  const heads = [...living.heads.values()];
  if (context.signal.aborted) throw clientGone();
  const isComplete = await db.tx(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    const memories = heads.length;
    if (memories > 0) await queries.insertHeads(tx, workspaceId, heads);
    if (!(await queries.complete(tx, workspaceId, { ...facts, id: storeId, memories })))
      return false;
    await recordStoreEvent(tx, context, "imported", storeId);
    return true;
  });
  if (!isComplete) throw importLost();
  return {
    memories: heads.length,
    versions: found.versions + written,
    skipped: found.skipped,
  };
}

/** Not before the last write in the workspace: the order of times is that of numbers. */
async function timeOf(context: Context): Promise<Date> {
  const { db, clock } = context;
  const workspace = await db.tx((tx) => lockWorkspace(tx, workspaceOf(context)));
  return new Date(Math.max(clock.now().getTime(), workspace?.writtenAt.getTime() ?? 0));
}

function nameFrom(name: string | undefined, top: string | null): string {
  if (name !== undefined) return nameOf(name);
  try {
    return nameOf(top ?? "Imported");
  } catch (error) {
    if (error instanceof Failure) return "Imported";
    throw error;
  }
}
