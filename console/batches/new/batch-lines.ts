// Files with one request on each line: the lines as bytes come, and the body of the API made of them.
import { isBlank, makePieces, newline } from "./bytes.ts";

interface Line {
  /** Undefined where it was too long to be kept. */
  bytes: Uint8Array | undefined;
  length: number;
  line: number;
}

/** Lines that are not blank. */
export function makeLineCutter(bytesMax: number, onLine: (line: Line) => void) {
  const pieces = makePieces(bytesMax);
  let line = 1;
  const finish = () => {
    const { length } = pieces;
    const bytes = pieces.take();
    if (length > 0 && bytes?.every(isBlank) !== true) onLine({ bytes, length, line });
  };
  return {
    push: (chunk: Uint8Array): void => {
      let from = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        pieces.add(chunk.subarray(from, at));
        finish();
        line++;
        from = at + 1;
      }
      pieces.add(chunk.subarray(from));
    },
    end: finish,
  };
}

const comma = new Uint8Array([0x2c]);
const mark = [0xef, 0xbb, 0xbf];

/** What some editors put before the text of a file; its first chunk holds it whole. */
export const withoutMark = <Chunk extends Uint8Array>(first: Chunk): Chunk =>
  mark.every((byte, place) => first[place] === byte)
    ? (first.subarray(mark.length) as Chunk)
    : first;

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** What stands around the lines, and between each two of them. */
export const frameBytes = (lines: number): number => 15 + Math.max(0, lines - 1);

/** Chunk for chunk: blank lines left out, a comma where two meet. */
export function makeBodyOfLines() {
  let hasBefore = false;
  let inLine = false;
  let isFirst = true;
  return {
    begin: bytesOf('{"requests":['),
    of: (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] => {
      const out: Uint8Array<ArrayBuffer>[] = [];
      const chunk = isFirst ? withoutMark(bytes) : bytes;
      isFirst = false;
      let from = 0;
      while (from < chunk.length) {
        const found = chunk.indexOf(newline, from);
        const part = chunk.subarray(from, found === -1 ? chunk.length : found);
        from += part.length + 1;
        const begins = !inLine && !part.every(isBlank);
        if (begins && hasBefore) out.push(comma);
        inLine ||= begins;
        if (inLine) out.push(part);
        hasBefore ||= inLine;
        if (found !== -1) inLine = false;
      }
      return out;
    },
    end: bytesOf("]}"),
  };
}
