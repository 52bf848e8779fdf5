// What the server asks of folders: of those that it keeps in step all that is no folder below them, with what tells of
// a change; of one that people look at what lies in it.
import { posix } from "node:path";
import type { ExecResult, FsStat, ResolvedCommandContext } from "just-bash";

/** The words with which the server asks, of a `find` that knows more words than the library's. */
export const isListing = (args: readonly string[]): boolean =>
  (args[0] === "-P" && args.includes("-xdev")) ||
  (args[0] === "-H" && args.at(-1)?.startsWith("%y%Y ") === true);

export async function list(
  args: readonly string[],
  context: ResolvedCommandContext,
): Promise<ExecResult> {
  const records: string[] = [];
  if (args[0] === "-H") {
    await look(context, args[1] ?? "", records);
    return { stdout: records.join(""), stderr: "", exitCode: 0 };
  }
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

/** Kind, kind of what a link leads to, bytes, change, name. */
async function look(
  { fs }: ResolvedCommandContext,
  folder: string,
  records: string[],
): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    const path = posix.join(folder, name);
    const file = await fs.lstat(path);
    const target = await fs.stat(path).catch(() => undefined);
    const kinds = kindOf(file) + (target === undefined ? "N" : kindOf(target));
    records.push(`${kinds} ${file.size} ${file.mtime.getTime() / 1000} ${name}\0`);
  }
}

const kindOf = ({ isFile, isDirectory }: FsStat): string =>
  isFile ? "f" : isDirectory ? "d" : "l";

/**
 * Kind, bytes, change of the status, change of the content with the number of the file, path. Each write makes a file
 * with another number, so that its time need not be exact.
 */
function recordOf(path: string, file: FsStat): string {
  const { size, mtime, ino = 0 } = file;
  const seconds = (mtime.getTime() / 1000).toFixed(3);
  return `${kindOf(file)} ${size} ${seconds} ${seconds}.${ino} ${path}\0`;
}
