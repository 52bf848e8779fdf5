// The dispatcher on a real socket: the order of its checks, its errors, and connections that live on.
import assert from "node:assert/strict";
import { request as send } from "node:http";
import { after, before, test } from "node:test";
import Type from "typebox";
import type { Failure } from "../../kernel/base/failure.ts";
import { text } from "../../kernel/http/output/reply.ts";
import { events } from "../../kernel/http/output/sse.ts";
import { openRoute, type Route } from "../../kernel/http/route.ts";
import {
  commonRoutes,
  openRawConnection,
  startBareServer,
  until,
  type BareServer,
} from "./http-harness.ts";

const bug = "select * from users where password = 'hunter2'";
const streamEnded = Promise.withResolvers<void>();

const routes: Route[] = [
  ...commonRoutes,
  openRoute({
    operation: "bugs.get",
    method: "GET",
    path: "/bug",
    summary: "Breaks.",
    reply: Type.Object({}),
    handle: () => {
      throw new Error(bug);
    },
  }),
  openRoute({
    operation: "lies.get",
    method: "GET",
    path: "/lie",
    summary: "Answers with what its schema forbids.",
    reply: Type.Object({ number: Type.Integer() }),
    handle: () => ({ number: "one" }) as unknown as { number: number },
  }),
  openRoute({
    operation: "breaks.stream",
    method: "GET",
    path: "/breaks",
    summary: "Breaks half-way.",
    reply: "events",
    handle: () =>
      events(async (stream) => {
        await stream.send({ event: "tick", data: 1 });
        throw new Error(bug);
      }),
  }),
  openRoute({
    operation: "ticks.stream",
    method: "GET",
    path: "/ticks",
    summary: "Never ends.",
    reply: "events",
    handle: () =>
      events(async (stream) => {
        await stream.send({ event: "tick", data: { type: "tick" } });
        await new Promise<void>((resolve) =>
          stream.signal.addEventListener("abort", () => resolve()),
        );
        streamEnded.resolve();
      }),
  }),
];

let wire: BareServer;
before(async () => {
  wire = await startBareServer(routes);
});
after(() => wire.stop());

const causeOf = (failure: Failure | undefined): string =>
  failure?.cause instanceof Error ? failure.cause.message : "";

interface Answer {
  status: number;
  type: string | undefined;
  message: string;
  code: string | undefined;
  headers: Headers;
}

async function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Answer> {
  const init = {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
  };
  const response = await fetch(wire.base + path, body === undefined ? init : { ...init, body });
  const text = await response.text();
  const parsed =
    text === ""
      ? {}
      : (JSON.parse(text) as {
          error?: { type: string; message: string; details?: { error_code: string } };
          request_id?: string;
        });
  assert.match(response.headers.get("request-id") ?? "", /^req_[0-9a-z]{26}$/);
  if (parsed.error) assert.equal(parsed.request_id, response.headers.get("request-id"));
  return {
    status: response.status,
    type: parsed.error?.type,
    message: parsed.error?.message ?? text,
    code: parsed.error?.details?.error_code,
    headers: response.headers,
  };
}

test("[HTP1] an unknown path is 404, a wrong method 405 with what is allowed", async () => {
  const nothing = await ask("GET", "/nothing?secret=1");
  assert.deepEqual(
    [nothing.status, nothing.type, nothing.message],
    [404, "not_found_error", "There is no route GET /nothing."],
  );
  const wrong = await ask("DELETE", "/open");
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"]);
  assert.equal(wrong.message, "/open does not take DELETE; it takes GET, HEAD.");
});

test("[HTP2] checks come in one order: 401, organization type, beta, permission, body", async () => {
  const beta = { "anthropic-beta": "things-1" };
  const order: [headers: Record<string, string>, body: string, status: number, says: RegExp][] = [
    [{}, "{", 401, /carries no credential/],
    [{ "x-api-key": "enterprise" }, "{", 404, /for enterprise organizations/],
    [{ "x-api-key": "reader" }, "{", 400, /vendor-beta: things-1/],
    [{ "x-api-key": "reader", ...beta }, "{", 403, /lacks things:write/],
    [{ "x-api-key": "writer", ...beta }, "{", 400, /ends too early at line 1, column 2/],
    [{ "x-api-key": "writer", ...beta }, "{}", 400, /^name: is required and must be a string\.$/],
    [{ "x-api-key": "writer", ...beta }, '{"nam":"x"}', 400, /^nam: .*did you mean name\?$/],
    [
      { "x-api-key": "writer", "vendor-beta": "other, things-1" },
      '{"name":"x"}',
      200,
      /{"name":"x"}/,
    ],
  ];
  for (const [headers, body, status, says] of order) {
    const answer = await ask("POST", "/things", headers, body);
    assert.equal(answer.status, status, answer.message);
    assert.match(answer.message, says);
  }
});

test("the workspace of a credential is told on replies", async () => {
  const answer = await ask(
    "POST",
    "/things",
    { "x-api-key": "writer", "vendor-beta": "things-1" },
    '{"name":"x"}',
  );
  assert.equal(answer.headers.get("anthropic-workspace-id"), "wrkspc_1");
});

test("[HTP12] the caller's address is the one that the known proxies saw, and never what a caller wrote", async () => {
  const address = openRoute({
    operation: "test.address",
    method: "GET",
    path: "/address",
    summary: "Says who asks.",
    reply: "text",
    handle: (context) => text(context.address),
  });
  const headers = { "x-forwarded-for": "6.6.6.6, 198.51.100.7, 203.0.113.9" };
  const seen = ["127.0.0.1", "203.0.113.9", "198.51.100.7"];
  for (const [proxies, expected] of seen.entries()) {
    await using behind = await startBareServer([address], { proxies });
    const answer = await fetch(`${behind.base}/address`, { headers });
    assert.equal(await answer.text(), expected);
  }
});

test("both spellings of the headers are one; an unknown version is named", async () => {
  const said = async (headers: Record<string, string>) =>
    (await ask("GET", "/dialect", headers)).message;
  assert.equal(await said({}), '{"dialect":"2023-06-01","betas":[]}');
  assert.equal(
    await said({ "anthropic-version": "2026-10-21", "anthropic-beta": "a,b" }),
    '{"dialect":"2026-10-21","betas":["a","b"]}',
  );
  assert.equal(
    await said({ "vendor-version": "2026-10-21", "vendor-beta": "a", "anthropic-beta": "b, a" }),
    '{"dialect":"2026-10-21","betas":["a","b"]}',
  );
  const unknown = await ask("GET", "/dialect", { "anthropic-version": "1999-01-01" });
  assert.equal(unknown.status, 400);
  assert.match(unknown.message, /^The anthropic-version header: "1999-01-01" is not a version/);
});

test("[HTP1] HEAD has the headers of GET and no body", async () => {
  const response = await fetch(`${wire.base}/open`, { method: "HEAD" });
  assert.deepEqual(
    [response.status, response.headers.get("content-length"), await response.text()],
    [200, "17", ""],
  );
  const stream = await fetch(`${wire.base}/ticks`, { method: "HEAD" });
  assert.deepEqual(
    [stream.headers.get("content-type"), await stream.text()],
    ["text/event-stream; charset=utf-8", ""],
  );
});

test("[HTP3] too many headers are 431, and the connection lives on", async () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`x-h${i}`, "1"]));
  const answer = await ask("GET", "/open", many);
  assert.deepEqual([answer.status, answer.type], [431, "invalid_request_error"]);
});

test("[HTP4] a bug is 500 without its text, and is told once with it", async () => {
  const from = wire.answered.length;
  const answer = await ask("GET", "/bug");
  assert.deepEqual([answer.status, answer.type], [500, "api_error"]);
  assert.doesNotMatch(answer.message, /hunter2|select/);
  const id = answer.headers.get("request-id");
  const told = () => wire.answered.slice(from).filter(({ requestId }) => requestId === id);
  await until(() => told().length > 0, "the report");
  assert.deepEqual(
    told().map(({ status, operation, failure }) => [status, operation, causeOf(failure)]),
    [[500, "bugs.get", bug]],
  );
});

test("[HTP4] a stream that breaks says so to its client, and why to the log", async () => {
  const text = await fetch(`${wire.base}/breaks`).then((response) => response.text());
  assert.match(text, /event: tick\n[^]*event: error\n[^]*"api_error"[^]*"request_id":"req_/);
  assert.doesNotMatch(text, /hunter2/);
  const told = () => wire.answered.find(({ operation }) => operation === "breaks.stream");
  await until(() => told() !== undefined, "the report");
  assert.equal(causeOf(told()?.failure), bug);
});

test("in tests a reply that does not fit its schema is a bug", async () => {
  const answer = await ask("GET", "/lie");
  assert.equal(answer.status, 500);
  const told = () => wire.answered.find(({ operation }) => operation === "lies.get");
  await until(() => told() !== undefined, "the report");
  assert.match(causeOf(told()?.failure), /number: must be a whole number, not a string/);
});

test("[HTP7] a connection outlives errors, and answers pipelined requests in order", async () => {
  const line = await openRawConnection(wire.address.port);
  const post = (body: string) =>
    `POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  line.send(
    `GET /nothing HTTP/1.1\r\nhost: a\r\n\r\n${post("{x}")}${post('{"a":1}')}GET /open HTTP/1.1\r\nhost: a\r\n\r\n`,
  );
  const text = await line.waitFor('{"hello":"world"}');
  assert.deepEqual(
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ["404", "400", "200", "200"],
  );
  line.send("GET /open HTTP/1.1\r\nhost: a\r\n\r\n");
  await line.waitFor(/world[^]*world/);
  line.socket.destroy();
});

test("[HTP3] [HTP7] garbage behind a good request does not spoil its reply", async () => {
  const line = await openRawConnection(wire.address.port);
  line.send("GET /open HTTP/1.1\r\nhost: a\r\n\r\nnonsense\r\n\r\n");
  await line.closed;
  assert.deepEqual(
    [...line.heard().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ["200", "400"],
  );
  assert.match(line.heard(), /"message":"This is not a well-formed HTTP\/1.1 request\."/);
});

test("[HTP7] a body that is refused unread closes the connection; one that is read keeps it", async () => {
  const line = await openRawConnection(wire.address.port);
  line.send(`POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 200000\r\n\r\n${"x".repeat(1000)}`);
  const text = await line.waitFor("larger than 100000 bytes");
  assert.match(text, /^HTTP\/1\.1 413 [^]*connection: close/i);
  line.send("x".repeat(199_000));
  await line.closed;
});

test("[HTP8] a client that goes away in its body is 499, and nobody else notices", async () => {
  const from = wire.answered.length;
  const line = await openRawConnection(wire.address.port);
  line.send('POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"a":');
  await until(() => wire.openRequests() > 0, "the request to begin");
  line.socket.destroy();
  await until(() => wire.answered.slice(from).some(({ status }) => status === 499), "the report");
  assert.equal((await ask("GET", "/open")).status, 200);
});

test("[HTP8] a client that goes away in a stream ends its source", async () => {
  const from = wire.answered.length;
  const request = send(`${wire.base}/ticks`, { agent: false });
  request.on("error", () => {}).end();
  request.on("response", (response) => {
    assert.match(String(response.headers["request-id"]), /^req_/);
    response.on("error", () => {}).once("data", () => request.destroy());
  });
  await streamEnded.promise;
  await until(
    () => wire.answered.slice(from).some(({ operation }) => operation === "ticks.stream"),
    "the report",
  );
  assert.equal(wire.streams.count, 0);
});

test("an upgrade is not taken up: the request is answered as it stands", async () => {
  const line = await openRawConnection(wire.address.port);
  line.send("GET /open HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
  assert.match(await line.waitFor("world"), /^HTTP\/1\.1 200 /);
  line.socket.destroy();
  const tunnel = await openRawConnection(wire.address.port);
  tunnel.send("CONNECT example.com:443 HTTP/1.1\r\nhost: a\r\n\r\n");
  await tunnel.closed;
  assert.match(tunnel.heard(), /^HTTP\/1\.1 405 [^]*This server is no proxy/);
});
