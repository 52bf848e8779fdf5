// Both adapters and the probe against a model server that we did not write, with its faults switched on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { Failure } from "../../kernel/base/failure.ts";
import type { Adapter } from "../../server/models/types.ts";
import { chatAdapter } from "../../server/models/chat/adapter.ts";
import { messagesAdapter } from "../../server/models/messages/adapter.ts";
import { probe } from "../../server/models/discovery/probe.ts";
import { accumulate } from "./accumulate.ts";
import { collectEvents, request, waitUntil, world } from "./fake.ts";

type Faults = Parameters<LLMock["setChaos"]>[0];

async function other(
  t: { after(fn: () => Promise<void>): void },
  faults: Faults = {},
): Promise<{ mock: LLMock; adapters: readonly Adapter[] }> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 3, chaos: faults });
  await mock.start();
  const options = { baseUrl: mock.url, key: "sk-any", ...world };
  const adapters = [messagesAdapter(options), chatAdapter({ ...options, estimate: () => 7 })];
  t.after(async () => {
    await Promise.all(adapters.map((adapter) => adapter.close()));
    await mock.stop();
  });
  return { mock, adapters };
}

async function streamedBy(adapter: Adapter) {
  const attempt = await adapter.attempt(request());
  if (attempt.kind !== "stream") return assert.fail(attempt.kind);
  const { events, error } = await collectEvents(attempt.events);
  assert.equal(error, undefined);
  return accumulate(events.map((event) => event.data()));
}

type Blocks = Record<string, unknown>[];
const bare = (content: unknown) =>
  (content as Blocks).map(({ type, text, thinking, name, input }) =>
    Object.fromEntries(
      Object.entries({ type, text, thinking, name, input }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
  );

test("text, reasoning and calls arrive whole, streamed or not, over both wires", async (t) => {
  const { mock, adapters } = await other(t);
  mock.onMessage("Hello", {
    content: "Größe: 日本 🦆 done",
    reasoning: "Ich denke…",
    toolCalls: [
      { name: "look", arguments: { at: "é" } },
      { name: "go", arguments: { n: [1, 2] } },
    ],
  });
  const expected = [
    { type: "thinking", thinking: "Ich denke…" },
    { type: "text", text: "Größe: 日本 🦆 done" },
    { type: "tool_use", name: "look", input: { at: "é" } },
    { type: "tool_use", name: "go", input: { n: [1, 2] } },
  ];
  for (const adapter of adapters) {
    const message = await streamedBy(adapter);
    assert.deepEqual(bare(message["content"]), expected);
    assert.equal(message["stop_reason"], "tool_use");
    const attempt = await adapter.attempt(request({ stream: false }));
    const whole = attempt.kind === "message" ? attempt.message : assert.fail(attempt.kind);
    assert.deepEqual(bare(whole.content), expected);
    assert.equal(whole.stop_reason, "tool_use");
  }
});

test("its errors are failures with a status; its faults never anything else", async (t) => {
  const { mock, adapters } = await other(t);
  mock.onMessage("Hello", { content: "Hi there, this takes some chunks" });
  for (const adapter of adapters)
    for (const stream of [true, false]) {
      mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
      const limited = await adapter.attempt(request({ stream }));
      const failure = limited.kind === "failure" ? limited.failure : assert.fail(limited.kind);
      assert.deepEqual([failure.status, failure.type], [429, "rate_limit_error"]);
      assert.match(failure.message, /slow down/);
    }
  const faults: Faults[] = [
    { dropRate: 1 },
    { malformedRate: 1 },
    { disconnectRate: 1 },
    { rateLimitRate: 1 },
  ];
  for (const fault of faults) {
    mock.setChaos(fault);
    for (const adapter of adapters)
      for (const stream of [true, false]) {
        const attempt = await adapter.attempt(request({ stream }));
        if (attempt.kind === "failure") continue;
        const name = `${JSON.stringify(fault)} ${stream}`;
        if (attempt.kind === "message") assert.fail(name);
        const { error } = await collectEvents(attempt.events);
        assert.ok(error instanceof Failure, name);
      }
  }
  mock.clearChaos();
  for (const adapter of adapters) {
    assert.equal((await streamedBy(adapter))["stop_reason"], "end_turn");
    await waitUntil("nothing is under way", () => adapter.health().open === 0);
  }
});

test("a stream that it cuts is a clean failure after what came", async (t) => {
  const { mock, adapters } = await other(t);
  const content = "many words that come in pieces ".repeat(20);
  mock.onMessage("Hello", { content }, { truncateAfterChunks: 9 });
  for (const adapter of adapters) {
    const attempt = await adapter.attempt(request());
    if (attempt.kind !== "stream") continue;
    const { error } = await collectEvents(attempt.events);
    assert.ok(error instanceof Failure);
    assert.equal(error.type, "api_error");
  }
});

test("half of the answers fail, many at a time: the others are right and nothing leaks", async (t) => {
  const { mock, adapters } = await other(t, {
    dropRate: 0.15,
    malformedRate: 0.15,
    disconnectRate: 0.2,
  });
  mock.onMessage("Hello", { content: "Größe 🦆" });
  for (const adapter of adapters) {
    const outcomes = await Promise.all(
      Array.from({ length: 120 }, async () => {
        const attempt = await adapter.attempt(request());
        if (attempt.kind !== "stream") return "failed";
        const { events, error } = await collectEvents(attempt.events);
        if (error !== undefined) return error instanceof Failure ? "failed" : "broken";
        const { content } = accumulate(events.map((event) => event.data()));
        return bare(content)[0]?.["text"] === "Größe 🦆" ? "right" : "wrong";
      }),
    );
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    assert.deepEqual([count("broken"), count("wrong")], [0, 0]);
    assert.ok(count("right") > 20 && count("failed") > 20, outcomes.join(" "));
    await waitUntil("nothing is under way", () => adapter.health().open === 0);
  }
});

test("it is recognized", async (t) => {
  const { mock } = await other(t);
  // It speaks both; to a message without words it says 404, so the second is found.
  const { kind, models } = await probe({ baseUrl: mock.url });
  assert.equal(kind, "chat");
  assert.ok(models.includes("gpt-4o"));
});
