// Lines of requests as the body of a new batch, piece by piece: no more than one line of them is in memory.
import { isBlank, linePartsOf } from "../../client/batches/lines.ts";
import { CliError } from "../terminal.ts";
import {
  makeLineChecker,
  type LineFrame,
  type LineChecker,
  type LineCheckerOptions,
} from "./line-checker.ts";

/** Longer lines are not kept in memory to be checked: the server reads them byte by byte. */
const lineBytesMax = 4 * 1024 * 1024;
/** The approximate size of the pieces. */
const pieceBytes = 256 * 1024;

export interface BatchBody {
  body(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** The line that a sentence of the server is about. */
  lineOf(sentence: string): number | undefined;
}

interface Work {
  judge: LineChecker;
  /** The number of the unfinished line, and its bytes so far. */
  line: number;
  parts: Buffer[];
  partBytes: number;
  /** For a line that is too long for memory: the bytes that follow its end. */
  behind: string | undefined;
  out: Buffer[];
  outBytes: number;
  bodyBytes: number;
  /** The line of each request, and its position in the body. */
  lines: number[];
  starts: number[];
}

export function makeBatchBody(options: LineCheckerOptions): BatchBody {
  const work: Work = {
    judge: makeLineChecker(options),
    line: 1,
    parts: [],
    partBytes: 0,
    behind: undefined,
    out: [],
    outBytes: 0,
    bodyBytes: 0,
    lines: [],
    starts: [],
  };
  return {
    body: (chunks) => bodyOf(work, chunks, options.name),
    lineOf: (sentence) => lineOf(work, sentence),
  };
}

async function* bodyOf(
  work: Work,
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<Buffer> {
  put(work, '{"requests":[');
  for await (const chunk of chunks) {
    for (const { bytes, endsLine } of linePartsOf(chunk)) {
      take(work, bytes);
      if (endsLine) endLine(work);
    }
    if (work.outBytes >= pieceBytes) yield flush(work);
  }
  endLine(work);
  if (work.lines.length === 0) throw new CliError(`${name} is empty: it has no requests.`);
  put(work, "]}");
  yield flush(work);
}

/** The bytes of a line. */
function take(work: Work, part: Buffer): void {
  if (work.behind !== undefined) return put(work, part);
  work.parts.push(part);
  work.partBytes += part.length;
  if (work.partBytes <= lineBytesMax) return;
  const start = joined(work);
  const frame = work.judge.long(start, work.line);
  begin(work, frame, start);
  work.behind = frame.after;
}

function endLine(work: Work): void {
  if (work.behind !== undefined) put(work, work.behind);
  else {
    const bytes = joined(work);
    if (!bytes.every(isBlank)) {
      const frame = work.judge.whole(bytes, work.line);
      begin(work, frame, bytes);
      put(work, frame.after);
    }
  }
  work.behind = undefined;
  work.line++;
}

function begin(work: Work, { skip, before }: LineFrame, bytes: Buffer): void {
  // A line feed shows that a string was left open.
  if (work.lines.length > 0) put(work, ",\n");
  work.lines.push(work.line);
  work.starts.push(work.bodyBytes);
  put(work, before);
  put(work, bytes.subarray(skip));
}

function put(work: Work, what: Buffer | string): void {
  if (what.length === 0) return;
  const bytes = typeof what === "string" ? Buffer.from(what) : what;
  work.out.push(bytes);
  work.outBytes += bytes.length;
  work.bodyBytes += bytes.length;
}

function flush(work: Work): Buffer {
  const piece = Buffer.concat(work.out);
  work.out = [];
  work.outBytes = 0;
  return piece;
}

function joined(work: Work): Buffer {
  const [first] = work.parts;
  const bytes = work.parts.length === 1 && first ? first : Buffer.concat(work.parts);
  work.parts = [];
  work.partBytes = 0;
  return bytes;
}

function lineOf({ lines, starts }: Work, sentence: string): number | undefined {
  const request = /\brequests\.(\d+)\b/.exec(sentence)?.[1];
  if (request !== undefined) return lines[Number(request)];
  const byte = /\bat byte (\d+)\b/.exec(sentence)?.[1];
  if (byte === undefined) return undefined;
  return lines[starts.findLastIndex((start) => start < Number(byte))];
}
