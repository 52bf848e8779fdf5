// An archive in place of a folder's files: what it holds, never more than a folder may.
import { isHidden, type ArchiveEntry } from "../../../kernel/archive/entry.ts";
import { readTar } from "../../../kernel/archive/tar.ts";
import { isZip, readZip } from "../../../kernel/archive/zip-reader.ts";
import { invalid } from "../../../kernel/base/failure.ts";
import { limits } from "../limits.ts";
import { fileRefused } from "./paths.ts";

export interface UploadedFile {
  /** As it was given. */
  path: string;
  bytes: Buffer;
  isExecutable: boolean;
}

/** By its first bytes: names of archives are anybody's. */
export const isArchive = (bytes: Buffer): boolean =>
  isZip(bytes) ||
  (bytes[0] === 0x1f && bytes[1] === 0x8b) ||
  bytes.subarray(257, 262).toString("latin1") === "ustar";

/** `expectRoom` hears how long a file is before that is unpacked. */
export async function* unpack(
  archive: Buffer,
  expectRoom: (bytes: number) => void,
): AsyncGenerator<UploadedFile> {
  let entries = 0;
  for await (const entry of entriesOf(archive)) {
    entries += 1;
    const { archiveEntriesMax: most } = limits;
    if (entries > most)
      throw invalid(`files[]: the archive has more than ${most} entries. Pack only the skill.`);
    const path = fileIn(entry);
    if (path === undefined) continue;
    expectRoom(entry.bytes);
    const isExecutable = (entry.mode & 0o111) !== 0;
    yield { path, bytes: await entry.read(), isExecutable };
  }
}

function entriesOf(archive: Buffer): AsyncIterable<ArchiveEntry> | Iterable<ArchiveEntry> {
  if (isZip(archive)) return readZip(archive, { entriesMax: limits.archiveEntriesMax });
  return readTar(piecesOf(archive), {
    unpackedBytesMax: limits.folderBytesMax + limits.archiveRestBytesMax,
    restBytesMax: limits.archiveRestBytesMax,
    frameBytes: limits.archiveFrameBytes,
  });
}

const pieceBytes = 64 * 1024;

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Undefined for folders and for what operating systems hide beside files. */
function fileIn({ name, kind }: ArchiveEntry): string | undefined {
  if (name === undefined)
    throw invalid("files[]: an entry of the archive has a name that is not UTF-8. Rename it.");
  if (kind !== "file" && kind !== "contiguous-file" && kind !== "directory")
    throw fileRefused(
      name,
      `is a ${kind}, no regular file. Pack what it leads to, or leave it out.`,
    );
  return kind === "directory" || isHidden(name) ? undefined : name;
}
