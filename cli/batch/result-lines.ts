// Filters results by type, in whole lines.
import type { ResultType } from "./format.ts";

export interface ResultLines {
  bytes: Buffer;
  results: number;
}

/** The lines that each chunk completes; all of them where no types are named. */
export async function* filterResults(
  chunks: AsyncIterable<Buffer>,
  types: readonly ResultType[] | undefined,
): AsyncGenerator<ResultLines> {
  let parts: Buffer[] = [];
  for await (const chunk of chunks) {
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, at + 1)]);
      if (types === undefined || types.includes(typeOf(line))) lines.push(line);
      parts = [];
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
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
