// A span that has ended, and what takes it.
export type SpanKind = "internal" | "server" | "client";
export type Attributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export interface FinishedSpan {
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  name: string;
  kind: SpanKind;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  error: string | undefined;
}

export interface SpanExporter {
  /** Keeps it until it is sent, or counts it as dropped. */
  take(span: FinishedSpan): void;
  close(): Promise<void>;
}
