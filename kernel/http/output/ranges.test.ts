// Ranges by the book: what is asked, what comes, and what lies outside.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import fc from "fast-check";
import { Failure } from "../../base/failure.ts";
import { ranged, rangeOf } from "./ranges.ts";

const cases: [header: string | undefined, range: [number, number] | undefined][] = [
  [undefined, undefined],
  ["bytes=0-9", [0, 10]],
  ["bytes=0-0", [0, 1]],
  ["bytes=5-", [5, 10]],
  ["bytes=-3", [7, 10]],
  ["bytes=-99", [0, 10]],
  ["bytes=8-99", [8, 10]],
  ["BYTES = 1 - 2 ", undefined],
  ["bytes= 1 - 2 ", [1, 3]],
  ["bytes=3-2", undefined],
  ["bytes=-", undefined],
  ["bytes=a-b", undefined],
  ["lines=1-2", undefined],
  ["bytes=0-1,3-4", undefined],
];

for (const [header, range] of cases) {
  test(`[HTP13] ${header ?? "no range"} of 10 bytes: ${range?.join(" to ") ?? "all"}`, () => {
    const found = rangeOf(header, 10);
    assert.deepEqual(found && [found.start, found.end], range);
  });
}

test("[HTP13] outside is 416 and says how much there is", () => {
  for (const [header, bytes] of [
    ["bytes=10-", 10],
    ["bytes=-0", 10],
    ["bytes=0-", 0],
    ["bytes=-1", 0],
  ] as const)
    assert.throws(
      () => rangeOf(header, bytes),
      (error) =>
        error instanceof Failure &&
        error.status === 416 &&
        error.options.headers?.["content-range"] === `bytes */${bytes}`,
      header,
    );
});

const content = Buffer.from("0123456789");
const read = (range = { start: 0, end: content.length }) =>
  Readable.from([content.subarray(range.start, range.end)]);
const file = { bytes: 10, type: "text/plain", etag: '"v1"' };

async function ask(headers: Record<string, string>) {
  const reply = await ranged(read, file, headers);
  assert.equal(reply.body.kind, "stream");
  const body = reply.body.kind === "stream" ? await buffer(reply.body.stream) : Buffer.alloc(0);
  assert.equal(reply.headers["content-length"], String(body.length));
  assert.equal(reply.headers["accept-ranges"], "bytes");
  return { status: reply.status, text: body.toString(), range: reply.headers["content-range"] };
}

test("[HTP13] a part carries its place; another version brings the whole", async () => {
  assert.deepEqual(await ask({ range: "bytes=2-4" }), {
    status: 206,
    text: "234",
    range: "bytes 2-4/10",
  });
  assert.deepEqual(await ask({}), { status: 200, text: "0123456789", range: undefined });
  assert.equal((await ask({ range: "bytes=2-4", "if-range": '"v1"' })).status, 206);
  assert.equal((await ask({ range: "bytes=2-4", "if-range": '"v0"' })).text, "0123456789");
  assert.equal((await ask({ range: "bytes=2-4", "if-range": 'W/"v1"' })).status, 200);
  assert.equal((await ask({ range: "bytes=99-", "if-range": '"v0"' })).status, 200);
});

test("[HTP13] a place that is far beyond the end is outside, however many digits it has", () => {
  for (const first of ["10", "9".repeat(15), "9".repeat(30), "9".repeat(400)])
    assert.throws(
      () => rangeOf(`bytes=${first}-`, 10),
      (error) => error instanceof Failure && error.status === 416,
    );
  assert.deepEqual(rangeOf(`bytes=2-${"9".repeat(400)}`, 10), { start: 2, end: 10 });
});

test("[HTP13] every range lies inside", () => {
  const number = fc.option(fc.nat({ max: 30 }), { nil: "" });
  fc.assert(
    fc.property(number, number, fc.nat({ max: 20 }), (first, last, bytes) => {
      try {
        const range = rangeOf(`bytes=${first}-${last}`, bytes);
        if (range) assert.ok(0 <= range.start && range.start < range.end && range.end <= bytes);
      } catch (error) {
        assert.ok(error instanceof Failure && error.status === 416);
      }
    }),
  );
});
