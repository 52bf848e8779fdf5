// What a group of writes does to the memories in its way, one after the other: the rules, and no database.
import { Failure, invalid, notFound } from "../../../kernel/base/failure.ts";
import { limits } from "../limits.ts";
import { ancestorsOf, isBelow } from "./paths.ts";
import type { Operation } from "../schema.ts";
import type { Quotas } from "../settings.ts";

/** A live memory. */
export interface LiveMemory {
  id: string;
  storeId: string;
  path: string;
  versionId: string;
  sha256: string;
  bytes: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface MemoryContent {
  text: string;
  sha256: string;
  bytes: number;
}

/** The author of a write, as it is kept. */
export interface Author {
  type: "api" | "user" | "session" | "service_account";
  id: string;
}

export type MemoryWrite = { storeId: string; memoryId: string; author: Author | null } & (
  | { act: "create"; path: string; content: MemoryContent }
  | {
      act: "update";
      path: string | null;
      content: MemoryContent | null;
      expectedSha256: string | null;
    }
  | { act: "delete"; expectedSha256: string | null }
);

export interface StoreState {
  isArchived: boolean;
  memories: number;
  bytes: number;
}

/** A version as it is to be written. */
export interface NewVersion {
  id: string;
  storeId: string;
  memoryId: string;
  operation: Operation;
  path: string;
  /** Null where there is none, and where it is that of `copyOf`. */
  text: string | null;
  /** The version before, whose text is kept under a new path. */
  copyOf: string | null;
  sha256: string | null;
  bytes: number | null;
  author: Author | null;
}

/** What is known of a workspace before a group: all that its writes touch, whole enough to judge them. */
export interface WorkspaceState {
  stores: Map<string, StoreState>;
  /** By id: those that are written, and those whose paths are in the way. */
  heads: Map<string, LiveMemory>;
  bytes: number;
}

export interface WriteTerms {
  now: Date;
  quotas: Quotas;
  nextVersionId(): string;
}

/** What the writes of a group have changed: kept up while the group is applied. */
export interface AppliedWrites {
  versions: NewVersion[];
  /** In the order in which their ids were first written. */
  touched: Set<string>;
}

/** The head after the write, or null where it is gone. What may not be throws its Failure and leaves all as it was. */
export function applyWrite(
  state: WorkspaceState,
  applied: AppliedWrites,
  write: MemoryWrite,
  terms: WriteTerms,
): LiveMemory | null {
  const store = state.stores.get(write.storeId);
  if (store === undefined) throw notFound("memory store", write.storeId);
  if (write.act === "create") return create(state, applied, store, write, terms);
  if (write.act === "update") return update(state, applied, store, write, terms);
  return remove(state, applied, store, write, terms);
}

type Of<Act extends MemoryWrite["act"]> = Extract<MemoryWrite, { act: Act }>;

function create(
  state: WorkspaceState,
  applied: AppliedWrites,
  store: StoreState,
  write: Of<"create">,
  terms: WriteTerms,
): LiveMemory {
  const { storeId, memoryId, path, content } = write;
  expectOpen(store, storeId);
  expectFree(state, storeId, path, memoryId);
  if (store.memories >= limits.memoriesPerStore)
    throw invalid(
      `The memory store ${storeId} holds ${limits.memoriesPerStore} memories, which is all that fit: delete one first, or write into one that is there.`,
      { code: "memory_limit_exceeded" },
    );
  grow(state, store, content.bytes, terms);
  store.memories += 1;
  const { now } = terms;
  const version = addVersion(applied, terms, "created", { ...write, ...content });
  const head: LiveMemory = {
    id: memoryId,
    storeId,
    path,
    versionId: version.id,
    sha256: content.sha256,
    bytes: content.bytes,
    createdAt: now,
    updatedAt: now,
  };
  return put(state, applied, head);
}

function update(
  state: WorkspaceState,
  applied: AppliedWrites,
  store: StoreState,
  write: Of<"update">,
  terms: WriteTerms,
): LiveMemory {
  const { storeId, memoryId, expectedSha256 } = write;
  const head = headOf(state, write);
  expectOpen(store, storeId);
  const path = write.path ?? head.path;
  const content = write.content?.sha256 === head.sha256 ? null : write.content;
  // What already is as it should be needs no precondition: a repeated request succeeds.
  if (content === null && path === head.path) return head;
  expectSha256(head, expectedSha256);
  if (path !== head.path) expectFree(state, storeId, path, memoryId);
  const { sha256, bytes } = content ?? head;
  grow(state, store, bytes, terms);
  const before = applied.versions.find(({ id }) => id === head.versionId);
  const kept = before === undefined ? null : { text: before.text, copyOf: before.copyOf };
  const version = addVersion(applied, terms, "modified", {
    ...write,
    path,
    sha256,
    bytes,
    ...(content ?? kept ?? { copyOf: head.versionId }),
  });
  return put(state, applied, {
    ...head,
    path,
    versionId: version.id,
    sha256,
    bytes,
    updatedAt: terms.now,
  });
}

function remove(
  state: WorkspaceState,
  applied: AppliedWrites,
  store: StoreState,
  write: Of<"delete">,
  terms: WriteTerms,
): null {
  const { memoryId, expectedSha256 } = write;
  const head = headOf(state, write);
  expectSha256(head, expectedSha256);
  addVersion(applied, terms, "deleted", { ...write, path: head.path });
  store.memories -= 1;
  state.heads.delete(memoryId);
  applied.touched.add(memoryId);
  return null;
}

function headOf({ heads }: WorkspaceState, { storeId, memoryId }: MemoryWrite): LiveMemory {
  const head = heads.get(memoryId);
  if (head === undefined || head.storeId !== storeId) throw notFound("memory", memoryId);
  return head;
}

function put({ heads }: WorkspaceState, { touched }: AppliedWrites, head: LiveMemory): LiveMemory {
  heads.set(head.id, head);
  touched.add(head.id);
  return head;
}

type VersionFacts = Pick<NewVersion, "storeId" | "memoryId" | "path" | "author"> &
  Partial<Pick<NewVersion, "text" | "copyOf" | "sha256" | "bytes">>;

function addVersion(
  { versions }: AppliedWrites,
  { nextVersionId }: WriteTerms,
  operation: Operation,
  facts: VersionFacts,
): NewVersion {
  const { storeId, memoryId, path, author } = facts;
  const { text = null, copyOf = null, sha256 = null, bytes = null } = facts;
  const id = nextVersionId();
  const version = { id, storeId, memoryId, operation, path, text, copyOf, sha256, bytes, author };
  versions.push(version);
  return version;
}

function expectOpen({ isArchived }: StoreState, storeId: string): void {
  if (isArchived)
    throw invalid(
      `The memory store ${storeId} is archived: it can be read, but nothing is written to it any more. Make another one.`,
      { code: "memory_store_archived" },
    );
}

function expectSha256({ id, sha256 }: LiveMemory, expected: string | null): void {
  if (expected !== null && expected !== sha256)
    throw new Failure(
      "memory_precondition_failed_error",
      `The memory ${id} has changed: its content_sha256 is not the expected one. Read it again, then decide.`,
      { headers: { "x-should-retry": "false" } },
    );
}

/** No two memories share a path, and none stands where another has its folder. */
function expectFree({ heads }: WorkspaceState, storeId: string, path: string, self: string): void {
  const ancestors = new Set(ancestorsOf(path));
  for (const head of heads.values()) {
    if (head.storeId !== storeId || head.id === self) continue;
    const isSame = head.path === path;
    if (!isSame && !ancestors.has(head.path) && !isBelow(head.path, path)) continue;
    const how = isSame
      ? "is taken by"
      : ancestors.has(head.path)
        ? "stands below"
        : "would stand above";
    throw new Failure(
      "memory_path_conflict_error",
      `path: ${how} another memory, ${head.id}. Choose another path, or move or delete that memory first.`,
      {
        headers: { "x-should-retry": "false" },
        fields: { conflicting_memory_id: head.id, conflicting_path: head.path },
      },
    );
  }
}

function grow(
  state: WorkspaceState,
  store: StoreState,
  bytes: number,
  { quotas }: WriteTerms,
): void {
  if (state.bytes + bytes > quotas.bytesMax)
    throw invalid(
      `The memory stores of this workspace hold ${state.bytes} of ${quotas.bytesMax} bytes, all versions counted: this write does not fit. Delete a store, redact old versions, or have the quota raised.`,
      { code: "storage_quota_exceeded" },
    );
  state.bytes += bytes;
  store.bytes += bytes;
}
