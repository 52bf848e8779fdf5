// What an entry of an archive may be, and how a refusal names it: to the caller, and not in the log.
import { isUtf8 } from "node:buffer";
import { Failure, type FailureOptions } from "../../../kernel/base/failure.ts";
import { contentOf } from "../memories/content.ts";
import type { MemoryContent } from "../memories/apply.ts";
import { limits } from "../limits.ts";
import type { ArchiveEntry } from "../../../kernel/archive/entry.ts";

/** Names are the caller's texts: the log gets the sentence without it. */
export function entryRefused(
  name: string,
  problem: string,
  { status = 400, ...options }: FailureOptions = {},
): Failure {
  const shown = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  return new Failure("invalid_request_error", `${shown}: ${problem}`, {
    ...options,
    status,
    details: { ...options.details, entry: name },
    logged: `An entry of the archive was refused: ${problem}`,
  });
}

/** With room for the folders that are taken off. */
const nameBytesMax = 4 * limits.pathBytesMax;

/** The path within the archive, in the composed form that paths of memories have (macOS writes the other). */
export function pathOf({ name }: ArchiveEntry): string {
  if (name === undefined) throw entryRefused("An entry", "its name is not UTF-8. Rename it.");
  if (Buffer.byteLength(name) > nameBytesMax)
    throw entryRefused(name, `its name has more than ${nameBytesMax} bytes. Shorten it.`);
  const path = name.normalize("NFC").replace(/^(?:\.\/+)+/, "");
  if (path.startsWith("/"))
    throw entryRefused(name, "is an absolute path. Pack it with a path below the folder.");
  if (path.split("/").includes(".."))
    throw entryRefused(name, 'has a segment "..". Pack it with a path below the folder.');
  return path;
}

/** True for a file, false for a folder: nothing else is taken. */
export function expectFile({ name = "", kind }: ArchiveEntry): boolean {
  if (kind === "file" || kind === "contiguous-file") return true;
  if (kind === "directory") return false;
  throw entryRefused(
    name,
    `is a ${kind}, no regular file. Leave it out, or pack what it leads to.`,
  );
}

export async function textOf(entry: ArchiveEntry, path: string, max: number): Promise<string> {
  if (entry.bytes > max)
    throw entryRefused(
      path,
      `has ${entry.bytes} bytes; at most ${max} are taken. Split or shorten it.`,
      {
        status: 413,
        code: "memory_too_large",
      },
    );
  const bytes = await entry.read();
  if (!isUtf8(bytes)) throw entryRefused(path, "is not UTF-8, so it is no text. Leave it out.");
  const text = bytes.toString("utf8");
  if (text.includes("\0")) throw entryRefused(path, "holds the character U+0000. Leave it out.");
  return text;
}

export async function contentIn(entry: ArchiveEntry, path: string): Promise<MemoryContent> {
  return contentOf("content", await textOf(entry, path, limits.contentBytesMax));
}
