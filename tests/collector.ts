// A collector of traces as tests need one: takes OTLP/HTTP as JSON, and nothing that has not the published shape.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { until } from "./rules/support.ts";

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  status: { code?: number; message?: string };
}

export interface Collector extends AsyncDisposable {
  url: string;
  spans: readonly CollectedSpan[];
  /** Everything that was sent, as it came. */
  bodies: readonly string[];
  headers: readonly Record<string, unknown>[];
  /** What it answers from now on. */
  answer(status: number): void;
  /** Waits for the first span that fits. */
  find(fits: (span: CollectedSpan) => boolean, what: string): Promise<CollectedSpan>;
}

export async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const wrong: unknown[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      if (status === 200)
        try {
          assert.equal(`${request.method} ${request.url}`, "POST /v1/traces");
          assert.equal(request.headers["content-type"], "application/json");
          bodies.push(body);
          headers.push(request.headers);
          spans.push(...readExport(JSON.parse(body)));
        } catch (error) {
          wrong.push(error);
        }
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers,
    answer: (next) => void (status = next),
    find: (fits, what) => until(async () => spans.find(fits), `the span of ${what}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      assert.deepEqual(wrong, [], "exports have not the shape of OTLP");
    },
  };
}

type Fields = Record<string, unknown>;

/** As opentelemetry/proto/collector/trace/v1 has it in ProtoJSON; a field that it does not know fails. */
function readExport(value: unknown): CollectedSpan[] {
  return listOf(closed(value, ["resourceSpans"]), "resourceSpans").flatMap((each) => {
    const { resource, scopeSpans } = closed(each, ["resource", "scopeSpans"]);
    const about = attributesOf(closed(resource, ["attributes"]));
    assert.equal(typeof about["service.name"], "string");
    return listOf({ scopeSpans }, "scopeSpans").flatMap((scoped) => {
      const { scope, spans } = closed(scoped, ["scope", "spans"]);
      assert.equal(closed(scope, ["name", "version"])["name"], "plinth");
      return listOf({ spans }, "spans").map(readSpan);
    });
  });
}

const spanFields = [
  "traceId",
  "spanId",
  "parentSpanId",
  "name",
  "kind",
  "startTimeUnixNano",
  "endTimeUnixNano",
  "attributes",
  "status",
];

function readSpan(value: unknown): CollectedSpan {
  const span = closed(value, spanFields);
  assert.match(String(span["traceId"]), /^(?!0+$)[0-9a-f]{32}$/);
  assert.match(String(span["spanId"]), /^(?!0+$)[0-9a-f]{16}$/);
  if ("parentSpanId" in span) assert.match(String(span["parentSpanId"]), /^[0-9a-f]{16}$/);
  assert.ok([1, 2, 3, 4, 5].includes(span["kind"] as number), "kind");
  const [start, end] = ["startTimeUnixNano", "endTimeUnixNano"].map((name) => {
    assert.equal(typeof span[name], "string", `${name} is a text`);
    assert.match(String(span[name]), /^\d{19}$/);
    return BigInt(String(span[name]));
  });
  assert.ok((start ?? 1n) <= (end ?? 0n), "it ends before it begins");
  const status = closed(span["status"], ["code", "message"]);
  if ("code" in status) assert.ok([0, 1, 2].includes(status["code"] as number));
  const attributes = attributesOf(span);
  return { ...(span as unknown as CollectedSpan), attributes };
}

function attributesOf(from: Fields): Fields {
  return Object.fromEntries(
    listOf(from, "attributes").map((each) => {
      const { key, value } = closed(each, ["key", "value"]);
      return [String(key), valueOf(value)];
    }),
  );
}

function valueOf(value: unknown): unknown {
  const [[kind, held] = ["nothing"], ...more] = Object.entries(value as Fields);
  assert.equal(more.length, 0, "a value is of one kind");
  if (kind === "stringValue") return String(held);
  if (kind === "boolValue" || kind === "doubleValue") return held;
  if (kind === "arrayValue") return listOf(held as Fields, "values").map(valueOf);
  assert.equal(kind, "intValue");
  assert.match(held as string, /^-?\d+$/);
  return Number(held);
}

function closed(value: unknown, names: readonly string[]): Fields {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value));
  for (const name of Object.keys(value)) assert.ok(names.includes(name), `${name} is no field`);
  return value as Fields;
}

function listOf(from: Fields, name: string): unknown[] {
  const list = from[name];
  assert.ok(Array.isArray(list), `${name} is a list`);
  return list;
}
