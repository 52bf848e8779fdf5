// The head of a request as text. What could end it early, or say another length than the body has, is refused.
import { HttpFault, type OutgoingRequest } from "./types.ts";

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const notInPath = /[^\x21-\xff]|\x7f/;
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;

/** Of the connection, not of the request: what they say is said by the client itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  "content-length",
  "expect",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

export interface RequestHead {
  /** All but the length of the body and the empty line; each of its signs is one byte. */
  text: string;
  /** Headers of the settings may ask for it. */
  isLastOfConnection: boolean;
}

export function requestHeadOf(
  { method, path, headers }: Pick<OutgoingRequest, "method" | "path" | "headers">,
  host: string,
): RequestHead {
  if (!path.startsWith("/") || notInPath.test(path)) throw refused("a path that is none");
  let given: string | undefined;
  let isLastOfConnection = false;
  let lines = "";
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    const value = headers[at + 1];
    if (!token.test(name) || value === undefined || notInValue.test(value))
      throw refused("a header with a sign that it cannot have");
    const small = name.toLowerCase();
    if (ownHeaders.has(small)) throw refused(`the header ${small}, which the connection sets`);
    if (small === "connection") isLastOfConnection ||= /(^|,)\s*close\s*(,|$)/i.test(value);
    else if (small !== "host") lines += `${name}: ${value}\r\n`;
    else if (given === undefined) given = value;
    else throw refused("two headers host");
  }
  const kept = isLastOfConnection ? "close" : "keep-alive";
  const start = `${method} ${path} HTTP/1.1\r\nhost: ${given ?? host}\r\nconnection: ${kept}\r\n`;
  return { text: start + lines, isLastOfConnection };
}

const refused = (what: string) => new HttpFault("INVALID_REQUEST", `the request has ${what}`);
