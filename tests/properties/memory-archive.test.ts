// Rule MEM49, on archives that were broken in every way: each is read to its end or refused, and none is waited for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { Failure } from "../../kernel/base/failure.ts";
import { readTar } from "../../kernel/archive/tar.ts";
import { tarLimits } from "../../server/memory/transfer/limits.ts";
import { tarOf } from "../rules/memory-transfer-house.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;

const entries = fc.array(
  fc.record({
    name: fc.constantFrom("a.md", "b/c.md", "caf\u00e9", `${"long/".repeat(60)}name`),
    content: fc.constantFrom("", "one", "x".repeat(512), "y".repeat(1_500)),
  }),
  { maxLength: 5 },
);

/** Bytes that are changed, a piece that is cut out, and one that is put in. */
const harm = fc.record({
  changed: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 2 }),
  cut: fc.option(fc.tuple(fc.nat(), fc.nat(3_000)), { nil: undefined, freq: 1 }),
  added: fc.option(fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 600 })), {
    nil: undefined,
    freq: 1,
  }),
});

type Harm = typeof harm extends fc.Arbitrary<infer Value> ? Value : never;

function harmed(whole: Buffer, { changed, cut, added }: Harm): Buffer {
  let bytes = Buffer.from(whole);
  for (const [at, byte] of changed) bytes[at % bytes.length] = byte;
  if (cut !== undefined) {
    const from = cut[0] % bytes.length;
    bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + cut[1])]);
  }
  if (added !== undefined) {
    const from = added[0] % (bytes.length + 1);
    bytes = Buffer.concat([bytes.subarray(0, from), added[1], bytes.subarray(from)]);
  }
  return bytes;
}

interface Source {
  chunks: AsyncGenerator<Buffer>;
  isOver: () => boolean;
}

function sourceOf(bytes: Buffer, size: number): Source {
  let isOver = false;
  async function* chunks() {
    try {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    } finally {
      isOver = true;
    }
  }
  return { chunks: chunks(), isOver: () => isOver };
}

/** How many entries were read; `stopAt` leaves in the middle. */
async function read(body: AsyncIterable<Buffer>, stopAt = Infinity): Promise<number> {
  let count = 0;
  for await (const entry of readTar(body, tarLimits)) {
    if (count === stopAt) return count;
    // Every second one is passed over.
    if (count % 2 === 0 && entry.bytes < 10_000) await entry.read();
    count += 1;
  }
  return count;
}

test("[MEM49] whatever is done to an archive, it is read to its end or refused", async () => {
  const seen = { read: 0, refused: 0 };
  const property = fc.asyncProperty(
    entries,
    harm,
    fc.boolean(),
    fc.constantFrom(7, 512, 5_000),
    async (files, how, isZipped, size) => {
      const tar = await tarOf(files);
      const bytes = harmed(isZipped ? gzipSync(tar) : tar, how);
      const source = sourceOf(bytes, size);
      try {
        await read(source.chunks);
        seen.read += 1;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        assert.ok([400, 413].includes(error.status));
        seen.refused += 1;
      }
    },
  );
  await fc.assert(property, { numRuns: isLong ? 10_000 : 500 });
  assert.ok(seen.read > 10 && seen.refused > 50, JSON.stringify(seen));
});

test("[MEM49] whoever stops reading an archive lets go of its body", async () => {
  const tar = await tarOf(
    Array.from({ length: 20 }, (_, at) => ({ name: `${at}`, content: "x".repeat(50_000) })),
  );
  for (const bytes of [tar, gzipSync(tar)]) {
    const source = sourceOf(bytes, 700);
    assert.equal(await read(source.chunks, 3), 3);
    while (!source.isOver()) await new Promise((resolve) => setImmediate(resolve));
  }
});

test("[MEM51] what breaks on the way of a body is what its reader hears", async () => {
  const tar = await tarOf([{ name: "a.md", content: "x".repeat(5_000) }]);
  const gone = new Failure("invalid_request_error", "The client has gone.", { status: 499 });
  for (const bytes of [tar, gzipSync(tar)]) {
    async function* broken() {
      yield bytes.subarray(0, bytes.length / 2);
      throw gone;
    }
    await assert.rejects(read(broken()), (error) => error === gone);
  }
});
