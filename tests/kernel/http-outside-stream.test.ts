// Rule HTP15 where an answer is read as it comes: what is refused, what breaks an answer off, and what ends with it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { openOutsideConnections } from "../../kernel/http/outside/connections.ts";
import { OutsideFailure } from "../../kernel/http/outside/failure.ts";
import { streamOutside, type StreamAsk } from "../../kernel/http/outside/stream.ts";

const outside = openOutsideConnections();
after(() => outside.close());
const open = { outside, sections: { network: { allow_private_addresses: ["127.0.0.0/8"] } } };
const plain = { bytesMax: 1_000, timeoutMs: 10_000 };
const ask = (more: Partial<StreamAsk> = {}): StreamAsk => ({
  method: "POST",
  headers: new Headers({ "x-one": "1" }),
  body: "asked",
  ...more,
});

async function listen(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

const reasonOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => assert.fail("it was answered"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof OutsideFailure, String(error));
  return error.reason;
};

test("[HTP15] an answer is read as it comes, with its headers; what was asked has come whole", async () => {
  const second = Promise.withResolvers<void>();
  let asked = "";
  await using server = await listen((request, response) => {
    void (async () => {
      for await (const piece of request) asked += String(piece);
      response.writeHead(201, { "x-two": String(request.headers["x-one"]) });
      response.write("first");
      await second.promise;
      response.end("second");
    })();
  });
  const response = await streamOutside(open, server.url, ask(), plain);
  assert.deepEqual([response.status, response.headers.get("x-two")], [201, "1"]);
  const pieces: string[] = [];
  for await (const piece of response.body ?? []) {
    pieces.push(Buffer.from(piece).toString());
    second.resolve();
  }
  assert.deepEqual([asked, pieces], ["asked", ["first", "second"]]);
});

test("[HTP15] too many bytes and too much time break an answer off, and the connection with it", async () => {
  const closed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using server = await listen((request, response) => {
    const isSlow = request.headers["x-one"] === "slow";
    response.on("close", () => closed[isSlow ? 1 : 0]?.resolve());
    response.write(isSlow ? "." : "x".repeat(2_000));
  });
  const failures: string[] = [];
  const onFailure = ({ reason }: OutsideFailure) => void failures.push(reason);
  const large = await streamOutside(open, server.url, ask(), { ...plain, onFailure });
  assert.equal(await reasonOf(large.text()), "too_large");
  const headers = new Headers({ "x-one": "slow" });
  const limits = { ...plain, timeoutMs: 300, onFailure };
  const slow = await streamOutside(open, server.url, ask({ headers }), limits);
  assert.equal(await reasonOf(slow.text()), "timeout");
  assert.deepEqual(failures, ["too_large", "timeout"]);
  await Promise.all(closed.map(({ promise }) => promise));
});

test("[HTP15] the signal of the caller ends it at once, and is what is thrown", async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await listen((_request, response) => {
    response.on("close", () => closed.resolve());
    response.flushHeaders();
  });
  const gone = new Error("gone");
  const abort = new AbortController();
  const failures: unknown[] = [];
  const limits = { ...plain, onFailure: (failure: OutsideFailure) => void failures.push(failure) };
  const response = await streamOutside(open, server.url, ask({ signal: abort.signal }), limits);
  const read = response.text();
  abort.abort(gone);
  await assert.rejects(read);
  await closed.promise;
  const again = streamOutside(open, server.url, ask({ signal: abort.signal }), limits);
  await assert.rejects(again, gone);
  assert.deepEqual(failures, []);
});

test("[HTP15] private addresses are refused, by number and by name, and a redirect is an answer", async () => {
  await using server = await listen((_request, response) => {
    response.writeHead(307, { location: "http://10.0.0.1/" }).end();
  });
  const strict = { outside, sections: {} };
  assert.equal(await reasonOf(streamOutside(strict, server.url, ask(), plain)), "address");
  const lookup = ((_name: string, _options: object, done: (...found: unknown[]) => void) =>
    done(null, [{ address: "192.168.0.7", family: 4 }])) as never;
  const named = new URL("https://inside.example/");
  const limits = { ...plain, lookup };
  assert.equal(await reasonOf(streamOutside(open, named, ask(), limits)), "address");
  const moved = await streamOutside(open, server.url, ask(), plain);
  assert.deepEqual([moved.status, moved.headers.get("location")], [307, "http://10.0.0.1/"]);
  await moved.text();
});

test("[HTP15] an address where nothing listens is told as such", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const nothing = new URL(`http://127.0.0.1:${port}/`);
  assert.equal(await reasonOf(streamOutside(open, nothing, ask(), plain)), "unreachable");
});
