// Rules BAT24 to BAT27, over HTTP: results as they are read.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { resultLineOf } from "../../server/batches/results/result-lines.ts";
import type { Message } from "../../server/models/module.ts";
import {
  type Batch,
  type BatchHouse,
  downloaded,
  items,
  linesOf,
  newerVersion,
  olderVersion,
  openBatchHouse,
  params,
  same,
  unzipped,
} from "./batches-house.ts";
import { sentenceOf } from "./support.ts";

let b: BatchHouse;
/** One of each kind, in some words that are not easy to cut. */
let batch: Batch;
before(async () => {
  b = await openBatchHouse();
  const tricky = '[[say "é \\"citations\\" :null, 漢字 🎉"]]';
  const tool = { name: "cite", input_schema: { type: "object" } };
  const { id } = await b.create([
    ...items("Hello there.", tricky, "[[fail status=400]]", "[[refuse category=bio models=*]]"),
    { custom_id: "wrong", params: 7 },
    { custom_id: "call", params: params('[[tool cite {"citations":null}]]', { tools: [tool] }) },
  ]);
  batch = await b.ended(id);
});
after(() => b[Symbol.asyncDispose]());

const varies = "accept-encoding, vendor-version, anthropic-version";

test("[BAT24] results are there once the batch has ended, and not before", async () => {
  const { id } = await b.create(same(2, "[[tokens 4]] [[rate 4]]"));
  const early = await b.call("GET", `/${id}/results`);
  assert.match(sentenceOf(early, 400), /has not ended: its results are there once/);
  assert.equal(early.headers.get("x-should-retry"), "false");
  assert.equal((await b.retrieve(id)).results_url, null);
  await b.cancel(id);
  assert.equal((await b.call("GET", `/${id}/results`)).status, 400);
  const { results_url } = await b.ended(id);
  const { status } = await downloaded(results_url ?? "", "GET", {
    "x-api-key": b.platform.api_key,
  });
  assert.equal(status, 200);
});

test("[BAT24] there is one line for each item, as JSON, at an address that clients reach", async () => {
  const { bytes, headers } = await b.download(batch.id, { headers: newerVersion });
  const lines = linesOf(bytes);
  const found = lines.map(({ custom_id, result, ...rest }) => {
    assert.deepEqual(rest, {});
    const { type, ...fields } = result;
    return `${custom_id}: ${type}, ${Object.keys(fields).join()}`;
  });
  assert.deepEqual(found.toSorted(), [
    "call: succeeded, message",
    "item-0: succeeded, message",
    "item-1: succeeded, message",
    "item-2: errored, error",
    "item-3: succeeded, message",
    "wrong: errored, error",
  ]);
  assert.equal(headers["content-type"], "application/x-jsonl");
  assert.equal(headers["content-length"], String(bytes.length));
  assert.equal(headers["content-disposition"], `attachment; filename="${batch.id}_results.jsonl"`);
  const { world } = b.house;
  const inside = world.publicUrl;
  world.publicUrl = "https://models.example/api";
  const path = `/v1/messages/batches/${batch.id}/results`;
  assert.equal((await b.retrieve(batch.id)).results_url, `https://models.example/api${path}`);
  const { body } = await b.call("GET", "?limit=1000");
  for (const { id, results_url } of body.data as Batch[])
    if (id === batch.id) assert.equal(results_url, `https://models.example/api${path}`);
  world.publicUrl = inside;
});

test("[BAT24] results are the same before and after they are sealed, and of several processes", async () => {
  await using _neighbour = await b.house.openSecondServer();
  const { id } = await b.create(same(600, "[[tokens 1]] [[rate 10]]"));
  await b.ended(id);
  const first = await b.download(id, { headers: newerVersion });
  await b.idle();
  const second = await b.download(id, { headers: newerVersion });
  assert.ok(first.bytes.equals(second.bytes));
  const lines = linesOf(second.bytes);
  assert.equal(new Set(lines.map(({ custom_id }) => custom_id)).size, 600);
  assert.ok(lines.every(({ result }) => result.type === "succeeded"));
  const files = await b.house.world.db.query<{ bytes: number }>(
    sql`select bytes from batch_segments where batch_id = ${id} order by segment`,
  );
  assert.ok(files.length > 1, "only one process took part");
  let border = 0;
  for (const file of files.slice(0, -1)) {
    border += file.bytes;
    for (const [start, end] of [
      [border - 9, border + 6],
      [border + 1, border + 6],
    ] as const) {
      const range = `bytes=${start}-${end - 1}`;
      const part = await b.download(id, { headers: { ...newerVersion, range } });
      assert.ok(part.bytes.equals(first.bytes.subarray(start, end)), range);
    }
  }
});

test("[BAT25] citations that are null stand there for the newer dialect only", async () => {
  const read = async (headers: Record<string, string>) => {
    const results = await b.results(batch.id, { headers });
    const blocks = ["item-0", "item-1", "call"].map(
      (id) => results.get(id)?.message.content[0] as Record<string, unknown>,
    );
    return { results, blocks };
  };
  const [now, then] = [await read(newerVersion), await read(olderVersion)];
  assert.deepEqual(
    now.blocks.map((block) => block["citations"]),
    [null, null, undefined],
  );
  assert.ok(then.blocks.every((block) => !("citations" in block)));
  // Nothing else differs, and what only looks like it is left alone.
  for (const { blocks } of [now, then]) {
    assert.equal(blocks[1]?.["text"], 'é "citations" :null, 漢字 🎉');
    assert.deepEqual(blocks[2]?.["input"], { citations: null });
  }
  for (const block of now.blocks) delete block["citations"];
  assert.deepEqual(now.results, then.results);
  const bytes = [await b.download(batch.id, { headers: newerVersion }), await b.download(batch.id)];
  assert.equal(bytes[0]?.bytes.length, bytes[1]?.bytes.length);
});

for (const [name, dialect] of Object.entries({ newerVersion, olderVersion }))
  test(`[BAT26] [BAT25] parts of any size add up to the whole, in the ${name} dialect`, async () => {
    const whole = (await b.download(batch.id, { headers: dialect })).bytes;
    for (const size of [13, 64, 1_000]) {
      const parts: Buffer[] = [];
      for (let start = 0; start < whole.length; start += size) {
        const range = `bytes=${start}-${start + size - 1}`;
        const { status, headers, bytes } = await b.download(batch.id, {
          headers: { ...dialect, range },
        });
        const end = Math.min(start + size, whole.length);
        assert.equal(status, 206);
        assert.equal(headers["content-range"], `bytes ${start}-${end - 1}/${whole.length}`);
        assert.equal(headers["content-length"], String(end - start));
        parts.push(bytes);
      }
      assert.ok(Buffer.concat(parts).equals(whole), `${size} bytes at a time`);
    }
  });

const ranged = (range: string, more: Record<string, string> = {}) =>
  b.download(batch.id, { headers: { range, ...more } });

test("[BAT25] a text whose upstream said nothing of citations has them as null", () => {
  const text = { type: "text", text: "Hi" };
  const cited = { ...text, citations: [{ type: "char_location" }] };
  const call = { type: "tool_use", id: "t", name: "cite", input: {} };
  const content = [text, { ...text, citations: null }, cited, call];
  const message = { type: "message", content } as unknown as Message;
  const { result } = JSON.parse(String(resultLineOf("a", { type: "succeeded", message })));
  const written = { ...text, citations: null };
  assert.deepEqual(result.message.content, [written, written, cited, call]);
});

test("[BAT26] a range may be open at either end; one that is outside is 416, one that is none is ignored", async () => {
  const whole = (await b.download(batch.id)).bytes;
  const size = whole.length;
  const open = await ranged("bytes=100-");
  assert.deepEqual([open.status, open.bytes.equals(whole.subarray(100))], [206, true]);
  const last = await ranged("bytes=-50");
  assert.deepEqual([last.status, last.bytes.equals(whole.subarray(size - 50))], [206, true]);
  const beyond = await ranged(`bytes=${size - 1}-${size + 99}`);
  assert.equal(beyond.headers["content-range"], `bytes ${size - 1}-${size - 1}/${size}`);
  for (const range of [`bytes=${size}-`, "bytes=-0"]) {
    const outside = await ranged(range);
    assert.equal(outside.status, 416);
    assert.equal(outside.headers["content-range"], `bytes */${size}`);
    const { error } = JSON.parse(outside.bytes.toString());
    assert.equal(error.message, `The range lies outside of the ${size} bytes that there are.`);
  }
  for (const range of ["bytes=5-3", "lines=1-2", "bytes=0-1,4-5", "bytes=-"]) {
    const { status, bytes } = await ranged(range);
    assert.deepEqual([status, bytes.equals(whole)], [200, true], range);
  }
});

test("[BAT26] a download is resumed under its etag; another one gets the whole", async () => {
  const whole = await b.download(batch.id);
  const etag = whole.headers.etag ?? "";
  assert.match(etag, /^"[^"]+"$/);
  assert.equal(whole.headers["accept-ranges"], "bytes");
  const rest = await ranged("bytes=200-", { "if-range": etag });
  assert.equal(rest.status, 206);
  assert.equal(rest.headers.etag, etag);
  assert.ok(Buffer.concat([whole.bytes.subarray(0, 200), rest.bytes]).equals(whole.bytes));
  const other = (await b.download(batch.id, { headers: newerVersion })).headers.etag ?? "";
  const compressed = await b.download(batch.id, { headers: { "accept-encoding": "gzip" } });
  const tags = [other, compressed.headers.etag ?? "", '"another"', `W/${etag}`];
  assert.equal(new Set([etag, ...tags]).size, 5);
  for (const tag of [...tags, "Sat, 21 Nov 2026 00:00:00 GMT"]) {
    const { status, bytes } = await ranged("bytes=200-", { "if-range": tag });
    assert.deepEqual([status, bytes.equals(whole.bytes)], [200, true], tag);
  }
  const foreign = await b.download((await another()).id);
  assert.notEqual(foreign.headers.etag, etag);
});

const another = async () => b.ended((await b.create(items("Hello there."))).id);

test("[BAT26] HEAD gives the headers of the whole, or of the range, and no body", async () => {
  for (const more of [{}, { range: "bytes=10-19" }, { "accept-encoding": "gzip" }] as object[]) {
    const headers = { ...more } as Record<string, string>;
    const whole = await b.download(batch.id, { headers });
    const head = await b.download(batch.id, { headers, method: "HEAD" });
    assert.deepEqual([head.status, head.bytes.length], [whole.status, 0]);
    for (const name of ["etag", "content-type", "content-length", "content-range", "vary"])
      assert.equal(head.headers[name], whole.headers[name], name);
  }
  const path = `/v1/messages/batches/msgbatch_none/results`;
  const { status } = await downloaded(b.house.url + path, "HEAD", {
    "x-api-key": b.platform.api_key,
  });
  assert.equal(status, 404);
});

test("[BAT27] who takes gzip gets it, and nobody else; ranges come as they are", async () => {
  const whole = (await b.download(batch.id)).bytes;
  const asked = (encoding: string, more: Record<string, string> = {}) =>
    b.download(batch.id, { headers: { "accept-encoding": encoding, ...more } });
  const taking = ["gzip", "br, GZIP", "gzip;q=0.5, br", "x-gzip", "*", "deflate, gzip ; q=1.0"];
  for (const encoding of taking) {
    const compressed = await asked(encoding);
    assert.equal(compressed.status, 200);
    assert.ok(unzipped(compressed).equals(whole), encoding);
    assert.equal(compressed.headers.vary, varies);
    assert.equal(compressed.headers["content-type"], "application/x-jsonl");
  }
  const refusing = ["identity", "br", "gzip;q=0", "gzip; q=0.000, br", "*;q=0", "gzip;q=0, *", ""];
  for (const encoding of refusing) {
    const { headers, bytes } = await asked(encoding);
    assert.equal(headers["content-encoding"], undefined, encoding);
    assert.equal(headers.vary, varies);
    assert.ok(bytes.equals(whole));
  }
  const newest = await asked("gzip", newerVersion);
  const { bytes } = await b.download(batch.id, { headers: newerVersion });
  assert.ok(unzipped(newest).equals(bytes));
  const part = await asked("gzip", { range: "bytes=0-99" });
  assert.deepEqual([part.status, part.headers["content-encoding"]], [206, undefined]);
  assert.ok(part.bytes.equals(whole.subarray(0, 100)));
});
