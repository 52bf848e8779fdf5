// Bodies on a real socket: their kinds, their sizes, and how they fail to come.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Type from "typebox";
import { openRoute } from "../../kernel/http/route.ts";
import {
  commonRoutes,
  openRawConnection,
  startBareServer,
  type BareServer,
} from "./http-harness.ts";

let wire: BareServer;
before(async () => {
  wire = await startBareServer([
    ...commonRoutes,
    openRoute({
      operation: "bytes.create",
      method: "POST",
      path: "/bytes",
      summary: "Counts the bytes.",
      body: "stream",
      bodyBytesMax: 300_000,
      reply: Type.Object({ bytes: Type.Integer() }),
      handle: async (_context, { body }) => {
        let bytes = 0;
        for await (const chunk of body) bytes += chunk.length;
        return { bytes };
      },
    }),
    openRoute({
      operation: "bytes.refuse",
      method: "POST",
      path: "/unread",
      summary: "Does not look.",
      body: "stream",
      reply: Type.Object({}),
      handle: () => ({}),
    }),
    openRoute({
      operation: "bare.create",
      method: "POST",
      path: "/bare",
      summary: "Takes no body.",
      reply: Type.Object({ bare: Type.Boolean() }),
      handle: () => ({ bare: true }),
    }),
  ]);
});
after(() => wire.stop());

type Headers = Record<string, string>;
type Case = [
  what: string,
  path: string,
  headers: Headers,
  body: string | Buffer,
  status: number,
  says: RegExp,
];

const jsonType = { "content-type": "application/json" };
const cases: Case[] = [
  ["good", "/echo", jsonType, '{"a":1}', 200, /{"a":1}$/],
  ["with a byte order mark", "/echo", jsonType, '\ufeff{"a":1}', 200, /{"a":1}$/],
  ["without a type", "/echo", {}, '{"a":1}', 200, /{"a":1}$/],
  ["with a name in two objects", "/echo", {}, '{"a":[{"b":":"},{"b":1}]}', 200, /"b":1}]}$/],
  ["with a name twice", "/echo", {}, '{"a":1,"b":"{","a":2}', 400, /"a: is given twice; send it/],
  [
    "with a name twice, spelled in two ways, after a mark",
    "/echo",
    {},
    '\ufeff{"a": [0, {"b": "\\":{", "\\u0062": 2}]}',
    400,
    /"a\.1\.b: is given twice; send it once\."/,
  ],
  [
    "of a +json type",
    "/echo",
    { "content-type": "application/merge-patch+json; charset=UTF-8" },
    "[]",
    200,
    /\[\]$/,
  ],
  [
    "of the wrong type",
    "/echo",
    { "content-type": "text/html" },
    "{}",
    415,
    /The content-type is \\"text\/html\\"; this route takes application\/json\./,
  ],
  [
    "in another charset",
    "/echo",
    { "content-type": "application/json; charset=latin1" },
    "{}",
    400,
    /unsupported_charset/,
  ],
  [
    "compressed",
    "/echo",
    { ...jsonType, "content-encoding": "gzip" },
    "{}",
    400,
    /request_body_encoding_unsupported/,
  ],
  ["identity", "/echo", { ...jsonType, "content-encoding": "identity" }, "{}", 200, /{}/],
  [
    "bad UTF-8",
    "/echo",
    jsonType,
    Buffer.from([0x22, 0x61, 0xff, 0x22]),
    400,
    /The body is not UTF-8: byte 3 [^]*request_body_encoding_invalid/,
  ],
  [
    "cut UTF-8",
    "/echo",
    jsonType,
    Buffer.from([0x22, 0xe2, 0x82]),
    400,
    /request_body_encoding_invalid/,
  ],
  ["at the limit", "/echo", jsonType, `"${"x".repeat(99_998)}"`, 200, /xxx/],
  [
    "one past the limit",
    "/echo",
    jsonType,
    `"${"x".repeat(99_999)}"`,
    413,
    /larger than 100000 bytes/,
  ],
  [
    "deep",
    "/echo",
    jsonType,
    "[".repeat(50_000) + "]".repeat(50_000),
    400,
    /nested deeper than 128/,
  ],
  ["for nobody", "/bare", jsonType, '{"a":1}', 400, /a: this route takes no body/],
  ["empty for nobody", "/bare", jsonType, "{}", 200, /bare/],
  ["streamed", "/bytes", {}, Buffer.alloc(300_000), 200, /{"bytes":300000}/],
  ["streamed past the limit", "/bytes", {}, Buffer.alloc(300_001), 413, /larger than 300000 bytes/],
  ["unread", "/unread", {}, Buffer.alloc(1000), 200, /{}/],
];

/** Once with a length, once in chunks. */
for (const [what, path, headers, body, status, says] of cases) {
  test(`[HTP5] a body ${what} is ${status}`, async () => {
    const bytes = Buffer.from(body as string);
    const head = (extra: Headers) =>
      `POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${Object.entries({
        ...headers,
        ...extra,
      })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}\r\n`;
    const sized = await openRawConnection(wire.address.port);
    sized.send(head({ "content-length": String(bytes.length) }));
    sized.send(bytes);
    await sized.waitFor(/HTTP\/1\.1 \d+ [^]*\r\n\r\n./);
    assert.match(sized.heard(), new RegExp(`^HTTP/1.1 ${status} `));
    assert.match(sized.heard(), says);

    const chunked = await openRawConnection(wire.address.port);
    chunked.send(head({ "transfer-encoding": "chunked" }));
    const middle = Math.floor(bytes.length / 2);
    for (const part of [bytes.subarray(0, middle), bytes.subarray(middle)]) {
      chunked.send(`${part.length.toString(16)}\r\n`);
      chunked.send(part);
      chunked.send("\r\n");
    }
    chunked.send("0\r\n\r\n");
    await chunked.waitFor(/HTTP\/1\.1 \d+ [^]*\r\n\r\n./);
    assert.match(chunked.heard(), new RegExp(`^HTTP/1.1 ${status} `));
    assert.match(chunked.heard(), says);
    sized.socket.destroy();
    chunked.socket.destroy();
  });
}

test("[HTP7] a body shorter than its length waits; a longer one starts the next request", async () => {
  const line = await openRawConnection(wire.address.port);
  line.send("POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}GARBAGE\r\n\r\n");
  await line.closed;
  assert.match(line.heard(), /^HTTP\/1\.1 200 [^]*{}HTTP\/1\.1 400 /);
});
