// Rules BAT1, BAT4 and BAT7, over HTTP: batches and items at their limits, and one past them.
import assert from "node:assert/strict";
import { request as send } from "node:http";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/batches/limits.ts";
import { type BatchHouse, filesOf, openBatchHouse, params } from "./batches-house.ts";
import { until } from "./support.ts";

let b: BatchHouse;
before(async () => {
  b = await openBatchHouse();
});
after(() => b[Symbol.asyncDispose]());

interface Reply {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** A body in pieces, none of which is there before the one ahead of it has left. */
async function pour(pieces: Iterable<Buffer>): Promise<Reply> {
  const { asked, reply } = begin();
  // A reply that comes early ends what is still to be sent.
  await Promise.race([pipeline(Readable.from(pieces), asked).catch(() => {}), reply]);
  return reply;
}

function begin(headers: Record<string, string> = {}) {
  const asked = send(`${b.house.url}/v1/messages/batches`, {
    method: "POST",
    headers: {
      "x-api-key": b.platform.api_key,
      "content-type": "application/json",
      ...headers,
    },
    agent: false,
  });
  const reply = new Promise<Reply>((resolve, reject) => {
    asked.on("error", reject).on("response", (response) => {
      json(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
  });
  return { asked, reply };
}

const batches = async () => {
  const [row] = await b.house.world.db.query<{ count: number }>(
    sql`select count(*)::int as count from batches`,
  );
  return row?.count;
};

const unfinished = () => filesOf(b.house).filter((path) => !/\/results-/.test(path));

const filler = Buffer.alloc(1024 * 1024, "x");

/** One item whose `note`, which no item has, makes so many bytes of all: nothing of it need be written. */
function* padded(bytes: number): Generator<Buffer> {
  const item = { custom_id: "a", params: params("Hi"), note: "@" };
  const [head = "", tail = ""] = JSON.stringify({ requests: [item] }).split("@");
  yield Buffer.from(head);
  for (let left = bytes - head.length - tail.length; left > 0; left -= filler.length)
    yield filler.subarray(0, Math.min(left, filler.length));
  yield Buffer.from(tail);
}

test("[BAT1] [BAT4] a body has at most 268,435,456 bytes; one more is 413, and nothing is kept", async () => {
  assert.equal(limits.bodyBytesMax, 268_435_456);
  const sentence = /^The body is larger than 268435456 bytes, the most that this route takes\.$/;
  const before = await batches();
  // Announced, it is refused before any of it has come; else as soon as it is too much.
  const announced = begin({ "content-length": String(limits.bodyBytesMax + 1) });
  announced.asked.flushHeaders();
  const replies = [await announced.reply, await pour(padded(limits.bodyBytesMax + 1))];
  announced.asked.destroy();
  for (const { status, body } of replies) {
    assert.equal(status, 413);
    assert.match(body.error.message, sentence);
    assert.equal(body.error.type, "invalid_request_error");
  }
  assert.equal(await batches(), before);
  await until(async () => unfinished().length === 0, "the end of what is being written");
  const { status, body } = await pour(padded(limits.bodyBytesMax));
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal((await b.ended(body.id)).request_counts.errored, 1);
});

/** So many items without params worth the name: each is errored without being attempted. */
function* many(count: number): Generator<Buffer> {
  yield Buffer.from('{"requests":[');
  for (let at = 0; at < count; at += 1_000) {
    const some = Array.from(
      { length: Math.min(1_000, count - at) },
      (_, index) => `{"custom_id":"${at + index}","params":{}}`,
    );
    yield Buffer.from((at > 0 ? "," : "") + some.join());
  }
  yield Buffer.from("]}");
}

test("[BAT7] an item has at most 32 MiB, as a message has", async () => {
  const most = limits.paramsBytesMax;
  assert.equal(most, 32 * 1024 * 1024);
  const text = "x".repeat(1024 * 1024);
  function* large(bytes: number, id: string): Generator<Buffer> {
    const [head = "", tail = ""] = JSON.stringify(params("@")).split("@");
    yield Buffer.from(`{"custom_id":"${id}","params":${head}`);
    for (let left = bytes - head.length - tail.length; left > 0; left -= text.length)
      yield Buffer.from(text.slice(0, left));
    yield Buffer.from(`${tail}}`);
  }
  function* body(): Generator<Buffer> {
    yield Buffer.from('{"requests":[');
    yield* large(most, "most");
    yield Buffer.from(",");
    yield* large(most + 1, "more");
    yield Buffer.from(',{"custom_id":"small","params":');
    yield Buffer.from(`${JSON.stringify(params("Hi"))}}]}`);
  }
  const made = await pour(body());
  assert.equal(made.status, 200, JSON.stringify(made.body));
  await b.ended(made.body.id);
  const results = await b.results(made.body.id);
  const said = (id: string) => results.get(id)?.error.error;
  assert.deepEqual(said("more"), {
    type: "invalid_request_error",
    message: `params: has ${most + 1} bytes; a request takes at most ${most}.`,
  });
  // It was read, and is more than the model takes.
  assert.match(said("most").message, /^prompt is too long: \d+ tokens > 200000 maximum$/);
  assert.equal(results.get("small")?.type, "succeeded");
});

test("[BAT1] [BAT4] a batch has at most 100,000 items; one more is 400, and nothing is kept", async () => {
  assert.equal(limits.requestsMax, 100_000);
  await b.idle();
  const before = await batches();
  const refused = await pour(many(limits.requestsMax + 1));
  assert.equal(refused.status, 400);
  assert.match(
    refused.body.error.message,
    /^requests: must have at most 100000 items; send the others/,
  );
  assert.equal(await batches(), before);
  await until(async () => unfinished().length === 0, "the end of what is being written");
  const made = await pour(many(limits.requestsMax));
  assert.equal(made.status, 200, JSON.stringify(made.body));
  assert.equal(made.body.request_counts.processing, 100_000);
  const { request_counts } = await b.ended(made.body.id);
  assert.equal(request_counts.errored, 100_000);
});
