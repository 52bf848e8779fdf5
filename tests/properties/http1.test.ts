// Plain HTTP with an upstream that cuts its replies anywhere: every byte comes to its request, as undici reads it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { Pool } from "undici";
import { systemClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { Http1Client } from "../../server/models/upstreams/http1/client.ts";
import { ask, longTimes, textOf, type Heard } from "../upstreams/http1-asks.ts";
import { fakeUpstream } from "../upstreams/fake.ts";

interface Written {
  /** The reply's bytes, as latin1. */
  text: string;
  /** Lengths of the pieces that it is written in, over and over. */
  pieces: readonly number[];
  isClosedAfter: boolean;
}

let replies: readonly Written[] = [];
const fake = await fakeUpstream(async ({ socket, received: { path } }) => {
  const { text, pieces, isClosedAfter } = replies[Number(path.slice(1))] ?? assert.fail();
  for (let at = 0, turn = 0; at < text.length && !socket.destroyed; turn++) {
    const end = at + (pieces[turn % pieces.length] ?? 1);
    socket.write(text.slice(at, end), "latin1");
    at = end;
    if (turn < 40) await nextLoopIteration();
  }
  if (isClosedAfter) socket.end();
});
const own = new Http1Client(fake.url, longTimes, systemClock);
const pool = new Pool(fake.url, { connections: 64, pipelining: 1 });
const undici = { dispatch: pool.dispatch.bind(pool) as unknown as Http1Client["dispatch"] };
after(async () => {
  await Promise.all([own.destroy(), pool.destroy()]);
  await fake[Symbol.asyncDispose]();
});

/** All bytes of one value: who gets another's sees it at once. */
const body = fc
  .tuple(fc.nat(255), fc.oneof(fc.nat(40), fc.nat(3_000), fc.nat(150_000)))
  .map(([value, length]) => String.fromCharCode(value).repeat(length));
const sizes = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 4 });
const fewSizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 });

function inChunks(text: string, lengths: readonly number[]): string {
  let chunks = "";
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const chunk = text.slice(at, (at += lengths[turn % lengths.length] ?? 1));
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  }
  return `${chunks}0\r\n\r\n`;
}

const goodReply = fc
  .record({
    content: body,
    framing: fc.constantFrom("length", "chunks", "close"),
    chunks: fc.oneof(sizes, fewSizes),
    pieces: fc.oneof(sizes, fewSizes),
    before: fc.constantFrom("", "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"),
  })
  .map(({ content, framing, chunks, pieces, before }) => {
    const head = {
      length: `content-length: ${content.length}\r\n`,
      chunks: "transfer-encoding: chunked\r\n",
      close: "connection: close\r\n",
    }[framing];
    const framed = framing === "chunks" ? inChunks(content, chunks) : content;
    const text = `${before}HTTP/1.1 200 OK\r\nx-a: b\r\n${head}\r\n${framed}`;
    return { content, text, pieces, isClosedAfter: framing === "close" };
  });

async function askAll(client: Pick<Http1Client, "dispatch">, written: readonly Written[]) {
  replies = written;
  const heard = written.map((_, at) => ask(client, { path: `/${at}` }));
  await Promise.all(heard.map(({ over }) => over));
  return heard;
}

test("[UPC4] many replies at a time, cut anywhere: each request gets its own bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(goodReply, { minLength: 2, maxLength: 24 }), async (written) => {
      for (const [at, { end, chunks, error }] of (await askAll(own, written)).entries()) {
        assert.equal(end, "end", String(error));
        assert.ok(textOf(chunks) === written[at]?.content, `reply ${at}`);
      }
    }),
    { numRuns: 60 },
  );
});

const line = fc.constantFrom(
  "content-length: 5",
  "content-length: 05",
  "Content-Length: 0",
  "content-length: 5, 5",
  "content-length:",
  "content-length: -1",
  "transfer-encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "connection: close",
  "connection: keep-alive",
  "keep-alive: timeout=9",
  "x: \xe9",
  "x:1",
  "X: 2",
  "x : 3",
  " folded",
  "x: a\rb",
  "",
  "x",
  "set-cookie: a",
  "set-cookie: b",
  "__proto__: x",
  "x\0: 1",
  "x: \x7f",
  "content-type: a/b",
);
const bodies = ["hello", "", "5\r\nhello\r\n0\r\n\r\n", "5;a=b\r\nhello\r\n0\r\nt: 1\r\n\r\n"];
const oddReply = fc.record({
  text: fc
    .tuple(
      fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http/1.1", "\r\nHTTP/1.1"),
      fc.constantFrom("200 OK", "204 No", "304 Not", "404 \xe4", "500", "20 x", "100 Go", "101 Up"),
      fc.array(line, { maxLength: 4 }),
      fc.constantFrom("\r\n", "\r\n", "\r\n", "\n"),
      fc.constantFrom(...bodies, "hello!", "5\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n"),
    )
    .map(
      ([version, status, lines, lineEnd, content]) =>
        [`${version} ${status}`, ...lines, "", content].join(lineEnd), // a line may be empty, too
    ),
  pieces: fewSizes,
  isClosedAfter: fc.constant(true),
});

const seenOf = ({ end, status, headers, chunks }: Heard) => ({
  end,
  status,
  headers: headers === undefined ? undefined : Object.fromEntries(Object.entries(headers)),
  body: textOf(chunks),
});

test("[UPC2] what is read here, undici reads alike; good replies are read by both", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(oddReply, goodReply), { maxLength: 8 }), async (written) => {
      const ours = (await askAll(own, written)).map(seenOf);
      const theirs = (await askAll(undici, written)).map(seenOf);
      for (const [at, seen] of ours.entries()) {
        if (seen.end === "error") {
          assert.ok(!("content" in (written[at] ?? {})), "a good reply is refused");
          continue;
        }
        taken++;
        assert.deepEqual(seen, theirs[at], JSON.stringify(written[at]?.text.slice(0, 300)));
      }
    }),
    { numRuns: 150 },
  );
  assert.ok(taken > 100);
});
