// Streams of upstreams, cut anywhere and made of anything: the same events, or one clean failure.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseExactly } from "../../kernel/base/exact-json.ts";
import { Failure } from "../../kernel/base/failure.ts";
import type { StreamEvent, WireEvent } from "../../server/models/types.ts";
import { streamAttempt, type StreamReader } from "../../server/models/upstreams/attempt.ts";
import { chatReader } from "../../server/models/chat/stream.ts";
import type { ReplyBody } from "../../server/models/upstreams/exchange.ts";
import { healthRecord } from "../../server/models/health/record.ts";
import { relayReader } from "../../server/models/messages/adapter.ts";
import { accumulate } from "../upstreams/accumulate.ts";
import { collectEvents, request, world } from "../upstreams/fake.ts";
import { otherShapes, plainStream, sampleEvents } from "../upstreams/sample.ts";
import { transcripts } from "../upstreams/transcripts.ts";

/** A reply's body that is all there already. */
function bodyOf(pieces: readonly Buffer[]): ReplyBody & { state: string } {
  const left = [...pieces];
  return {
    state: "open",
    read: () => Promise.resolve(left.length === 0 ? undefined : left.splice(0, 1)),
    expectEndSoon() {},
    cancel() {
      this.state = "cancelled";
    },
    release() {
      this.state = "released";
    },
  };
}

async function readAll(reader: StreamReader, pieces: readonly Buffer[]) {
  const body = bodyOf(pieces);
  let seen: { events: WireEvent[]; error?: unknown };
  try {
    const attempt = await streamAttempt(reader, body, request(), healthRecord(world.clock));
    seen =
      attempt.kind === "stream"
        ? await collectEvents(attempt.events)
        : { events: [], error: attempt.kind === "failure" ? attempt.failure : undefined };
  } catch (error) {
    seen = { events: [], error };
  }
  return { ...seen, state: body.state };
}

function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

const shapes = { plain: plainStream, ...otherShapes };

for (const [name, text] of Object.entries(shapes))
  test(`this wire, cut at every byte: ${name}`, async () => {
    const bytes = Buffer.from(text);
    for (let cut = 0; cut < bytes.length; cut++) {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
      const { events, error, state } = await readAll(relayReader(), pieces);
      assert.equal(error, undefined, `cut at ${cut}`);
      assert.equal(state, "released");
      assert.deepEqual(
        events.map((event) => event.data()),
        sampleEvents,
        `cut at ${cut}`,
      );
      if (name === "plain") assert.equal(events.map(({ raw }) => raw).join(""), plainStream);
    }
  });

test("this wire, in any three pieces or byte by byte", async () => {
  const cuts = fc.array(fc.nat(), { minLength: 2, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.values(shapes)), cuts, async (text, at) => {
      const { events, error } = await readAll(relayReader(), piecesOf(Buffer.from(text), at));
      assert.equal(error, undefined);
      assert.deepEqual(
        events.map((event) => event.data()),
        sampleEvents,
      );
    }),
    { numRuns: 400 },
  );
  for (const text of Object.values(shapes)) {
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    const { events } = await readAll(relayReader(), bytes);
    assert.equal(events.length, sampleEvents.length);
  }
});

test("a stream that ends at any byte: what was whole, then one clean failure", async () => {
  for (const text of [plainStream, otherShapes["crlf"] ?? ""]) {
    const bytes = Buffer.from(text);
    for (let length = 0; length < bytes.length - 4; length++) {
      const { events, error, state } = await readAll(relayReader(), [bytes.subarray(0, length)]);
      if (events.at(-1)?.name === "message_stop") continue;
      assert.ok(error instanceof Failure, `ended at ${length}`);
      assert.equal(state === "released", false);
      const whole = events.map((event) => event.data());
      assert.deepEqual(whole, sampleEvents.slice(0, whole.length));
    }
  }
});

test("empty lines before an event leave it unread, wherever they are cut", async () => {
  const unread = `event: ping\ndata: {"no": json}\n\n`;
  const bytes = Buffer.from(`\n\n\n${unread}\n\n\n${unread}`);
  for (let cut = 0; cut < bytes.length; cut++) {
    const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
    const { events } = await readAll(relayReader(), pieces);
    const raw = events.map((event) => event.raw);
    assert.deepEqual(raw, [unread, unread], `cut at ${cut}`);
  }
});

/** Bytes, words of the grammar, and pieces of good streams in any order. */
const garbage = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom("event: ", "data: ", "data:{", "}", "\n", "\n\n", "\r", "\r\n", ":", "[DONE]")
      .map((word) => Buffer.from(word)),
    fc.json().map((json) => Buffer.from(`data: ${json}\n\n`)),
    fc.nat().map((at) => Buffer.from(plainStream.slice(at % plainStream.length).slice(0, 90))),
    fc
      .constantFrom(...Object.values(transcripts))
      .chain(({ text }) => fc.nat().map((at) => Buffer.from(text.slice(at % text.length)))),
  ),
  { maxLength: 12 },
);

test("garbage gives events and then a clean failure, and is the same however it is cut", async () => {
  for (const reader of [relayReader, () => chatReader(request(), 11)])
    await fc.assert(
      fc.asyncProperty(garbage, fc.array(fc.nat(), { maxLength: 3 }), async (parts, cuts) => {
        const bytes = Buffer.concat(parts);
        const whole = await readAll(reader(), [bytes]);
        assert.ok(whole.error === undefined || whole.error instanceof Failure);
        if (bytes.length === 0) return;
        const cut = await readAll(reader(), piecesOf(bytes, cuts));
        assert.deepEqual(
          cut.events.map(({ raw }) => raw),
          whole.events.map(({ raw }) => raw),
        );
        assert.equal(cut.error === undefined, whole.error === undefined);
      }),
      { numRuns: 1_500 },
    );
});

interface Call {
  name: string;
  input: Record<string, unknown>;
}

/** The same answer as chat chunks: arguments cut anywhere, calls interleaved by a choice of turns. */
function chunksOf(text: string, calls: readonly Call[], sizes: readonly number[]): string {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const left = calls.map(({ input }) => JSON.stringify(input));
  let out = text === "" ? "" : chunk({ content: text });
  for (const [index, { name }] of calls.entries())
    out += chunk({ tool_calls: [{ index, id: `id${index}`, function: { name, arguments: "" } }] });
  for (let turn = 0; left.some((rest) => rest !== ""); turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const waiting = [...left.keys()].filter((index) => left[index] !== "");
    const index = waiting[size % waiting.length] ?? 0;
    const args = left[index] ?? "";
    left[index] = args.slice(size);
    out += chunk({ tool_calls: [{ index, function: { arguments: args.slice(0, size) } }] });
  }
  return `${out}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
}

test("any calls, interleaved and cut anywhere, become blocks one after the other", async () => {
  const call = fc.record({
    name: fc.stringMatching(/^[a-z]{1,8}$/),
    input: fc.dictionary(
      fc.string({ unit: "binary", maxLength: 6 }),
      fc.jsonValue({ maxDepth: 2 }),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary" }),
      fc.array(call, { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 11, maxLength: 11 }),
      fc.array(fc.nat(), { minLength: 2, maxLength: 2 }),
      async (text, calls, sizes, cuts) => {
        const bytes = Buffer.from(chunksOf(text, calls, sizes));
        const { events, error } = await readAll(chatReader(request(), 1), piecesOf(bytes, cuts));
        assert.equal(error, undefined);
        const parsed: StreamEvent[] = events.map((event) => event.data());
        const { content } = accumulate(parsed) as { content: Record<string, unknown>[] };
        const expected = [
          ...(text === ""
            ? []
            : [{ type: "text", text: Buffer.from(text).toString(), citations: null }]),
          ...calls.map(({ name, input }, index) => {
            const caller = { type: "direct" };
            const parsed: unknown = parseExactly(JSON.stringify(input));
            return { type: "tool_use", id: `id${index}`, name, input: parsed, caller };
          }),
        ];
        assert.deepEqual(content, expected);
      },
    ),
    { numRuns: 500 },
  );
});
