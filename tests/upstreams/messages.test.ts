// The adapter for this wire: what goes out, what comes back at once, what fails, and how long it waits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import type { Attempt, AttemptRequest } from "../../server/models/types.ts";
import { messagesAdapter } from "../../server/models/messages/adapter.ts";
import type { Timeouts } from "../../server/models/upstreams/limits.ts";
import {
  collectEvents,
  fakeUpstream,
  model,
  request,
  streamedReply,
  waitUntil,
  world,
} from "./fake.ts";
import { plainFrame, plainStream, sampleEvents } from "./sample.ts";

async function upstream(
  t: { after(fn: () => Promise<void>): void },
  options: { timeouts?: Partial<Timeouts>; headers?: Record<string, string>; under?: string } = {},
) {
  const fake = await fakeUpstream();
  const { under = "", ...rest } = options;
  const adapter = messagesAdapter({ baseUrl: fake.url + under, key: "sk-up", ...world, ...rest });
  t.after(async () => {
    await adapter.close();
    await waitUntil("no connection is left", () => fake.open() === 0);
    await fake[Symbol.asyncDispose]();
  });
  return { fake, adapter };
}

const answer = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "vendor/large-1",
  content: [{ type: "text", text: "Hi ü" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};

function failureIn(attempt: Attempt): Failure {
  return attempt.kind === "failure" ? attempt.failure : assert.fail(attempt.kind);
}

const whole = (given: Partial<AttemptRequest> = {}) => request({ stream: false, ...given });

test("a whole message is parsed once and handed over as it came", async (t) => {
  const { fake, adapter } = await upstream(t);
  const raw = JSON.stringify(answer, null, 1);
  fake.answer = ({ reply }) => reply(200, raw);
  const passing = { ...model, pass: ["one-1", "two-2"] };
  const betas = new Set(["one-1", "two-2", "three-3"]);
  const attempt = await adapter.attempt(whole({ model: passing, betas }));
  assert.deepEqual(attempt, { kind: "message", message: answer, raw });
  const [asked] = fake.requests;
  assert.equal(asked?.path, "/v1/messages");
  assert.equal(asked.headers["x-api-key"], "sk-up");
  assert.equal(asked.headers["anthropic-version"], "2023-06-01");
  assert.equal(asked.headers["anthropic-beta"], "one-1,two-2");
  const sent = JSON.parse(asked.body.toString()) as Record<string, unknown>;
  assert.equal(sent["model"], "vendor/large-1");
  assert.equal(sent["stream"], false);
});

test("the client's bytes go out with only the model's name replaced, quotes in range or not", async (t) => {
  const { fake, adapter } = await upstream(t, { under: "/api/v1/" });
  fake.answer = ({ reply }) => reply(200, JSON.stringify(answer));
  const text =
    '{ "messages":[{"role":"user","content":"\\u00fc ü"}],\n "model": "house-large", "max_tokens":1e2}';
  const bytes = Buffer.from(text);
  const at = bytes.indexOf('"house-large"');
  const length = '"house-large"'.length;
  for (const inset of [0, 1]) {
    const original = { bytes, modelStart: at + inset, modelEnd: at + length - inset };
    const body = { model: "house-large", max_tokens: 100, messages: [] };
    await adapter.attempt(whole({ body, original }));
    const asked = fake.requests.at(-1);
    assert.equal(asked?.path, "/api/v1/messages");
    assert.equal(asked.body.toString(), text.replace("house-large", "vendor/large-1"));
  }
  // Bytes that say `stream: false` cannot ask for a stream.
  const original = { bytes, modelStart: at, modelEnd: at + length };
  fake.answer = streamedReply(plainStream);
  const body = { model: "house-large", max_tokens: 7, messages: [] };
  const attempt = await adapter.attempt(request({ body, original }));
  assert.equal(attempt.kind, "stream");
  if (attempt.kind === "stream") await collectEvents(attempt.events);
  const sent = JSON.parse(fake.requests.at(-1)?.body.toString() ?? "") as unknown;
  assert.deepEqual(sent, { ...body, model: "vendor/large-1", stream: true });
});

const envelope = (type: string, message: string, details?: object) =>
  JSON.stringify({ type: "error", error: { type, message, details }, request_id: "req_up" });

test("an upstream's error keeps status, type, sentence and code, and loses its other headers", async (t) => {
  const { fake, adapter } = await upstream(t);
  const cases = [
    [400, envelope("invalid_request_error", "too long", { error_code: "x_y", n: 1 })],
    [402, envelope("billing_error", "no money")],
    [403, envelope("permission_error", "no")],
    [404, envelope("not_found_error", "model: nope")],
    [413, envelope("request_too_large", "too large")],
    [429, envelope("rate_limit_error", "slow down")],
    [500, envelope("api_error", "oops")],
    [529, envelope("overloaded_error", "busy")],
    [422, '{"detail":"bad"}'],
    [404, '{"error":"model \\"x\\" not found"}'],
    [400, '{"object":"error","message":"context length","type":"BadRequestError","code":400}'],
    [502, "<html>Bad Gateway</html>"],
  ] as const;
  for (const [status, body] of cases) {
    fake.answer = ({ reply }) =>
      reply(status, body, {
        "retry-after": "7",
        "retry-after-ms": "7100",
        "x-should-retry": "true",
        "set-cookie": "secret=1",
        "x-secret": "secret",
      });
    for (const stream of [true, false]) {
      const failure = failureIn(await adapter.attempt(request({ stream })));
      assert.equal(failure.status, status);
      assert.deepEqual(failure.options.headers, {
        "retry-after": "7",
        "retry-after-ms": "7100",
        "x-should-retry": "true",
      });
      const words = /"(?:message|detail|error)":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
      const sentence = words === undefined ? /barn answered with status 502/ : undefined;
      if (sentence !== undefined) assert.match(failure.message, sentence);
      else assert.equal(JSON.stringify(failure.message), `"${words}"`);
      if (status === 400 && body.includes("x_y")) {
        assert.equal(failure.options.code, "x_y");
        assert.deepEqual(failure.options.details, { n: 1 });
      }
    }
  }
});

test("a refused key is the operator's trouble: the client's own is not called bad", async (t) => {
  const { fake, adapter } = await upstream(t);
  fake.answer = ({ reply }) => reply(401, envelope("authentication_error", "invalid x-api-key"));
  const failure = failureIn(await adapter.attempt(request()));
  assert.equal(failure.status, 500);
  assert.match(failure.message, /barn refuses the key of this server/);
  assert.equal(failure.options.headers?.["x-should-retry"], "false");
});

test("the only upstream, which needs no name, is not called twice by its kind", async (t) => {
  const { fake, adapter } = await upstream(t);
  const said: string[] = [];
  for (const status of [401, 502, 302]) {
    fake.answer = ({ reply }) => reply(status, "");
    const only = { ...model, upstream: "upstream" };
    said.push(failureIn(await adapter.attempt(request({ model: only }))).message);
  }
  assert.match(said[0] ?? "", /^The upstream refuses the key of this server/);
  assert.doesNotMatch(said.join("\n"), /upstream upstream/);
});

test("what is no answer is a clean failure", async (t) => {
  const { fake, adapter } = await upstream(t);
  const frame = plainFrame(sampleEvents[0] ?? { type: "" });
  const cases: [string, AttemptRequest, (typeof fake)["answer"], RegExp][] = [
    ["text", whole(), ({ reply }) => reply(200, "hello"), /no message/],
    ["other JSON", whole(), ({ reply }) => reply(200, '{"object":"x"}'), /no message/],
    ["a redirect", whole(), ({ reply }) => reply(302, "", { location: "http://x" }), /redirect/],
    ["no stream", request(), ({ reply }) => reply(200, "{}"), /no event stream/],
    ["an empty stream", request(), streamedReply(), /broke off/],
    ["garbage frames", request(), streamedReply("event: x\ndata: nothing\n\n"), /no JSON object/],
    ["an unnamed list", request(), streamedReply("data: [1]\n\n"), /no JSON object/],
    ["random bytes", request(), streamedReply(Buffer.from([0, 255, 10, 10, 13, 200])), /broke off/],
    [
      "compressed",
      request(),
      ({ head, chunk, end }) => {
        head(200, { "content-encoding": "gzip" });
        chunk("x");
        end();
      },
      /compressed/,
    ],
    [
      "an early error",
      request(),
      streamedReply(
        `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n`,
      ),
      /^busy$/,
    ],
    [
      "no HTTP",
      request(),
      ({ socket }) => void socket.end("SSH-2.0-x\r\n\r\n"),
      /cannot be reached/,
    ],
    ["half a frame", request(), streamedReply(frame.slice(0, 40)), /no JSON object/],
  ];
  for (const [name, asked, reply, sentence] of cases) {
    fake.answer = reply;
    assert.match(failureIn(await adapter.attempt(asked)).message, sentence, name);
    await waitUntil(`${name}: nothing is under way`, () => adapter.health().open === 0);
  }
});

test("an error in the middle passes as an event, and the stream ends there", async (t) => {
  const { fake, adapter } = await upstream(t);
  const error =
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n';
  const start = plainFrame(sampleEvents[0] ?? { type: "" });
  fake.answer = streamedReply(start, error, start);
  const attempt = await adapter.attempt(request());
  const seen = attempt.kind === "stream" ? await collectEvents(attempt.events) : assert.fail();
  assert.equal(seen.error, undefined);
  assert.equal(seen.events.map(({ raw }) => raw).join(""), start + error);
});

test("a kept connection that was closed is replaced once; a dead upstream is asked again, then 503", async (t) => {
  const { fake, adapter } = await upstream(t);
  fake.answer = ({ reply, reset }) => {
    if (fake.requests.length === 2) reset();
    else reply(200, JSON.stringify(answer));
  };
  assert.equal((await adapter.attempt(whole())).kind, "message");
  assert.equal((await adapter.attempt(whole())).kind, "message");
  assert.equal(fake.requests.length, 3);

  fake.answer = ({ reset }) => reset();
  const failure = failureIn(await adapter.attempt(whole()));
  assert.equal(fake.requests.length, 5);
  assert.deepEqual([failure.status, failure.type], [503, "api_error"]);
  assert.equal(failure.options.headers?.["retry-after"], "2");

  const gone = await fakeUpstream();
  await gone[Symbol.asyncDispose]();
  const pausesMs: number[] = [];
  const clock = {
    ...world.clock,
    sleep: (ms: number, signal?: AbortSignal) => {
      if (ms < 1_000) pausesMs.push(ms); // longer ones are time limits
      return world.clock.sleep(ms, signal);
    },
  };
  const unreachable = messagesAdapter({ baseUrl: gone.url, ...world, clock });
  const refused = failureIn(await unreachable.attempt(whole()));
  assert.match(refused.message, /ECONNREFUSED/);
  assert.ok(!refused.message.includes("127.0.0.1"));
  assert.deepEqual(pausesMs, [50, 250]);
  await unreachable.close();
});

test("nothing is asked twice once a byte has come", async (t) => {
  const { fake, adapter } = await upstream(t);
  fake.answer = async ({ head, flushed, reset }) => {
    head(200);
    await flushed();
    reset();
  };
  failureIn(await adapter.attempt(request()));
  fake.answer = ({ socket }) => void socket.end("HTTP/1.1 200 Fine\r\ncontent-length: 99\r\n\r\n{");
  failureIn(await adapter.attempt(whole()));
  assert.ok(fake.requests.length <= 3); // a reset may overtake the head that went before it
});

test("silence ends: before the first byte, between bytes, and in all", async (t) => {
  const quick = { firstByteMs: 60, betweenBytesMs: 60, totalMs: 10_000 };
  const { fake, adapter } = await upstream(t, { timeouts: quick });
  fake.answer = () => {};
  const first = failureIn(await adapter.attempt(request()));
  assert.deepEqual([first.status, first.type], [504, "timeout_error"]);
  assert.equal(fake.requests.length, 1);

  fake.answer = ({ head, chunk }) => {
    head(200);
    chunk(plainFrame(sampleEvents[0] ?? { type: "" }));
  };
  const between = await adapter.attempt(request());
  const seen = between.kind === "stream" ? await collectEvents(between.events) : assert.fail();
  assert.equal(seen.events.length, 1);
  assert.ok(seen.error instanceof Failure && seen.error.status === 504);

  const short = messagesAdapter({ baseUrl: fake.url, ...world, timeouts: { totalMs: 60 } });
  const total = await short.attempt(request());
  const cut = total.kind === "stream" ? await collectEvents(total.events) : assert.fail();
  assert.ok(cut.error instanceof Failure && /TOTAL_TIMEOUT/.test(cut.error.message));
  await waitUntil("all connections are closed", () => fake.open() === 0);
  await short.close();
});

test("a client that goes before the reply closes the connection at once", async (t) => {
  const { fake, adapter } = await upstream(t);
  for (const stream of [true, false]) {
    const gone = new AbortController();
    const reason = new Error("gone");
    const before = fake.requests.length;
    const pending = adapter.attempt(request({ stream, signal: gone.signal }));
    await waitUntil("the upstream was asked", () => fake.requests.length > before);
    gone.abort(reason);
    await assert.rejects(pending, reason);
    await waitUntil("the connection is closed", () => fake.open() === 0);
  }
  const asked = fake.requests.length;
  await assert.rejects(adapter.attempt(request({ signal: AbortSignal.abort(new Error("x")) })));
  assert.equal(fake.requests.length, asked);
  assert.equal(adapter.health().open, 0);
});

test("a slow reader makes the upstream wait", async (t) => {
  const { fake, adapter } = await upstream(t);
  const text = "x".repeat(16 * 1024);
  const event = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
  const frames = 4_000; // 64 MB: more than all buffers between the two
  let sent = 0;
  fake.answer = async ({ head, chunk, end, socket }) => {
    head(200);
    chunk(plainFrame({ type: "message_start", message: { usage: {} } }));
    for (; sent < frames; sent++) {
      chunk(plainFrame(event));
      if (socket.writableNeedDrain) await new Promise((resolve) => socket.once("drain", resolve));
    }
    chunk(plainFrame({ type: "message_stop" }));
    end();
  };
  const attempt = await adapter.attempt(request());
  assert.equal(attempt.kind, "stream");
  let last = -1;
  let idle = 0;
  await waitUntil("the upstream stands still", () => {
    idle = sent === last ? idle + 1 : 0;
    last = sent;
    return idle > 2_000;
  });
  assert.ok(sent < frames / 2, `sent ${sent}`);
  const seen = attempt.kind === "stream" ? await collectEvents(attempt.events) : assert.fail();
  assert.equal(seen.error, undefined);
  assert.equal(seen.events.length, frames + 2);
});

test("tokens are counted where the upstream counts", async (t) => {
  const { fake, adapter } = await upstream(t);
  fake.answer = ({ reply }) => reply(200, '{"input_tokens":17}');
  assert.equal(await adapter.countTokens(whole()), 17);
  assert.equal(fake.requests[0]?.path, "/v1/messages/count_tokens");
  const sent = JSON.parse(fake.requests[0].body.toString()) as Record<string, unknown>;
  assert.deepEqual(Object.keys(sent).sort(), ["messages", "model"]);
  fake.answer = ({ reply }) => reply(404, "{}");
  assert.equal(await adapter.countTokens(whole()), undefined);
  fake.answer = ({ reply }) => reply(429, envelope("rate_limit_error", "slow"));
  await assert.rejects(adapter.countTokens(whole()), { status: 429 });
});
