// What stands in the first line and the headers of a request: targets, hosts, framing, ids, queries.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import Type from "typebox";
import { notFound } from "../../kernel/base/failure.ts";
import { closed, openRoute } from "../../kernel/http/route.ts";
import { staticFiles } from "../../kernel/http/output/static.ts";
import {
  commonRoutes,
  openRawConnection,
  startBareServer,
  type BareServer,
} from "./http-harness.ts";

const Text = Type.String({ minLength: 1, maxLength: 100 });
const routes = [
  ...commonRoutes,
  openRoute({
    operation: "rooms.get",
    method: "GET",
    path: "/rooms/{room_key_id}",
    summary: "Has none.",
    params: closed({ room_key_id: Text }),
    query: closed({ q: Type.Optional(Text) }),
    reply: Type.Object({ q: Type.String() }),
    handle: (_, { params, query }) => {
      if (query.q === undefined) throw notFound("room", params.room_key_id);
      return { q: query.q };
    },
  }),
];

const code = "export const words = 'again and again';\n".repeat(200);

let wire: BareServer;
let directory: string;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), "plinth-static-"));
  writeFileSync(join(directory, "index.html"), "<p>the app</p>");
  mkdirSync(join(directory, "assets"));
  const app = join(directory, "assets/app.js");
  writeFileSync(app, code);
  writeFileSync(`${app}.br`, brotliCompressSync(code));
  writeFileSync(`${app}.gz`, gzipSync(code));
  writeFileSync(join(directory, "assets/small.js"), "1");
  const prefix = "/console/";
  const except = "/console/api/";
  const elsewhere = staticFiles({ directory, prefix, except, missing: "missing" });
  wire = await startBareServer(routes, { elsewhere });
});
after(async () => {
  await wire.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function ask(path: string, method = "GET") {
  const response = await fetch(wire.base + path, { method });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  const message = isJson
    ? (JSON.parse(text) as { error?: { message: string } }).error?.message
    : "";
  return { status: response.status, text, message: message ?? "", headers: response.headers };
}

/** The first line of the answer to a request that no client would send, and its body. */
async function say(request: string): Promise<string> {
  const line = await openRawConnection(wire.address.port);
  line.send(request);
  await line.waitFor(/\r\n\r\n(?:.|$)/);
  line.socket.destroy();
  return line.heard();
}

test("a page whose name no file can have is the app's to tell apart, never a bug", async () => {
  for (const path of [`/console/${"a".repeat(256)}`, `/console/${"a/".repeat(3_000)}`])
    assert.deepEqual([(await ask(path)).status, (await ask(path)).text], [200, "<p>the app</p>"]);
  assert.equal((await ask(`/console/assets/${"a".repeat(256)}.js`)).status, 404);
});

test("pages take GET and HEAD, and say so", async () => {
  for (const path of ["/", "/console", "/console/", "/console/keys"])
    for (const method of ["POST", "OPTIONS", "DELETE"]) {
      const { status, headers } = await ask(path, method);
      assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD"], `${method} ${path}`);
    }
  assert.equal((await ask("/console/api/nothing", "POST")).status, 404);
});

test("[HTP3] HTTP/1.1 wants one host", async () => {
  assert.match(await say("GET /open HTTP/1.1\r\n\r\n"), /^HTTP\/1\.1 400 .*no host header/s);
  assert.match(
    await say("GET /open HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n"),
    /^HTTP\/1\.1 400 .*several host headers/s,
  );
  assert.match(await say("GET /open HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 /);
});

test("a whole address as the target means its path", async () => {
  const { host } = new URL(wire.base);
  const get = (target: string) => say(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  assert.match(await get(`${wire.base}/open`), /^HTTP\/1\.1 200 .*world/s);
  assert.match(await get(`${wire.base}/rooms/1?q=x`), /^HTTP\/1\.1 200 .*"q":"x"/s);
  assert.match(await get(`${wire.base}/console/keys`), /^HTTP\/1\.1 200 .*the app/s);
  assert.match(await get(`${wire.base}?x=1`), /^HTTP\/1\.1 302 .*location: \/console\//s);
});

test("another transfer coding than chunked is refused", async () => {
  const post = (coding: string) =>
    say(
      `POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n` +
        `transfer-encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    );
  assert.match(await post("chunked"), /^HTTP\/1\.1 200 /);
  assert.match(await post("gzip, chunked"), /^HTTP\/1\.1 400 .*transfer-encoding/s);
});

test("what cannot be an id is absent, and not read back whole", async () => {
  assert.equal((await ask("/rooms/1")).message, "There is no room 1.");
  const long = await ask(`/rooms/${"x".repeat(3_000)}?q=x`);
  assert.equal(long.status, 404);
  assert.match(long.message, /^There is no room key x{100,150}…\.$/);
  const broken = await ask("/rooms/%ff");
  assert.deepEqual(
    [broken.status, broken.message],
    [400, "room_key_id: is not percent-encoded UTF-8."],
  );
});

test("[HTP3] a key in a path is not read back", async () => {
  const secret = `sk-plinth-admin-${"a1B2".repeat(12)}`;
  for (const path of [`/rooms/${secret}`, `/v1/${secret}`, `/rooms/sk-ant-${"x".repeat(30)}`]) {
    const { status, text } = await ask(path);
    assert.equal(status, 404);
    assert.doesNotMatch(text, /a1B2a1B2|xxxxxxxx/);
    assert.match(text, /\[redacted\]/);
  }
  const wrong = await ask(`/rooms/${secret}`, "DELETE");
  assert.equal(wrong.status, 405);
  assert.doesNotMatch(wrong.text, /a1B2a1B2/);
});

test("a query is UTF-8", async () => {
  assert.deepEqual(JSON.parse((await ask("/rooms/1?q=%c3%bc")).text), { q: "ü" });
  assert.deepEqual(JSON.parse((await ask("/rooms/1?q=100%")).text), { q: "100%" });
  for (const q of ["%ff", "%c3", "a%c3%28", "%ed%a0%80"]) {
    const { status, message } = await ask(`/rooms/1?q=${q}`);
    assert.equal(status, 400, q);
    assert.match(message, /UTF-8/);
  }
  const raw = await say("GET /rooms/1?q=\xff HTTP/1.1\r\nhost: a\r\n\r\n");
  assert.match(raw, /^HTTP\/1\.1 400 /);
});

test("[HTP5] a content type that is no type is not JSON", async () => {
  const post = (type: string) =>
    fetch(`${wire.base}/echo`, { method: "POST", headers: { "content-type": type }, body: "{}" });
  for (const type of ["+json", "/+json", "application/+json", "x+json"])
    assert.equal((await post(type)).status, 415, type);
  for (const type of ["application/json; charset=utf-8", "application/problem+json"])
    assert.equal((await post(type)).status, 200, type);
});

test("what the build has compressed is sent so to whoever takes it", async () => {
  const got = async (name: string, accepted: string) => {
    const line = await openRawConnection(wire.address.port);
    line.send(
      `GET /console/assets/${name} HTTP/1.1\r\nhost: x\r\nconnection: close\r\naccept-encoding: ${accepted}\r\n\r\n`,
    );
    await line.closed;
    const [head = ""] = line.heard().split("\r\n\r\n");
    const value = (field: string) => new RegExp(`^${field}: (.*)$`, "im").exec(head)?.[1];
    return [value("content-encoding"), value("content-length"), value("vary")];
  };
  const lengths = {
    br: String(brotliCompressSync(code).length),
    gzip: String(gzipSync(code).length),
    whole: String(code.length),
  };
  for (const [accepted, encoding] of [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, GZIP;q=0.5", "gzip"],
    ["br;q=0.000, gzip; q=0", undefined],
    ["identity", undefined],
    ["brotli", undefined],
  ] as const)
    assert.deepEqual(
      await got("app.js", accepted),
      [encoding, lengths[encoding ?? "whole"], "accept-encoding"],
      accepted,
    );
  assert.deepEqual(await got("small.js", "br, gzip"), [undefined, "1", undefined]);
  const { headers, text } = await ask("/console/assets/app.js");
  assert.equal(text, code);
  assert.equal(headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal((await ask("/console/assets/app.js", "HEAD")).text, "");
});
