// The head of a response: byte for byte what node:http would send.
import assert from "node:assert/strict";
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from "node:http";
import type { Headers } from "../../output/reply.ts";

export interface ResponseHead {
  text: string;
  /** The connection ends with this response. */
  isLast: boolean;
  isChunked: boolean;
  hasBody: boolean;
  /** Undefined where the headers do not say it. */
  bodyBytes: number | undefined;
}

export interface HeadOptions {
  keepAliveTimeoutMs: number;
  /** Nothing is said of the connection. */
  isConnectionUnsaid: boolean;
}

export function responseHead(status: number, headers: Headers, options: HeadOptions): ResponseHead {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? "";
    expectValidName(name);
    for (const one of typeof value === "string" ? [value] : value) {
      if (unsafeValue.test(one)) validateHeaderValue(name, one);
      text += `${name}: ${one}\r\n`;
    }
  }
  const { connection, "content-length": length } = headers;
  const isLast = connection !== undefined && /\bclose\b/i.test(String(connection));
  text += `Date: ${httpDate()}\r\n`;
  if (connection === undefined && !options.isConnectionUnsaid) {
    text += "Connection: keep-alive\r\n";
    const seconds = Math.floor(options.keepAliveTimeoutMs / 1_000);
    if (options.keepAliveTimeoutMs > 0) text += `Keep-Alive: timeout=${seconds}\r\n`;
  }
  const hasBody = status !== 204 && status !== 304;
  const isChunked = length === undefined && hasBody;
  if (isChunked) text += "Transfer-Encoding: chunked\r\n";
  const bodyBytes = length === undefined ? undefined : Number(length);
  return { text: `${text}\r\n`, isLast, isChunked, hasBody, bodyBytes };
}

const unsafeValue = /[^\t\x20-\x7e\x80-\xff]/;

/** Names are the server's own words, so few that each is looked at once. */
const validNames = new Set<string>();
const validNamesMax = 500;

function expectValidName(name: string): void {
  if (validNames.has(name)) return;
  validateHeaderName(name);
  assert(!notHere.has(name.toLowerCase()), `the header ${name} is not for a handler to set`);
  if (validNames.size < validNamesMax) validNames.add(name);
}

/** node:http takes them as instructions. */
const notHere = new Set(["transfer-encoding", "trailer", "expect", "keep-alive", "date"]);

let date = { second: 0, text: "" };

function httpDate(): string {
  const now = Date.now();
  const second = Math.floor(now / 1_000);
  if (second !== date.second) date = { second, text: new Date(now).toUTCString() };
  return date.text;
}
