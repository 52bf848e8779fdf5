// Filters results by type, in whole lines.
import type { ResultType } from "../../client/batches/counts.ts";
import { linePartsOf } from "../../client/batches/lines.ts";

export interface ResultLines {
  bytes: Buffer;
  results: number;
}

const lineFeed = Buffer.from("\n");

/** The lines that each chunk completes; all of them where no types are named. */
export async function* filterResults(
  chunks: AsyncIterable<Buffer>,
  types: readonly ResultType[] | undefined,
): AsyncGenerator<ResultLines> {
  let parts: Buffer[] = [];
  for await (const chunk of chunks) {
    const lines: Buffer[] = [];
    for (const { bytes, endsLine } of linePartsOf(chunk)) {
      parts.push(bytes);
      if (!endsLine) continue;
      const line = Buffer.concat([...parts, lineFeed]);
      if (types === undefined || types.includes(typeOf(line))) lines.push(line);
      parts = [];
    }
    if (lines.length > 0) yield { bytes: Buffer.concat(lines), results: lines.length };
  }
}

/** The server writes the type near the beginning: a message of megabytes need not be parsed. */
function typeOf(line: Buffer): ResultType {
  const start = line.toString("latin1", 0, 200);
  const type = /^\{"custom_id":"[\w-]*","result":\{"type":"(\w+)"/.exec(start)?.[1];
  if (type !== undefined) return type as ResultType;
  return (JSON.parse(line.toString("utf8")) as { result: { type: ResultType } }).result.type;
}
