// Both clients for HTTP, ours and undici's that serves https, behind the same exchange and with the same words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errors } from "undici";
import { systemClock } from "../../kernel/base/clock.ts";
import { errorCodeOf, isTimeout } from "../../server/models/upstreams/connection.ts";
import { deadlines } from "../../server/models/upstreams/deadlines.ts";
import { Exchange } from "../../server/models/upstreams/exchange.ts";
import { failureOfError, readBounded } from "../../server/models/upstreams/failures.ts";
import { Http1Client } from "../../server/models/upstreams/http1/client.ts";
import { tlsClient } from "../../server/models/upstreams/http1/tls-client.ts";
import { fakeUpstream, waitUntil, type AnswerHandler } from "./fake.ts";
import { longTimes } from "./http1-asks.ts";

const kinds = {
  own: (url: string) => new Http1Client(url, longTimes, systemClock),
  undici: (url: string) => tlsClient(url, longTimes, 8),
};

for (const [name, open] of Object.entries(kinds))
  test(`[UPC9] the exchange and its codes are the same with either client: ${name}`, async (t) => {
    const fake = await fakeUpstream();
    const client = open(fake.url);
    const waits = deadlines(systemClock, 60_000);
    t.after(async () => {
      waits.close();
      await client.destroy();
      await fake[Symbol.asyncDispose]();
    });
    let closed = 0;
    const send = async (answer: AnswerHandler, signal = new AbortController().signal) => {
      fake.answer = answer;
      const hooks = { closed: () => void closed++, ends: waits, lingers: waits };
      const progress = { isSent: false, writtenTokens: 0, isEstimated: false };
      const exchange = new Exchange(signal, hooks, progress);
      client.dispatch({ method: "POST", path: "/p", headers: ["x-a", "b"], body: "{}" }, exchange);
      const reply = await exchange.reply;
      assert.equal(progress.isSent, true);
      return { ...reply, text: (await readBounded(reply.body, 1_000)).toString() };
    };
    const twice = await send(({ reply }) => reply(418, "tea", { "x-one": "1" }));
    assert.deepEqual([twice.status, twice.text, twice.headers["x-one"]], [418, "tea", "1"]);
    const streamed = await send(({ head, chunk, end }) => {
      head(200);
      for (const part of ["one ", "two"]) chunk(part);
      end();
    });
    assert.equal(streamed.text, "one two");
    for (const [answer, code] of [
      [({ socket }) => void socket.end(), "CONNECTION_CLOSED"],
      [
        ({ socket }) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx"),
        "CONNECTION_CLOSED",
      ],
      [({ socket }) => void socket.end("SSH-2.0-x\r\n\r\n"), "INVALID_REPLY"],
      [
        ({ socket }) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n"),
        "INVALID_REPLY",
      ],
      [({ reset }) => reset(), "ECONNRESET"],
    ] as [AnswerHandler, string][])
      await assert.rejects(send(answer), (error) => errorCodeOf(error) === code);
    const gone = new AbortController();
    const reason = new Error("gone");
    await assert.rejects(
      send(() => gone.abort(reason), gone.signal),
      reason,
    );
    await waitUntil("every exchange is over", () => closed === 8);
    await client.close();
    await waitUntil("no connection is left", () => fake.open() === 0);
  });

test("[UPC9] codes of undici are told in our words, and say whether time was over", () => {
  for (const [error, code, isOut] of [
    [new errors.ConnectTimeoutError(), "CONNECT_TIMEOUT", true],
    [new errors.HeadersTimeoutError(), "FIRST_BYTE_TIMEOUT", true],
    [new errors.BodyTimeoutError(), "BETWEEN_BYTES_TIMEOUT", true],
    [new errors.SocketError("x"), "CONNECTION_CLOSED", false],
    [new errors.HeadersOverflowError(), "INVALID_REPLY", false],
    [new errors.InvalidArgumentError("x"), "INVALID_REQUEST", false],
    [Object.assign(new Error("x"), { code: "ECONNRESET" }), "ECONNRESET", false],
    [new TypeError("x"), "TypeError", false],
  ] as const) {
    assert.equal(errorCodeOf(error), code);
    assert.equal(isTimeout(error), isOut);
    const { type, message } = failureOfError(error, "upstream");
    assert.equal(type, isOut ? "timeout_error" : "api_error");
    assert.ok(message.includes(`(${code})`));
  }
});
