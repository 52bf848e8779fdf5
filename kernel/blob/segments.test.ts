// Segments: what was committed survives any tear, what was not is cut.
import assert from "node:assert/strict";
import { appendFile, mkdtemp, open, readdir, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { buffer } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { openLocalBlobs } from "./local.ts";
import {
  deleteSegment,
  listTails,
  openSegment,
  readSegment,
  recoverSegment,
  type Segment,
} from "./segments.ts";
import { growTail } from "./tail.ts";

async function bench(t: TestContext, partBytes = 64) {
  const root = await mkdtemp(`${tmpdir()}/plinth-segments-`);
  t.after(() => rm(root, { recursive: true, force: true }));
  const blobs = await openLocalBlobs({ directory: `${root}/blobs` });
  const options = { directory: `${root}/tails`, partBytes };
  const read = async (key: string, start: number, end: number) =>
    buffer(await readSegment(blobs, key, { start, end }, options));
  return { root, blobs, options, read };
}

async function keysOf(list: AsyncIterable<{ key: string }>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of list) keys.push(key);
  return keys;
}

test("[BLB11] appends take their places in order and read back, before and after the seal", async (t) => {
  const { blobs, options, read } = await bench(t);
  const segment = await openSegment(blobs, "b/1/7", options);
  const records = Array.from({ length: 40 }, (_, i) => Buffer.from(`{"row":${i}}\n`));
  const extents = await Promise.all(records.map((record) => segment.append(record)));
  await segment.sync();
  assert.equal(segment.syncedLength, segment.length);
  const check = async () => {
    for (const [index, { offset, length }] of extents.entries())
      assert.deepEqual(await read("b/1/7", offset, offset + length), records[index]);
    assert.deepEqual(await read("b/1/7", 0, segment.length), Buffer.concat(records));
  };
  await check();
  const sealed = await segment.seal();
  assert.equal(sealed.bytes, Buffer.concat(records).length);
  assert.equal(sealed.parts.length, Math.ceil(sealed.bytes / 64));
  assert.deepEqual(await keysOf(blobs.list("")), sealed.parts);
  await check();
  assert.deepEqual(await readdir(options.directory), []);
});

test("a directory may be written with a slash at its end", async (t) => {
  const { root } = await bench(t);
  const blobs = await openLocalBlobs({ directory: `${root}/other/` });
  const options = { directory: `${root}/others//` };
  await blobs.put("a/b", Buffer.from("x"));
  await blobs.delete("a/b");
  const segment = await openSegment(blobs, "c/d", options);
  await segment.append(Buffer.from("x"));
  await segment.seal();
  assert.deepEqual(await readdir(options.directory), []);
});

test("[BLB14] a sealed segment takes nothing more, and its key is not used again", async (t) => {
  const { blobs, options, read } = await bench(t);
  const segment = await openSegment(blobs, "s", options);
  await assert.rejects(openSegment(blobs, "s", options), /already there/);
  await segment.seal();
  await assert.rejects(segment.append(Buffer.from("x")), /sealed/);
  await assert.rejects(openSegment(blobs, "s", options), /sealed/);
  await assert.rejects(recoverSegment(blobs, "s", 0, options), /no unsealed segment/);
  assert.equal((await read("s", 0, 0)).length, 0);
  await assert.rejects(read("nothing", 0, 1), /no blob/);
});

test("[BLB12] flushes at the same time share work, and each covers what was appended before it", async (t) => {
  const { blobs, options } = await bench(t);
  const segment = await openSegment(blobs, "s", options);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 300 })), async (sizes) => {
      const appends = sizes.map(async (size, index) => {
        if (index % 3) await new Promise(setImmediate);
        const appended = segment.append(Buffer.alloc(size, index));
        const lengthThen = segment.length;
        await segment.sync();
        assert.ok(segment.syncedLength >= lengthThen);
        await appended;
      });
      await Promise.all(appends);
    }),
    { numRuns: 20 },
  );
  await segment.close();
});

type Step = { kind: "append"; bytes: Uint8Array } | { kind: "commit" };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("append" as const),
      bytes: fc.uint8Array({ maxLength: 90 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "commit" as const }) },
);

async function play(segment: Segment, steps: Step[]): Promise<Buffer> {
  let written = Buffer.alloc(0);
  let committed = written;
  for (const each of steps)
    if (each.kind === "append") {
      await segment.append(Buffer.from(each.bytes));
      written = Buffer.concat([written, each.bytes]);
    } else {
      await segment.sync();
      committed = written;
    }
  await segment.close();
  return committed;
}

test("[BLB13] after a crash at any byte, the committed bytes are whole and the rest is gone", async (t) => {
  const { blobs, options, read } = await bench(t);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.nat(),
      fc.uint8Array({ maxLength: 40 }),
      fc.boolean(),
      async (steps, where, torn, sealAfter) => {
        const key = `crash/${run++}`;
        const committed = await play(await openSegment(blobs, key, options), steps);
        const path = `${options.directory}/${key}~tail`;
        const { size } = await stat(path);
        await truncate(path, committed.length + (where % (size - committed.length + 1)));
        await appendFile(path, torn);
        const again = await recoverSegment(blobs, key, committed.length, options);
        assert.equal(again.length, committed.length);
        assert.equal((await stat(path)).size, committed.length);
        assert.deepEqual(await read(key, 0, committed.length), committed);
        const { offset } = await again.append(Buffer.from("after"));
        assert.equal(offset, committed.length);
        await (sealAfter ? again.seal() : again.sync());
        const whole = Buffer.concat([committed, Buffer.from("after")]);
        assert.deepEqual(await read(key, 0, whole.length), whole);
        if (!sealAfter) await again.close();
      },
    ),
    { numRuns: 60 },
  );
});

test("[BLB14] a seal that was cut off is finished by the next one, and only finished", async (t) => {
  const { blobs, options, read } = await bench(t);
  const whole = Buffer.alloc(200, "abcdefg");
  for (const partsThere of [1, 2, 3, 4]) {
    const key = `cut/${partsThere}`;
    const segment = await openSegment(blobs, key, options);
    await segment.append(whole);
    await segment.close();
    for (let part = 0; part < partsThere; part++)
      await blobs.put(`${key}/00000${part}`, whole.subarray(part * 64, part * 64 + 64));
    const again = await recoverSegment(blobs, key, 150, options);
    await assert.rejects(again.append(Buffer.from("x")), /sealed/);
    assert.deepEqual(await again.seal(), {
      bytes: 150,
      parts: [`${key}/000000`, `${key}/000001`, `${key}/000002`],
    });
    assert.deepEqual(await read(key, 10, 150), whole.subarray(10, 150));
  }
});

test("[BLB13] a tail that is shorter than what is committed says so", async (t) => {
  const { blobs, options } = await bench(t);
  const segment = await openSegment(blobs, "short", options);
  await segment.append(Buffer.alloc(10));
  await segment.close();
  await assert.rejects(
    recoverSegment(blobs, "short", 11, options),
    /10 bytes, but 11 are committed/,
  );
});

test("[BLB12] after a failed write or flush a tail stays failed, and claims no flush", async (t) => {
  const { root } = await bench(t);
  for (const failing of ["write", "datasync"] as const) {
    const handle = await open(`${root}/${failing}`, "wx+");
    const tail = growTail(handle, 0);
    await tail.append(Buffer.from("good"));
    await tail.sync();
    const disk = t.mock.method(handle, failing, () => Promise.reject(new Error("bad sector")));
    const lost = tail.append(Buffer.from("lost")).catch((error: unknown) => error);
    await assert.rejects(tail.sync(), /bad sector/);
    assert.equal((await lost) instanceof Error, failing === "write");
    disk.mock.restore(); // the disk is well again, but what it lost stays lost
    await assert.rejects(tail.append(Buffer.from("more")), /bad sector/);
    await assert.rejects(tail.sync(), /bad sector/);
    assert.equal(tail.syncedLength, 4);
    await tail.close();
  }
});

test("[BLB15] tails are listed, and a deleted segment leaves its longer-named neighbour alone", async (t) => {
  const { blobs, options, read } = await bench(t);
  for (const key of ["b/1", "b/1/2", "b/3"]) {
    const segment = await openSegment(blobs, key, options);
    await segment.append(Buffer.from(key));
    if (key === "b/3") await segment.close();
    else await segment.seal();
  }
  const tails: string[] = [];
  for await (const key of listTails(options)) tails.push(key);
  assert.deepEqual(tails, ["b/3"]);
  await deleteSegment(blobs, "b/1", options);
  await deleteSegment(blobs, "b/3", options);
  await deleteSegment(blobs, "b/3", options);
  assert.deepEqual(await keysOf(blobs.list("")), ["b/1/2/000000"]);
  assert.equal(String(await read("b/1/2", 0, 5)), "b/1/2");
});

test("[BLB15] a segment that is deleted before its seal leaves no tail, and its key is free", async (t) => {
  const { blobs, options } = await bench(t);
  const segment = await openSegment(blobs, "b/3", options);
  await segment.append(Buffer.from("x"));
  await segment.close();
  await deleteSegment(blobs, "b/3", options);
  assert.deepEqual(await readdir(options.directory), []);
  await (await openSegment(blobs, "b/3", options)).close();
});
