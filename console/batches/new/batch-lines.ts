// Files with one request on each line: the lines as bytes come, and the body of the API made of them.
import { isBlank, linePartsOf, markBytesOf } from "../../../client/batches/lines.ts";
import { makePieces } from "./bytes.ts";

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
      for (const { bytes, endsLine } of linePartsOf(chunk)) {
        pieces.add(bytes);
        if (!endsLine) continue;
        finish();
        line++;
      }
    },
    end: finish,
  };
}

const comma = new Uint8Array([0x2c]);
/** What some editors put before the text of a file is not sent. */
export const withoutMark = <Chunk extends Uint8Array>(first: Chunk): Chunk =>
  first.subarray(markBytesOf(first)) as Chunk;

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
      for (const { bytes: part, endsLine } of linePartsOf(chunk)) {
        const begins = !inLine && !part.every(isBlank);
        if (begins && hasBefore) out.push(comma);
        inLine ||= begins;
        if (inLine) out.push(part);
        hasBefore ||= inLine;
        if (endsLine) inLine = false;
      }
      return out;
    },
    end: bytesOf("]}"),
  };
}
