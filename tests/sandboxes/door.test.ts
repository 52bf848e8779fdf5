// The network door of sandboxes as an HTTP proxy: what it sends on, and what not.
import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { test } from "node:test";
import { until } from "../kernel/sql-harness.ts";
import { listening, openDoorHouse, plainServer, statusOf, web } from "./door-house.ts";

const empty = "HTTP/1.1 204 No Content\r\n\r\n";
const end = "\r\n\r\n";

test("[SBX27] a tunnel carries bytes both ways, to their ends", async () => {
  await using echo = await listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      const all: Buffer[] = [];
      socket.on("data", (bytes: Buffer) => all.push(bytes));
      socket.once("end", () => socket.end(Buffer.concat([Buffer.from("all: "), ...all])));
    }),
  );
  await using house = await openDoorHouse({ names: { "echo.example": [["127.0.0.1"]] } });
  const socket = connect({ port: house.port, host: "127.0.0.1", allowHalfOpen: true });
  const bytes = Buffer.alloc(3_000_000, "tunnel");
  // The first bytes come with the head of the request.
  socket.write(`CONNECT echo.example:${echo.port} HTTP/1.1\r\nhost: x${end}early `);
  socket.end(bytes);
  const answer = await buffer(socket);
  const head = `HTTP/1.1 200 Connection established${end}`;
  assert.equal(answer.subarray(0, head.length).toString(), head);
  assert.ok(
    answer.subarray(head.length).equals(Buffer.concat([Buffer.from("all: early "), bytes])),
  );
  await until("the other side is closed, too", () => echo.sockets.size === 0);
});

test("[SBX27] a tunnel breaks off with either side", async () => {
  await using server = await listening(createServer((socket) => void socket.write("here")));
  await using house = await openDoorHouse();
  const open = async () => {
    const socket = connect(house.port, "127.0.0.1");
    socket.write(`CONNECT 127.0.0.1:${server.port} HTTP/1.1${end}`);
    await until("the tunnel is open", () => server.sockets.size === 1);
    return socket;
  };
  (await open()).resetAndDestroy();
  await until("the far side is gone", () => server.sockets.size === 0);
  const near = await open();
  near.resume().on("error", () => {});
  for (const socket of server.sockets) socket.resetAndDestroy();
  await once(near, "close");
});

test("[SBX28] a request goes on without what belonged to its connection", async () => {
  await using server = await plainServer(
    end,
    `HTTP/1.1 299 As It Likes\r\nA: 1\r\na: 2\r\nconnection: close, mine\r\nmine: 1\r\nproxy-authenticate: x\r\ncontent-length: 2${end}ok`,
  );
  await using house = await openDoorHouse({ names: { "api.example": [["127.0.0.1"]] } });
  const answer = await house.talk(
    [
      `GET http://API.example:${server.port}/a%20b?c=http://d HTTP/1.1`,
      "Host: forged.example",
      "X-One: 1",
      "x-one: 2",
      "Connection: close, X-Private",
      "X-Private: 1",
      "Proxy-Connection: keep-alive",
      "Proxy-Authorization: Basic eDp5",
      "Keep-Alive: timeout=5",
      "TE: trailers",
      "",
      "",
    ].join("\r\n"),
  );
  assert.deepEqual(server.seen, [
    [
      "GET /a%20b?c=http://d HTTP/1.1",
      `host: api.example:${server.port}`,
      "X-One: 1",
      "x-one: 2",
      "Connection: close",
      "",
      "",
    ].join("\r\n"),
  ]);
  const head = "HTTP/1.1 299 As It Likes\r\nA: 1\r\na: 2\r\ncontent-length: 2\r\nConnection: close";
  assert.equal(answer, `${head}${end}ok`);
});

test("[SBX28] bodies and trailers stream both ways, byte for byte", async () => {
  const parts = ["one", "two", "three"];
  await using server = await web(async (request, response) => {
    response.writeHead(200, { trailer: "x-count" });
    let count = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      count += chunk.length;
      response.write(`got ${chunk.toString()};`);
    }
    response.addTrailers({ "x-count": `${count}`, "x-said": `${request.trailers["x-sum"]}` });
    response.end();
  });
  await using house = await openDoorHouse();
  const socket = connect(house.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes.toString()));
  socket.write(
    `POST http://127.0.0.1:${server.port}/ HTTP/1.1\r\nconnection: close\r\ntrailer: x-sum\r\ntransfer-encoding: chunked${end}`,
  );
  for (const part of parts) {
    socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
    // The next part waits for the answer to this one: nothing is held back on the way.
    await until(`${part} is answered`, () => answer.includes(`got ${part};`));
  }
  socket.write("0\r\nx-sum: eleven\r\n\r\n");
  await once(socket, "close");
  assert.match(answer, /\r\n0\r\nx-count: 11\r\nx-said: eleven\r\n\r\n$/);
});

test("[SBX28] who reads slowly slows down who writes", async () => {
  let written = 0;
  const piece = Buffer.alloc(64 * 1024, "x");
  const total = 1_000 * piece.length;
  await using server = await web((_request, response) => {
    const source = Readable.from(
      (function* () {
        for (; written < total; written += piece.length) yield piece;
      })(),
    );
    source.pipe(response);
  });
  await using house = await openDoorHouse();
  const socket = connect(house.port, "127.0.0.1");
  socket.pause();
  socket.write(`GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nconnection: close${end}`);
  let [before, stillFor] = [-1, 0];
  await until("the server writes no more", () => {
    // Twenty looks, ten milliseconds apart, that see the same.
    stillFor = written > 0 && written === before ? stillFor + 1 : 0;
    before = written;
    return stillFor === 20;
  });
  assert.ok(written < total / 2, `${written} of ${total} bytes were taken from the server`);
  let read = 0;
  socket.on("data", (bytes) => (read += bytes.length));
  socket.resume();
  await once(socket, "close");
  assert.ok(read > total);
});

test("[SBX28] one connection serves several requests, also of several hosts", async () => {
  await using one = await web((request, response) => void response.end(`one ${request.url}`));
  await using two = await web((request, response) => void response.end(`two ${request.url}`));
  await using house = await openDoorHouse();
  const answer = await house.talk(
    `GET http://127.0.0.1:${one.port}/a HTTP/1.1${end}` +
      `HEAD http://127.0.0.1:${two.port}/b HTTP/1.1${end}` +
      `POST http://127.0.0.1:${two.port} HTTP/1.1\r\nconnection: close${end}`,
  );
  const bodies = [...answer.matchAll(/\b(one|two) \/\w?/g)].map(([body]) => body);
  assert.deepEqual(bodies, ["one /a", "two /"], answer);
  assert.equal(answer.match(/HTTP\/1.1 200/g)?.length, 3);
});

test("[SBX28] another protocol than HTTP is begun in a tunnel alone", async () => {
  await using server = await plainServer(end, empty);
  await using house = await openDoorHouse();
  const ask = (upgrade: string) =>
    house.talk(
      `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nconnection: close, upgrade\r\nupgrade: ${upgrade}${end}`,
    );
  assert.match(await ask("websocket"), /^HTTP\/1.1 501 No upgrade\r\n[^]*CONNECT/);
  assert.deepEqual(server.seen, []);
  assert.equal(statusOf(await ask("h2c")), 204, "passed over");
  assert.doesNotMatch(server.seen.join(), /upgrade/i);
});

test("[SBX28] what is no request to a proxy is told what to do", async () => {
  await using house = await openDoorHouse();
  for (const url of ["/path", "*", "https://api.example/", "ftp://api.example/"])
    assert.match(
      await house.talk(`GET ${url} HTTP/1.1${end}`),
      /^HTTP\/1.1 400 Not a request to a proxy\r\n[^]*CONNECT/,
      url,
    );
  assert.deepEqual(house.lookedUp, []);
});

test("[SBX28] a request whose length can be read in two ways goes nowhere", async () => {
  await using server = await plainServer(end, empty);
  await using house = await openDoorHouse();
  const smuggled = `GET /secret HTTP/1.1\r\nhost: a${end}`;
  const ask = (headers: string, body = `0${end}${smuggled}`) =>
    house.talk(
      `POST http://127.0.0.1:${server.port}/ HTTP/1.1\r\nconnection: close\r\n${headers}${end}${body}`,
    );
  for (const headers of [
    "content-length: 5\r\ntransfer-encoding: chunked",
    "transfer-encoding: chunked\r\ncontent-length: 5",
    "content-length: 5\r\ncontent-length: 6",
    "content-length: 5, 5",
    "content-length: +5",
    "transfer-encoding: chunked, identity",
    "transfer-encoding : chunked",
    "transfer-encoding: xchunked",
    "transfer-encoding:\r\n chunked, x",
  ]) {
    const status = statusOf(await ask(headers));
    assert.ok(status === 400 || status === 501, `${headers}: ${status}`);
  }
  assert.deepEqual(server.seen, []);
  assert.equal(statusOf(await ask("transfer-encoding: chunked", `0${end}`)), 204, "the control");
});

test("[SBX28] an answer that is none, or breaks off, is the target's fault alone", async () => {
  await using house = await openDoorHouse();
  for (const [answer, status] of [
    ["nonsense\r\n\r\n", 502],
    ["", 502],
    [`HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade${end}`, 502],
    [`HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked${end}x`, 502],
    [`HTTP/1.1 099 Low${end}`, 502],
    [`HTTP/1.1 200 O\x01K\r\ncontent-length: 0${end}`, 200],
    [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}${end}`, 502],
    [`HTTP/1.1 100 Continue${end}HTTP/1.1 204 After${end}`, 204],
  ] as const) {
    await using server = await plainServer(end, answer);
    const got = await house.talk(
      `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nconnection: close${end}`,
    );
    assert.equal(statusOf(got), status, JSON.stringify(answer.slice(0, 80)));
  }
  await using server = await plainServer(end, `HTTP/1.1 200 OK\r\ncontent-length: 10${end}half`);
  const socket = connect(house.port, "127.0.0.1");
  socket.write(`GET http://127.0.0.1:${server.port}/ HTTP/1.1${end}`);
  // It ends without the rest, and stays no connection on which the next answer could be taken for it.
  assert.match(await text(socket).catch(() => "half"), /half$/);
});
