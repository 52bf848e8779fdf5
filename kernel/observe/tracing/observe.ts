// Opens what observes a process: its metrics and, where there is a collector, its traces.
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import { openInstruments, type InstrumentSources } from "../instruments.ts";
import { openMetrics } from "../metrics.ts";
import { openExporter } from "./exporter.ts";
import { makeTracer } from "./tracer.ts";

export interface TracingSettings {
  /** Of a collector that takes OTLP over HTTP, without /v1/traces. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** Upstreams that are told which trace a request belongs to. */
  sendTo: readonly string[];
  everyMs?: number;
}

interface ObservedProcess {
  version: string;
  logger: Logger;
  tracing?: TracingSettings | null;
  database: { db: { stats: NonNullable<InstrumentSources["dbStats"]> } };
}

export function observe(
  { version, database, logger, tracing = null }: ObservedProcess,
  { clock, random }: { clock: Clock; random: Random },
) {
  const metrics = openMetrics();
  const dbStats = () => database.db.stats();
  const instruments = openInstruments(metrics, { version, startedAt: clock.now(), dbStats });
  if (tracing !== null) {
    const { sendTo, ...rest } = tracing;
    const exported = instruments.traceSpans.with("exported");
    const dropped = instruments.traceSpans.with("dropped");
    const exporter = openExporter({ ...rest, version, logger, exported, dropped });
    instruments.tracer = makeTracer({ clock, random, exporter, sendTo });
  }
  const closeObserving = async () => {
    await instruments.tracer?.close();
    instruments.close();
  };
  return { metrics, instruments, closeObserving };
}
