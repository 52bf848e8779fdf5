// Traces: spans of what a server does for a request, under the trace that its caller began. See RULES.md.
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Attributes, FinishedSpan, SpanExporter, SpanKind } from "./finished-span.ts";

export interface NewSpan {
  name: string;
  kind: SpanKind;
  attributes?: Attributes;
  /** The id of the request, or other work, that it is a part of; a trace of its own where that is not under way. */
  under?: string;
  /** While it is open, others may be under it by this id. */
  id?: string;
  /** As the caller sent it; what is no such header is as if there were none. */
  traceparent?: string | undefined;
  /** Where others know it by ids that are made elsewhere: 32 and 16 hexadecimal digits. */
  traceId?: string;
  spanId?: string;
  /** It began so many seconds ago. */
  afterSeconds?: number;
}

export interface SpanEnd {
  name?: string;
  attributes?: Attributes;
  /** What went wrong, as a word or a code: never a text, which may hold what people wrote. */
  error?: string | undefined;
}

export interface Span {
  /** As a header. */
  readonly traceparent: string;
  /** A second time it does nothing. */
  end(how?: SpanEnd): void;
}

export interface Tracer {
  begin(span: NewSpan): Span;
  /** Whether the upstream, or MCP server, of this name is told which trace a request belongs to. */
  sendsTo(name: string): boolean;
  /** Sends what waits, once. */
  close(): Promise<void>;
}

interface SpanContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

/** As https://www.w3.org/TR/trace-context/ has it; a version from the future may have more behind. */
const header =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

function readTraceparent(text: string | undefined): SpanContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = header.exec(text ?? "") ?? [];
  if (version === undefined || (version === "00" && more === "-")) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export interface TracerOptions {
  clock: Clock;
  random: Random;
  exporter: SpanExporter;
  sendTo: readonly string[];
}

export function makeTracer({ clock, random, exporter, sendTo }: TracerOptions): Tracer {
  const open = new Map<string, SpanContext>();
  const told = new Set(sendTo);
  const idOf = (bytes: number) => random.bytes(bytes).toString("hex");

  return {
    sendsTo: (name) => told.has(name),
    close: () => exporter.close(),
    begin: (span) => {
      const { name, kind, attributes = {}, under, id, traceparent, afterSeconds = 0 } = span;
      const parent =
        (under === undefined ? undefined : open.get(under)) ?? readTraceparent(traceparent);
      const own: SpanContext = {
        traceId: parent?.traceId ?? span.traceId ?? idOf(16),
        spanId: span.spanId ?? idOf(8),
        isSampled: parent?.isSampled ?? true,
      };
      if (id !== undefined) open.set(id, own);
      const startMs = clock.now().getTime() - afterSeconds * 1_000;
      const startedMs = clock.monotonicMs() - afterSeconds * 1_000;
      let isOver = false;
      return {
        traceparent: `00-${own.traceId}-${own.spanId}-${own.isSampled ? "01" : "00"}`,
        end: (how = {}) => {
          if (isOver) return;
          isOver = true;
          if (id !== undefined && open.get(id) === own) open.delete(id);
          if (!own.isSampled) return;
          const finished: FinishedSpan = {
            traceId: own.traceId,
            spanId: own.spanId,
            parentId: parent?.spanId,
            name: how.name ?? name,
            kind,
            startMs,
            endMs: startMs + (clock.monotonicMs() - startedMs),
            attributes: { ...attributes, ...how.attributes },
            error: how.error,
          };
          exporter.take(finished);
        },
      };
    },
  };
}
