// Connections to addresses that clients chose are used again where that is safe, and nowhere else.
import assert from "node:assert/strict";
import { once } from "node:events";
import { lookup } from "node:dns";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  createServer as createRawServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import { test } from "node:test";
import { rangesOf } from "../../kernel/base/addresses.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import { fetchOutside, type OutsideAsk } from "../../kernel/http/outside/fetch.ts";
import { OutsideFailure } from "../../kernel/http/outside/failure.ts";
import {
  openOutsideConnections,
  type ConnectionLimits,
} from "../../kernel/http/outside/connections.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { authority, certificate, privateKey } from "./certificates.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Peer extends AsyncDisposable {
  port: number;
  /** Every connection so far, by when it was opened. */
  connections: Socket[];
  handshakes: number;
  /** The connection, by its number, that each question came over, with its method. */
  asked: string[];
}

/** Over TLS, unless it is plain. */
async function listen(answer: Answer, { isPlain = false } = {}): Promise<Peer> {
  const connections: Socket[] = [];
  const take: Answer = (request, response) => {
    const { remotePort } = request.socket;
    const number = connections.findIndex((one) => one.remotePort === remotePort);
    peer.asked.push(`${request.method} ${number}`);
    answer(request, response);
  };
  const server = isPlain
    ? createServer(take)
    : createTlsServer({ cert: certificate, key: privateKey }, take);
  // It closes nothing by itself, and gives no hint when it would.
  server.keepAliveTimeout = 0;
  server.on("secureConnection", () => peer.handshakes++);
  const peer = { ...(await openPeer(server, connections)), handshakes: 0, asked: [] as string[] };
  return peer;
}

async function openPeer(server: Server, connections: Socket[]) {
  server.on("connection", (socket) => connections.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Longer than any test: what ends is ended by what the test is about. */
const wide = { ageMs: 3_600_000, idleMs: 3_600_000, keptPerDestinationMax: 4, keptMax: 64 };

/** A world whose connections are closed at its end. */
function openWorld(limits: Partial<ConnectionLimits> = {}, allowed = ["127.0.0.0/8"]) {
  const outside = openOutsideConnections({ ...wide, ...limits });
  const sections = { network: { allow_private_addresses: allowed } };
  return { outside, sections, [Symbol.dispose]: () => outside.close() };
}

const ask: OutsideAsk = { bytesMax: 1000, timeoutMs: 5_000, caCertPem: authority };
const hello: Answer = (_, response) => void response.end("hello");
const urlOf = ({ port }: Pick<Peer, "port">) => `https://localhost:${port}/`;

async function textOf(...[world, url, more]: Parameters<typeof fetchOutside>): Promise<string> {
  const { body } = await fetchOutside(world, url, more);
  return body.toString();
}

async function failureOf(answer: Promise<unknown>): Promise<string> {
  const error = await answer.then(
    () => assert.fail("it was answered"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof OutsideFailure, String(error));
  return error.reason;
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const endMs = systemClock.monotonicMs() + testTimeoutMs;
  while (!isSo()) {
    assert.ok(systemClock.monotonicMs() < endMs, `waited in vain: ${what}`);
    await systemClock.sleep(5);
  }
}

const closed = (peer: Pick<Peer, "connections">, number: number) =>
  until(`connection ${number} is closed`, () => peer.connections[number]?.destroyed === true);

test("questions to one place go over one connection, with one handshake", async () => {
  await using peer = await listen(hello);
  using world = openWorld();
  for (let time = 0; time < 3; time++) assert.equal(await textOf(world, urlOf(peer), ask), "hello");
  assert.deepEqual([peer.connections.length, peer.handshakes], [1, 1]);
  await using plain = await listen(hello, { isPlain: true });
  const url = `http://127.0.0.1:${plain.port}/a?b=c`;
  for (let time = 0; time < 3; time++) assert.equal(await textOf(world, url, ask), "hello");
  assert.equal(plain.connections.length, 1);
});

test("another authority, other allowed ranges, another resolver: another connection", async () => {
  await using peer = await listen(hello);
  using world = openWorld();
  const url = urlOf(peer);
  await textOf(world, url, ask);
  await textOf(world, url, { ...ask, caCertPem: `${authority}\n` });
  assert.equal(peer.handshakes, 2);
  // An organization without an authority of its own is not served by the connection of one that has one.
  assert.equal(
    await failureOf(fetchOutside(world, url, { ...ask, caCertPem: undefined })),
    "certificate",
  );
  const changed = { ...world, sections: { network: { allow_private_addresses: ["127.0.0.1"] } } };
  await textOf(changed, url, ask);
  assert.equal(peer.handshakes, 3);
  const forbidden = { ...world, sections: {} };
  assert.equal(await failureOf(fetchOutside(forbidden, url, ask)), "address");
  const { look } = resolving(["127.0.0.1"]);
  await textOf(world, url, { ...ask, lookup: look });
  assert.equal(peer.handshakes, 4);
  await textOf(world, url, { ...ask, mayBePlain: true });
  assert.equal(peer.handshakes, 5);
});

/** A name server that gives these answers in turn, then the last one again. */
function resolving(...answers: string[][]) {
  const names: string[] = [];
  const look = ((hostname: string, _: unknown, done: (...all: unknown[]) => void) => {
    const addresses = answers[Math.min(names.length, answers.length - 1)] ?? [];
    names.push(hostname);
    queueMicrotask(() =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      ),
    );
  }) as unknown as typeof lookup;
  return { names, look };
}

test("a name that leads elsewhere by now is looked at for each new connection", async () => {
  await using peer = await listen(hello);
  using world = openWorld();
  const { look, names } = resolving(["127.0.0.1"], ["10.0.0.1"]);
  const url = `https://issuer.example:${peer.port}/`;
  const named = { ...ask, lookup: look };
  for (let time = 0; time < 2; time++) await textOf(world, url, named);
  assert.deepEqual([peer.connections.length, names.length], [1, 1]);
  // Both at once: one of them needs a new connection.
  const both = [textOf(world, url, named), failureOf(fetchOutside(world, url, named))];
  assert.deepEqual(await Promise.all(both), ["hello", "address"]);
  peer.connections[0]?.destroy();
  assert.equal(await failureOf(fetchOutside(world, url, named)), "address");
  assert.equal(peer.connections.length, 1);
});

test("a connection is not used again after an answer that was not read to its end", async () => {
  const answers: Record<string, Answer> = {
    "/cut": (_, response) => {
      response.writeHead(200, { "content-length": "10" }).write("12345");
      setImmediate(() => response.destroy());
    },
    "/large": (_, response) => void response.end("x".repeat(1001)),
    "/redirect": (_, response) => void response.writeHead(302, { location: "/" }).end("there"),
    "/compressed": (_, response) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end("x"),
    "/silent": () => {},
    "/ignored": (_, response) => void response.end("ok"),
  };
  await using peer = await listen((request, response) =>
    (answers[request.url ?? ""] ?? hello)(request, response),
  );
  using world = openWorld();
  const url = urlOf(peer);
  let opened = 0;
  for (const [path, reason] of [
    ["cut", "unreachable"],
    ["large", "too_large"],
    ["redirect", "redirect"],
    ["compressed", "unreachable"],
    ["silent", "timeout"],
  ] as const) {
    await textOf(world, url, ask);
    const brief = path === "silent" ? { ...ask, timeoutMs: 100 } : ask;
    assert.equal(await failureOf(fetchOutside(world, url + path, brief)), reason, path);
    opened += 1;
    assert.equal(peer.connections.length, opened, `${path}: over the one that was kept`);
    await closed(peer, opened - 1);
  }
  await fetchOutside(world, `${url}ignored`, { ...ask, method: "POST", ignoresBody: true });
  await closed(peer, opened);
  assert.equal(await textOf(world, url, ask), "hello");
  assert.equal(peer.connections.length, opened + 2);
});

for (const [name, isPlain, end] of [
  ["http", true, "end"],
  ["https", false, "end"],
  ["https, without a word", false, "destroy"],
] as const)
  test(`a GET is asked again where a kept connection was closed: ${name}`, async () => {
    // Each connection answers one question, and ends with the next.
    const seen = new WeakSet<Socket>();
    const answer: Answer = (request, response) => {
      if (seen.has(request.socket)) request.socket[end]();
      else {
        seen.add(request.socket);
        response.end("hello");
      }
    };
    await using peer = await listen(answer, { isPlain });
    using world = openWorld();
    const url = isPlain ? `http://127.0.0.1:${peer.port}/` : urlOf(peer);
    assert.equal(await textOf(world, url, ask), "hello");
    assert.equal(await textOf(world, url, ask), "hello");
    assert.deepEqual(peer.asked, ["GET 0", "GET 0", "GET 1"]);
    // A POST might have been received: it does not go over a connection that may be closed, and is asked once.
    assert.equal(await textOf(world, url, { ...ask, method: "POST", body: "a" }), "hello");
    assert.deepEqual(peer.asked.slice(3), ["POST 2"]);
  });

test("what is refused on a new connection, or has begun to be answered, is not asked again", async () => {
  let answer: Answer = (request) => request.socket.destroy();
  await using peer = await listen((request, response) => answer(request, response));
  using world = openWorld();
  const url = urlOf(peer);
  assert.equal(await failureOf(fetchOutside(world, url, ask)), "unreachable");
  assert.deepEqual(peer.asked, ["GET 0"]);
  answer = hello;
  await textOf(world, url, ask);
  answer = (request) => void request.socket.end("HTTP/1.1 200");
  assert.equal(await failureOf(fetchOutside(world, url, ask)), "unreachable");
  assert.deepEqual(peer.asked.slice(1), ["GET 1", "GET 1"]);
});

test("a connection that the peer closes in between is forgotten", async () => {
  await using peer = await listen(hello);
  using world = openWorld();
  await textOf(world, urlOf(peer), ask);
  peer.connections[0]?.end();
  await closed(peer, 0);
  assert.equal(await textOf(world, urlOf(peer), ask), "hello");
  assert.deepEqual(peer.asked, ["GET 0", "GET 1"]);
});

test("a connection that was closed is kept no longer", async () => {
  await using peer = await listen(hello, { isPlain: true });
  const outside = openOutsideConnections(wide);
  const destination = {
    origin: `http://127.0.0.1:${peer.port}`,
    allowed: rangesOf([]),
    mayBePlain: false,
    caCertPem: undefined,
    lookup,
  };
  const one = outside.open(destination, { lookup, timeoutMs: 5_000 });
  await (await one.client.request({ path: "/", method: "GET" })).body.dump();
  one.keep();
  assert.equal(outside.takeKept(destination), one);
  one.keep();
  peer.connections[0]?.end();
  await once(one.client, "disconnect");
  assert.equal(outside.takeKept(destination), undefined);
});

test("bytes that nobody asked for answer no later question", async () => {
  const evil = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil";
  const whole = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
  for (const isLate of [false, true]) {
    const connections: Socket[] = [];
    const server = createRawServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {
        if (!isLate) {
          socket.write(whole + evil);
          return;
        }
        socket.write(whole, () => setImmediate(() => socket.write(evil)));
      });
    });
    await using peer = await openPeer(server, connections);
    using world = openWorld();
    const url = `http://127.0.0.1:${peer.port}/`;
    assert.equal(await textOf(world, url, ask), "hello");
    if (isLate) await closed(peer, 0);
    assert.equal(await textOf(world, url, ask), "hello");
    assert.equal(connections.length, 2);
  }
});

test("what is kept has its limits: a time, an age, so many to a place, so many in all", async () => {
  await using peer = await listen(hello);
  await using other = await listen(hello);
  {
    using world = openWorld({ idleMs: 50 });
    await textOf(world, urlOf(peer), ask);
    const beforeMs = systemClock.monotonicMs();
    await closed(peer, 0);
    // By itself a client keeps it for four.
    assert.ok(systemClock.monotonicMs() - beforeMs < 3_500);
  }
  {
    using world = openWorld({ ageMs: 0 });
    await textOf(world, urlOf(peer), ask);
    await closed(peer, 1);
  }
  {
    using world = openWorld({ keptPerDestinationMax: 2 });
    const all = Array.from({ length: 5 }, () => textOf(world, urlOf(peer), ask));
    assert.deepEqual(new Set(await Promise.all(all)), new Set(["hello"]));
    const left = () => peer.connections.slice(2).filter(({ destroyed }) => !destroyed).length;
    await until("two are left", () => left() === 2);
  }
  {
    using world = openWorld({ keptMax: 1 });
    const before = peer.connections.length;
    await textOf(world, urlOf(peer), ask);
    await textOf(world, urlOf(other), ask);
    await closed(peer, before);
    await textOf(world, urlOf(other), ask);
    assert.equal(other.connections.length, 1);
  }
});

test("at the end of the process what is kept is closed, and nothing is kept any more", async () => {
  await using peer = await listen(hello);
  using world = openWorld();
  const askOnce = () => textOf(world, urlOf(peer), ask);
  await Promise.all([askOnce(), askOnce()]);
  const answering = askOnce();
  world.outside.close();
  assert.equal(await answering, "hello");
  for (const number of [0, 1]) await closed(peer, number);
  await askOnce();
  await closed(peer, 2);
});
