// Reads a zip that is whole in memory, without trust: its directory and what it points to must agree.
import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";
import { invalid } from "../base/failure.ts";
import type { ArchiveEntry } from "./entry.ts";

const inflate = promisify(inflateRaw);

const signatures = { file: 0x04034b50, directory: 0x02014b50, end: 0x06054b50 } as const;
const endBytes = 22;
const directoryEntryBytes = 46;
const localHeaderBytes = 30;
const commentBytesMax = 0xffff;
const flags = { encrypted: 0x0001, utf8: 0x0800 } as const;
const stored = 0;
const deflated = 8;
/** What makes the mode of Unix stand in an entry: Unix itself, and macOS. */
const withMode: ReadonlySet<number> = new Set([3, 19]);

export const isZip = (bytes: Buffer): boolean =>
  bytes.length >= 4 && [signatures.file, signatures.end].includes(bytes.readUInt32LE(0) as never);

/** Entries in the order of the directory; nothing is unpacked before it is read. */
export function readZip(zip: Buffer, { entriesMax }: { entriesMax: number }): ArchiveEntry[] {
  const end = findEnd(zip);
  const entries = zip.readUInt16LE(end + 10);
  const indexBytes = zip.readUInt32LE(end + 12);
  const indexAt = zip.readUInt32LE(end + 16);
  if (entries === 0xffff || indexAt === 0xffffffff)
    throw invalid("The zip is a zip64, which is for larger ones. Pack it again without.");
  if (entries > entriesMax)
    throw invalid(`The zip has ${entries} entries; at most ${entriesMax} are taken. Pack fewer.`);
  const isSplit = zip.readUInt32LE(end + 4) !== 0 || zip.readUInt16LE(end + 8) !== entries;
  if (isSplit || indexAt + indexBytes !== end) throw broken();
  const found: Placed[] = [];
  let at = indexAt;
  for (let index = 0; index < entries; index++) {
    if (at + directoryEntryBytes > end) throw broken();
    const placed = readEntry(zip, at, indexAt);
    at += placed.headerBytes;
    if (at > end) throw broken();
    found.push(placed);
  }
  if (at !== end) throw broken();
  expectApart(found);
  return found.map(({ entry }) => entry);
}

interface Placed {
  entry: ArchiveEntry;
  headerBytes: number;
  from: number;
  to: number;
}

/** Only a comment may stand behind the end, and nothing else. */
function findEnd(zip: Buffer): number {
  const last = zip.length - endBytes;
  for (let at = last; at >= 0 && at >= last - commentBytesMax; at--)
    if (
      zip.readUInt32LE(at) === signatures.end &&
      at + endBytes + zip.readUInt16LE(at + 20) === zip.length
    )
      return at;
  throw invalid(
    "The zip has no end, or something stands behind it: it was cut off. Pack it again.",
  );
}

function readEntry(zip: Buffer, at: number, indexAt: number): Placed {
  if (zip.readUInt32LE(at) !== signatures.directory) throw broken();
  const flag = zip.readUInt16LE(at + 8);
  const method = zip.readUInt16LE(at + 10);
  const checksum = zip.readUInt32LE(at + 16);
  const packedBytes = zip.readUInt32LE(at + 20);
  const bytes = zip.readUInt32LE(at + 24);
  const nameBytes = zip.readUInt16LE(at + 28);
  const extraBytes = zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  const nameAt = at + directoryEntryBytes;
  const rawName = zip.subarray(nameAt, nameAt + nameBytes);
  const name = nameOf(rawName);
  const shown = JSON.stringify((name ?? rawName.toString("latin1")).slice(0, 120));
  if ((flag & flags.encrypted) !== 0)
    throw invalid(`${shown} in the zip is encrypted. Pack it without a password.`);
  if (method !== stored && method !== deflated)
    throw invalid(`${shown} in the zip is packed in a way that is not known. Use deflate.`);
  if (bytes === 0xffffffff || packedBytes === 0xffffffff)
    throw invalid("The zip is a zip64, which is for larger ones. Pack it again without.");
  if (method === stored && bytes !== packedBytes) throw broken();
  const from = zip.readUInt32LE(at + 42);
  const dataAt = expectLocal(zip, from, indexAt, rawName);
  const to = dataAt + packedBytes;
  if (to > indexAt) throw broken();
  const { kind, mode } = typeOf(zip.readUInt16LE(at + 4) >> 8, zip.readUInt32LE(at + 38), name);
  const read = async (): Promise<Buffer> => {
    const packed = zip.subarray(dataAt, to);
    const whole = method === stored ? packed : await inflated(packed, bytes);
    if (whole?.length === bytes && crc32(whole) === checksum) return whole;
    throw invalid(
      `${shown} in the zip is broken: its bytes are not those that were packed. Pack it again.`,
    );
  };
  return {
    entry: { name, kind, mode, bytes, read },
    headerBytes: directoryEntryBytes + nameBytes + extraBytes,
    from,
    to,
  };
}

/** Where its bytes begin. A file that bears another name here than in the directory is two files to two readers. */
function expectLocal(zip: Buffer, at: number, indexAt: number, name: Buffer): number {
  if (at + localHeaderBytes > indexAt || zip.readUInt32LE(at) !== signatures.file) throw broken();
  const nameBytes = zip.readUInt16LE(at + 26);
  const nameAt = at + localHeaderBytes;
  if (!zip.subarray(nameAt, nameAt + nameBytes).equals(name)) throw broken();
  return nameAt + nameBytes + zip.readUInt16LE(at + 28);
}

/** Entries that share their bytes unpack to far more than there is. */
function expectApart(found: readonly Placed[]): void {
  const inOrder = found.toSorted((a, b) => a.from - b.from);
  for (const [index, { from }] of inOrder.entries())
    if (index > 0 && from < (inOrder[index - 1]?.to ?? 0)) throw broken();
}

/** Old packers do not say that a name is UTF-8, and some say so of one that is not. */
function nameOf(raw: Buffer): string | undefined {
  const name = raw.toString("utf8");
  return Buffer.from(name).equals(raw) ? name : undefined;
}

const kinds: Readonly<Record<number, string>> = {
  0o010000: "fifo",
  0o020000: "character-device",
  0o040000: "directory",
  0o060000: "block-device",
  0o100000: "file",
  0o120000: "symlink",
  0o140000: "socket",
};

function typeOf(madeBy: number, attributes: number, name: string | undefined) {
  const unix = withMode.has(madeBy) ? attributes >>> 16 : 0;
  const type = unix & 0o170000;
  const byName = name?.endsWith("/") === true ? "directory" : "file";
  const kind = type === 0 ? byName : (kinds[type] ?? "thing of an unknown kind");
  return { kind, mode: unix & 0o7777 };
}

/** Never more than the directory says; undefined where it is not what was packed. */
async function inflated(packed: Buffer, bytes: number): Promise<Buffer | undefined> {
  try {
    return await inflate(packed, { maxOutputLength: Math.max(1, bytes) });
  } catch (error) {
    const { code = "" } = error as Error & { code?: string };
    if (code.startsWith("Z_") || code === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw error;
  }
}

const broken = () => invalid("The zip is broken, or no zip. Pack it again.");
