// A strict JSON scanner over bytes that come in chunks: builds no values, stops only where outer ones begin and end.
import { invalid } from "../../../kernel/base/failure.ts";
import { limits } from "../limits.ts";
import {
  closeArray,
  closeObject,
  colon,
  comma,
  isComplete,
  isHex,
  isPlain,
  isSimpleEscape,
  isWordLike,
  byteKinds,
  openArray,
  openObject,
  quote,
  scalarParts,
  space,
} from "./byte-classes.ts";

/** Why the scanner stopped. */
export const chunkEnded = 0;
export const valueBegan = 1;
export const valueEnded = 2;
export const fieldNamed = 3;

/** Values with no more than this many objects and arrays around them are stopped at. */
const outerMax = 3;

/** What may come next, as bits: more than one at the beginning of an object or an array. */
const aValue = 1;
const anItem = 2;
const aName = 4;
const aField = 8;
const aColon = 16;
const more = 32;

const expected: Record<number, string> = {
  [aValue]: "a value was expected",
  [anItem]: "a value or ] was expected",
  [aField]: "a field name in double quotes or } was expected",
  [aName]: "a field name in double quotes was expected",
  [aColon]: ": was expected after the field name",
  [more]: "a comma or the closing bracket was expected",
};

const nothing = 0;
const aString = 1;
const aScalar = 2;

export interface Scan {
  stop: number;
  /** At a stop: how many objects and arrays are around what began, ended or was named. */
  level: number;
  /** Where in the chunk the text of the outer string that is open begins: 0 when it began in one before. */
  textAt: number;
  /** Of an outer string the bytes in earlier chunks: the first ones, and how many there were. */
  readonly held: Buffer;
  heldBytes: number;
  /** Bytes in the chunks before this one. */
  offset: number;
  depth: number;
  expects: number;
  /** What is open and may go on in the next chunk. */
  token: number;
  /** Of a string: hex digits that its escape still wants, or 5 behind a backslash. Of a scalar: its last part. */
  part: number;
  /** 1 where that depth is an object. */
  readonly objects: Uint8Array;
  /** Tells in which request a fault is. */
  readonly inRequest: () => string;
}

export const makeScan = (inRequest: () => string): Scan => ({
  stop: chunkEnded,
  level: 0,
  textAt: 0,
  held: Buffer.alloc(limits.heldBytesMax),
  heldBytes: 0,
  offset: 0,
  depth: 0,
  expects: aValue,
  token: nothing,
  part: 0,
  objects: new Uint8Array(limits.depthMax + 1),
  inRequest,
});

/** A chunk, and four bytes of it at a time: the first of `words` may begin up to three bytes before it. */
export interface ByteChunk {
  readonly bytes: Buffer;
  readonly words: Int32Array;
  readonly shift: number;
}

export function byteChunkOf(bytes: Buffer): ByteChunk {
  const shift = bytes.byteOffset & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset - shift, (shift + bytes.length) >> 2);
  return { bytes, words, shift };
}

/** Goes on to the next stop or the end of the chunk; returns where it is. */
export function run(scan: Scan, chunk: ByteChunk, from: number): number {
  const { bytes } = chunk;
  scan.stop = chunkEnded;
  let at = from;
  while (at < bytes.length) {
    if (scan.token !== nothing) {
      at = scan.token === aString ? stringRest(scan, chunk, at) : scalarRest(scan, bytes, at);
      if (scan.token !== nothing) return at;
      if (scan.depth > outerMax) scan.expects = scan.expects >= aName ? aColon : more;
      else return finish(scan, at);
      continue;
    }
    const byte = bytes[at] as number;
    switch (byteKinds[byte]) {
      case space:
        break;
      case comma:
        if (scan.expects !== more || scan.depth === 0) throw unexpected(scan, at);
        scan.expects = scan.objects[scan.depth] === 1 ? aName : aValue;
        break;
      case colon:
        if (scan.expects !== aColon) throw unexpected(scan, at);
        scan.expects = aValue;
        break;
      case quote:
        if (scan.expects > aField) throw unexpected(scan, at);
        scan.token = aString;
        scan.part = 0;
        if (scan.depth <= outerMax) {
          scan.textAt = at + 1;
          scan.heldBytes = 0;
          if (scan.expects < aName) return begin(scan, scan.depth, at);
        }
        break;
      case openObject:
      case openArray:
        if (scan.expects > anItem) throw unexpected(scan, at);
        open(scan, byte === 0x7b, at);
        if (scan.depth <= outerMax + 1) return begin(scan, scan.depth - 1, at);
        break;
      case closeObject:
      case closeArray:
        close(scan, byte === 0x7d, at);
        if (scan.depth <= outerMax) return finish(scan, at + 1);
        break;
      default:
        if (scan.expects > anItem) throw unexpected(scan, at);
        scan.token = aScalar;
        scan.part = scalarParts[byte] as number;
        if (scan.part === 0) throw unexpected(scan, at);
        if (scan.depth <= outerMax) return begin(scan, scan.depth, at);
    }
    at++;
  }
  return at;
}

function begin(scan: Scan, level: number, at: number): number {
  scan.stop = valueBegan;
  scan.level = level;
  return at + 1;
}

/** An outer value, or the name of an outer field, is complete. */
function finish(scan: Scan, at: number): number {
  const isName = (scan.expects & (aName | aField)) !== 0;
  scan.stop = isName ? fieldNamed : valueEnded;
  scan.expects = isName ? aColon : more;
  scan.level = scan.depth;
  return at;
}

function open(scan: Scan, isObject: boolean, at: number): void {
  if (scan.depth === limits.depthMax)
    throw invalid(
      `The body is nested deeper than ${limits.depthMax} levels at byte ${scan.offset + at + 1}${scan.inRequest()}; flatten it.`,
    );
  scan.depth++;
  scan.objects[scan.depth] = isObject ? 1 : 0;
  scan.expects = isObject ? aField : anItem;
}

function close(scan: Scan, isObject: boolean, at: number): void {
  const first = isObject ? aField : anItem;
  const isOpen = scan.depth > 0 && scan.objects[scan.depth] === (isObject ? 1 : 0);
  if (!isOpen || (scan.expects !== more && scan.expects !== first)) throw unexpected(scan, at);
  scan.depth--;
  scan.expects = more;
}

/** From within a string to behind its closing quote, or to the end of the chunk. */
function stringRest(scan: Scan, chunk: ByteChunk, from: number): number {
  const { bytes, shift } = chunk;
  const end = bytes.length;
  let at = scan.part === 0 ? from : escapeRest(scan, bytes, from);
  while (at < end) {
    // Most names are shorter than 16 bytes; text goes on four bytes at a time.
    const near = Math.min(((at + shift + 16) & ~3) - shift, end);
    while (at < near && isPlain[bytes[at] as number] === 1) at++;
    if (at === near && near < end) {
      at = plainWords(chunk, at);
      while (at < end && isPlain[bytes[at] as number] === 1) at++;
    }
    if (at === end) return at;
    const byte = bytes[at] as number;
    if (byte === 0x22) {
      scan.token = nothing;
      return at + 1;
    }
    if (byte !== 0x5c)
      throw notJson(scan, at, "a string holds a control character that is not escaped");
    scan.part = 5;
    at = escapeRest(scan, bytes, at + 1);
  }
  return at;
}

/** As far as there are four bytes that neither end the string nor need a look. */
function plainWords({ words, shift }: ByteChunk, from: number): number {
  let index = (from + shift) >> 2;
  for (; index < words.length; index++) {
    const word = words[index] as number;
    // Control characters and the quote are what is less than 0x21 once bit 2 is turned over.
    const turned = word ^ 0x02020202;
    const slash = word ^ 0x5c5c5c5c;
    const hits = ((turned - 0x21212121) & ~turned) | ((slash - 0x01010101) & ~slash);
    if ((hits & 0x80808080) !== 0) break;
  }
  return (index << 2) - shift;
}

/** What is left of an escape, as far as the chunk has it. */
function escapeRest(scan: Scan, bytes: Buffer, from: number): number {
  let at = from;
  for (; at < bytes.length && scan.part !== 0; at++) {
    const byte = bytes[at] as number;
    if (scan.part === 5 && isSimpleEscape[byte] === 1) scan.part = 0;
    else if (scan.part === 5 ? byte === 0x75 : isHex[byte] === 1) scan.part--;
    else throw notJson(scan, at, "a backslash in a string starts no known escape");
  }
  return at;
}

/** From within a number or a word to behind its end, which only the byte after it shows. */
function scalarRest(scan: Scan, bytes: Buffer, from: number): number {
  let at = from;
  let part = scan.part;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const next = scalarParts[(part << 8) | byte] as number;
    if (next === 0) {
      if (isComplete[part] === 0 || isWordLike[byte] === 1)
        throw notJson(scan, at, "a number or word is malformed");
      scan.token = nothing;
      return at;
    }
    part = next;
  }
  scan.part = part;
  return at;
}

/** The chunk is used up: what of it will be needed is held. */
export function leave(scan: Scan, bytes: Buffer): void {
  scan.offset += bytes.length;
  if (scan.token !== aString || scan.depth > outerMax) return;
  bytes.copy(scan.held, Math.min(scan.heldBytes, scan.held.length), scan.textAt);
  scan.heldBytes += bytes.length - scan.textAt;
  scan.textAt = 0;
}

/** The outer string that ended right before `at`; of one longer than what is held, its beginning as it stands. */
export function textOf(scan: Scan, bytes: Buffer, at: number): string {
  const max = limits.heldBytesMax;
  const length = scan.heldBytes + at - 1 - scan.textAt;
  if (scan.heldBytes > 0) bytes.copy(scan.held, Math.min(scan.heldBytes, max), 0, at - 1);
  const [source, from] = scan.heldBytes > 0 ? [scan.held, 0] : [bytes, scan.textAt];
  const raw = source.toString("utf8", from, from + Math.min(length, max));
  return length <= max && raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** Throws where the body ended before its value did. */
export function expectEnd(scan: Scan): void {
  if (scan.depth === 0 && scan.expects === more) return;
  if (scan.depth === 0 && scan.token === nothing)
    throw invalid("The body is not JSON: it is empty; send an object with requests.");
  throw notJson(scan, 0, "it ends too early");
}

const unexpected = (scan: Scan, at: number) =>
  scan.depth === 0 && scan.expects === more
    ? notJson(scan, at, "it goes on after its end")
    : notJson(scan, at, expected[scan.expects] ?? "");

/** Never quotes the body: it may hold a secret. */
const notJson = (scan: Scan, at: number, reason: string) =>
  invalid(`The body is not JSON: ${reason} at byte ${scan.offset + at + 1}${scan.inRequest()}.`);
