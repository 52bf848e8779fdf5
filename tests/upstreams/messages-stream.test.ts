// The adapter for this wire: streams, however they are cut, shaped, slowed down or broken off.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import type { Attempt } from "../../server/models/types.ts";
import { messagesAdapter } from "../../server/models/messages/adapter.ts";
import { collectEvents, fakeUpstream, request, streamedReply, waitUntil, world } from "./fake.ts";
import { otherShapes, plainFrame, plainStream, sampleEvents } from "./sample.ts";

async function upstream(t: { after(fn: () => Promise<void>): void }) {
  const fake = await fakeUpstream();
  const adapter = messagesAdapter({ baseUrl: fake.url, key: "sk-up", ...world });
  t.after(async () => {
    await adapter.close();
    await waitUntil("no connection is left", () => fake.open() === 0);
    await fake[Symbol.asyncDispose]();
  });
  return { fake, adapter };
}

function eventsIn(attempt: Attempt) {
  assert.equal(attempt.kind, "stream");
  return attempt.kind === "stream" ? attempt.events : assert.fail();
}

test("a stream is relayed byte for byte, over kept connections", async (t) => {
  const { fake, adapter } = await upstream(t);
  fake.answer = streamedReply(plainStream);
  for (let round = 0; round < 8; round++) {
    const { events, error } = await collectEvents(eventsIn(await adapter.attempt(request())));
    assert.equal(error, undefined);
    assert.equal(events.map(({ raw }) => raw).join(""), plainStream);
    assert.deepEqual(
      events.map((event) => event.data()),
      sampleEvents,
    );
    await waitUntil("the reply is over", () => adapter.health().open === 0);
  }
  // The pool takes a connection back a moment after the reply: the second request may need another.
  assert.ok(fake.accepted() <= 2, `${fake.accepted()} connections`);
});

test("wherever HTTP chunks are cut, the bytes are the same", async (t) => {
  const { fake, adapter } = await upstream(t);
  const bytes = Buffer.from(plainStream);
  for (let cut = 1; cut < bytes.length; cut += 7) {
    fake.answer = async ({ head, chunk, flushed, end }) => {
      head(200);
      chunk(bytes.subarray(0, cut));
      await flushed();
      chunk(bytes.subarray(cut));
      end();
    };
    const { events, error } = await collectEvents(eventsIn(await adapter.attempt(request())));
    assert.equal(error, undefined);
    assert.equal(events.map(({ raw }) => raw).join(""), plainStream, `cut at ${cut}`);
  }
});

for (const [name, text] of Object.entries(otherShapes))
  test(`other shapes are framed anew: ${name}`, async (t) => {
    const { fake, adapter } = await upstream(t);
    fake.answer = streamedReply(text);
    const { events, error } = await collectEvents(eventsIn(await adapter.attempt(request())));
    assert.equal(error, undefined);
    assert.deepEqual(
      events.map((event) => event.data()),
      sampleEvents,
    );
    for (const { raw, name } of events)
      assert.match(raw, new RegExp(`^event: ${name}\ndata: .*\n\n$`));
  });

test("an event of 1 MB passes, one above the limit is a clean failure", async (t) => {
  const { fake, adapter } = await upstream(t);
  const [start = { type: "" }] = sampleEvents;
  const large = (size: number) =>
    plainFrame({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "ü".repeat(size / 2) },
    });
  const oneMegabyte = plainFrame(start) + large(1024 * 1024) + plainFrame({ type: "message_stop" });
  fake.answer = ({ head, chunk, end }) => {
    head(200, { connection: "close" });
    chunk(oneMegabyte);
    end();
  };
  const whole = await collectEvents(eventsIn(await adapter.attempt(request())));
  assert.equal(whole.events.map(({ raw }) => raw).join(""), oneMegabyte);
  await waitUntil("the connection is closed", () => fake.open() === 0);

  fake.answer = streamedReply(plainFrame(start) + large(9 * 1024 * 1024));
  const { events, error } = await collectEvents(eventsIn(await adapter.attempt(request())));
  assert.equal(events.length, 1);
  assert.ok(error instanceof Failure);
  assert.match(error.message, /one event of more than/);
  await waitUntil("the connection is closed", () => fake.open() === 0);
});

test("an upstream that dies after any event is a clean failure, after what it said", async (t) => {
  const { fake, adapter } = await upstream(t);
  for (const how of ["end", "reset", "half"] as const)
    for (let count = 1; count < sampleEvents.length; count++) {
      fake.answer = async ({ head, chunk, flushed, end, reset, socket }) => {
        head(200);
        chunk(sampleEvents.slice(0, count).map(plainFrame).join(""));
        if (how === "half") chunk(plainFrame(sampleEvents[count] ?? { type: "" }).slice(0, -9));
        await flushed();
        await waitUntil("the events were read", () => adapter.health().answerMs.length > 0);
        if (how === "end") end();
        else if (how === "reset") reset();
        else socket.destroy();
      };
      const attempt = await adapter.attempt(request());
      if (attempt.kind === "failure") {
        assert.equal(how, "reset"); // the kernel may throw away what was sent before it
        continue;
      }
      const { events, error } = await collectEvents(eventsIn(attempt));
      assert.ok(error instanceof Failure, `${how} after ${count}`);
      assert.equal(error.type, "api_error");
      const said = sampleEvents.slice(0, count).map(plainFrame);
      assert.deepEqual(
        events.map(({ raw }) => raw),
        said.slice(0, how === "reset" ? events.length : count),
      );
    }
  assert.equal(adapter.health().open, 0);
});

test("a client that goes away after any event closes the upstream's connection", async (t) => {
  const { fake, adapter } = await upstream(t);
  for (const how of ["abort", "return"] as const)
    for (let count = 1; count < sampleEvents.length; count++) {
      fake.answer = ({ head, chunk }) => {
        head(200);
        for (const event of sampleEvents.slice(0, count)) chunk(plainFrame(event));
      };
      const gone = new AbortController();
      const reason = new Error("gone");
      const attempt = await adapter.attempt(request({ signal: gone.signal }));
      const iterator = eventsIn(attempt)[Symbol.asyncIterator]();
      for (let seen = 0; seen < count;) {
        const { value } = (await iterator.next()) as { value: readonly unknown[] };
        seen += value.length;
      }
      const pending = iterator.next();
      if (how === "abort") {
        gone.abort(reason);
        await assert.rejects(pending, reason);
      } else {
        await iterator.return?.();
        assert.equal((await pending).done, true);
      }
      await waitUntil("the connection is closed", () => fake.open() === 0);
    }
  assert.equal(adapter.health().open, 0);
});
