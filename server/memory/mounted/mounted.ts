// What a mount of a store in a sandbox reads and writes, by the rules that the routes have.
import type { World } from "../../../kernel/context.ts";
import { notFound } from "../../../kernel/base/failure.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { limits } from "../limits.ts";
import type { LiveMemory } from "../memories/apply.ts";
import { contentOf } from "../memories/content.ts";
import { writeMemory } from "../memories/group-writer.ts";
import { checkPath, problemOf } from "../memories/paths.ts";
import * as queries from "../memories/queries.ts";
import { findMark, findOwnVersions, findVersionsOf } from "./queries.ts";
import { loadTexts } from "../memories/queries-write.ts";

/** As `LiveMemory`, which knows its store. */
export type MountedMemory = Pick<LiveMemory, "id" | "path" | "versionId" | "sha256" | "bytes">;

export interface MountedStore {
  workspaceId: string;
  storeId: string;
}

/** All of it without texts; undefined where the store is gone. */
export async function listMounted(
  on: Queryable,
  { workspaceId, storeId }: MountedStore,
): Promise<MountedMemory[] | undefined> {
  const window = { workspaceId, from: "/", to: "0", view: "basic" as const };
  const rows = await queries.listBelow(on, storeId, { ...window, rows: limits.memoriesPerStore });
  return rows?.flatMap((row) => (row.id === null ? [] : row));
}

/** What a sandbox writes back is a version of its session's. A null in place of a text deletes. */
export type MountedWrite = { path: string } & (
  | { text: string; memory?: undefined }
  | { text: string | null; memory: Pick<MountedMemory, "id" | "sha256"> }
);

/** The head after it. What a store does not take throws its Failure; so does a memory that has changed meanwhile. */
export async function writeMounted(
  world: World,
  { workspaceId, storeId }: MountedStore,
  sessionId: string,
  write: MountedWrite,
): Promise<LiveMemory | null> {
  const author = { type: "session" as const, id: sessionId };
  const { path, text, memory } = write;
  if (memory === undefined)
    return writeMemory(world, workspaceId, {
      act: "create",
      storeId,
      memoryId: world.ids.next("mem_"),
      path: checkPath("path", path),
      content: contentOf("content", text),
      author,
    });
  const change = { storeId, memoryId: memory.id, expectedSha256: memory.sha256, author };
  if (text === null) return writeMemory(world, workspaceId, { act: "delete", ...change });
  const content = contentOf("content", text);
  return writeMemory(world, workspaceId, { act: "update", path: null, content, ...change });
}

/** Changes with each write in the workspace; 404 where the store is gone. */
export async function markOf(
  on: Queryable,
  { workspaceId, storeId }: MountedStore,
): Promise<number> {
  const seq = await findMark(on, workspaceId, storeId);
  if (seq === undefined) throw notFound("memory store", storeId);
  return seq;
}

/** By version; one that is gone has none. */
export const textsOf = loadTexts;

/** Which of these texts their memories have had, each as `path sha256`. */
export const findEarlier = findVersionsOf;

/** Which of these versions the session has written. */
export const findOwn = findOwnVersions;

export const pathProblem = problemOf;
