// Files of batch requests as their bytes come: the lines, the form, and what is no text.

export const newline = 0x0a;

/** Space, tab, line feed, carriage return: what JSON lets stand anywhere. */
export const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;

/** A part of a line, without its line feed. */
interface LinePart<Chunk> {
  bytes: Chunk;
  endsLine: boolean;
}

export function* linePartsOf<Chunk extends Uint8Array>(chunk: Chunk): Generator<LinePart<Chunk>> {
  let from = 0;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
    yield { bytes: chunk.subarray(from, at) as Chunk, endsLine: true };
    from = at + 1;
  }
  if (from < chunk.length) yield { bytes: chunk.subarray(from) as Chunk, endsLine: false };
}

const mark = [0xef, 0xbb, 0xbf];

/** The length of what some editors put before the text of a file; its first chunk holds it whole. */
export const markBytesOf = (first: Uint8Array): number =>
  mark.every((byte, at) => first[at] === byte) ? mark.length : 0;

/** `lines`: one request on each. `body`: the body of the API. `list`: neither, and refused. */
export function formOf(start: string): "lines" | "body" | "list" {
  if (/^\s*\[/.test(start)) return "list";
  return /^\s*\{\s*"requests"\s*:/.test(start) ? "body" : "lines";
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined where it is not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
