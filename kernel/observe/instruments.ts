// The metrics of this server that every part shares: their names, labels and buckets in one place.
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { CounterCell, Family, GaugeCell, HistogramCell, Metrics } from "./metrics.ts";
import type { Tracer } from "./tracing/tracer.ts";
import { openModelInstruments, type ModelInstruments } from "./models/instruments.ts";

export interface Instruments extends ModelInstruments, StoreInstruments, LogInstruments {
  httpRequests: Family<readonly ["operation", "status"], CounterCell>;
  httpSeconds: Family<readonly ["operation"], HistogramCell>;
  jobsFinished: Family<readonly ["kind", "outcome"], CounterCell>;
  jobSeconds: Family<readonly ["kind"], HistogramCell>;
  dbConnections: Family<readonly ["state"], GaugeCell>;
  batchResults: Family<readonly ["type"], CounterCell>;
  /** Requests of batches that an upstream gets at once, at most. */
  batchWidth: Family<readonly ["upstream"], GaugeCell>;
  /** Messages of the bus that did not reach a peer. */
  busLost: Family<readonly ["reason"], CounterCell>;
  /** Undefined where traces are off. */
  tracer: Tracer | undefined;
  /** Spans by what became of them. */
  traceSpans: Family<readonly ["outcome"], CounterCell>;
  close(): void;
}

/** What the database and the disk hold: each process looks now and then, and all find the same. */
export interface StoreInstruments {
  jobsWaiting: Family<readonly ["state"], GaugeCell>;
  queueDepth: Family<readonly ["queue"], GaugeCell>;
  queueOldestSeconds: Family<readonly ["queue"], GaugeCell>;
  sessions: Family<readonly ["state"], GaugeCell>;
  sandboxes: Family<readonly ["state"], GaugeCell>;
  blobBytes: Family<readonly ["kind"], GaugeCell>;
  diskFreeBytes: Family<readonly [], GaugeCell>;
  diskSizeBytes: Family<readonly [], GaugeCell>;
  /** Of the limit that is nearest to being reached. */
  spendLimitUsed: Family<readonly ["scope"], GaugeCell>;
}

/** What waits in memory to be written beside the work, and had no room there. */
export interface LogInstruments {
  /** Rows of the request log, while the database was away. */
  requestsNotLogged: Family<readonly [], CounterCell>;
  requestBodiesNotKept: Family<readonly [], CounterCell>;
}

/** From a cached read (1 ms) to a long model answer (ten minutes). */
const secondsBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600,
] as const;

export interface InstrumentSources {
  version?: string;
  startedAt?: Date;
  dbStats?: () => { open: number; idle: number; waiting: number };
}

export function openInstruments(metrics: Metrics, sources: InstrumentSources = {}): Instruments {
  const closeProcess = watchProcess(metrics);
  tellBuild(metrics, sources);
  return {
    ...openModelInstruments(metrics),
    ...openStoreInstruments(metrics),
    httpRequests: metrics.counter({
      name: "plinth_http_requests_total",
      help: "Requests answered, by operation and status.",
      labels: ["operation", "status"],
    }),
    httpSeconds: metrics.histogram({
      name: "plinth_http_request_seconds",
      help: "Time from a request's headers to the end of its reply.",
      labels: ["operation"],
      buckets: secondsBuckets,
    }),
    jobsFinished: metrics.counter({
      name: "plinth_jobs_finished_total",
      help: "Job runs that ended, by kind and outcome.",
      labels: ["kind", "outcome"],
    }),
    jobSeconds: metrics.histogram({
      name: "plinth_jobs_run_seconds",
      help: "How long a job ran.",
      labels: ["kind"],
      buckets: secondsBuckets,
    }),
    dbConnections: metrics.gauge({
      name: "plinth_db_connections",
      help: "Database connections by state; waiting are those who wait for one.",
      labels: ["state"],
      collect: (gauge) => {
        const stats = sources.dbStats?.();
        if (!stats) return;
        gauge.with("busy").set(stats.open - stats.idle);
        gauge.with("idle").set(stats.idle);
        gauge.with("waiting").set(stats.waiting);
      },
    }),
    batchResults: metrics.counter({
      name: "plinth_batch_results_total",
      help: "Requests of batches that have their result, by its type.",
      labels: ["type"],
    }),
    batchWidth: metrics.gauge({
      name: "plinth_batch_width",
      help: "Requests of batches that an upstream gets at once, at most, from all processes.",
      labels: ["upstream"],
    }),
    tracer: undefined,
    traceSpans: metrics.counter({
      name: "plinth_trace_spans_total",
      help: "Spans of traces, by whether they reached the collector or were dropped.",
      labels: ["outcome"],
    }),
    busLost: metrics.counter({
      name: "plinth_bus_lost_total",
      help: "Messages between processes that were lost, by reason.",
      labels: ["reason"],
    }),
    ...openLogInstruments(metrics),
    close: closeProcess,
  };
}

const openLogInstruments = (metrics: Metrics): LogInstruments => ({
  requestsNotLogged: metrics.counter({
    name: "plinth_requests_not_logged_total",
    help: "Requests that the request log had no room for, while the database was away.",
    labels: [],
  }),
  requestBodiesNotKept: metrics.counter({
    name: "plinth_request_bodies_not_kept_total",
    help: "Bodies of requests that were to be kept, and dropped because too many waited to be written.",
    labels: [],
  }),
});

function openStoreInstruments(metrics: Metrics): StoreInstruments {
  const gauge = <const Names extends readonly string[]>(
    name: string,
    help: string,
    ...labels: Names
  ) => metrics.gauge({ name, help, labels, aggregator: "max" });
  return {
    jobsWaiting: gauge("plinth_jobs_waiting", "Jobs in the queue, by state.", "state"),
    queueDepth: gauge("plinth_queue_depth", "What waits to be done, by queue.", "queue"),
    queueOldestSeconds: gauge(
      "plinth_queue_oldest_seconds",
      "For how long the first in a queue has waited since it was due.",
      "queue",
    ),
    sessions: gauge("plinth_sessions", "Sessions that are not archived, by state.", "state"),
    sandboxes: gauge("plinth_sandboxes", "Sandboxes of sessions, by state.", "state"),
    blobBytes: gauge(
      "plinth_blob_bytes",
      "Bytes that are kept as blobs, by whose they are.",
      "kind",
    ),
    diskFreeBytes: gauge("plinth_disk_free_bytes", "Free where the data directory lies."),
    diskSizeBytes: gauge("plinth_disk_size_bytes", "Size of the disk of the data directory."),
    spendLimitUsed: gauge(
      "plinth_spend_limit_used_ratio",
      "What was spent of the spend limit that is nearest to being reached, by whose it is.",
      "scope",
    ),
  };
}

/** Of several processes the one that began last: a change says that one was replaced. */
function tellBuild(
  metrics: Metrics,
  { version = "unknown", startedAt = new Date(0) }: InstrumentSources,
): void {
  metrics
    .gauge({
      name: "plinth_build_info",
      help: "Always 1; the labels say which version runs, and on which Node.",
      labels: ["version", "node"],
      aggregator: "max",
    })
    .with(version, process.version)
    .set(1);
  metrics
    .gauge({
      name: "process_start_time_seconds",
      help: "When the process began, in seconds of the epoch; of several, the one that began last.",
      labels: [],
      aggregator: "max",
    })
    .with()
    .set(startedAt.getTime() / 1_000);
}

/** Event-loop lag since the last scrape, and memory; returns a function that stops the measuring. */
function watchProcess(metrics: Metrics): () => void {
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  metrics.gauge({
    name: "plinth_event_loop_lag_seconds",
    help: "Delay of the event loop since the last scrape; of several processes, the worst.",
    labels: ["percentile"],
    aggregator: "max",
    collect: (gauge) => {
      // The histogram counts whole intervals; what is above its own pace of 20 ms is the lag.
      const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - 0.02);
      gauge.with("50").set(seconds(lag.percentile(50)));
      gauge.with("99").set(seconds(lag.percentile(99)));
      gauge.with("100").set(seconds(lag.max));
      lag.reset();
    },
  });
  metrics.gauge({
    name: "plinth_process_memory_bytes",
    help: "Memory of the server's processes together.",
    labels: ["kind"],
    collect: (gauge) => {
      const { rss, heapUsed, external } = process.memoryUsage();
      gauge.with("rss").set(rss);
      gauge.with("heap").set(heapUsed);
      gauge.with("external").set(external);
    },
  });
  metrics.gauge({
    name: "plinth_process_cpu_seconds",
    help: "Processor time of the server's processes that run now.",
    labels: [],
    collect: (gauge) => {
      const { user, system } = process.cpuUsage();
      gauge.with().set((user + system) / 1e6);
    },
  });
  metrics
    .gauge({ name: "plinth_processes", help: "Server processes that answered.", labels: [] })
    .with()
    .set(1);
  return () => void lag.disable();
}
