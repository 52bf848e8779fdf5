// Writes a zip: the same bytes for the same files.
import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";

const deflate = promisify(deflateRaw);

export interface ZippedFile {
  /** With `/` between its steps. */
  path: string;
  bytes: Buffer;
  isExecutable: boolean;
}

/** Of a format that readers of 1993 know, with names in UTF-8. */
const versionNeeded = 20;
const madeByUnix = (3 << 8) | versionNeeded;
const utf8Flag = 0x0800;
const methods = { stored: 0, deflated: 8 } as const;
/** 1 January 1980, the earliest that a zip can say: times are no part of what is packed. */
const dosDate = (1 << 5) | 1;
const regularFile = 0o100000;

/** In the order given. */
export async function writeZip(files: readonly ZippedFile[]): Promise<Buffer> {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.path);
    const deflated: Buffer = await deflate(file.bytes);
    const isSmaller = deflated.length < file.bytes.length;
    const data = isSmaller ? deflated : file.bytes;
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(versionNeeded, 0);
    facts.writeUInt16LE(utf8Flag, 2);
    facts.writeUInt16LE(isSmaller ? methods.deflated : methods.stored, 4);
    facts.writeUInt16LE(0, 6);
    facts.writeUInt16LE(dosDate, 8);
    facts.writeUInt32LE(crc32(file.bytes), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(file.bytes.length, 18);
    facts.writeUInt16LE(name.length, 22);
    bodies.push(Buffer.from("PK\x03\x04", "latin1"), facts, name, data);
    directory.push(directoryEntry(facts, file.isExecutable, offset), name);
    offset += 4 + facts.length + name.length + data.length;
  }
  const index = Buffer.concat(directory);
  return Buffer.concat([...bodies, index, endOf(files.length, index.length, offset)]);
}

function directoryEntry(facts: Buffer, isExecutable: boolean, offset: number): Buffer {
  const entry = Buffer.alloc(46);
  entry.write("PK\x01\x02", "latin1");
  entry.writeUInt16LE(madeByUnix, 4);
  facts.copy(entry, 6);
  const mode = regularFile | (isExecutable ? 0o755 : 0o644);
  entry.writeUInt32LE(mode * 0x10000, 38);
  entry.writeUInt32LE(offset, 42);
  return entry;
}

function endOf(entries: number, indexBytes: number, indexAt: number): Buffer {
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(indexBytes, 12);
  end.writeUInt32LE(indexAt, 16);
  return end;
}
