// The head of a reply, read strictly: what could be read in two ways is refused.
import { http1Limits as limits } from "./limits.ts";
import { HttpFault, type ReplyHeaders } from "./types.ts";

export interface ReplyHead {
  status: number;
  headers: ReplyHeaders;
  /** How many bytes follow, or how their end is known. */
  body: number | "chunked" | "until-close";
  /** How long the connection may be kept; 0 where it ends with this reply, undefined where the server names no time. */
  keptMs: number | undefined;
}

const statusLine = /HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?\r\n/y;
/** The value begins with no blank: else a line of blanks that ends badly would be tried from each of them. */
const fieldLine =
  /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*((?:[\x21-\x7e\x80-\xff][\t\x20-\x7e\x80-\xff]*)?)\r\n/y;
const lengthText = /^\d{1,15}$/;

export const invalidReply = (what: string) => new HttpFault("INVALID_REPLY", what);

/** `text` ends with the line feed of its last line, without the empty line behind it. */
export function replyHeadOf(text: string): ReplyHead {
  statusLine.lastIndex = 0;
  const first = statusLine.exec(text);
  if (first === null) throw invalidReply("the reply does not begin as HTTP/1 does");
  const status = Number(first[2]);
  const headers = headersIn(text, statusLine.lastIndex);
  const body = bodyOf(status, headers);
  const isOld = first[1] === "0";
  const isLast =
    body === "until-close" || hasNoBodyButSaysSo(status, headers) || (isOld && body === "chunked");
  return { status, headers, body, keptMs: isLast ? 0 : keptMsOf(headers, isOld) };
}

function headersIn(text: string, start: number): ReplyHeaders {
  // Without a prototype: a name of the upstream's choice is a name and nothing else.
  const headers = Object.create(null) as ReplyHeaders;
  for (let at = start; at < text.length; at = fieldLine.lastIndex) {
    fieldLine.lastIndex = at;
    const line = fieldLine.exec(text);
    if (line === null) throw invalidReply("the reply has a header that is none");
    const name = (line[1] ?? "").toLowerCase();
    const value = withoutBlanksAtEnd(line[2] ?? "");
    const known = headers[name];
    if (known === undefined) headers[name] = value;
    else if (typeof known === "string") headers[name] = [known, value];
    else known.push(value);
  }
  return headers;
}

/** Not `trimEnd`, which takes bytes away that are blanks in other alphabets. */
function withoutBlanksAtEnd(value: string): string {
  let end = value.length;
  while (value[end - 1] === " " || value[end - 1] === "\t") end--;
  return value.slice(0, end);
}

const hasNoBody = (status: number) => status < 200 || status === 204 || status === 304;

function bodyOf(status: number, headers: ReplyHeaders): ReplyHead["body"] {
  const coding = headers["transfer-encoding"];
  const length = headers["content-length"];
  if (coding !== undefined) {
    if (length !== undefined) throw invalidReply("the reply has both a length and chunks");
    if (typeof coding !== "string" || coding.toLowerCase() !== "chunked")
      throw invalidReply("the reply has a transfer coding other than chunked");
  }
  if (length !== undefined && !(typeof length === "string" && lengthText.test(length)))
    throw invalidReply("the reply has a length that is none, or two");
  if (hasNoBody(status)) return 0;
  if (coding !== undefined) return "chunked";
  return length === undefined ? "until-close" : Number(length);
}

/** Its server may have sent the body all the same: it would be read as the next reply. */
const hasNoBodyButSaysSo = (status: number, headers: ReplyHeaders) =>
  hasNoBody(status) &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);

function keptMsOf(headers: ReplyHeaders, isOld: boolean): number | undefined {
  const { connection } = headers;
  const options =
    connection === undefined
      ? []
      : String(connection)
          .toLowerCase()
          .split(",")
          .map((word) => word.trim());
  if (options.includes("close") || (isOld && !options.includes("keep-alive"))) return 0;
  const seconds = /timeout=(\d+)/.exec(String(headers["keep-alive"] ?? ""))?.[1];
  if (seconds === undefined) return undefined;
  const keptMs = Number(seconds) * 1_000 - limits.keepAliveMarginMs;
  return Math.min(Math.max(keptMs, 0), limits.keepAliveMsMax);
}
