// Rule HTP16 for bytes of any kind, cut anywhere, one request behind the other: two servers, one without the lean way.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { openPair, type Pair } from "../kernel/lean-pair.ts";

let pair: Pair;
before(async () => {
  pair = await openPair();
});
after(() => pair[Symbol.asyncDispose]());

const mostly = <T>(usual: T, ...odd: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(usual) }, fc.constantFrom(...odd));

const usualLine = "POST /seen HTTP/1.1";
const usualField = "accept: */*";

const body = fc.oneof(
  fc.json(),
  fc.constantFrom("{}", "[1", "", '"ä€"', '{"stream":2}', '{"stream":3}', '{"status":204}'),
  // All of it in one read: which request is whole at the end of one, says whether its refusal closes the connection.
  fc.nat({ max: 12_000 }).map((length) => `"${"x".repeat(length)}"`),
  fc.constant("POST /seen HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}"),
);

const field = fc.constantFrom(
  "user-agent: a",
  "x-api-key: writer",
  "x-api-key: reader",
  "authorization: Bearer a",
  "anthropic-version: 2026-10-21",
  "anthropic-version: 1",
  "content-type: application/json",
  "content-type: text/html",
  "connection: keep-alive",
  "Connection: close",
  "transfer-encoding: chunked",
  "expect: 100-continue",
  "upgrade: h2c",
  "content-length: 3",
  "content-length:4",
  "host: b",
  "x: a\r\n b",
  "x:  b ",
  "cookie: a=b",
  "te: trailers",
);

/** One that is odd may break in its body. */
interface Sent {
  bytes: Buffer;
  isOdd: boolean;
}

const request: fc.Arbitrary<Sent> = fc
  .record({
    line: mostly(
      usualLine,
      "POST /kept HTTP/1.1",
      "POST /seen?a=b HTTP/1.1",
      "POST /seen/ HTTP/1.1",
      "GET /open HTTP/1.1",
      "POST /seen HTTP/1.0",
    ),
    fields: fc.array(fc.oneof({ weight: 20, arbitrary: fc.constant("x-one: 1") }, field), {
      maxLength: 4,
    }),
    hosts: mostly(1, 0, 2),
    lengthError: mostly(0, -1, 1, 7),
    body,
  })
  .map(({ line, fields, hosts, lengthError, body: text }) => {
    const bytes = Buffer.byteLength(text);
    const all = [line, ...Array<string>(hosts).fill("host: a"), usualField, ...new Set(fields)];
    if (bytes > 0) all.push(`content-length: ${bytes + lengthError}`);
    const isUsual = line === usualLine && hosts === 1 && lengthError === 0 && bytes > 0;
    return {
      bytes: Buffer.from(`${all.join("\r\n")}\r\n\r\n${text}`),
      isOdd: !isUsual || fields.some((name) => name !== "x-one: 1"),
    };
  });

/** What parsers differ about. */
const oddBytes = [...Buffer.from(" \t\r\n\0:,;+-0x\x7f\xe4\x80%#?", "latin1")];

interface Change {
  at: number;
  removed: number;
  added: number[];
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  removed: fc.constantFrom(0, 1),
  added: fc.array(fc.constantFrom(...oddBytes), { maxLength: 2 }),
});

function changed(bytes: Buffer, changes: readonly Change[]): Buffer {
  let result = bytes;
  for (const { at, removed, added } of changes) {
    // In the head, where it matters.
    const place = Math.floor(at * Math.min(result.length, 200));
    const [before, behind] = [result.subarray(0, place), result.subarray(place + removed)];
    result = Buffer.concat([before, Buffer.from(added), behind]);
  }
  return result;
}

const noChange = { weight: 5, arbitrary: fc.constant<Change[]>([]) };
const requests = fc.array(
  fc
    .tuple(request, fc.oneof(noChange, fc.array(change, { minLength: 1, maxLength: 3 })))
    .map(([{ bytes, isOdd }, changes]) => ({
      bytes: changed(bytes, changes),
      isOdd: isOdd || changes.length > 0,
    })),
  { minLength: 1, maxLength: 4 },
);
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 });

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length];
  let from = 0;
  return ends
    .toSorted((a, b) => a - b)
    .map((end) => bytes.subarray(from, (from = end)))
    .filter(({ length }) => length > 0);
}

/**
 * Sent without waiting, but for what may break in its body, which waits for the answers before it: node:http leaves
 * those out, and answers 400 in their place.
 */
function inRuns(parts: readonly Sent[]): Buffer[] {
  const runs: Buffer[][] = [[]];
  for (const { bytes, isOdd } of parts) {
    if (isOdd) runs.push([]);
    runs.at(-1)?.push(bytes);
  }
  return runs.map((run) => Buffer.concat(run));
}

test("[HTP16] any requests, cut anywhere, are answered as node:http would", async () => {
  const before = pair.leanConnections();
  await fc.assert(
    fc.asyncProperty(requests, cuts, async (parts, places) => {
      await pair.compare(inRuns(parts).flatMap((run) => cutAt(run, places)));
    }),
    { numRuns: 500 },
  );
  const stayed = pair.leanConnections() - before;
  assert.ok(stayed > 25, `only ${stayed} stayed on the lean way`);
});

test("[HTP16] requests sent one by one, each when the one before is answered", async () => {
  const before = pair.leanConnections();
  await fc.assert(
    fc.asyncProperty(requests, async (parts) => {
      await pair.compare(parts.map(({ bytes }) => bytes));
    }),
    { numRuns: 500 },
  );
  const stayed = pair.leanConnections() - before;
  assert.ok(stayed > 50, `only ${stayed} stayed on the lean way`);
});

const good = fc.tuple(fc.nat({ max: 200_000 }), fc.boolean()).map(([length, isStream]) => {
  const text = JSON.stringify({ text: "x".repeat(length), ...(isStream && { stream: 2 }) });
  return `${usualLine}\r\nhost: a\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
});

test("[HTP16] long bodies, cut anywhere, are seen whole and in order", async () => {
  const several = fc.array(good, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(several, cuts, async (parts, places) => {
      const heard = await pair.compare(cutAt(Buffer.from(parts.join("")), places));
      assert.equal(heard.split("HTTP/1.1 200 OK").length - 1, parts.length);
    }),
    { numRuns: 60 },
  );
});
