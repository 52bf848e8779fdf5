// Where a reply of plain HTTP begins and ends: each at once, cut in two anywhere, and byte by byte.
import assert from "node:assert/strict";
import { test } from "node:test";
import { http1Limits as limits } from "../../server/models/upstreams/http1/limits.ts";
import type { ReplyHead } from "../../server/models/upstreams/http1/reply-head.ts";
import { ReplyReader } from "../../server/models/upstreams/http1/reply-reader.ts";
import { textOf } from "./http1-asks.ts";

interface ReadReply {
  head: ReplyHead | undefined;
  body: string;
  /** "more" where it waits for more, "surplus" where it ended before the bytes did. */
  end: string;
}

/** All pieces come in the same memory, as they do from sockets. */
function readPieces(pieces: readonly string[], isClosedAfter = false): ReadReply {
  const memory = Buffer.alloc(Math.max(1, ...pieces.map((piece) => piece.length)));
  const chunks: Buffer[] = [];
  const seen: ReadReply = { head: undefined, body: "", end: "more" };
  const reader = new ReplyReader({
    head: (head) => (seen.head = head),
    data: (bytes) => void chunks.push(bytes),
    end: (isSurplus) => (seen.end = isSurplus ? "surplus" : "end"),
  });
  reader.expectReply();
  try {
    for (const piece of pieces) {
      if (seen.end !== "more") return { ...seen, body: textOf(chunks), end: "surplus" };
      memory.fill("#").write(piece, "latin1");
      reader.read(memory.subarray(0, piece.length));
      memory.fill("#");
    }
    if (isClosedAfter && seen.end === "more") reader.closed();
  } catch (error) {
    seen.end = (error as { code: string }).code;
  }
  return { ...seen, body: textOf(chunks) };
}

/** However it is cut, the same is read. */
function readReply(text: string, isClosedAfter = false): ReadReply {
  const whole = readPieces([text], isClosedAfter);
  const cuts = text.length > 2_000 ? [1, 17, text.length - 1] : Array.from(text, (_, at) => at);
  const ways = cuts.map((at) => [text.slice(0, at), text.slice(at)].filter((one) => one !== ""));
  for (const pieces of [...ways, text.split("")]) {
    const cut = readPieces(pieces, isClosedAfter);
    assert.deepEqual(cut, whole, JSON.stringify(pieces).slice(0, 200));
  }
  return whole;
}

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

test("[UPC1] a reply ends with its length, its last chunk or its connection", () => {
  const cases: [text: string, body: string, end: string][] = [
    [`${ok}content-length: 5\r\n\r\nhello`, "hello", "end"],
    [`${ok}Content-Length:5 \t\r\n\r\nhel`, "hel", "more"],
    [`${ok}content-length: 0\r\n\r\n`, "", "end"],
    [`HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok`, "ok", "end"],
    [`HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nok`, "ok", "end"],
    [`${chunked}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`, "hello world", "end"],
    [`${chunked}A\r\n0123456789\r\n00000\r\n\r\n`, "0123456789", "end"],
    [`${ok}Transfer-Encoding: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`, "x", "end"],
    [`${chunked}5;name="va;lue"\t\r\nhello\r\n0;last\r\n\r\n`, "hello", "end"],
    [`${chunked}1\r\nx\r\n0\r\ndigest: abc\r\nx-more: 1\r\n\r\n`, "x", "end"],
    [`${chunked}5\r\nhel`, "hel", "more"],
    [`${ok}\r\nuntil the end`, "until the end", "more"],
    ["HTTP/1.1 204 No\r\n\r\n", "", "end"],
    ["HTTP/1.1 304 Not\r\ncontent-length: 7\r\n\r\n", "", "end"],
    ["HTTP/1.1 204 No\r\ntransfer-encoding: chunked\r\n\r\n", "", "end"],
    [`HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 103 Hint\r\nlink: x\r\n\r\n${chunked}0\r\n\r\n`, "", "end"],
    [`HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok`, "ok", "end"],
  ];
  for (const [text, body, end] of cases) {
    const seen = readReply(text);
    assert.deepEqual([seen.body, seen.end], [body, end], text);
  }
  assert.equal(readReply(`${ok}\r\nuntil the end`, true).end, "end");
  assert.equal(readReply(`${ok}content-length: 9\r\n\r\nhello`, true).end, "CONNECTION_CLOSED");
  assert.equal(readReply(`${chunked}5\r\nhello\r\n`, true).end, "CONNECTION_CLOSED");
  assert.equal(readReply(ok, true).end, "CONNECTION_CLOSED");
});

test("[UPC1] headers have small names and no blanks around them; one that comes again is an array", () => {
  const lines = "X-One:  a b\t \r\nx-two:\r\nX-ONE: c\r\nx-one: \xe9\xa0\r\n__proto__: p\r\n";
  const { head } = readReply(`${ok}${lines}content-length: 0\r\n\r\n`);
  assert.deepEqual(Object.entries(head?.headers ?? {}), [
    ["x-one", ["a b", "c", "\xe9\xa0"]],
    ["x-two", ""],
    ["__proto__", "p"],
    ["content-length", "0"],
  ]);
  assert.equal(head?.headers["constructor"], undefined);
});

test("[UPC2] what could be read in two ways is refused, after what was good before it", () => {
  const cases: [text: string, body?: string][] = [
    [`${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["HTTP/1.1 204 No\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n"],
    [`${ok}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`],
    [`${ok}content-length: 5\r\nContent-Length: 5\r\n\r\nhello`],
    ...["+5", "-5", "5, 5", "0x5", "5.0", "", "1e3", "5 5", "9".repeat(16)].map(
      (length): [string] => [`${ok}content-length: ${length}\r\n\r\nhello`],
    ),
    ...["gzip", "gzip, chunked", "chunked, chunked", "identity", "", "xchunked"].map(
      (coding): [string] => [`${ok}transfer-encoding: ${coding}\r\n\r\n0\r\n\r\n`],
    ),
    [`${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    [`${ok}x: 1\r\n folded\r\n\r\n`],
    [`${ok}\tfolded: 1\r\n\r\n`],
    [`${ok}x : 1\r\n\r\n`],
    [`${ok}: 1\r\n\r\n`],
    [`${ok}no colon\r\n\r\n`],
    [`${ok}x: a\rb\r\n\r\n`],
    [`${ok}x: a\0b\r\n\r\n`],
    [`${ok}x: a\nb: c\r\n\r\n`],
    [`${ok}content-length: 5\n\nhello`],
    ["HTTP/1.1 200 OK\ncontent-length: 5\r\n\r\nhello"],
    ["\r\nHTTP/1.1 200 OK\r\n\r\n"],
    ["HTTP/2 200 OK\r\n\r\n"],
    ["HTTP/1.2 200 OK\r\n\r\n"],
    ["HTTP/1.1  200 OK\r\n\r\n"],
    ["HTTP/1.1 20 OK\r\n\r\n"],
    ["HTTP/1.1 2000 OK\r\n\r\n"],
    ["HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n"],
    ["SSH-2.0-x\r\n"],
    ["hello, world"],
    ...["g", "", " 5", "5 ", "-5", "0x5", "+5", ";x", "5\n", "1".repeat(13)].map(
      (size): [string] => [`${chunked}${size}\r\nhello\r\n0\r\n\r\n`],
    ),
    [`${chunked}5\nhello\r\n0\r\n\r\n`],
    [`${chunked}5;x\ny\r\nhello\r\n0\r\n\r\n`],
    [`${chunked}5;x\0\r\nhello\r\n0\r\n\r\n`],
    [`${chunked}5\r\nhello!\r\n0\r\n\r\n`, "hello"],
    [`${chunked}5\r\nhello\n0\r\n\r\n`, "hello"],
    [`${chunked}5\r\nhello\r\n0\r\nx: 1\n\r\n`, "hello"],
    [`${chunked}5\r\nhello\r\n0\r\n\rx`, "hello"],
    [`${chunked}0\r\nhello,worl\r\n0\r\n\r\n`],
    ...["trx", " x: 1", ": x", "x : 1", "\xe9: 1"].map((trailer): [string] => [
      `${chunked}0\r\n${trailer}\r\n\r\n`,
    ]),
  ];
  for (const [text, body = ""] of cases) {
    const seen = readReply(text);
    assert.deepEqual([seen.end, seen.body], ["INVALID_REPLY", body], JSON.stringify(text));
  }
});

test("[UPC2] heads, sizes of chunks and trailers have an end, and no sign after it is waited for", () => {
  const { headBytesMax, extensionBytesMax, trailerBytesMax } = limits;
  const filled = (bytes: number) => `x: ${"y".repeat(bytes)}`;
  for (const [text, isGood] of [
    [`${ok}${filled(headBytesMax - 300)}\r\ncontent-length: 0\r\n\r\n`, true],
    [`${ok}${filled(headBytesMax)}\r\ncontent-length: 0\r\n\r\n`, false],
    [`${ok}${filled(headBytesMax)}`, false],
    [`${chunked}1;${"y".repeat(extensionBytesMax - 100)}\r\nx\r\n0\r\n\r\n`, true],
    [`${chunked}1;${"y".repeat(extensionBytesMax)}`, false],
    [`${chunked}0\r\n${`${filled(90)}\r\n`.repeat(trailerBytesMax / 128)}\r\n`, true],
    [`${chunked}0\r\n${`${filled(90)}\r\n`.repeat(trailerBytesMax / 64)}`, false],
  ] as const)
    assert.equal(readReply(text).end, isGood ? "end" : "INVALID_REPLY", text.slice(0, 60));
});

test("[UPC2] a header of blanks that ends badly is refused as fast as any other", () => {
  const before = process.threadCpuUsage();
  const { end } = readPieces([`${ok}a:${" ".repeat(32_000)}\x01\r\n\r\n`]);
  const { user } = process.threadCpuUsage(before);
  assert.equal(end, "INVALID_REPLY");
  // Tried from each of its blanks it takes a second.
  assert.ok(user < 250_000, `${user} µs of CPU`);
});

test("[UPC3] bytes behind the end of a reply are told, and no part of it", () => {
  for (const text of [
    `${ok}content-length: 5\r\n\r\nhello!`,
    `${chunked}5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`,
    `HTTP/1.1 204 No\r\n\r\nx`,
    `${ok}content-length: 0\r\n\r\n\r\n`,
  ]) {
    const { body, end } = readReply(text);
    assert.equal(end, "surplus", text);
    assert.ok(["", "hello"].includes(body));
  }
});

test("[UPC5] how long a connection may be kept is what its server says, less a margin", () => {
  const kept = (first: string, lines: string) =>
    readReply(`HTTP/1.${first}\r\n${lines}\r\n`).head?.keptMs;
  const one = "content-length: 0\r\n";
  assert.equal(kept("1 200 OK", one), undefined);
  assert.equal(kept("1 200 OK", `${one}keep-alive: timeout=10, max=5\r\n`), 8_000);
  assert.equal(kept("1 200 OK", `${one}keep-alive: timeout=2\r\n`), 0);
  assert.equal(kept("1 200 OK", `${one}keep-alive: timeout=99999\r\n`), limits.keepAliveMsMax);
  assert.equal(kept("1 200 OK", `${one}Connection: Close\r\n`), 0);
  assert.equal(kept("1 200 OK", `${one}connection: x , close\r\nconnection: keep-alive\r\n`), 0);
  assert.equal(kept("0 200 OK", one), 0);
  assert.equal(kept("0 200 OK", `${one}connection: keep-alive\r\n`), undefined);
  assert.equal(kept("0 200 OK", "transfer-encoding: chunked\r\nconnection: keep-alive\r\n"), 0);
  assert.equal(kept("1 200 OK", ""), 0);
  assert.equal(kept("1 204 No", ""), undefined);
  assert.equal(kept("1 204 No", "content-length: 3\r\n"), 0);
  assert.equal(kept("1 304 No", "transfer-encoding: chunked\r\n"), 0);
});
