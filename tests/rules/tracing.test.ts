// Rules TRC1 to TRC5, over HTTP: what a collector hears, and what it does not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { silentLogger } from "../../kernel/base/logger.ts";
import { openExporter } from "../../kernel/observe/tracing/exporter.ts";
import { limits } from "../../kernel/observe/tracing/limits.ts";
import { traceOfSession } from "../../server/sessions/servers/tools.ts";
import { openCollector, type CollectedSpan, type Collector } from "../collector.ts";
import { openHouse, type House } from "../house.ts";
import { scrape } from "../prometheus.ts";
import { fakeUpstream, type FakeUpstream } from "../upstreams/fake.ts";
import { toLoopback, withServers } from "./mcp-house.ts";
import { newBeta, openDocs } from "./messages-mcp-house.ts";
import { openSessionHouse, type SessionHouse } from "./sessions-work-house.ts";
import { until } from "./support.ts";

const answer = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "far",
  content: [{ type: "text", text: "Whispered answer." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 5 },
});

let collector: Collector;
let fake: FakeUpstream;
let s: SessionHouse;
let house: House;
let dark: House;
before(async () => {
  collector = await openCollector();
  fake = await fakeUpstream(({ reply }) => reply(200, answer));
  const models = {
    upstreams: {
      near: { kind: "messages", base_url: fake.url },
      away: { kind: "messages", base_url: "http://127.0.0.1:9" },
      other: { kind: "messages", base_url: fake.url },
    },
    models: [
      { id: "told", upstream: "near", upstream_model: "far" },
      { id: "untold", upstream: "other" },
      { id: "gone", upstream: "away" },
    ],
  } as const;
  const tracing = {
    endpoint: collector.url,
    headers: { "x-tenant": "seven" },
    serviceName: "house",
    sendTo: ["near"],
    everyMs: 20,
  };
  [s, dark] = await Promise.all([
    openSessionHouse({ sections: { models, network: toLoopback }, tracing }),
    openHouse({ sections: { models } }),
  ]);
  ({ house } = s);
});
after(async () => {
  await s[Symbol.asyncDispose]();
  await dark[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

const traceId = (digit: string) => digit.repeat(32);
const message = (of: House, model: string, traceparent?: string) =>
  of.ask("POST", "/v1/messages", {
    key: of.organizations.platform.api_key,
    headers: { ...(traceparent && { traceparent }) },
    body: { model, max_tokens: 50, messages: [{ role: "user", content: "Whispered question." }] },
  });
const sentHeader = () => fake.requests.at(-1)?.headers["traceparent"];

test("[TRC1] without a collector nothing is traced, and no header goes out", async () => {
  assert.equal(dark.world.instruments.tracer, undefined);
  assert.equal(
    (await message(dark, "told", `00-${traceId("d")}-${"d".repeat(16)}-01`)).status,
    200,
  );
  assert.equal(sentHeader(), undefined);
});

test("[TRC2] [TRC3] a message is a trace under its caller's, with names of the conventions", async () => {
  const parent = "b".repeat(16);
  const { status, body, headers } = await message(house, "told", `00-${traceId("a")}-${parent}-01`);
  assert.equal(status, 200, JSON.stringify(body));
  const isOurs = ({ traceId: id }: { traceId: string }) => id === traceId("a");
  const hop = await collector.find((span) => isOurs(span) && span.kind === 3, "the question");
  const own = await collector.find((span) => isOurs(span) && span.kind === 2, "the request");
  assert.deepEqual([own.parentSpanId, own.name], [parent, "POST messages.create"]);
  assert.equal(own.attributes["plinth.request_id"], headers.get("request-id"));
  assert.equal(own.attributes["http.response.status_code"], 200);
  assert.deepEqual([hop.parentSpanId, hop.name], [own.spanId, "chat told"]);
  const about = Object.entries(hop.attributes).filter(([name]) => name.startsWith("gen_ai."));
  assert.deepEqual(Object.fromEntries(about), {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "near",
    "gen_ai.request.model": "told",
    "gen_ai.response.model": "far",
    "gen_ai.request.max_tokens": 50,
    "gen_ai.usage.input_tokens": 15,
    "gen_ai.usage.output_tokens": 2,
    "gen_ai.usage.cache_creation.input_tokens": 0,
    "gen_ai.usage.cache_read.input_tokens": 5,
    "gen_ai.response.finish_reasons": ["end_turn"],
  });
  assert.equal(collector.headers.at(-1)?.["x-tenant"], "seven");
});

test("[TRC5] the header goes to the upstreams that are named, with the span of the question", async () => {
  assert.equal(
    (await message(house, "told", `00-${traceId("c")}-${"c".repeat(16)}-01`)).status,
    200,
  );
  const sent = sentHeader();
  const isOurs = (span: { traceId: string; kind: number }) =>
    span.traceId === traceId("c") && span.kind === 3;
  const hop = await collector.find(isOurs, "the question");
  assert.equal(sent, `00-${traceId("c")}-${hop.spanId}-01`);
  assert.equal((await message(house, "untold")).status, 200);
  assert.equal(sentHeader(), undefined);
});

test("[TRC2] what is not recorded makes no spans, and a header that is none is not believed", async () => {
  const unrecorded = traceId("e");
  assert.equal((await message(house, "told", `00-${unrecorded}-${"e".repeat(16)}-00`)).status, 200);
  assert.match(String(sentHeader()), new RegExp(`^00-${unrecorded}-[0-9a-f]{16}-00$`));
  for (const wrong of [
    `00-${traceId("0")}-${"1".repeat(16)}-01`,
    "00-xyz",
    `ff-${traceId("f")}-${"f".repeat(16)}-01`,
  ]) {
    const { headers } = await message(house, "told", wrong);
    const id = headers.get("request-id");
    const own = await collector.find(
      ({ attributes }) => attributes["plinth.request_id"] === id,
      "a request",
    );
    assert.equal(own.parentSpanId, undefined);
    assert.ok(![traceId("0"), traceId("f")].includes(own.traceId));
  }
  assert.deepEqual(
    collector.spans.filter((span) => span.traceId === unrecorded),
    [],
  );
});

test("[TRC3] a failure is told by its type, and a request that was wrong is none", async () => {
  const spanOf = (headers: Headers) => {
    const id = headers.get("request-id");
    return collector.find(({ attributes }) => attributes["plinth.request_id"] === id, "a request");
  };
  const unknown = await message(house, "nothing-of-the-kind");
  assert.equal(unknown.status, 404);
  assert.deepEqual((await spanOf(unknown.headers)).status, {});
  const failed = await message(house, "gone");
  assert.equal(failed.status, 503);
  assert.equal(house.expectErrors().length, 1);
  const own = await spanOf(failed.headers);
  assert.deepEqual(own.status, { code: 2, message: "503" });
  const hop = await collector.find(({ name }) => name === "chat gone", "the question");
  assert.deepEqual([hop.parentSpanId, hop.attributes["error.type"]], [own.spanId, "api_error"]);
});

test("[TRC2] calls of MCP servers are spans, of messages and of sessions", async () => {
  await using docs = await openDocs();
  const asked = await house.ask("POST", "/v1/messages", {
    key: house.organizations.platform.api_key,
    headers: { "anthropic-beta": newBeta },
    body: {
      model: "sim-small",
      max_tokens: 100,
      messages: [{ role: "user", content: 'Look. [[tool search {"text":"fish"}]]' }],
      mcp_servers: [{ type: "url", name: "docs", url: docs.url }],
      tools: [{ type: "mcp_toolset", mcp_server_name: "docs" }],
    },
  });
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const id = asked.headers.get("request-id");
  const isOwn = ({ attributes }: CollectedSpan) => attributes["plinth.request_id"] === id;
  const own = await collector.find(isOwn, "the request");
  const isCall = ({ name, parentSpanId }: CollectedSpan) =>
    name === "tools/call search" && parentSpanId === own.spanId;
  const call = await collector.find(isCall, "the message's call");
  assert.equal(call.attributes["mcp.method.name"], "tools/call");
  const session = await s.begin({ agent: withServers({ url: docs.url }) });
  await s.talk(session, 'Look. [[tool search {"text":"Whispered fish"}]]');
  const isOfSession = ({ name, attributes }: CollectedSpan) =>
    name === "tools/call search" && attributes["gen_ai.conversation.id"] === session;
  const called = await collector.find(isOfSession, "the session's call");
  // What the server is told: rule MCP29.
  const known = traceOfSession(session, String(called.attributes["gen_ai.tool.call.id"]));
  assert.deepEqual([called.traceId, called.spanId], [known.traceId, known.spanId]);
});

test("[TRC2] items of batches, jobs, turns of sessions and their tools are spans", async () => {
  const key = house.organizations.platform.api_key;
  const params = { model: "told", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] };
  const requests = [{ custom_id: "a", params }];
  const made = await house.ask("POST", "/v1/messages/batches", { key, body: { requests } });
  const item = await collector.find(
    ({ name, attributes }) =>
      name === "batch item" && attributes["plinth.batch_id"] === made.body.id,
    "the item",
  );
  await collector.find(({ parentSpanId }) => parentSpanId === item.spanId, "its question");
  await collector.find(({ name }) => name === "job batches.finish", "a job");
  const id = await s.begin();
  await s.talk(id, "Whispered hello");
  const isTurn = (span: { name: string; attributes: Record<string, unknown> }) =>
    span.name === "invoke_agent" && span.attributes["gen_ai.conversation.id"] === id;
  const turn = await collector.find(isTurn, "the turn");
  const asked = await collector.find(
    ({ parentSpanId }) => parentSpanId === turn.spanId,
    "the turn's question",
  );
  assert.equal(asked.traceId, turn.traceId);
});

test("[TRC3] nothing that people or models wrote was sent", () => {
  assert.ok(collector.bodies.length > 0);
  for (const body of collector.bodies) assert.doesNotMatch(body, /Whispered/);
});

test("[TRC4] a collector that is away loses nothing that fits, and one that refuses is counted", async () => {
  const droppedNow = async () =>
    (await scrape(house)).value('plinth_trace_spans_total{outcome="dropped"}') ?? 0;
  assert.equal(await droppedNow(), 0);
  collector.answer(503);
  const { headers } = await message(house, "told");
  await until(
    async () => house.log.some(({ message: said }) => said === "traces could not be sent"),
    "the warning",
  );
  collector.answer(200);
  const id = headers.get("request-id");
  await collector.find(({ attributes }) => attributes["plinth.request_id"] === id, "the request");
  assert.equal(await droppedNow(), 0);
  collector.answer(400);
  await message(house, "told");
  await until(async () => (await droppedNow()) > 0, "dropped spans");
  collector.answer(200);
});

test("[TRC4] no more wait than may", async () => {
  const counts = { exported: 0, dropped: 0 };
  const cell = (name: keyof typeof counts) => ({ inc: (by = 1) => void (counts[name] += by) });
  const exporter = openExporter({
    endpoint: "http://127.0.0.1:9",
    headers: {},
    serviceName: "t",
    version: "1",
    logger: silentLogger,
    exported: cell("exported"),
    dropped: cell("dropped"),
    everyMs: 60_000,
  });
  const span = {
    traceId: traceId("1"),
    spanId: "1".repeat(16),
    parentId: undefined,
    name: "n",
    kind: "internal",
    startMs: 1,
    endMs: 2,
    attributes: {},
    error: undefined,
  } as const;
  for (let at = 0; at < limits.spansWaitingMax + 1_000; at++) exporter.take(span);
  // One group of them is on its way.
  assert.ok(counts.dropped >= 1_000 - limits.spansPerExportMax, `${counts.dropped} were dropped`);
  await exporter.close();
  assert.deepEqual(counts, { exported: 0, dropped: limits.spansWaitingMax + 1_000 });
});
