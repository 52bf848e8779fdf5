// Creates, shows, lists, changes and deletes memories.
import assert from "node:assert/strict";
import { gather } from "../../../kernel/base/gather.ts";
import type { Context, World } from "../../../kernel/context.ts";
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { part } from "../../../kernel/work/parts.ts";
import type { LiveMemory } from "./apply.ts";
import { contentOf } from "./content.ts";
import { limits } from "../limits.ts";
import { checkPath, checkPrefix, prefixEndOf, rightAfter } from "./paths.ts";
import { authorOf } from "../authors.ts";
import * as queries from "./queries.ts";
import type {
  CreateMemory,
  Memory,
  MemoryItem,
  MemoryQuery,
  UpdateMemory,
  View,
  ViewQuery,
} from "../schema.ts";
import { expectReached, expectStore } from "../stores/service.ts";
import { writeMemory } from "./group-writer.ts";
import { workspaceOf } from "../../workspaces/module.ts";

interface MemoryParams {
  memory_store_id: string;
  memory_id: string;
}

export async function createMemory(
  context: Context,
  storeId: string,
  { path, content: text }: CreateMemory,
  { view = "basic" }: ViewQuery,
): Promise<Memory> {
  expectReached(context, storeId, "write");
  const content = contentOf("content", text ?? "");
  const head = await writeHere(context, {
    act: "create",
    storeId,
    memoryId: context.ids.next("mem_"),
    path: checkPath("path", path),
    content,
  });
  return present(head, view === "full" ? content.text : null);
}

export async function updateMemory(
  context: Context,
  { memory_store_id: storeId, memory_id: memoryId }: MemoryParams,
  body: UpdateMemory,
  { view = "basic" }: ViewQuery,
): Promise<Memory> {
  expectReached(context, storeId, "write");
  const text = body.content ?? null;
  const path = body.path ?? null;
  const content = text === null ? null : contentOf("content", text);
  const head = await writeHere(context, {
    act: "update",
    storeId,
    memoryId,
    path: path === null ? null : checkPath("path", path),
    content,
    expectedSha256: expectedOf(body),
  });
  if (view === "basic") return present(head, null);
  return present(head, text ?? (await queries.findText(context.db, head.versionId)));
}

/** It may be said in two places, but not in two ways. */
function expectedOf({ precondition, content_sha256 }: UpdateMemory): string | null {
  const [long, short] = [precondition?.content_sha256 ?? null, content_sha256 ?? null];
  if (long !== null && short !== null && long !== short)
    throw invalid("precondition, content_sha256: name different hashes; give one of them.");
  return long ?? short;
}

export async function deleteMemory(
  context: Context,
  { memory_store_id: storeId, memory_id: memoryId }: MemoryParams,
  expectedSha256: string | undefined,
) {
  expectReached(context, storeId, "write");
  await writeMemory(context, workspaceOf(context), {
    act: "delete",
    storeId,
    memoryId,
    author: authorOf(context),
    expectedSha256: expectedSha256 ?? null,
  });
  return { id: memoryId, type: "memory_deleted" as const };
}

type Wanted<Write> = Write extends unknown ? Omit<Write, "author"> : never;
type Change = Exclude<Parameters<typeof writeMemory>[2], { act: "delete" }>;

async function writeHere(context: Context, wanted: Wanted<Change>): Promise<LiveMemory> {
  const author = authorOf(context);
  const head = await writeMemory(context, workspaceOf(context), { ...wanted, author });
  assert(head !== null, "A memory that was written is not there.");
  return head;
}

/** Reads of single memories that come at the same time are one statement. */
export const memoryReadsPart = part("reads of memories", {
  make: ({ db }: World) => {
    const find = (view: View) =>
      gather((keys: readonly queries.MemoryKey[]) => queries.findMemories(db, keys, view), {
        keysMax: limits.readsGatheredMax,
        atOnce: limits.readsAtOnceMax,
      });
    return { basic: find("basic"), full: find("full") };
  },
});

export async function retrieveMemory(
  context: Context,
  { memory_store_id: storeId, memory_id: memoryId }: MemoryParams,
  { view = "full" }: ViewQuery,
): Promise<Memory> {
  expectReached(context, storeId, "read");
  const workspaceId = workspaceOf(context);
  const row = await memoryReadsPart.of(context)[view]({ workspaceId, storeId, memoryId });
  if (row !== undefined) return present(row, row.content);
  await expectStore(context, storeId);
  throw notFound("memory", memoryId);
}

export async function listMemories(context: Context, storeId: string, query: MemoryQuery) {
  expectReached(context, storeId, "read");
  const { db, secrets } = context;
  const { view = "basic", depth = 0 } = query;
  if (query.path !== undefined && query.path_prefix !== undefined)
    throw invalid("path: cannot stand beside path_prefix; send one of the two.");
  const prefix = checkPrefix("path_prefix", query.path_prefix ?? "/");
  const path = query.path === undefined ? undefined : checkPath("path", query.path);
  const size = pageSize(query.limit, { itemsMax: pageMaxOf(view) });
  const cursors = makeCursors(secrets);
  const list = `memories of ${storeId} below ${path ?? prefix} to ${depth}`;
  const tenant = workspaceOf(context);
  const from = cursors.read(list, tenant, query.page) as string | undefined;
  const window = {
    workspaceId: tenant,
    from: from ?? path ?? prefix,
    to: path === undefined ? prefixEndOf(prefix) : rightAfter(path),
    rows: size + 1,
    view,
  };
  const rows =
    depth === 0
      ? await queries.listBelow(db, storeId, window)
      : await queries.listChildren(db, storeId, prefix, window);
  if (rows === undefined) throw notFound("memory store", storeId);
  const page = toCursorPage(rows, size, (last) =>
    cursors.write(list, tenant, last.id === null ? prefixEndOf(last.path) : rightAfter(last.path)),
  );
  return { ...page, data: page.data.map((row) => itemOf(storeId, row)) };
}

export const pageMaxOf = (view: View) =>
  view === "full" ? limits.fullPageItemsMax : limits.pageItemsMax;

const itemOf = (storeId: string, row: queries.ItemRow | queries.FolderRow): MemoryItem =>
  row.id === null
    ? { type: "memory_prefix", path: row.path }
    : presentIn(storeId, row, row.content ?? null);

const present = (head: LiveMemory, content: string | null): Memory =>
  presentIn(head.storeId, head, content);

function presentIn(
  storeId: string,
  head: Omit<LiveMemory, "storeId">,
  content: string | null,
): Memory {
  return {
    id: head.id,
    type: "memory",
    memory_store_id: storeId,
    memory_version_id: head.versionId,
    path: head.path,
    content,
    content_sha256: head.sha256,
    content_size_bytes: head.bytes,
    created_at: head.createdAt.toISOString(),
    updated_at: head.updatedAt.toISOString(),
  };
}
