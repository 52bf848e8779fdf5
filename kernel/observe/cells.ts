// Counters and histograms as plain numbers: counting costs an addition, and only a scrape looks at labels.
import { type Metric, type Registry } from "prom-client";

/** The values of one metric with its labels, as prom-client writes them. */
interface Sample {
  labels: Record<string, string | number>;
  value: number;
  metricName?: string;
}

interface MetricFacts {
  name: string;
  help: string;
  labels: readonly string[];
}

/** Of prom-client a registry asks no more of a metric than this. */
function register(
  registry: Registry,
  { name, help }: MetricFacts,
  type: "counter" | "histogram",
  samples: () => Sample[],
): void {
  const get = () => Promise.resolve({ name, help, type, values: samples(), aggregator: "sum" });
  registry.registerMetric({ name, help, get } as unknown as Metric);
}

const labelsOf = (names: readonly string[], values: readonly string[]) =>
  Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));

/** Cells appear in the text in the order in which they were first counted; one without labels is always there. */
function onFirstUse<T>(shown: T[], cell: T, isAlways: boolean): () => void {
  let isShown = isAlways;
  if (isAlways) shown.push(cell);
  return () => {
    if (isShown) return;
    isShown = true;
    shown.push(cell);
  };
}

type Bind<Cell> = (values: readonly string[]) => Cell;

function bindNow<Cell>(labels: readonly string[], bind: Bind<Cell>): Bind<Cell> {
  if (labels.length > 0) return bind;
  const only = bind([]);
  return () => only;
}

export function makeCounter(registry: Registry, facts: MetricFacts) {
  const { labels } = facts;
  const shown: Sample[] = [];
  register(registry, facts, "counter", () => shown);
  return bindNow(labels, (values) => {
    const sample: Sample = { labels: labelsOf(labels, values), value: 0 };
    const show = onFirstUse(shown, sample, labels.length === 0);
    return {
      inc: (by = 1) => {
        if (!(by >= 0 && by < Infinity)) throw new TypeError(`A counter cannot grow by ${by}.`);
        show();
        sample.value += by;
      },
    };
  });
}

interface Distribution {
  labels: Record<string, string>;
  /** How many values fell into each bucket, and not into those below. */
  counts: number[];
  count: number;
  sum: number;
}

export function makeHistogram(
  registry: Registry,
  facts: MetricFacts & { buckets: readonly number[] },
) {
  const { name, labels, buckets } = facts;
  const shown: Distribution[] = [];
  register(registry, facts, "histogram", () =>
    shown.flatMap((distribution) => samplesOf(name, buckets, distribution)),
  );
  return bindNow(labels, (values) => {
    const counts = buckets.map(() => 0);
    const own: Distribution = { labels: labelsOf(labels, values), counts, count: 0, sum: 0 };
    const show = onFirstUse(shown, own, labels.length === 0);
    return {
      observe: (value: number) => {
        if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be observed.`);
        show();
        own.count += 1;
        own.sum += value;
        const bucket = buckets.findIndex((bound) => value <= bound);
        if (bucket !== -1) counts[bucket] = (counts[bucket] ?? 0) + 1;
      },
    };
  });
}

function samplesOf(name: string, buckets: readonly number[], from: Distribution): Sample[] {
  const { labels, counts, count, sum } = from;
  let upTo = 0;
  const samples = buckets.map((le, index): Sample => {
    upTo += counts[index] ?? 0;
    return { labels: { le, ...labels }, value: upTo, metricName: `${name}_bucket` };
  });
  samples.push(
    { labels: { le: "+Inf", ...labels }, value: count, metricName: `${name}_bucket` },
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  );
  return samples;
}
