// The life of a lean connection: its time limits, its client's pace and leave, and the end of its server.
import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import Type from "typebox";
import { json } from "../../kernel/http/output/reply.ts";
import { LeanRequest } from "../../kernel/http/wire/lean/lean-request.ts";
import { canonicalHead } from "../../kernel/http/wire/lean/request-head.ts";
import { events } from "../../kernel/http/output/sse.ts";
import { openRoute, originalJson, type Route } from "../../kernel/http/route.ts";
import { openRawConnection, startBareServer, until } from "./http-harness.ts";
import { serverSockets } from "./lean-pair.ts";

const post = (path: string, body = "{}") =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const closes = /^connection: close\r$/im;
const answers = (heard: string) => heard.split("HTTP/1.1 200 OK").length - 1;

/** Routes that the test holds open, and the server's ends of connections. */
function held() {
  const gates: PromiseWithResolvers<void>[] = [];
  const signals: AbortSignal[] = [];
  const opened = () => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  };
  const lean = (path: string, handle: (signal: AbortSignal) => unknown): Route =>
    openRoute({
      operation: `${path.slice(1)}.create`,
      method: "POST",
      path,
      summary: "Lean.",
      body: originalJson(Type.Unknown(), { streams: true }),
      bodyBytesMax: 4_000_000,
      lean: true,
      reply: Type.Unknown(),
      handle: ({ signal }) => handle(signal) as object,
    });
  const frame = { event: "a", data: "x".repeat(100_000) };
  const routes = [
    lean("/fast", () => ({ done: true })),
    lean("/slow", async (signal) => {
      signals.push(signal);
      await opened();
      return { done: true };
    }),
    lean("/stream", () =>
      events(async (stream) => {
        await stream.send({ event: "begun", data: 1 });
        await opened();
      }),
    ),
    lean("/flood", (signal) =>
      events(async (stream) => {
        signals.push(signal);
        for (;;) {
          await stream.send(frame);
          sent.frames += 1;
        }
      }),
    ),
    lean("/injected", () => json({}, { "x-one": "a\r\nx-two: b" })),
  ];
  const sent = { frames: 0 };
  return { gates, signals, routes, sent };
}

/** A server, and a request on a connection of its own whose handler waits until its gate is opened. */
async function openWaiting() {
  const opened = held();
  const wire = await startBareServer(opened.routes);
  const sockets = serverSockets(wire);
  const line = await openRawConnection(wire.address.port);
  line.send(post("/slow"));
  await until(() => opened.gates.length === 1, "the handler");
  return {
    ...opened,
    wire,
    sockets,
    line,
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

const quick = { headersTimeoutMs: 300, connectionCheckMs: 50, keepAliveTimeoutMs: 200 };

test("[HTP10] a connection that sends nothing is 408, one that has become idle is closed", async () => {
  await using wire = await startBareServer(held().routes, { limits: quick });
  const silent = await openRawConnection(wire.address.port);
  await silent.closed;
  assert.match(silent.heard(), /^HTTP\/1\.1 408 [^]*The headers did not arrive in time/);
  const idle = await openRawConnection(wire.address.port);
  idle.send(post("/fast"));
  await idle.closed;
  assert.match(idle.heard(), /^HTTP\/1\.1 200 [^]*{"done":true}$/);
});

test("[HTP8] a client that leaves while it waits ends the handler's work and is 499", async () => {
  await using waiting = await openWaiting();
  const { wire, line, signals, gates } = waiting;
  line.socket.destroy();
  await until(() => wire.answered.length === 1, "the report");
  assert.ok(signals[0]?.aborted);
  assert.deepEqual([wire.answered[0]?.status, wire.openRequests()], [499, 0]);
  gates[0]?.resolve();
});

test("[HTP8] a client that leaves in its body is 499, and half a body is never handled", async () => {
  const { routes, gates } = held();
  await using wire = await startBareServer(routes);
  const sockets = serverSockets(wire);
  const line = await openRawConnection(wire.address.port);
  line.send(post("/slow", JSON.stringify("x".repeat(500_000))).slice(0, 200_000));
  await until(() => wire.openRequests() === 1, "the request");
  assert.equal(sockets[0]?.parser, undefined, "not lean");
  line.socket.destroy();
  await until(() => wire.answered.length === 1, "the report");
  assert.deepEqual([wire.answered[0]?.status, gates.length], [499, 0]);
});

test("[HTP9] a stream goes at the pace of its client", async () => {
  const { routes, sent } = held();
  await using wire = await startBareServer(routes);
  const sockets = serverSockets(wire);
  const line = await openRawConnection(wire.address.port);
  line.socket.pause();
  line.send(post("/flood"));
  await until(() => (sockets[0]?.writableLength ?? 0) > 64_000, "the client to hold it up");
  let before = -1;
  await until(() => before === (before = sent.frames) && sent.frames > 0, "the source to wait");
  assert.ok((sockets[0]?.writableLength ?? Infinity) < 1_000_000);
  line.socket.resume();
  const then = sent.frames;
  await until(() => sent.frames > then + 20, "the source to go on");
  line.socket.destroy();
  await until(() => wire.answered.length === 1 && wire.streams.count === 0, "the end");
});

test("[HTP16] what a client sends behind a request that is not answered is not kept without end", async () => {
  await using waiting = await openWaiting();
  const { wire, line, sockets, gates } = waiting;
  line.send(post("/fast").repeat(200_000));
  await until(() => sockets[0]?.isPaused() === true, "the server to stop reading");
  gates[0]?.resolve();
  await until(() => wire.answered.length > 3_000, "the answers to what was kept");
  const takenBytes = wire.answered.length * post("/fast").length;
  const keptBytes = (sockets[0]?.bytesRead ?? Infinity) - takenBytes;
  assert.ok(keptBytes < 400_000, `${keptBytes} bytes`);
  line.socket.destroy();
});

test("[HTP16] a line break in a header of an answer is a bug, never a header", async () => {
  await using wire = await startBareServer(held().routes);
  const line = await openRawConnection(wire.address.port);
  line.send(post("/injected"));
  assert.match(await line.waitFor("api_error"), /^HTTP\/1\.1 500 /);
  assert.doesNotMatch(line.heard(), /x-two/);
  line.socket.destroy();
});

test("[HTP11] a drain lets lean requests end, closes idle connections and cuts the rest", async () => {
  const { routes, gates } = held();
  await using wire = await startBareServer(routes);
  const [idle, slow, stuck] = [
    await openRawConnection(wire.address.port),
    await openRawConnection(wire.address.port),
    await openRawConnection(wire.address.port),
  ];
  idle.send(post("/fast"));
  await idle.waitFor("done");
  slow.send(post("/slow"));
  await until(() => gates.length === 1, "the first handler");
  stuck.send(post("/stream"));
  await stuck.waitFor("event: begun");
  const drained = wire.drain(500);
  await idle.closed;
  gates[0]?.resolve();
  await slow.closed;
  assert.match(slow.heard(), closes);
  assert.match(slow.heard(), /{"done":true}$/);
  await stuck.closed;
  assert.match(stuck.heard(), /event: error[^]*shutting down before the answer was complete/);
  assert.deepEqual(await drained, { finished: 1, cut: 1 });
});

test("[OPS5] while a server leaves, the last answer of a lean connection closes it, and none before", async () => {
  await using waiting = await openWaiting();
  const { wire, line, sockets, gates } = waiting;
  wire.enterLameDuck();
  const sent = 2 * post("/slow").length;
  line.send(post("/fast"));
  await until(() => sockets[0]?.bytesRead === sent, "the request behind");
  gates[0]?.resolve();
  await line.closed;
  assert.equal(answers(line.heard()), 2);
  assert.equal(line.heard().split(/connection: close/i).length - 1, 1);
  assert.match(line.heard().slice(line.heard().lastIndexOf("HTTP/1.1")), closes);
});

test("[OPS5] a request that waits while the listening socket is closed is not begun once its client has left", async () => {
  const { routes } = held();
  await using wire = await startBareServer(routes);
  const sockets = serverSockets(wire);
  const line = await openRawConnection(wire.address.port);
  wire.enterLameDuck();
  wire.holdRequests();
  line.send(post("/fast"));
  await until(() => sockets[0]?.bytesRead === post("/fast").length, "the request");
  line.socket.destroy();
  await until(() => sockets[0]?.closed === true, "the client's leave");
  assert.deepEqual(await wire.drain(5_000), { finished: 0, cut: 0 });
  assert.deepEqual([wire.answered.length, wire.openRequests()], [0, 0]);
});

test("[HTP16] a body that is there is there for the handler, though its client has left", () => {
  const bytes = Buffer.from(post("/fast", '{"one":1}'));
  const head = canonicalHead(bytes, new Map([["/fast", 100]]));
  assert.ok(head !== undefined);
  const request = new LeanRequest(new Socket(), head);
  request.take(bytes.subarray(head.headBytes));
  request.destroy();
  assert.deepEqual([request.complete, request.read()?.toString()], [true, '{"one":1}']);
});

test("[OPS5] requests wait while the listening socket is closed", async () => {
  const { routes } = held();
  await using wire = await startBareServer(routes);
  const line = await openRawConnection(wire.address.port);
  line.send(post("/fast"));
  await line.waitFor("done");
  wire.enterLameDuck();
  wire.holdRequests();
  line.send(post("/fast"));
  const drained = wire.drain(5_000);
  await line.closed;
  assert.equal(answers(line.heard()), 2);
  assert.deepEqual(await drained, { finished: 0, cut: 0 });
});
