// Pictures that a model can look at: by their first bytes, and by the size that their head names.
import { fileTypeFromBuffer } from "file-type";

export interface Picture {
  mediaType: string;
  /** It names a width and a height. A file that only begins as a picture does not. */
  isWhole: boolean;
}

/** Undefined for what does not begin as one. */
export async function pictureIn(bytes: Buffer): Promise<Picture | undefined> {
  const mediaType = (await fileTypeFromBuffer(bytes))?.mime ?? "";
  const sizeOf = sizes[mediaType];
  if (sizeOf === undefined) return undefined;
  const size = sizeOf(bytes);
  const isWhole = size !== undefined && size.every((side) => side > 0);
  return { mediaType, isWhole };
}

type Size = readonly [width: number, height: number];

const sizes: Readonly<Record<string, (bytes: Buffer) => Size | undefined>> = {
  "image/png": sizeOfPng,
  "image/jpeg": sizeOfJpeg,
  "image/gif": sizeOfGif,
  "image/webp": sizeOfWebp,
};

/** The chunk IHDR comes first, and has 13 bytes. */
function sizeOfPng(bytes: Buffer): Size | undefined {
  if (bytes.length < 33 || bytes.readUInt32BE(8) !== 13) return undefined;
  if (bytes.toString("latin1", 12, 16) !== "IHDR") return undefined;
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** In the head of its frame, behind segments of other kinds. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const kind = bytes[at + 1] ?? 0;
    if (isFrame(kind)) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    // A filling byte; else a segment, which says how long it is.
    at += kind === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** 0xC0 to 0xCF, but for tables (0xC4, 0xCC) and what is reserved (0xC8). */
const isFrame = (kind: number): boolean =>
  kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;

/** Of the screen, which at least one block follows. */
function sizeOfGif(bytes: Buffer): Size | undefined {
  return bytes.length > 13 ? [bytes.readUInt16LE(6), bytes.readUInt16LE(8)] : undefined;
}

/** Of the first chunk: of a picture with losses, of one without, or of several in a container. */
function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "VP8X") return [1 + bytes.readUIntLE(24, 3), 1 + bytes.readUIntLE(27, 3)];
  if (kind === "VP8L" && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)];
  }
  if (kind === "VP8 " && bytes.readUIntBE(23, 3) === 0x9d012a)
    return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  return undefined;
}
