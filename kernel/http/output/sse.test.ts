// Frames as the wire wants them, read back by a reference parser.
import assert from "node:assert/strict";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, test } from "node:test";
import fc from "fast-check";
import { events, frame, type SseEvent, type SseOptions, type SseWriter } from "./sse.ts";
import { send } from "./reply.ts";
import { invalid } from "../../base/failure.ts";

/** By the letter of the HTML standard: lines, fields, dispatch on the empty line. */
function parse(text: string): { event: string; data: string }[] {
  const found: { event: string; data: string }[] = [];
  let event = "";
  let data: string[] = [];
  const lines = text.split(/\r\n|\r|\n/);
  lines.pop(); // what stands after the last line end is no line yet
  for (const line of lines) {
    if (line === "") {
      if (data.length > 0) found.push({ event, data: data.join("\n") });
      event = "";
      data = [];
      continue;
    }
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "event") event = value;
    if (name === "data") data.push(value);
  }
  return found;
}

type Source = AsyncIterable<SseEvent> | ((stream: SseWriter) => Promise<void>);
const servers = new Set<Server>();

interface Heard {
  response: IncomingMessage;
  chunks: string[];
  text: Promise<string>;
  /** What the reply's promise came to on the server's side. */
  outcome: Promise<unknown>;
}

async function open(source: Source, options?: SseOptions): Promise<Heard> {
  const outcome = Promise.withResolvers<unknown>();
  const server = createServer((_request, response) => {
    response.on("error", () => {});
    send(response, events(source, options), { "request-id": "req_1" }).then(
      () => outcome.resolve("fine"),
      outcome.resolve,
    );
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: "127.0.0.1", agent: false }, resolve).on("error", reject).end();
  });
  const chunks: string[] = [];
  const text = new Promise<string>((resolve) => {
    response.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
    response.on("error", () => {}).on("close", () => resolve(chunks.join("")));
  });
  return { response, chunks, text, outcome: outcome.promise };
}

afterEach(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  servers.clear();
});

const names = fc.constantFrom("message_start", "content_block_delta", "a", "ünïcode");
const anyEvent: fc.Arbitrary<SseEvent> = fc.oneof(
  fc.record({ event: names, data: fc.jsonValue() }),
  fc.record({
    event: names,
    text: fc
      .array(fc.constantFrom("{", "}", "\n", "\r", "\r\n", "data: x", " ", ":", "é"), {
        minLength: 1,
      })
      .map((parts) => parts.join("")),
  }),
);
const expected = (event: SseEvent) => ({
  event: event.event,
  data: "text" in event ? event.text.replaceAll(/\r\n|\r/g, "\n") : JSON.stringify(event.data),
});

test("any events come back from their frames", () => {
  fc.assert(
    fc.property(fc.array(anyEvent), (list) => {
      assert.deepEqual(parse(list.map(frame).join("")), list.map(expected));
    }),
    { numRuns: 500 },
  );
  assert.throws(() => frame({ event: "a\nevent: b", data: 1 }), /one line/);
});

test("[HTP9] any events at any pace arrive over the wire, in order and whole", async () => {
  const pace = fc.constantFrom("now", "microtask", "tick", "turn");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(anyEvent, pace), { maxLength: 30 }), async (plan) => {
      const heard = await open(
        (async function* () {
          for (const [event, wait] of plan) {
            if (wait === "microtask") await Promise.resolve();
            if (wait === "tick") await new Promise<void>((resolve) => process.nextTick(resolve));
            if (wait === "turn") await new Promise<void>((resolve) => setImmediate(resolve));
            yield event;
          }
        })(),
      );
      assert.deepEqual(
        parse(await heard.text),
        plan.map(([event]) => expected(event)),
      );
      assert.equal(await heard.outcome, "fine");
    }),
    { numRuns: 40 },
  );
});

test("[HTP9] headers come before the first event", async () => {
  const go = Promise.withResolvers<void>();
  const heard = await open(async (stream) => {
    await go.promise;
    await stream.send({ event: "a", data: 1 });
  });
  assert.equal(heard.response.headers["content-type"], "text/event-stream; charset=utf-8");
  assert.equal(heard.response.headers["cache-control"], "no-cache");
  assert.equal(heard.response.headers["x-accel-buffering"], "no");
  assert.equal(heard.response.headers["request-id"], "req_1");
  go.resolve();
  assert.equal(await heard.text, "event: a\ndata: 1\n\n");
});

test("the events of one tick are one chunk", async () => {
  const heard = await open(async (stream) => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let i = 0; i < 20; i++) stream.relay(frame({ event: "a", data: i }));
  });
  await heard.text;
  assert.equal(heard.chunks.length, 1);
});

test("[HTP9] silence is filled with pings", async () => {
  const enough = Promise.withResolvers<void>();
  const heard = await open(
    async (stream) => {
      await stream.send({ event: "a", data: 1 });
      await enough.promise;
    },
    { heartbeatMs: 20 },
  );
  while (parse(heard.chunks.join("")).length < 4)
    await new Promise<void>((resolve) => setTimeout(resolve, 5));
  enough.resolve();
  const [first, ...rest] = parse(await heard.text);
  assert.deepEqual(first, { event: "a", data: "1" });
  for (const each of rest) assert.deepEqual(each, { event: "ping", data: '{"type":"ping"}' });
});

test("[HTP4] an error after the start is an event with the envelope, and is thrown on for the log", async () => {
  const broken = invalid("no more.", { code: "out" });
  const heard = await open(async (stream) => {
    await stream.send({ event: "a", data: 1 });
    throw broken;
  });
  const [, last] = parse(await heard.text);
  assert.equal(last?.event, "error");
  assert.deepEqual(JSON.parse(last.data), {
    type: "error",
    error: { type: "invalid_request_error", message: "no more.", details: { error_code: "out" } },
    request_id: "req_1",
  });
  assert.equal(await heard.outcome, broken);
  const bug = await open(async () => {
    throw new Error("hunter2");
  });
  assert.doesNotMatch(await bug.text, /hunter2/);
});

test("[HTP8] a client that goes away ends its source", async () => {
  let returned = false;
  let signalled = false;
  const heard = await open(async (stream) => {
    stream.signal.addEventListener("abort", () => (signalled = true));
    for (let i = 0; ; i++) {
      await stream.send({ event: "a", data: i });
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  });
  heard.response.destroy();
  assert.equal(await heard.outcome, "fine");
  assert.ok(signalled);

  const waiting = Promise.withResolvers<IteratorResult<SseEvent>>();
  const iterated = await open({
    [Symbol.asyncIterator]: () => ({
      next: () => waiting.promise,
      return: async () => {
        returned = true;
        waiting.resolve({ done: true, value: undefined });
        return { done: true, value: undefined };
      },
    }),
  });
  iterated.response.destroy();
  assert.equal(await iterated.outcome, "fine");
  assert.ok(returned);
});

test("[HTP9] a client that does not read stops the source; one that reads again starts it", async () => {
  let sent = 0;
  const big = "x".repeat(100_000);
  const heard = await open(async (stream) => {
    for (; sent < 400; sent++) await stream.send({ event: "a", data: big });
  });
  heard.response.pause();
  let before = -1;
  while (before !== sent) {
    before = sent;
    await new Promise<void>((resolve) => setTimeout(resolve, 100));
  }
  assert.ok(sent < 200, `${sent} events of 100 kB went out to nobody`);
  heard.response.resume();
  assert.equal(parse(await heard.text).length, 400);
});

test("[HTP9] a source that does not wait is cut before it fills the memory", async () => {
  let refused = 0;
  const heard = await open(async (stream) => {
    for (let i = 0; i < 300; i++) {
      if (!stream.relay(Buffer.alloc(100_000, "x"))) refused += 1;
    }
  });
  await heard.text;
  assert.ok(refused > 200);
  assert.equal(heard.response.complete, false, "the client must not take it for the whole");
  assert.ok(heard.chunks.join("").length < 10_000_000);
});

test("a stream leaves no listeners behind on its response", async () => {
  const counts: number[] = [];
  const server = createServer((_request, response) => {
    const before = response.listenerCount("close") + response.listenerCount("drain");
    const reply = events(async (stream) => {
      for (let i = 0; i < 100; i++) await stream.send({ event: "a", data: i });
    });
    void send(response, reply, {}).then(() =>
      counts.push(response.listenerCount("close") + response.listenerCount("drain") - before),
    );
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
  assert.deepEqual(counts, [0]);
});
