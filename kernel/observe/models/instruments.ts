// The metrics of models and their upstreams: what was used and spent, how upstreams answer, what limits refused.
import type { CounterCell, Family, HistogramCell, Metrics } from "../metrics.ts";

/** What one model has used, by class of its price, and what it cost in whole units of the currency. */
export type ModelMeter = Readonly<Record<(typeof tokenClasses)[number] | "spend", CounterCell>>;

/** What one upstream does, as it happens. */
export interface UpstreamMeter {
  firstByte: HistogramCell;
  whole: HistogramCell;
  answered: CounterCell;
  failed: CounterCell;
}

/** How an upstream stands in this process; times are milliseconds of the epoch. */
export interface UpstreamStanding {
  open: number;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
}

export interface ModelInstruments {
  /** Kept by name: settling a hop looks for its model once. */
  modelMeter(model: string): ModelMeter;
  upstreamMeter(upstream: string): UpstreamMeter;
  /** Asked at each scrape, until the result is called. */
  watchUpstream(upstream: string, read: () => UpstreamStanding): () => void;
  limitRefusals: Family<readonly ["kind", "scope"], CounterCell>;
}

const tokenClasses = ["input", "output", "cacheWrite5m", "cacheWrite1h", "cacheRead"] as const;
const classLabels: Record<(typeof tokenClasses)[number], string> = {
  input: "input",
  output: "output",
  cacheWrite5m: "cache_write_5m",
  cacheWrite1h: "cache_write_1h",
  cacheRead: "cache_read",
};

/** The currency of all prices. */
const currency = "USD";

/** From a cached answer (10 ms) to one that thinks for long (ten minutes). */
const answerSeconds = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600,
] as const;

export function openModelInstruments(metrics: Metrics): ModelInstruments {
  const tokens = metrics.counter({
    name: "plinth_tokens_total",
    help: "Tokens that models read and wrote, by class, once they are settled.",
    labels: ["model", "class"],
  });
  const spend = metrics.counter({
    name: "plinth_spend_total",
    help: "Money that was charged, in whole units of the currency; without a model, what was charged by its name.",
    labels: ["model", "currency"],
  });
  const limitRefusals = metrics.counter({
    name: "plinth_limit_refusals_total",
    help: "Requests that a limit refused, by what it limits and whose it is.",
    labels: ["kind", "scope"],
  });
  const meters = new Map<string, ModelMeter>();
  const meterOf = (model: string): ModelMeter => {
    const cells = tokenClasses.map((each) => [each, tokens.with(model, classLabels[each])]);
    return {
      ...(Object.fromEntries(cells) as Omit<ModelMeter, "spend">),
      spend: spend.with(model, currency),
    };
  };
  return {
    modelMeter: (model) => {
      let meter = meters.get(model);
      if (meter === undefined) meters.set(model, (meter = meterOf(model)));
      return meter;
    },
    limitRefusals,
    ...openUpstreamInstruments(metrics),
  };
}

function openUpstreamInstruments(
  metrics: Metrics,
): Pick<ModelInstruments, "upstreamMeter" | "watchUpstream"> {
  const labels = ["upstream"] as const;
  const firstByte = metrics.histogram({
    name: "plinth_upstream_first_byte_seconds",
    help: "Time until an upstream's answer began: of a stream its first event, else the whole.",
    labels,
    buckets: answerSeconds,
  });
  const whole = metrics.histogram({
    name: "plinth_upstream_answer_seconds",
    help: "Time until an upstream's answer ended.",
    labels,
    buckets: answerSeconds,
  });
  const answers = metrics.counter({
    name: "plinth_upstream_answers_total",
    help: "Requests to an upstream that ended, by whether it did what it was asked.",
    labels: ["upstream", "outcome"],
  });
  return {
    upstreamMeter: (upstream) => ({
      firstByte: firstByte.with(upstream),
      whole: whole.with(upstream),
      answered: answers.with(upstream, "answered"),
      failed: answers.with(upstream, "failed"),
    }),
    watchUpstream: watchStandings(metrics),
  };
}

/** Read at a scrape, so that a request pays nothing for them. */
function watchStandings(metrics: Metrics): ModelInstruments["watchUpstream"] {
  const readers = new Map<string, () => UpstreamStanding>();
  const gone: UpstreamStanding = { open: 0, lastSuccessAt: null, lastFailureAt: null };
  const gauge = (name: string, help: string, of: (standing: UpstreamStanding) => number | null) =>
    metrics.gauge({
      name,
      help,
      labels: ["upstream"],
      // Of times the latest counts, wherever it was; what is open adds up.
      aggregator: name.endsWith("_timestamp_seconds") ? "max" : "sum",
      collect: (cells) => {
        for (const [upstream, read] of readers) cells.with(upstream).set(of(read()) ?? 0);
      },
    });
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1_000);
  gauge("plinth_upstream_open_requests", "Requests under way at an upstream.", ({ open }) => open);
  gauge(
    "plinth_upstream_last_success_timestamp_seconds",
    "When an upstream last did what it was asked; 0 if never.",
    ({ lastSuccessAt }) => seconds(lastSuccessAt),
  );
  gauge(
    "plinth_upstream_last_failure_timestamp_seconds",
    "When an upstream last failed; 0 if never.",
    ({ lastFailureAt }) => seconds(lastFailureAt),
  );
  return (upstream, read) => {
    readers.set(upstream, read);
    return () => {
      if (readers.get(upstream) === read) readers.set(upstream, () => gone);
    };
  };
}
