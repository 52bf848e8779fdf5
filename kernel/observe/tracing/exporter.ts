// Spans on their way to a collector: OTLP over HTTP, as JSON, many at a time and never in the way of a request.
import { request } from "undici";
import type { Logger } from "../../base/logger.ts";
import type { CounterCell } from "../metrics.ts";
import type { Attributes, FinishedSpan, SpanExporter, SpanKind } from "./finished-span.ts";
import { limits } from "./limits.ts";

export interface ExporterOptions {
  /** Of the collector, without /v1/traces. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  version: string;
  logger: Logger;
  exported: CounterCell;
  dropped: CounterCell;
  everyMs?: number;
}

export function openExporter(options: ExporterOptions): SpanExporter {
  const { logger, exported, dropped, everyMs = limits.exportEveryMs } = options;
  const url = `${options.endpoint.replace(/\/+$/, "")}/v1/traces`;
  let waiting: FinishedSpan[] = [];
  let sending: Promise<void> | undefined;
  let isFailing = false;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, limits.spansPerExportMax);
      const problem = await post(url, options, batch);
      if (problem === undefined) {
        exported.inc(batch.length);
        isFailing = false;
        continue;
      }
      if (!isFailing) logger.warn({ problem: problem.what }, "traces could not be sent");
      isFailing = true;
      // What may be taken later waits for the next time, where there is room.
      const room = problem.isPassing ? Math.max(0, limits.spansWaitingMax - waiting.length) : 0;
      waiting = [...batch.slice(0, room), ...waiting];
      if (batch.length > room) dropped.inc(batch.length - room);
      return;
    }
  }

  const send = () =>
    (sending ??= sendAll().finally(() => {
      sending = undefined;
    }));
  const timer = setInterval(() => void send(), everyMs);
  timer.unref();
  return {
    take: (span) => {
      if (waiting.length >= limits.spansWaitingMax) return dropped.inc();
      waiting.push(span);
      if (waiting.length === limits.spansPerExportMax && !isFailing) void send();
    },
    close: async () => {
      clearInterval(timer);
      await sending;
      await send();
      if (waiting.length > 0) dropped.inc(waiting.length);
      waiting = [];
    },
  };
}

/** A collector that is away or has too much to do may take it later; what it refuses it would refuse again. */
interface Problem {
  what: string;
  isPassing: boolean;
}

const passing: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

async function post(
  url: string,
  { headers, serviceName, version }: ExporterOptions,
  spans: readonly FinishedSpan[],
): Promise<Problem | undefined> {
  try {
    const { statusCode, body } = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(otlpOf(spans, { serviceName, version })),
      signal: AbortSignal.timeout(limits.exportMs),
    });
    await body.dump();
    if (statusCode < 300) return undefined;
    return { what: `status ${statusCode}`, isPassing: passing.has(statusCode) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return { what: code, isPassing: true };
  }
}

const kindNumbers: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 };

/** ExportTraceServiceRequest as ProtoJSON: ids in hexadecimal, 64-bit numbers as text, enums as numbers. */
export function otlpOf(
  spans: readonly FinishedSpan[],
  { serviceName, version }: Pick<ExporterOptions, "serviceName" | "version">,
): object {
  const resource = { "service.name": serviceName, "service.version": version };
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: "plinth", version }, spans: spans.map(spanOf) }],
      },
    ],
  };
}

const nanoText = (ms: number) => `${Math.round(ms * 1_000)}000`;

function spanOf(span: FinishedSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
    name: span.name,
    kind: kindNumbers[span.kind],
    startTimeUnixNano: nanoText(span.startMs),
    endTimeUnixNano: nanoText(span.endMs),
    attributes: keyValues({
      ...span.attributes,
      ...(span.error !== undefined && { "error.type": span.error }),
    }),
    status: span.error === undefined ? {} : { code: 2, message: span.error },
  };
}

const keyValues = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );

function anyValue(value: string | number | boolean | readonly string[]): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
