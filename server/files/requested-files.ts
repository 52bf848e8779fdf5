// Files that the request of another noun names: what they are, and their bytes in memory.
import { buffer } from "node:stream/consumers";
import type { Actor } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { expectUnexpired, openContent } from "./bytes/content.ts";
import { findFiles, type FileRow } from "./queries.ts";
import { noFile } from "./service.ts";
import { workspaceOf } from "../workspaces/module.ts";

/** Those that there are in the caller's workspace, by their ids. */
export async function namedFiles(
  actor: Actor,
  ids: readonly string[],
  on: Queryable = actor.db,
): Promise<ReadonlyMap<string, FileRow>> {
  const found = ids.length === 0 ? [] : await findFiles(on, workspaceOf(actor), ids);
  return new Map(found.map((file) => [file.id, file]));
}

/** Throws the 404 of a file that is not there, or has expired. */
export function expectThere(actor: Actor, id: string, file: FileRow | undefined): FileRow {
  if (file === undefined) throw noFile(id);
  expectUnexpired(actor, file);
  return file;
}

/** For callers that know that it is not too much. */
export const readWholeFile = async (actor: Actor, file: FileRow): Promise<Buffer> =>
  buffer(await openContent(actor, file));
