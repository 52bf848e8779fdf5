// Clients that fall silent or trickle, on a clock that the test moves.
import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Failure } from "../../base/failure.ts";
import { parseJson, readAll, readChunks } from "./body.ts";
import { readForm } from "./multipart.ts";

beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => mock.timers.reset());

function arriving(headers: Record<string, string> = {}): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = { "content-length": "1000", ...headers };
  return request;
}

/** Lets all work run that is ready in the event loop. */
const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

const isTimeout = (says: RegExp) => (error: unknown) =>
  error instanceof Failure &&
  error.status === 408 &&
  error.options.code === "request_body_timeout" &&
  says.test(error.message);

test("[HTP10] a body that stops for 20 seconds is 408, one that pauses for less is not", async () => {
  const request = arriving();
  const read = readAll(request, 1000);
  read.catch(() => {});
  for (let i = 0; i < 3; i++) {
    request.push("x");
    await settle();
    mock.timers.tick(19_999);
  }
  await settle();
  mock.timers.tick(1);
  await assert.rejects(read, isTimeout(/stopped arriving for 20 seconds/));
  assert.equal(request.destroyed, false, "the 408 needs the connection");
});

test("[HTP10] a body that trickles is 408 after two minutes", async () => {
  const request = arriving();
  const read = readAll(request, 1000);
  read.catch(() => {});
  for (let i = 0; i < 13; i++) {
    request.push("x");
    await settle();
    mock.timers.tick(10_000);
  }
  await assert.rejects(read, isTimeout(/longer than 120 seconds/));
});

test("[HTP10] the clock stands still while the reader is busy", async () => {
  const request = arriving();
  const chunks = readChunks(request, 1000);
  request.push("x");
  await chunks.next();
  mock.timers.tick(600_000);
  request.push("y");
  assert.equal(String((await chunks.next()).value), "y");
  await chunks.return(undefined);
  assert.deepEqual([request.listenerCount("readable"), request.listenerCount("close")], [0, 0]);
});

/** A body that is read as it comes, with so many bytes every so often. */
async function trickle(bytes: number, everyMs: number, times: number) {
  let nowMs = 0;
  const clock = mock.method(performance, "now", () => nowMs);
  const request = arriving({ "content-length": "600000000" });
  const chunks = readChunks(request, 600_000_000);
  const read = async () => {
    let length = 0;
    for await (const chunk of chunks) length += chunk.length;
    return length;
  };
  const reading = read();
  reading.catch(() => {});
  await settle();
  for (let time = 0; time < times; time++) {
    nowMs += everyMs;
    mock.timers.tick(everyMs);
    request.push(Buffer.alloc(bytes));
    await settle();
  }
  request.push(null);
  clock.mock.restore();
  return reading;
}

test("[HTP10] an upload may take hours as long as it keeps coming, and is 408 where it drips", async () => {
  const slow = await trickle(64 * 1024, 15_000, 8_000);
  assert.equal(slow, 8_000 * 64 * 1024, "33 hours for 500 MB");
  await assert.rejects(trickle(1, 15_000, 10), isTimeout(/less than 16384 bytes in 60 seconds/));
  await assert.rejects(trickle(64 * 1024, 20_001, 2), isTimeout(/stopped arriving/));
});

test("[HTP10] a form that stops for 20 seconds is 408", async () => {
  const request = arriving({ "content-type": "multipart/form-data; boundary=b" });
  const rules = { fileBytesMax: 10, filesMax: 1, fieldBytesMax: 10, fields: ["file"] };
  const form = readForm(request, { multipart: rules }, 1000);
  form.catch(() => {});
  request.push("--b\r\n");
  await settle();
  mock.timers.tick(20_000);
  await assert.rejects(form, isTimeout(/stopped arriving/));
});

test("[HTP5] what would do harm deep in a body is refused, in names and in values", () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const bad: [string, RegExp][] = [
    [nested(500), /nested deeper/],
    ['{"a":[{"__proto__":{"b":1}}]}', /__proto__/],
    ['{"a":{"b":"\\u0000"}}', /U\+0000/],
    ['{"a":{"\\u0000":1}}', /U\+0000/],
    ['{"a":[{"b":"\\uD800"}]}', /surrogate/],
  ];
  for (const [text, says] of bad) assert.throws(() => parseJson(text), says, text.slice(0, 40));
  const good = '{"a":{"b":["\\u00e9\\ud83d\\ude00\\\\u0000"]}}';
  assert.deepEqual(parseJson(good), { a: { b: ["é😀\\u0000"] } });
});
