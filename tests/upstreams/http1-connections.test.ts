// Connections of the client for plain HTTP: which one serves, when it is closed, and who hears of it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { collectGarbage } from "../garbage.ts";
import { ask, clientOf, ok, serverOf, settle } from "./http1-asks.ts";
import { waitUntil, type AnswerHandler } from "./fake.ts";

const answersOk: AnswerHandler = ({ socket }) => void socket.write(ok("ok"));

test("[UPC5] one request at a time on a connection, and the one used last serves first", async (t) => {
  const held = new Map<string, Socket>();
  const servers: (number | undefined)[] = [];
  const fake = await serverOf(t, ({ socket, received: { path } }) => {
    servers.push(socket.remotePort);
    if (path === "/now") socket.write(ok("ok"));
    else held.set(path, socket);
  });
  const client = clientOf(t, fake.url);
  const heard = ["/a", "/b", "/c"].map((path) => ask(client, { path }));
  await waitUntil("all are asked", () => held.size === 3);
  assert.equal(fake.accepted(), 3);
  for (const [at, path] of ["/a", "/b", "/c"].entries()) {
    held.get(path)?.write(ok(path));
    assert.equal(await heard[at]?.over, path);
    await settle();
  }
  const [first, second, third] = ["/a", "/b", "/c"].map((path) => held.get(path)?.remotePort);
  servers.length = 0;
  await ask(client, { path: "/now" }).over;
  await settle();
  await ask(client, { path: "/now" }).over;
  await settle();
  await Promise.all([1, 2, 3].map(() => ask(client, { path: "/now" }).over));
  assert.deepEqual(servers.slice(0, 2), [third, third]);
  assert.deepEqual(new Set(servers.slice(2)), new Set([first, second, third]));
  assert.equal(fake.accepted(), 3);
});

test("[UPC5] a silent connection is closed after a while, or before its server does it", async (t) => {
  for (const [lines, afterMs] of [
    ["", 4_000],
    ["keep-alive: timeout=10\r\n", 8_000],
  ] as const) {
    const fake = await serverOf(t, ({ socket }) => void socket.write(ok("ok", lines)));
    const clock = makeManualClock(new Date(0));
    const client = clientOf(t, fake.url, { clock, keepAliveMs: 4_000 });
    const passMs = async (ms: number) => {
      for (let left = ms; left > 0; left -= 500) {
        clock.advance(Math.min(left, 500));
        await settle();
      }
    };
    assert.equal(await ask(client).over, "ok");
    await passMs(afterMs - 1);
    assert.equal(await ask(client).over, "ok");
    await passMs(afterMs - 1);
    assert.deepEqual([fake.accepted(), fake.open()], [1, 1]);
    await passMs(1);
    await waitUntil("the connection is closed", () => fake.open() === 0);
  }
});

test("[UPC6] time is limited: to connect, until the head, between bytes unless the reader pauses", async (t) => {
  const clock = makeManualClock(new Date(0));
  const fake = await serverOf(t);
  const client = clientOf(t, fake.url, {
    clock,
    connectMs: 300,
    firstByteMs: 500,
    betweenBytesMs: 700,
  });
  const connecting = ask(client);
  await nextLoopIteration();
  clock.advance(300); // before the event loop could look at the socket
  assert.equal(await connecting.over, "CONNECT_TIMEOUT");
  assert.equal(connecting.isSent, false);

  fake.answer = ({ socket }) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n");
  const waiting = ask(client);
  await waitUntil("it was asked", () => fake.requests.length === 1);
  clock.advance(499);
  await settle();
  assert.equal(waiting.end, "none");
  clock.advance(1);
  assert.equal(await waiting.over, "FIRST_BYTE_TIMEOUT");

  const sockets: Socket[] = [];
  fake.answer = ({ socket }) => {
    sockets.push(socket);
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n");
  };
  const reading = ask(client);
  for (const part of ["a", "b", "c"]) {
    await waitUntil("there is more", () => sockets.length > 0 && reading.status === 200);
    const before = reading.chunks.length;
    sockets[0]?.write(part);
    await waitUntil("it has come", () => reading.chunks.length > before);
    clock.advance(699);
    await settle();
  }
  reading.controller?.pause();
  clock.advance(100_000);
  await settle();
  assert.equal(reading.end, "none");
  reading.controller?.resume();
  clock.advance(699);
  await settle();
  assert.equal(reading.end, "none");
  clock.advance(1);
  assert.equal(await reading.over, "BETWEEN_BYTES_TIMEOUT");
  await waitUntil("all connections are closed", () => fake.open() === 0);
});

test("[UPC6] a request that is given up closes its connection at any stage, and says no more", async (t) => {
  let slow: Socket | undefined;
  const fake = await serverOf(t, ({ socket, received: { path } }) => {
    if (path === "/whole") socket.write(ok("ok"));
    else if (path === "/slow") slow = socket;
    else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhel");
  });
  const client = clientOf(t, fake.url);
  const reason = new Error("gone");
  for (const stage of [
    "onRequestWaiting",
    "onRequestStart",
    "onResponseStart",
    "onResponseData",
  ] as const) {
    const after: string[] = [];
    let isAborted = false;
    ask(client, {}, (event, { controller }) => {
      if (isAborted) after.push(event);
      if (event !== stage) return;
      isAborted = true;
      controller?.abort(reason);
    });
    await waitUntil(`${stage}: given up`, () => isAborted);
    await settle();
    assert.deepEqual(after, [], stage);
    await waitUntil(`${stage}: no connection is left`, () => fake.open() === 0);
  }
  const connecting = ask(client);
  await nextLoopIteration();
  connecting.controller?.abort(reason);
  await settle();
  assert.equal(connecting.isSent, false);
  assert.equal(connecting.end, "none");
  // Over: it steers nothing, though its connection serves another by now.
  const first = ask(client, { path: "/whole" });
  assert.equal(await first.over, "ok");
  await settle();
  const second = ask(client, { path: "/slow" });
  await waitUntil("the same connection serves again", () => second.isSent);
  first.controller?.pause();
  first.controller?.abort(reason);
  await waitUntil("it was asked", () => slow !== undefined);
  slow?.write(ok("ok"));
  assert.equal(await second.over, "ok");
  await waitUntil("one connection is left", () => fake.open() === 1);
});

test("[UPC6] a reader that pauses makes the upstream wait, and gets all of it later", async (t) => {
  const body = "0123456789".repeat(3_000_000);
  let sent: Socket | undefined;
  const fake = await serverOf(t, ({ socket }) => {
    sent = socket;
    socket.write(ok(body));
  });
  const client = clientOf(t, fake.url);
  const heard = ask(client, {}, (event, { controller, chunks }) => {
    if (event === "onResponseData" && chunks.length === 1) controller?.pause();
  });
  await waitUntil("some has come", () => heard.chunks.length > 0);
  const bytes = heard.chunks.length;
  for (let turn = 0; turn < 200; turn++) await nextLoopIteration();
  assert.equal(heard.chunks.length, bytes);
  assert.ok((sent?.writableLength ?? 0) > 0, "the upstream still holds some of it");
  heard.controller?.resume();
  assert.ok((await heard.over) === body);
  // Paused at its last bytes: the connection is good for the next all the same, and its end is seen.
  fake.answer = answersOk;
  const last = ask(client, {}, (event, { controller }) => {
    if (event === "onResponseData") controller?.pause();
  });
  assert.equal(await last.over, "ok");
  assert.equal(await ask(client).over, "ok");
  assert.equal(fake.accepted(), 1);
  sent?.destroy();
  await waitUntil("the connection is closed", () => fake.open() === 0);
  assert.equal(await ask(client).over, "ok");
});

test("[UPC7] nothing in path, names or values ends the head early", async (t) => {
  const fake = await serverOf(t, answersOk);
  const client = clientOf(t, fake.url);
  for (const sign of ["\r", "\n", "\0", "\r\n", "\u0100", "\x7f"]) {
    const split = `a${sign}b`;
    for (const given of [
      { headers: ["x-one", split] },
      { headers: [split, "x"] },
      { path: `/${split}` },
      { path: `/a b` },
      { path: "a" },
      { headers: ["", "x"] },
      { headers: ["x-one"] },
    ])
      assert.equal(await ask(client, given).over, "INVALID_REQUEST", JSON.stringify(given));
  }
  for (const name of ["content-length", "Transfer-Encoding", "keep-alive", "upgrade", "expect"])
    assert.equal(await ask(client, { headers: [name, "5"] }).over, "INVALID_REQUEST", name);
  assert.equal(fake.requests.length, 0);

  const headers = ["X-One", "\xe9 1", "host", "elsewhere", "connection", "x, Close"];
  assert.equal(await ask(client, { headers, path: "/p?q=1", body: "\u00fc" }).over, "ok");
  await waitUntil("the connection is closed", () => fake.open() === 0);
  const [received] = fake.requests;
  assert.deepEqual(received?.headers, {
    host: "elsewhere",
    connection: "close",
    "x-one": "\xe9 1",
    "content-length": "2",
  });
  assert.equal(received.path, "/p?q=1");
  assert.equal(received.body.toString(), "\u00fc");
  // Bodies above and below what goes out in one piece, text and bytes; none with GET, an empty one with POST.
  for (const body of ["x".repeat(40_000), "\u00fc".repeat(20_000), Buffer.alloc(40_000, 7)]) {
    assert.equal(await ask(client, { body }).over, "ok");
    assert.ok(fake.requests.at(-1)?.body.equals(Buffer.from(body)));
  }
  // The same array of headers again, with another path or method.
  const same = { headers: ["x-two", "2"], body: null };
  for (const [method, path] of [["POST", "/a"] as const, ["POST", "/b"] as const]) {
    await ask(client, { ...same, method, path }).over;
    assert.equal(fake.requests.at(-1)?.path, path);
  }
  await ask(client, { ...same, method: "GET", path: "/b" }).over;
  assert.equal(fake.requests.at(-1)?.method, "GET");
  assert.equal(fake.requests.at(-1)?.headers["x-two"], "2");
  assert.equal(fake.requests.at(-1)?.headers["content-length"], undefined);
  await ask(client, { body: null }).over;
  assert.equal(fake.requests.at(-1)?.headers["content-length"], "0");
});

test("[UPC8] closing lets requests end and takes no more; destroying ends them", async (t) => {
  const held: Socket[] = [];
  const fake = await serverOf(t, ({ socket }) => void held.push(socket));
  const client = clientOf(t, fake.url);
  const [sent, waiting] = [ask(client), ask(client)];
  const closed = client.close().then(() => "closed");
  assert.equal(await ask(client).over, "CLIENT_CLOSED");
  await waitUntil("both were asked", () => held.length === 2);
  held[0]?.write(ok("ok"));
  assert.equal(await Promise.race([sent.over, waiting.over, closed]), "ok");
  held[1]?.write(ok("ok"));
  await Promise.all([sent.over, waiting.over]);
  assert.equal(await closed, "closed");
  await waitUntil("no connection is left", () => fake.open() === 0);

  const other = clientOf(t, fake.url);
  const cut = ask(other);
  await waitUntil("it was asked", () => held.length === 3);
  const late = ask(other);
  await other.destroy();
  assert.deepEqual([await cut.over, await late.over], ["CLIENT_CLOSED", "CLIENT_CLOSED"]);
  await waitUntil("no connection is left", () => fake.open() === 0);
});

test("[UPC9] what breaks off is told by its code; addresses of both families are tried", async (t) => {
  const fake = await serverOf(t);
  const client = clientOf(t, fake.url);
  const begun = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhel";
  for (const [answer, code] of [
    [({ socket }) => void socket.end(), "CONNECTION_CLOSED"],
    [({ socket }) => void socket.end(begun), "CONNECTION_CLOSED"],
    [({ socket }) => void socket.end("HTTP/1.1 200 OK\r\n\r\nall"), "all"],
    [({ reset }) => reset(), "ECONNRESET"],
  ] as [AnswerHandler, string][]) {
    fake.answer = answer;
    assert.equal(await ask(client).over, code);
  }
  fake.answer = answersOk;
  const { port } = new URL(fake.url);
  assert.equal(await ask(clientOf(t, `http://localhost:${port}`)).over, "ok");
  await fake[Symbol.asyncDispose]();
  assert.equal(await ask(client).over, "ECONNREFUSED");

  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(ok("six")));
  });
  server.listen(0, "::1");
  const hasSix = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (!hasSix) return; // a machine without IPv6
  const { port: six } = server.address() as AddressInfo;
  assert.equal(await ask(clientOf(t, `http://[::1]:${six}`)).over, "six");
  server.close();
});

test("a body that was sent is let go, whoever holds its request", async (t) => {
  let isAsked = false;
  const fake = await serverOf(t, () => void (isAsked = true));
  const client = clientOf(t, fake.url);
  const send = () => {
    const body = Buffer.alloc(200_000);
    return { heard: ask(client, { body }), body: new WeakRef(body) };
  };
  const { heard, body } = send();
  await waitUntil("it was sent", () => isAsked);
  await settle();
  collectGarbage();
  assert.ok(body.deref() === undefined, "the body is held");
  assert.deepEqual([heard.isSent, heard.end], [true, "none"]);
});
