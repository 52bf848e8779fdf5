// Rules ARC2, ARC3 and ARC4: zips that are written and read again, and those that say something else than they hold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, createDeflateRaw } from "node:zlib";
import fc from "fast-check";
import { Failure } from "../base/failure.ts";
import { readZip } from "./zip-reader.ts";
import { writeZip, type ZippedFile } from "./zip-writer.ts";

const limits = { entriesMax: 100 };
const file = (path: string, content: string, isExecutable = false): ZippedFile => ({
  path,
  bytes: Buffer.from(content),
  isExecutable,
});
const some = [file("a/b.txt", "x".repeat(500)), file("a/ü", "", true), file("c", "\0\xff")];

const contents = (zip: Buffer) =>
  Promise.all(
    readZip(zip, limits).map(async ({ name, kind, mode, bytes, read }) => {
      assert.equal(kind, "file");
      const whole = await read();
      assert.equal(whole.length, bytes);
      return { path: name, bytes: whole, isExecutable: (mode & 0o111) !== 0 };
    }),
  );

test("[ARC4] what is written is read again, and the same files make the same bytes", async () => {
  const zip = await writeZip(some);
  assert.deepEqual(await contents(zip), some);
  assert.ok(zip.equals(await writeZip(some)));
  assert.deepEqual(readZip(await writeZip([]), limits), []);
  const files = fc.uniqueArray(
    fc.record({
      path: fc.stringMatching(/^[a-zé/]{1,20}$/),
      bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      isExecutable: fc.boolean(),
    }),
    { selector: ({ path }) => path, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(files, async (all) => {
      const named = all.filter(({ path }) => !path.endsWith("/"));
      assert.deepEqual(
        await contents(await writeZip(named)),
        named.map((each) => ({ ...each })),
      );
    }),
    { numRuns: 50 },
  );
});

const directoryAt = (zip: Buffer) => zip.indexOf("PK\x01\x02");
const harmed = (zip: Buffer, change: (copy: Buffer) => Buffer | void): Buffer => {
  const copy = Buffer.from(zip);
  return change(copy) ?? copy;
};

test("[ARC2] what does not agree with itself is refused", async () => {
  const zip = await writeZip(some);
  const end = zip.length - 22;
  const entry = directoryAt(zip);
  const wrong: [sentence: RegExp, zip: Buffer][] = [
    [/has no end/, Buffer.alloc(0)],
    [/has no end/, zip.subarray(0, -1)],
    [/has no end/, Buffer.concat([zip, Buffer.from("x")])],
    [/is broken, or no zip/, Buffer.concat([Buffer.from("x"), zip])],
    [/is encrypted/, harmed(zip, (copy) => void copy.writeUInt16LE(1, entry + 8))],
    [/in a way that is not known/, harmed(zip, (copy) => void copy.writeUInt16LE(12, entry + 10))],
    [/zip64/, harmed(zip, (copy) => void copy.writeUInt32LE(0xffffffff, entry + 24))],
    [/zip64/, harmed(zip, (copy) => void copy.writeUInt16LE(0xffff, end + 10))],
    [/3 entries; at most 2/, zip],
    [/is broken, or no zip/, harmed(zip, (copy) => void copy.writeUInt16LE(2, end + 8))],
    // Another name in front of the bytes than in the directory.
    [/is broken, or no zip/, harmed(zip, (copy) => void copy.write("b", 30))],
    // Two entries that have the same bytes.
    [
      /is broken, or no zip/,
      harmed(
        await writeZip([file("a", "one"), file("a", "one")]),
        (copy) => void copy.writeUInt32LE(0, copy.lastIndexOf("PK\x01\x02") + 42),
      ),
    ],
  ];
  for (const [index, [sentence, bytes]] of wrong.entries())
    assert.throws(
      () => readZip(bytes, { entriesMax: bytes === zip ? 2 : 100 }),
      (error) => error instanceof Failure && sentence.test(error.message),
      `${index}: ${sentence}`,
    );
  const comment = harmed(
    Buffer.concat([zip, Buffer.from("hello")]),
    (copy) => void copy.writeUInt16LE(5, end + 20),
  );
  assert.equal((await contents(comment)).length, 3);
});

test("[ARC2] [ARC3] bytes have the length and the checksum that the directory says", async () => {
  const zip = await writeZip(some);
  const entry = directoryAt(zip);
  for (const bytes of [
    harmed(zip, (copy) => void copy.writeUInt32LE(10, entry + 24)),
    harmed(zip, (copy) => void copy.writeUInt32LE(0, entry + 24)),
    harmed(zip, (copy) => void copy.writeUInt32LE(501, entry + 24)),
    harmed(zip, (copy) => void copy.writeUInt32LE(7, entry + 16)),
    harmed(zip, (copy) => void copy.fill(0xff, 37, 40)),
  ]) {
    const [first] = readZip(bytes, limits);
    await assert.rejects(first?.read() ?? Promise.resolve(), /"a\/b\.txt" in the zip is broken/);
  }
});

const bombBytes = 256 * 1024 * 1024;

/** So many zeros, packed piece by piece: they are never there at once. */
async function packedZeros(): Promise<Buffer> {
  const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED });
  const piece = Buffer.alloc(1024 * 1024);
  const writing = (async () => {
    for (let at = 0; at < bombBytes; at += piece.length)
      if (!deflate.write(piece)) await new Promise((resolve) => deflate.once("drain", resolve));
    deflate.end();
  })();
  const packed = Buffer.concat(await Array.fromAsync(deflate as AsyncIterable<Buffer>));
  await writing;
  return packed;
}

test("[ARC3] an entry that unpacks to far more than it says is not unpacked", async () => {
  const data = await packedZeros();
  const small = await writeZip([file("a", "0123456789")]);
  const dataAt = 31;
  const directory = directoryAt(small);
  const zip = Buffer.concat([small.subarray(0, dataAt), data, small.subarray(directory)]);
  const moved = dataAt + data.length;
  for (const at of [8, moved + 10]) zip.writeUInt16LE(8, at);
  for (const at of [18, moved + 20]) zip.writeUInt32LE(data.length, at);
  zip.writeUInt32LE(moved, zip.length - 6);
  const [entry] = readZip(zip, limits);
  const before = process.resourceUsage().maxRSS;
  await assert.rejects(entry?.read() ?? Promise.resolve(), /"a" in the zip is broken/);
  const grownBytes = (process.resourceUsage().maxRSS - before) * 1024;
  assert.ok(grownBytes < bombBytes / 4, `${grownBytes} bytes more were needed`);
});
