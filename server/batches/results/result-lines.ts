// How a result is written as a line, and read in the words of each version.
import type { Dialect } from "../../../kernel/context.ts";
import type { Message } from "../../models/module.ts";

type Result =
  | { type: "succeeded"; message: Message }
  | { type: "errored"; error: object }
  | { type: "canceled" }
  | { type: "expired" };

/**
 * Clients of the older version take no citations that are null, those of the newer one miss them. The lines of both
 * have the same length, so that a range means the same: the field is written as no JSON.stringify writes it, with a
 * space before the colon, and becomes spaces for the older ones.
 */
const nullCitations = '"citations" :null,';
const blank = " ".repeat(nullCitations.length);

/** Custom ids are plain, and need no escaping. */
export function resultLineOf(customId: string, result: Result): Buffer {
  const text = result.type === "succeeded" ? succeeded(result.message) : JSON.stringify(result);
  return Buffer.from(`{"custom_id":"${customId}","result":${text}}\n`);
}

function succeeded({ content, ...message }: Message): string {
  const blocks = content.map((block) => {
    const isWithout = block.type === "text" && block["citations"] === undefined;
    if (block["citations"] !== null && !isWithout) return JSON.stringify(block);
    const { citations: _none, ...rest } = block;
    return `{${nullCitations}${JSON.stringify(rest).slice(1)}`;
  });
  const rest = JSON.stringify(message).slice(1);
  return `{"type":"succeeded","message":{"content":[${blocks.join()}],${rest}}`;
}

const mark = Buffer.from(nullCitations);

export interface ByteRange {
  start: number;
  end: number;
}

/** A range of the lines as clients of this version take them. */
export async function* linesForDialect(
  read: (range: ByteRange) => AsyncIterable<Buffer>,
  range: ByteRange,
  bytesInAll: number,
  dialect: Dialect,
): AsyncGenerator<Buffer> {
  if (dialect !== "2023-06-01") {
    yield* read(range);
    return;
  }
  // A mark that the range cuts is seen whole when a little more is read at both ends.
  const start = Math.max(0, range.start - mark.length);
  const end = Math.min(bytesInAll, range.end + mark.length);
  let at = start;
  for await (const piece of blanked(read({ start, end }))) {
    const from = Math.max(0, range.start - at);
    const to = Math.min(piece.length, range.end - at);
    at += piece.length;
    if (from < to) yield piece.subarray(from, to);
  }
}

/** A mark may be cut by the end of a piece: what may be its beginning waits for the next. */
async function* blanked(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let kept: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
    blankOut(bytes);
    const end = bytes.length - openEnd(bytes);
    kept = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (kept.length > 0) yield kept;
}

function blankOut(bytes: Buffer): void {
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length))
    bytes.write(blank, at, "latin1");
}

/** How many bytes at the end may be the beginning of a mark. */
function openEnd(bytes: Buffer): number {
  const most = Math.min(bytes.length, mark.length - 1);
  for (let length = most; length > 0; length--)
    if (bytes.compare(mark, 0, length, bytes.length - length) === 0) return length;
  return 0;
}
