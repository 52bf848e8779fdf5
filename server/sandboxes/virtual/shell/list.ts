// What the server asks of folders that it keeps in step: all that is no folder below them, with what tells of a change.
import { posix } from "node:path";
import type { ExecResult, FsStat, ResolvedCommandContext } from "just-bash";

/** The words in which the server asks for it, and the kernel's `find` understands. */
export const isListing = ([first]: readonly string[]): boolean => first === "-P";

/** Kind, bytes, change of the status, change of the content with the number of the file, path. */
export async function list(
  args: readonly string[],
  context: ResolvedCommandContext,
): Promise<ExecResult> {
  const records: string[] = [];
  let stderr = "";
  for (const folder of args.slice(1, args.indexOf("-xdev")))
    try {
      await walk(context, folder, records);
    } catch (error) {
      stderr += `find: ${folder}: ${error instanceof Error ? error.message : "unreadable"}\n`;
    }
  return { stdout: records.join(""), stderr, exitCode: stderr === "" ? 0 : 1 };
}

async function walk(
  context: ResolvedCommandContext,
  folder: string,
  records: string[],
): Promise<void> {
  for (const name of await context.fs.readdir(folder)) {
    const path = posix.join(folder, name);
    const file = await context.fs.lstat(path);
    if (file.isDirectory) await walk(context, path, records);
    else records.push(recordOf(path, file));
  }
}

/** Each write makes a file with another number, so that its time need not be exact. */
function recordOf(path: string, { isFile, size, mtime, ino = 0 }: FsStat): string {
  const seconds = (mtime.getTime() / 1000).toFixed(3);
  return `${isFile ? "f" : "l"} ${size} ${seconds} ${seconds}.${ino} ${path}\0`;
}
