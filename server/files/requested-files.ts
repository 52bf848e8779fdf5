// Files that the request of another noun names: what they are, and their bytes in memory.
import { buffer } from "node:stream/consumers";
import type { Context } from "../../kernel/context.ts";
import { expectUnexpired, openContent } from "./bytes/content.ts";
import { findFiles, type FileRow } from "./queries.ts";
import { noFile } from "./service.ts";
import { workspaceOf } from "../workspaces/module.ts";

/** Those that there are in the caller's workspace, by their ids. */
export async function namedFiles(
  context: Context,
  ids: readonly string[],
): Promise<ReadonlyMap<string, FileRow>> {
  const found = await findFiles(context.db, workspaceOf(context), ids);
  return new Map(found.map((file) => [file.id, file]));
}

/** Throws the 404 of a file that is not there, or has expired. */
export function expectThere(context: Context, id: string, file: FileRow | undefined): FileRow {
  if (file === undefined) throw noFile(id);
  expectUnexpired(context, file);
  return file;
}

/** For callers that know that it is not too much. */
export const readWholeFile = async (context: Context, file: FileRow): Promise<Buffer> =>
  buffer(await openContent(context, file));
