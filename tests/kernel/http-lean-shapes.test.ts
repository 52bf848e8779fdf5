// Requests of every shape that might be read in two ways: with and without the lean way the same comes back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPair, type Pair } from "./lean-pair.ts";

let pair: Pair;
before(async () => {
  pair = await openPair();
});
after(() => pair[Symbol.asyncDispose]());

const start = "POST /seen HTTP/1.1\r\nhost: a\r\n";
const post = (body: string, extra = "") =>
  `${start}${extra}content-length: ${Buffer.byteLength(body, "latin1")}\r\n\r\n${body}`;
const empty = post("{}");
const withLines = (extra: string) => post("{}", extra);
const sized = (length: string) => `${start}${length}\r\n\r\n{}`;
const toKept = (request: string) => request.replace("/seen", "/kept");
const chunked = "transfer-encoding: chunked\r\n";
const getOpen = "GET /open HTTP/1.1\r\nhost: a\r\n\r\n";
const lines = (count: number) => Array.from({ length: count }, (_, i) => `x-${i}: a\r\n`).join("");

const canonical: Record<string, string> = {
  plain: empty,
  "two in a row": empty.repeat(2),
  "many in a row": post('{"a":1}').repeat(50),
  "keep-alive in any case": withLines("Connection: Keep-Alive\r\n"),
  "names in any case": withLines("X-API-Key: b\r\nACCEPT: */*\r\n"),
  "a query": empty.replace("/seen", "/seen?beta=true"),
  "not JSON": post("{x}"),
  "a wrong type": withLines("content-type: text/html\r\n"),
  "a coding": withLines("content-encoding: gzip\r\n"),
  "a wrong version": withLines("anthropic-version: 1999-01-01\r\n"),
  "a status of its own": post('{"status":409}'),
  "an answer that has no body": post('{"status":204}') + empty,
  "bytes that are not UTF-8": post('"\xff"'),
  "a stream": post('{"stream":5}'),
  "a stream that breaks": post('{"stream":3}'),
  "an empty stream, then more": post('{"stream":0}') + empty,
  "no credential": toKept(empty),
  "no permission": toKept(withLines("x-api-key: reader\r\n")),
  "a credential": toKept(withLines("x-api-key: writer\r\n")),
  "a credential that is not the next one's":
    toKept(withLines("x-api-key: writer\r\n")) + toKept(empty),
  "a body that looks like a request": post(empty) + empty,
  "a body that ends nowhere": sized("content-length: 20"),
};

const other: Record<string, string> = {
  GET: getOpen,
  "no path that is lean": empty.replace("/seen", "/nothing"),
  "a whole address": empty.replace("/seen", "http://a/seen"),
  "another spelling of the path": empty.replace("/seen", "/%73een"),
  "a path with dots": empty.replace("/seen", "/x/../seen"),
  "a path with two slashes": empty.replace("/seen", "//seen"),
  "a fragment": empty.replace("/seen", "/seen#a"),
  "a query with odd characters": empty.replace("/seen", "/seen?a=[]|\xe4"),
  chunked: `${start}${chunked}\r\n2\r\n{}\r\n0\r\n\r\n`,
  "a length and chunked": `${start}content-length: 2\r\n${chunked}\r\n2\r\n{}\r\n0\r\n\r\n`,
  "chunked and a length": `${start}${chunked}content-length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  "an unknown transfer coding": withLines("transfer-encoding: identity\r\n"),
  "a transfer coding behind a tab": withLines("transfer-encoding:\tchunked\r\n"),
  "a transfer coding, spaced": withLines("transfer-encoding : chunked\r\n"),
  "a transfer coding with a vertical tab": withLines("transfer-encoding: \x0bchunked\r\n"),
  "two lengths that differ": sized("content-length: 2\r\ncontent-length: 3"),
  "two lengths that agree": sized("content-length: 2\r\nContent-Length: 2"),
  "two lengths in one": sized("content-length: 2, 2"),
  "a length with a sign": sized("content-length: +2"),
  "a length below zero": sized("content-length: -2"),
  "a length in hex": sized("content-length: 0x2"),
  "a length with zeros": sized("content-length: 0002"),
  "a length with a point": sized("content-length: 2.0"),
  "a length with a space in it": sized("content-length: 2 2"),
  "a length behind a tab": sized("content-length:\t2"),
  "a length between spaces": sized("content-length:   2  "),
  "a length without a space": sized("content-length:2"),
  "an empty length": sized("content-length: "),
  "a length past all integers": sized("content-length: 99999999999999999999999"),
  "a length of nothing": sized("content-length: 0"),
  "no length": `${start}\r\n{}`,
  "a length, spaced": sized("content-length : 2"),
  "a length with an underscore": sized("content_length: 2"),
  "no host": empty.replace("host: a\r\n", ""),
  "two hosts": withLines("Host: b\r\n"),
  "an empty host": empty.replace("host: a", "host:"),
  "a folded line": withLines("x: a\r\n b\r\n"),
  "a folded first line": empty.replace("host: a", " host: a"),
  "a bare LF between lines": withLines("x: a\n"),
  "bare LFs": empty.replaceAll("\r\n", "\n"),
  "a bare CR in a value": withLines("x: a\rb: c\r\n"),
  "a bare CR at a line's end": withLines("x: a\r"),
  "CR CR LF": withLines("x: a\r\r\n"),
  NUL: withLines("x: a\0b\r\n"),
  "a control character": withLines("x: a\x01b\r\n"),
  "delete in a value": withLines("x: a\x7fb\r\n"),
  "a value of bytes": withLines("x: \xe4\r\n"),
  "a name of bytes": withLines("\xe4: a\r\n"),
  "an empty name": withLines(": a\r\n"),
  "a line without a colon": withLines("x\r\n"),
  "a name with a space": withLines("x y: a\r\n"),
  "a name of a token's odd characters": withLines("x!#$%&'*+.^_`|~: a\r\n"),
  "names that a prototype has": withLines("__proto__: a\r\nconstructor: b\r\n"),
  "a header twice": withLines("x-api-key: reader\r\nx-api-key: writer\r\n"),
  "a list header twice": withLines("accept: a\r\naccept: b\r\n"),
  "set-cookie": withLines("set-cookie: a=b\r\n"),
  "connection: close": withLines("connection: close\r\n"),
  "connection: close, keep-alive": withLines("connection: close, keep-alive\r\n"),
  "connection names a header": withLines("connection: content-length\r\n"),
  "proxy-connection": withLines("proxy-connection: close\r\n"),
  upgrade: withLines("connection: upgrade\r\nupgrade: websocket\r\n"),
  "upgrade alone": withLines("upgrade: h2c\r\n"),
  "expect: 100-continue": withLines("expect: 100-continue\r\n"),
  "expect: tea": withLines("expect: tea\r\n"),
  trailer: withLines("trailer: x\r\nte: trailers\r\n"),
  "a method in lower case": empty.replace("POST", "post"),
  "another method": empty.replace("POST", "PUT"),
  CONNECT: "CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n",
  "HTTP/1.0": empty.replace("HTTP/1.1", "HTTP/1.0"),
  "HTTP/1.2": empty.replace("HTTP/1.1", "HTTP/1.2"),
  "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "http/1.1": empty.replace("HTTP/1.1", "http/1.1"),
  "two spaces": empty.replace("POST ", "POST  "),
  "a tab": empty.replace("POST ", "POST\t"),
  "an empty line first": `\r\n${empty}`,
  "empty lines between": `${empty}\r\n\r\n${empty}`,
  "the start of TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  garbage: "nonsense\r\n\r\n",
  "garbage behind a request": `${empty}nonsense\r\n\r\n`,
  "a body that is longer": `${empty}{}`,
  "a request of another kind behind": empty + getOpen,
  "and one more behind that": empty + getOpen + post('{"a":1}'),
  "a head that ends nowhere": empty + start,
  "a body that is too long": sized("content-length: 300001"),
  "many headers": withLines(lines(150)),
  "too many headers": withLines(lines(201)),
  "a large head": withLines(`x: ${"a".repeat(30_000)}\r\n`),
  "too large a head": withLines(`x: ${"a".repeat(70_000)}\r\n`),
};

for (const [what, bytes] of Object.entries({ ...canonical, ...other })) {
  test(`[HTP16] ${what}: whole, cut in two places, and behind another request`, async () => {
    const before = pair.leanConnections();
    const whole = Buffer.from(bytes, "latin1");
    await pair.compare([whole]);
    assert.equal(pair.leanConnections() - before, what in canonical ? 1 : 0);
    const middle = Math.floor(whole.length / 2);
    await pair.compare([whole.subarray(0, middle), whole.subarray(middle)]);
    await pair.compare([Buffer.from(empty), whole]);
    const bodyAt = whole.indexOf("\r\n\r\n") + 4;
    await pair.compare([whole.subarray(0, bodyAt), whole.subarray(bodyAt)]);
  });
}

test("[HTP16] byte by byte", async () => {
  const letters = Array.from(Buffer.from(post('{"a":1}')), (byte) => Buffer.of(byte));
  await pair.compare(letters);
  await pair.compare([Buffer.from(empty), ...letters]);
});
