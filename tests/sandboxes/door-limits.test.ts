// What one sandbox may have of its network door, and that nothing of it outlives the sandbox.
import assert from "node:assert/strict";
import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { doorLimits } from "../../server/sandboxes/door/limits.ts";
import { until } from "../kernel/sql-harness.ts";
import { listening, openDoorHouse, plainServer, statusOf, web } from "./door-house.ts";

const end = "\r\n\r\n";
const { connectionsMax, headMs, headBytesMax, connectMs, silenceLookMs, silentLooksMax } =
  doorLimits;
const start = new Date("2026-01-01T00:00:00Z");

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
};

/** Also after an error, which `once` would pass on. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once("close", () => resolve());
  });

test("[SBX31] half-open connections are so many, and end when no head comes", async () => {
  const clock = makeManualClock(start);
  await using house = await openDoorHouse({ clock });
  const flood = await Promise.all(Array.from({ length: connectionsMax }, () => opened(house.port)));
  for (const socket of flood) socket.resume().write("GET http://a.example/ HTTP/1.1\r\nx: ");
  assert.equal(statusOf(await house.talk(`GET http://a.example/ HTTP/1.1${end}`)), 503);
  assert.equal(flood.filter(({ destroyed }) => destroyed).length, 0);
  for (const socket of flood) socket.write("y");
  clock.advance(headMs);
  await Promise.all(flood.map((socket) => closed(socket)));
  assert.equal(
    statusOf(await house.talk(`CONNECT a.example:1 HTTP/1.1${end}`)),
    502,
    "there is room",
  );
});

test("[SBX31] requests that wait on one connection count as connections do", async () => {
  const held: (() => void)[] = [];
  await using server = await web((_request, response) => void held.push(() => response.end()));
  await using house = await openDoorHouse();
  const socket = await opened(house.port);
  let answers = "";
  socket.on("data", (bytes) => (answers += bytes.toString()));
  const one = `GET http://127.0.0.1:${server.port}/ HTTP/1.1${end}`;
  socket.write(one.repeat(connectionsMax + 1));
  await until("as many as may be have arrived", () => held.length === connectionsMax);
  for (const answer of held) answer();
  await until("the last one is answered", () => /503 Too many/.test(answers));
  assert.equal(held.length, connectionsMax);
  assert.equal(answers.match(/HTTP\/1.1 200/g)?.length, connectionsMax);
});

test("[SBX31] a head has so many bytes", async () => {
  await using server = await plainServer(end, `HTTP/1.1 204 No Content${end}`);
  await using house = await openDoorHouse();
  const ask = (bytes: number) =>
    house.talk(
      `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nconnection: close\r\nx: ${"y".repeat(bytes)}${end}`,
    );
  assert.equal(statusOf(await ask(headBytesMax)), 431);
  assert.equal(statusOf(await ask(headBytesMax - 1_000)), 204);
});

test("[SBX31] a connection that waits for its next request has the time of a head", async () => {
  const clock = makeManualClock(start);
  await using server = await web((_request, response) => void response.end("answered"));
  await using house = await openDoorHouse({ clock });
  const socket = await opened(house.port);
  let answers = "";
  socket.on("data", (bytes) => (answers += bytes.toString()));
  const ask = async (count: number) => {
    socket.write(`GET http://127.0.0.1:${server.port}/ HTTP/1.1${end}`);
    await until("it is answered", () => answers.match(/answered/g)?.length === count);
  };
  await ask(1);
  clock.advance(headMs - 1);
  await ask(2);
  clock.advance(headMs - 1);
  await ask(3);
  clock.advance(headMs);
  await closed(socket);
});

test("[SBX31] what is silent for long ends, a tunnel and a request alike", async () => {
  const clock = makeManualClock(start);
  await using server = await listening(createServer((socket) => void socket.resume()));
  await using house = await openDoorHouse({ clock });
  const authority = `127.0.0.1:${server.port}`;
  for (const words of [
    `CONNECT ${authority} HTTP/1.1${end}`,
    `GET http://${authority}/ HTTP/1.1${end}`,
  ]) {
    const socket = await opened(house.port);
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString("latin1")));
    socket.write(words);
    const [there] = await until(
      "it is there",
      () => server.sockets.size === 1 && [...server.sockets],
    );
    const look = async (times: number) => {
      for (let looked = 0; looked < times; looked++) {
        clock.advance(silenceLookMs);
        await nextLoopIteration();
      }
    };
    await look(silentLooksMax - 1);
    // A byte of an answer, which is not over.
    there?.write(words.startsWith("GET") ? `HTTP/1.1 200 OK\r\ncontent-length: 2${end}x` : "x");
    await until("it has come", () => answer.endsWith("x"));
    await look(silentLooksMax);
    assert.equal(socket.destroyed, false);
    await look(1);
    await closed(socket);
    await until("the target's side has ended, too", () => server.sockets.size === 0);
  }
});

test("[SBX31] names and hosts that do not answer are given up in time", async () => {
  const clock = makeManualClock(start);
  await using house = await openDoorHouse({
    clock,
    lookup: ((_name: string, _options: object, _done: unknown) => {}) as never,
  });
  const answer = house.talk(`CONNECT slow.example:443 HTTP/1.1${end}`);
  await until("it is looked up", () => {
    clock.advance(connectMs);
    return Promise.race([
      answer.then(() => true),
      new Promise<false>((no) => setTimeout(no, 10, false)),
    ]);
  });
  assert.match(
    await answer,
    /^HTTP\/1.1 504 [^]*slow\.example:443 did not answer within 15 seconds/,
  );
});

test("[SBX32] all connections end with the sandbox, whatever they were at", async () => {
  await using server = await listening(createServer((socket) => void socket.write("here")));
  await using house = await openDoorHouse();
  const authority = `127.0.0.1:${server.port}`;
  const tunnel = await opened(house.port);
  tunnel.resume().write(`CONNECT ${authority} HTTP/1.1${end}`);
  const request = await opened(house.port);
  request.resume().write(`GET http://${authority}/ HTTP/1.1${end}`);
  const idle = await opened(house.port);
  await until("both have reached the target", () => server.sockets.size === 2);
  // Never read: what is on its way to there does not keep it open.
  for (const socket of server.sockets) socket.pause();
  tunnel.write(Buffer.alloc(8_000_000));
  house.door.endAll();
  for (const socket of server.sockets) socket.resume();
  await until("nothing goes on at the target", () => server.sockets.size === 0);
  await Promise.all([tunnel, request, idle].map((socket) => closed(socket)));
  assert.equal(
    statusOf(await house.talk(`CONNECT nowhere.example:1 HTTP/1.1${end}`)),
    502,
    "the next start has a door",
  );
});

test("[SBX32] a connection that was on its way when the sandbox stopped arrives at nobody", async () => {
  await using server = await listening(createServer((socket) => void socket.resume()));
  const found = Promise.withResolvers<() => void>();
  await using house = await openDoorHouse({
    lookup: ((_name: string, _options: object, done: (...args: unknown[]) => void) =>
      found.resolve(() => done(null, [{ address: "127.0.0.1", family: 4 }]))) as never,
  });
  const socket = await opened(house.port);
  socket.write(`CONNECT late.example:${server.port} HTTP/1.1${end}`);
  const answer = await found.promise;
  house.door.endAll();
  answer();
  assert.equal(await text(socket).catch(() => ""), "");
  await until("the target saw it go", () => server.sockets.size === 0);
});
