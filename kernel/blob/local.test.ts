// Blobs on a disk: whole or absent, written once, and no file left open.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readlink, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { ExitError, Failure } from "../base/failure.ts";
import { openLocalBlobs } from "./local.ts";

async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(`${tmpdir()}/plinth-blobs-`);
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function keysOf(list: AsyncIterable<{ key: string }>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of list) keys.push(key);
  return keys;
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `never came true: ${what}`);
    await pause(5);
  }
}

/** Descriptors of this process that point into the directory. */
async function openFiles(directory: string): Promise<number> {
  const links = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return links.filter((link) => link.startsWith(directory)).length;
}
const onLinux = process.platform === "linux";

test("[BLB4] what was put comes back whole, in ranges and in the listing", async (t) => {
  const blobs = await openLocalBlobs({ directory: await scratch(t) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 6 }),
      fc.nat(),
      fc.nat(),
      async (chunks, a, b) => {
        const whole = Buffer.concat(chunks);
        const key = `round/${Math.floor(performance.now() * 1e6)}`;
        const info = await blobs.put(key, Readable.from(chunks.map((each) => Buffer.from(each))));
        assert.deepEqual(info, { key, bytes: whole.length });
        assert.deepEqual(await buffer(await blobs.read(key)), whole);
        const [start, end] = [a % (whole.length + 1), b % (whole.length + 1)].sort(
          (left, right) => left - right,
        ) as [number, number];
        assert.deepEqual(
          await buffer(await blobs.read(key, { start, end })),
          whole.subarray(start, end),
        );
        assert.deepEqual(await blobs.stat(key), info);
        await blobs.delete(key);
        assert.equal(await blobs.stat(key), undefined);
      },
    ),
    { numRuns: 25 },
  );
});

test("[BLB4] a large blob survives a slow reader", async (t) => {
  const blobs = await openLocalBlobs({ directory: await scratch(t) });
  const whole = Buffer.alloc(3_000_001, "0123456789");
  await blobs.put("large", whole);
  const pieces: Buffer[] = [];
  for await (const piece of await blobs.read("large", { start: 1, end: whole.length })) {
    pieces.push(piece as Buffer);
    await new Promise(setImmediate);
  }
  assert.ok(Buffer.concat(pieces).equals(whole.subarray(1)));
});

test("[BLB4] a range outside the blob is an error, and leaves no file open", async (t) => {
  const directory = await scratch(t);
  const blobs = await openLocalBlobs({ directory });
  await blobs.put("five", Buffer.from("12345"));
  for (const range of [
    { start: 0, end: 6 },
    { start: 3, end: 2 },
    { start: -1, end: 2 },
  ])
    await assert.rejects(blobs.read("five", range), RangeError);
  if (onLinux) assert.equal(await openFiles(directory), 0);
});

test("[BLB3] names that are no plain names are refused", async (t) => {
  const blobs = await openLocalBlobs({ directory: await scratch(t) });
  const bad = ["", "/etc/x", "a/../b", "..", "a//b", "a/", "./a", ".hidden", "a b", "a\0b", "ä"];
  for (const key of [...bad, "a~b", "k".repeat(201), "k/".repeat(300) + "k"]) {
    await assert.rejects(blobs.put(key, Buffer.from("x")), /blob key/, key);
    await assert.rejects(blobs.read(key), /blob key/, key);
    await assert.rejects(blobs.delete(key), /blob key/, key);
    await assert.rejects(blobs.stat(key), /blob key/, key);
  }
  await assert.rejects(keysOf(blobs.list("../")), /blob key/);
});

test("[BLB2] a key is written once, also when twenty write it at the same time", async (t) => {
  const directory = await scratch(t);
  const [one, two] = [await openLocalBlobs({ directory }), await openLocalBlobs({ directory })];
  const puts = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? one : two).put("race/key", Readable.from([Buffer.from(`writer ${index}`)])),
    ),
  );
  const winners = puts.flatMap((put, index) => (put.status === "fulfilled" ? [index] : []));
  assert.equal(winners.length, 1);
  assert.equal(String(await buffer(await one.read("race/key"))), `writer ${winners[0]}`);
  for (const put of puts)
    if (put.status === "rejected") {
      assert.ok(put.reason instanceof Failure);
      assert.equal(put.reason.options.code, "blob_exists");
    }
  assert.deepEqual(await readdir(`${directory}/unfinished`), []);
});

test("[BLB3] a blob is in the way of keys below it, and the other way round", async (t) => {
  const blobs = await openLocalBlobs({ directory: await scratch(t) });
  await blobs.put("a/b", Buffer.from("x"));
  for (const key of ["a", "a/b/c", "a/b/c/d"]) {
    await assert.rejects(blobs.put(key, Buffer.from("y")), /already there/);
    assert.equal(await blobs.stat(key), undefined);
    await assert.rejects(blobs.read(key), /no blob/);
  }
});

test("[BLB1] one byte past the limit is 413 and nothing is kept", async (t) => {
  const directory = await scratch(t);
  const blobs = await openLocalBlobs({ directory });
  await blobs.put("fits", Readable.from([Buffer.alloc(5), Buffer.alloc(5)]), { bytesMax: 10 });
  for (const content of [Buffer.alloc(11), Readable.from([Buffer.alloc(10), Buffer.alloc(1)])])
    await assert.rejects(
      blobs.put("past", content, { bytesMax: 10 }),
      (error) => error instanceof Failure && error.status === 413 && /10 bytes/.test(error.message),
    );
  assert.deepEqual(await keysOf(blobs.list("")), ["fits"]);
  assert.deepEqual(await readdir(`${directory}/unfinished`), []);
});

test("[BLB1] a source that breaks off leaves nothing", async (t) => {
  const directory = await scratch(t);
  const blobs = await openLocalBlobs({ directory });
  for (const reason of [new Error("the client went away"), undefined]) {
    const source = new PassThrough();
    source.write(Buffer.alloc(100_000));
    const put = blobs.put("broken", source);
    await until(
      async () => (await readdir(`${directory}/unfinished`)).length > 0,
      "the file was begun",
    );
    source.destroy(reason);
    await assert.rejects(put);
  }
  const early = new PassThrough();
  const refused = assert.rejects(blobs.put("broken", early), /at once/);
  early.destroy(new Error("at once"));
  await refused;
  const gone = new PassThrough();
  gone.destroy();
  await assert.rejects(blobs.put("broken", gone));
  assert.deepEqual(await keysOf(blobs.list("")), []);
  assert.deepEqual(await readdir(`${directory}/unfinished`), []);
  if (onLinux) assert.equal(await openFiles(directory), 0);
});

test("[BLB5] a reader that goes away, or forgets the stream, leaves no file open", async (t) => {
  if (!onLinux) return t.skip("reads /proc");
  const directory = await scratch(t);
  const blobs = await openLocalBlobs({ directory, readIdleMs: 30 });
  await blobs.put("large", Buffer.alloc(2_000_000));
  for (let i = 0; i < 20; i++) {
    const stream = await blobs.read("large");
    if (i % 2) stream.once("data", () => stream.destroy());
    else stream.destroy();
  }
  await blobs.read("large"); // this stream has no listener
  const forgotten = await blobs.read("large");
  const failed = new Promise<Error>((resolve) => forgotten.once("error", resolve));
  await until(async () => (await openFiles(directory)) === 0, "no file is open");
  assert.match((await failed).message, /Nobody read/);
});

test("[BLB6] lists by prefix, in the order of the keys", async (t) => {
  const directory = await scratch(t);
  const blobs = await openLocalBlobs({ directory });
  const keys = ["a", "b-c", "b/c", "b/c2/d", "b/d", "b0", "bc/x"];
  for (const key of keys.toReversed()) await blobs.put(key, Buffer.from(key));
  assert.deepEqual(await keysOf(blobs.list("")), keys);
  assert.deepEqual(await keysOf(blobs.list("b/c")), ["b/c", "b/c2/d"]);
  assert.deepEqual(await keysOf(blobs.list("b/")), ["b/c", "b/c2/d", "b/d"]);
  assert.deepEqual(await keysOf(blobs.list("zz")), []);
  await blobs.delete("b/c2/d");
  await blobs.delete("b/c2/d");
  assert.deepEqual((await readdir(`${directory}/objects/b`)).sort(), ["c", "d"]);
});

test("[BLB9] puts and deletes in one directory do not trip over each other", async (t) => {
  const blobs = await openLocalBlobs({ directory: await scratch(t) });
  await Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (let i = 0; i < 15; i++) {
        await blobs.put(`deep/er/${lane}-${i}`, Buffer.from("x"));
        await blobs.delete(`deep/er/${lane}-${i}`);
      }
    }),
  );
  assert.deepEqual(await keysOf(blobs.list("")), []);
});

test("[BLB7] [BLB8] only the owner can read, and leftovers of the dead are removed, of the living not", async (t) => {
  const directory = `${await scratch(t)}/data`;
  const blobs = await openLocalBlobs({ directory });
  await blobs.put("deep/mode", Buffer.from("x"));
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
  assert.equal((await stat(`${directory}/objects/deep`)).mode & 0o777, 0o700);
  assert.equal((await stat(`${directory}/objects/deep/mode`)).mode & 0o777, 0o600);
  const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, "_");
  const dead = spawnSync("true").pid;
  const left = (name: string) => writeFile(`${directory}/unfinished/${name}`, "x");
  await left(`${host}.${dead}.00.1`);
  await left(`${host}.${process.pid}.earlierlife.1`);
  await left(`${host}.${process.ppid}.00.1`);
  await left("elsewhere.1.00.1");
  await left("elsewhere.1.00.2");
  const yesterday = new Date(Date.now() - 90_000_000);
  await utimes(`${directory}/unfinished/elsewhere.1.00.2`, yesterday, yesterday);
  await openLocalBlobs({ directory });
  assert.deepEqual(
    (await readdir(`${directory}/unfinished`)).sort(),
    ["elsewhere.1.00.1", `${host}.${process.ppid}.00.1`].sort(),
  );
});

test("[BLB1] a full disk is a 503 with a sentence, and nothing is kept", async (t) => {
  const directory = await scratch(t);
  await openLocalBlobs({ directory });
  const script = `
    import { openLocalBlobs } from ${JSON.stringify(`${import.meta.dirname}/local.ts`)};
    const blobs = await openLocalBlobs({ directory: ${JSON.stringify(directory)} });
    await blobs.put("small", Buffer.alloc(1000));
    const error = await blobs.put("huge", Buffer.alloc(1_000_000)).catch((error) => error);
    console.log(JSON.stringify([error.status, error.message, error.options?.code]));`;
  // A file size limit makes the kernel refuse the write, as a full disk does.
  const run = spawnSync(
    "sh",
    ["-c", 'ulimit -f 100; exec "$0" "$@"', process.execPath, "--input-type=module", "-e", script],
    { encoding: "utf8" },
  );
  assert.deepEqual(
    JSON.parse(run.stdout || "null"),
    [503, "The disk of the data directory is full; nothing was kept.", "disk_full"],
    run.stderr,
  );
  assert.deepEqual(await readdir(`${directory}/unfinished`), []);
  assert.deepEqual(await readdir(`${directory}/objects`), ["small"]);
});

test("[BLB8] what another opener of this process is writing is no leftover", async (t) => {
  const directory = await scratch(t);
  const blobs = await openLocalBlobs({ directory });
  const source = new PassThrough();
  source.write("first ");
  const put = blobs.put("slow", source);
  await until(async () => (await readdir(`${directory}/unfinished`)).length > 0, "it was begun");
  await openLocalBlobs({ directory });
  source.end("second");
  await put;
  assert.equal(String(await buffer(await blobs.read("slow"))), "first second");
});

test("[BLB10] a directory keeps its store id; another database's refuses to start", async (t) => {
  const directory = await scratch(t);
  const opened = await Promise.all(Array.from({ length: 8 }, () => openLocalBlobs({ directory })));
  const storeId = opened[0]?.storeId ?? "";
  assert.match(storeId, /^store_[0-9a-f]{32}$/);
  for (const each of opened) assert.equal(each.storeId, storeId);
  assert.deepEqual((await readdir(directory)).sort(), ["objects", "store-id", "unfinished"]);
  opened[0]?.checkStoreId(storeId);
  const other = `store_${"0".repeat(32)}`;
  assert.throws(() => opened[0]?.checkStoreId(other), ExitError);
  await assert.rejects(openLocalBlobs({ directory, storeId: other }), /belong to store_/);
  const empty = await scratch(t);
  for (const _attempt of ["first", "second"]) {
    await assert.rejects(
      openLocalBlobs({ directory: `${empty}/blobs`, storeId }),
      new RegExp(`^ExitError: The files of the database, ${storeId}, are not in ${empty}/blobs: `),
    );
    assert.deepEqual(await readdir(empty), [], "a refusal makes nothing");
  }
  await writeFile(`${directory}/store-id`, "");
  await assert.rejects(openLocalBlobs({ directory }), /does not hold a store id/);
});
