// Downloads in parts: single byte ranges of bytes that never change under their etag.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { invalid } from "../../base/failure.ts";
import { Reply, type Headers } from "./reply.ts";

export interface Download {
  bytes: number;
  type: string;
  /** Quoted and strong, as it stands in the header. */
  etag?: string;
  headers?: Headers;
}

export type ReadRange = (range?: { start: number; end: number }) => Promise<Readable> | Readable;

/** The whole, or the one range that was asked for. Several ranges at once are answered with the whole. */
export async function ranged(
  read: ReadRange,
  { bytes, type, etag, headers }: Download,
  request: IncomingHttpHeaders,
): Promise<Reply> {
  const range = mayBePart(request["if-range"], etag) ? rangeOf(request.range, bytes) : undefined;
  const all: Headers = {
    "content-type": type,
    "accept-ranges": "bytes",
    ...(etag !== undefined && { etag }),
    ...headers,
  };
  if (range === undefined) {
    all["content-length"] = String(bytes);
    return new Reply(200, all, { kind: "stream", stream: await read() });
  }
  all["content-length"] = String(range.end - range.start);
  all["content-range"] = `bytes ${range.start}-${range.end - 1}/${bytes}`;
  return new Reply(206, all, { kind: "stream", stream: await read(range) });
}

/** A client that holds a part of another version wants the whole of this one; dates we never send. */
const mayBePart = (condition: string | string[] | undefined, etag: string | undefined) =>
  condition === undefined || (etag !== undefined && condition === etag);

/** Undefined for the whole. What is no range at all is ignored, as RFC 9110 has it; what lies outside is 416. */
export function rangeOf(
  header: string | undefined,
  bytes: number,
): { start: number; end: number } | undefined {
  const match = /^\s*bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "") {
    if (Number(last) === 0 || bytes === 0) throw outside(bytes);
    return { start: Math.max(0, bytes - Number(last)), end: bytes };
  }
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= bytes) throw outside(bytes);
  return { start: Number(first), end: last === "" ? bytes : Math.min(bytes, Number(last) + 1) };
}

const outside = (bytes: number) =>
  invalid(`The range lies outside of the ${bytes} bytes that there are.`, {
    status: 416,
    headers: { "content-range": `bytes */${bytes}`, "accept-ranges": "bytes" },
  });
