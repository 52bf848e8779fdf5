// The head of a canonical request. What is spelled in any other way, though it may be good HTTP, is not for here.
import { leanLimits } from "./limits.ts";

export interface RequestHead {
  target: string;
  headers: Record<string, string>;
  rawHeaders: string[];
  /** Of the head, its empty line included. */
  headBytes: number;
  bodyBytes: number;
}

/** Paths that are taken, and the longest body of each. */
export type LeanPaths = ReadonlyMap<string, number>;

/** Undefined for all that is not canonical, which includes a head that has not arrived as a whole. */
export function canonicalHead(bytes: Buffer, paths: LeanPaths): RequestHead | undefined {
  const end = bytes.indexOf(emptyLine);
  if (end === -1 || end > leanLimits.headBytesMax) return undefined;
  const text = bytes.toString("latin1", 0, end + lineEndBytes);
  const line = requestLine.exec(text);
  const bodyBytesMax = paths.get(line?.[2] ?? "");
  if (line === null || bodyBytesMax === undefined) return undefined;
  const rawHeaders: string[] = [];
  const headers = readHeaders(text, line[0].length, rawHeaders);
  const length = headers?.["content-length"];
  if (headers?.["host"] === undefined || length === undefined || !plainLength.test(length))
    return undefined;
  const bodyBytes = Number(length);
  if (bodyBytes > bodyBytesMax) return undefined;
  const headBytes = end + emptyLine.length;
  return { target: line[1] ?? "", headers, rawHeaders, headBytes, bodyBytes };
}

const emptyLine = Buffer.from("\r\n\r\n");
const lineEndBytes = 2;
const requestLine = /^POST ((\/[\w./~-]+)(?:\?[\w.~=&%+-]*)?) HTTP\/1\.1\r\n/;
/** Without leading zeros, and never empty: the other spellings mean the same to some readers only. */
const plainLength = /^[1-9]\d{0,8}$/;

/** One space after the colon, and none at the end; no folding, no bare CR or LF, nothing outside of ASCII. */
const headerLine = /([A-Za-z\d-]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\r\n/y;

function readHeaders(
  text: string,
  from: number,
  raw: string[],
): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (let at = from; at < text.length; at = headerLine.lastIndex) {
    headerLine.lastIndex = at;
    const found = headerLine.exec(text);
    if (found === null || raw.length === 2 * leanLimits.headersMax) return undefined;
    const [, written = "", value = ""] = found;
    const name = written.toLowerCase();
    // Given twice, it is for node:http to say which counts.
    if (headers[name] !== undefined || changesMeaning(name, value)) return undefined;
    headers[name] = value;
    raw.push(written, value);
  }
  return headers;
}

/** Headers that say where a request ends or what becomes of its connection, and the one that is read as a list. */
function changesMeaning(name: string, value: string): boolean {
  switch (name) {
    case "connection":
      return value !== "keep-alive" && value.toLowerCase() !== "keep-alive";
    case "transfer-encoding":
    case "proxy-connection":
    case "upgrade":
    case "expect":
    case "trailer":
    case "te":
    case "set-cookie":
      return true;
    default:
      return false;
  }
}
