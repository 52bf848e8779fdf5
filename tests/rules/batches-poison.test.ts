// Rule BAT37, over HTTP: a batch that breaks costs itself alone. By counts and order, with a clock that is set.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { fakeUpstream, type ReplyWriter, type FakeUpstream } from "../upstreams/fake.ts";
import { type Item, openTimedBatchHouse, params, type TimedBatchHouse } from "./batches-house.ts";
import { until } from "./support.ts";

let b: TimedBatchHouse;
let upstream: FakeUpstream;
/** Who was asked for, in order. */
let asked: string[];

const body = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "barn",
  content: [{ type: "text", text: "Fine." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
});

const refusal = JSON.stringify({ type: "error", error: { type: "api_error", message: "No." } });

/** What an item is called says how it is answered. */
const ways: Record<string, (answering: ReplyWriter) => void> = {
  good: ({ reply }) => reply(200, body),
  /** Closed in the middle of the answer. */
  cut: ({ head, chunk, reset }) => {
    head(200, { "content-type": "application/json" });
    chunk(body.slice(0, 40));
    reset();
  },
  junk: ({ reply }) => reply(200, "<html>"),
  gateway: ({ reply }) => reply(502, refusal),
  later: ({ reply }) => reply(500, refusal, { "retry-after": "3600" }),
  busy: ({ reply }) => reply(429, refusal),
};
const upstreams = [...Object.keys(ways), "turns"];

before(async () => {
  upstream = await fakeUpstream((answering) => {
    const { messages } = JSON.parse(answering.received.body.toString());
    const [way = ""] = String(messages[0].content).split("-");
    asked.push(way);
    ways[way]?.(answering);
  });
  const barn = { kind: "messages", base_url: upstream.url };
  b = await openTimedBatchHouse({
    sections: {
      models: {
        upstreams: Object.fromEntries(upstreams.map((name) => [name, barn])),
        models: upstreams.map((id) => ({ id, upstream: id })),
      },
    },
  });
});
after(async () => {
  await b[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});
beforeEach(() => {
  asked = [];
});

const many = (count: number, way: string, model: string): Item[] =>
  Array.from({ length: count }, (_, at) => ({
    custom_id: `${way}-${at}`,
    params: params(`${way}-${at}`, { model }),
  }));

const countOf = (way: string) => asked.filter((each) => each === way).length;

for (const way of ["cut", "junk", "gateway"])
  test(`[BAT37] items that are answered so leave the upstream to others: ${way}`, async () => {
    const theirs = { key: b.other.api_key };
    const broken = await b.create(many(60, way, way));
    await b.pass(async () => countOf(way) >= 180, "each of them to be tried three times");
    // All of them wait in pauses that do not end any more, because the clock stands still.
    const good = await b.create(many(40, "good", way), theirs);
    await until(async () => countOf("good") === 40, "all of the others to be asked");
    assert.equal(countOf("good"), 40);
    await b.ended(good.id, theirs);
    const { request_counts } = await b.ended(broken.id);
    assert.equal(request_counts.errored, 60);
    assert.equal(countOf(way), 6 * 60);
  });

test("[BAT37] cancelling ends the pauses of a batch at once", async () => {
  const { id } = await b.create(many(12, "later", "later"));
  await b.pass(async () => countOf("later") === 12, "each to be asked");
  const sinceMs = b.clock.monotonicMs();
  assert.equal((await b.cancel(id)).status, 200);
  const { request_counts } = await b.ended(id);
  assert.equal(request_counts.canceled, 12);
  assert.ok(b.clock.monotonicMs() - sinceMs < 3_600_000, "it waited for the pauses");
  assert.equal(countOf("later"), 12);
});

test("[BAT15] [BAT37] workspaces take turns at an upstream that is busy for one of them, too", async () => {
  const theirs = { key: b.other.api_key };
  const broken = await b.create(many(40, "busy", "turns"));
  await b.pass(async () => countOf("busy") >= 12, "the upstream to have said that it is busy");
  const before = asked.length;
  const good = await b.create(many(10, "good", "turns"), theirs);
  await b.pass(async () => countOf("good") === 10, "the others to be asked");
  const order = asked.slice(before);
  const last = order.lastIndexOf("good");
  assert.ok(last < 30, `${last} questions before the tenth of the others: ${order.join(" ")}`);
  await b.ended(good.id, theirs);
  await b.cancel(broken.id);
  await b.ended(broken.id);
});

test("[BAT37] a prompt that makes the simulator say 429 for an hour stops nobody but itself", async () => {
  const theirs = { key: b.other.api_key };
  const prompt = "[[fail status=429 retry_after=3600]]";
  const broken = await b.create([{ custom_id: "poison", params: params(prompt) }]);
  await b.pass(async () => {
    const { cookie } = b.platform;
    const { body } = await b.house.ask("GET", "/console/api/upstreams/health", { cookie });
    return JSON.stringify(body).includes("status 429");
  }, "it to be asked");
  const good = await b.create(many(5, "good", "sim-large"), theirs);
  const { request_counts } = await b.ended(good.id, theirs);
  assert.equal(request_counts.succeeded, 5);
  await b.cancel(broken.id);
  await b.ended(broken.id);
});

test("[BAT36] requests that cannot be read are told of once, asked for ever less often, and go on when they can", async () => {
  const { blobs } = b.house.world;
  const read = blobs.read.bind(blobs);
  using mended = new DisposableStack();
  mended.defer(() => void (blobs.read = read));
  let reads = 0;
  // Other jobs of these ten minutes read blobs too, as that of the audit chain does.
  blobs.read = (key, ...rest) => {
    if (!/^batches\/.*\/requests$/.test(key)) return read(key, ...rest);
    reads += 1;
    throw new Error("no such file");
  };
  const { id } = await b.create(many(3, "good", "turns"));
  const sinceMs = b.clock.monotonicMs();
  await b.pass(async () => b.clock.monotonicMs() - sinceMs > 600_000, "ten minutes to pass");
  assert.ok(reads > 5 && reads < 60, `${reads} times in ten minutes`);
  const told = b.house.expectErrors().map(({ message }) => message);
  assert.deepEqual(told, ["the requests of a batch cannot be read"]);
  mended.dispose();
  const { request_counts } = await b.ended(id);
  assert.equal(request_counts.succeeded, 3);
});
