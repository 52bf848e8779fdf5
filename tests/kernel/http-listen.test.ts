// The server itself under rough clients: slow ones, idle ones, broken ones; and its orderly end.
import assert from "node:assert/strict";
import { request as send, type IncomingMessage } from "node:http";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import Type from "typebox";
import { ExitError } from "../../kernel/base/failure.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { listen } from "../../kernel/http/wire/listen.ts";
import { json } from "../../kernel/http/output/reply.ts";
import { openRoute, type Route } from "../../kernel/http/route.ts";
import { events, type SseWriter } from "../../kernel/http/output/sse.ts";
import { commonRoutes, openRawConnection, startBareServer, until } from "./http-harness.ts";

const quick = { headersTimeoutMs: 300, connectionCheckMs: 100 };

test("[HTP3] [HTP10] headers that do not come are 408, headers too large 431, each with envelope and id", async () => {
  await using wire = await startBareServer(commonRoutes, { limits: quick });
  const slow = await openRawConnection(wire.address.port);
  slow.send("GET /open HTTP/1.1\r\nhost:");
  await slow.closed;
  assert.match(
    slow.heard(),
    /^HTTP\/1\.1 408 Request Timeout\r\n[^]*request-id: (req_\w{26})\r\n[^]*"timeout_error"[^]*"request_id":"\1"/,
  );

  const large = await openRawConnection(wire.address.port);
  large.send(`GET /open HTTP/1.1\r\nx-large: ${"x".repeat(70_000)}\r\n\r\n`);
  await large.closed;
  assert.match(large.heard(), /^HTTP\/1\.1 431 [^]*The headers are larger than 65536 bytes/);
});

test("[HTP10] no time is set for a whole request: what reads a body ends it when it stops", async () => {
  await using wire = await startBareServer(commonRoutes, { limits: quick });
  assert.deepEqual([wire.server.requestTimeout, wire.server.headersTimeout], [0, 300]);
  const slow = await openRawConnection(wire.address.port);
  const body = JSON.stringify({ text: "slow" });
  slow.send(`POST /echo HTTP/1.1\r\nhost: a\r\nconnection: close\r\n`);
  slow.send(`content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`);
  // Several checks of the server pass between two of its bytes.
  for (const letter of body) {
    await systemClock.sleep(60);
    slow.send(letter);
  }
  await slow.closed;
  assert.match(slow.heard(), /^HTTP\/1\.1 200 /);
});

test("a request with two lengths is no request", async () => {
  await using wire = await startBareServer(commonRoutes);
  for (const head of [
    "content-length: 5\r\ntransfer-encoding: chunked",
    "content-length: 5\r\ncontent-length: 6",
    "transfer-encoding: chunked, identity",
    "content-length: +5",
  ]) {
    const line = await openRawConnection(wire.address.port);
    line.send(`POST /echo HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n0\r\n\r\n`);
    await line.closed;
    assert.match(line.heard(), /^HTTP\/1\.1 400 /, head);
  }
});

test("an address that cannot be had is refused in one sentence", async () => {
  await using taken = createServer().listen(0, "127.0.0.1");
  await until(() => taken.listening, "the other program");
  const { port } = taken.address() as AddressInfo;
  const options = { dispatch: () => {}, ids: makeIds(systemClock, systemRandom) };
  await assert.rejects(
    listen({ ...options, host: "127.0.0.1", port }),
    new ExitError(
      `Port ${port} on 127.0.0.1 is in use by another program; stop that, or choose another port.`,
    ),
  );
  await assert.rejects(
    listen({ ...options, host: "192.0.2.1", port: 0 }),
    /^ExitError: This machine has no address 192\.0\.2\.1/,
  );
});

test("[HTP10] 1,000 idle connections and 500 slow ones stop nobody else", async (t) => {
  await using wire = await startBareServer(commonRoutes);
  const sockets: Socket[] = [];
  const join = (first: string) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(wire.address.port, "127.0.0.1", () => {
        if (first !== "") socket.write(first);
        resolve();
      });
      sockets.push(socket.on("error", reject));
    });
  const alone = await latency(wire.base);
  await Promise.all(Array.from({ length: 1000 }, () => join("")));
  await Promise.all(Array.from({ length: 500 }, () => join("GET /open HTTP/1.1\r\nx: ")));
  const drip = setInterval(() => {
    for (const socket of sockets.slice(1000)) socket.write("y");
  }, 50);
  t.after(() => clearInterval(drip));
  const beside = await latency(wire.base);
  t.diagnostic(
    `median of a request alone ${alone.toFixed(2)} ms, beside them ${beside.toFixed(2)} ms`,
  );
  assert.ok(beside < 250, `${beside} ms`);
  for (const socket of sockets) socket.destroy();
});

async function latency(base: string): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < 50; i++) {
    const from = performance.now();
    await fetch(`${base}/open`).then((response) => response.text());
    took.push(performance.now() - from);
  }
  return took.sort((a, b) => a - b)[25] ?? Infinity;
}

/** Routes that stay open until the test ends them, and their open requests. */
function openEnded() {
  const gates: PromiseWithResolvers<void>[] = [];
  const writers: SseWriter[] = [];
  const streamRoute = (path: string, endless: boolean): Route =>
    openRoute({
      operation: `${path.slice(1)}.stream`,
      method: "GET",
      path,
      summary: "A stream.",
      reply: "events",
      handle: () =>
        events(
          async (stream) => {
            writers.push(stream);
            await stream.send({ event: "a", data: 1 });
            await new Promise<void>((resolve) =>
              stream.signal.addEventListener("abort", () => resolve()),
            );
          },
          { endless },
        ),
    });
  const slow = openRoute({
    operation: "slow.get",
    method: "GET",
    path: "/slow",
    summary: "Answers when told.",
    reply: Type.Object({}),
    handle: async () => {
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return json({ done: true });
    },
  });
  return {
    gates,
    writers,
    routes: [...commonRoutes, slow, streamRoute("/tail", true), streamRoute("/answer", false)],
  };
}

async function listenTo(url: string): Promise<{ text: () => string; ended: Promise<void> }> {
  let text = "";
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    send(url, { agent: false }, resolve).on("error", reject).end();
  });
  response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = new Promise<void>(
    (resolve) => void response.on("error", () => {}).once("close", () => resolve()),
  );
  return { text: () => text, ended };
}

test("[HTP11] a drain lets open requests end, ends endless streams at once, and closes idle connections", async () => {
  const { gates, routes } = openEnded();
  await using wire = await startBareServer(routes);
  const idle = await openRawConnection(wire.address.port);
  idle.send("GET /open HTTP/1.1\r\nhost: a\r\n\r\n");
  await idle.waitFor("world");
  const answer = fetch(`${wire.base}/slow`);
  const tail = await listenTo(`${wire.base}/tail`);
  const kept = await openRawConnection(wire.address.port);
  kept.send("GET /tail HTTP/1.1\r\nhost: a\r\n\r\n");
  await until(() => gates.length === 1 && wire.streams.count === 2, "all to be open");

  const drained = wire.drain(10_000, () => assert.fail("nothing has to be cut"));
  await idle.closed;
  await tail.ended;
  await kept.closed;
  assert.doesNotMatch(tail.text(), /event: error/);
  await assert.rejects(fetch(`${wire.base}/open`), "no new connection is taken");
  gates[0]?.resolve();
  const response = await answer;
  assert.deepEqual(
    [response.headers.get("connection"), await response.text()],
    ["close", '{"done":true}'],
  );
  assert.deepEqual(await drained, { finished: 3, cut: 0 });
  assert.equal(wire.drain(0), wire.drain(5), "a second call gives the same answer");
});

test("[HTP11] what is still open at the drain's limit is cut, streams with an error event", async () => {
  const { gates, writers, routes } = openEnded();
  await using wire = await startBareServer(routes);
  const cut = assert.rejects(fetch(`${wire.base}/slow`));
  const stream = await listenTo(`${wire.base}/answer`);
  await until(() => gates.length === 1 && wire.streams.count === 1, "both to be open");
  let openAtCut: number | undefined;
  const onDrainOver = () => (openAtCut = wire.openRequests());
  assert.deepEqual(await wire.drain(50, onDrainOver), { finished: 0, cut: 2 });
  assert.equal(openAtCut, 2, "said before anything is cut");
  await cut;
  await stream.ended;
  assert.match(
    stream.text(),
    /event: error\ndata: {"type":"error","error":{"type":"api_error","message":"This server is shutting down[^]*"request_id":"req_/,
  );
  assert.ok(writers[0]?.signal.aborted);
  assert.equal(wire.streams.count, 0);
  for (const gate of gates) gate.resolve();
});

test("expect: 100-continue: the body is asked for only by those who want it", async () => {
  await using wire = await startBareServer(commonRoutes);
  const line = await openRawConnection(wire.address.port);
  const head = (length: number, expect = "100-continue") =>
    `POST /echo HTTP/1.1\r\nhost: a\r\nexpect: ${expect}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  line.send(head(7));
  await line.waitFor("HTTP/1.1 100 Continue\r\n\r\n");
  line.send('{"a":1}');
  assert.match(await line.waitFor('{"a":1}'), /HTTP\/1\.1 200 /);
  line.send(head(200_000));
  await line.closed;
  assert.equal(line.heard().split("100 Continue").length, 2, "no second invitation");
  assert.match(line.heard(), /HTTP\/1\.1 413 /);
  const odd = await openRawConnection(wire.address.port);
  odd.send(head(7, "tea"));
  await odd.closed;
  assert.match(odd.heard(), /^HTTP\/1\.1 417 [^]*The expect header \\"tea\\" is not understood/);
});
