// How far a batch is: a bar of what became of its requests, the same in numbers, and how fast it goes.
import type { Batch } from "../kit/server/api.ts";
import { leftWords, paceOf, ratesOf, rateWords, samplesOf } from "./batch-pace.ts";
import { doneOf, sizeOf } from "../../client/batches/counts.ts";
import { isRunning, parts, partsOf, results, type Part, type ToldBatch } from "./batch.ts";
import { percent } from "../kit/value/money.ts";

const fills: Record<Part, string> = {
  succeeded: "fill-good",
  refused: "fill-(--series-5)",
  errored: "fill-bad-fill",
  canceled: "fill-line-strong",
  expired: "fill-soft",
  processing: "fill-line",
};
const barWidth = 1_000;
/** Between two parts, for those who do not tell their colours apart. */
const gap = 3;

/** It only decorates the numbers beside it. What there is at all is seen. */
export function CountsBar({ batch, tall = false }: { batch: ToldBatch; tall?: boolean }) {
  const counts = partsOf(batch);
  const size = Math.max(1, sizeOf(batch));
  let end = 0;
  const bars = parts.map((part) => {
    const width = counts[part] === 0 ? 0 : Math.max(8, (counts[part] / size) * barWidth);
    end += width;
    return { part, width, x: end - width };
  });
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${end} 6`}
      preserveAspectRatio="none"
      className={`block w-full overflow-hidden rounded-full ${tall ? "h-3" : "h-1.5"}`}
    >
      {bars.map(({ part, width, x }) => (
        <rect
          key={part}
          x={x}
          width={x + width < end ? Math.max(0, width - gap) : width}
          height={6}
          className={fills[part]}
        />
      ))}
    </svg>
  );
}

const partWords: Record<Part, string> = {
  succeeded: results.succeeded.word,
  refused: results.refused.word,
  errored: results.errored.word,
  canceled: results.canceled.word,
  expired: results.expired.word,
  processing: "Processing",
};

/** The numbers of the bar, each with its colour. */
export function Counts({ batch }: { batch: ToldBatch }) {
  const counts = partsOf(batch);
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2">
      {parts.map((part) => (
        <div key={part}>
          <dt className="flex items-center gap-1.5 text-sm text-soft">
            <svg aria-hidden width={10} height={10} className="shrink-0">
              <rect width={10} height={10} rx={3} className={fills[part]} />
            </svg>
            {partWords[part]}
          </dt>
          <dd className="font-medium">{counts[part].toLocaleString("en")}</dd>
        </div>
      ))}
    </dl>
  );
}

/** `1,204 of 5,000 done (24%)`. */
export function doneWords(batch: Batch): string {
  const done = doneOf(batch.request_counts);
  const size = sizeOf(batch);
  const share = done === size ? "" : ` (${percent(done / size)})`;
  return `${done.toLocaleString("en")} of ${size.toLocaleString("en")} done${share}`;
}

/** How fast it goes and how long it takes, from what this page saw; nothing of one that has ended. */
export function Pace({ batch }: { batch: Batch }) {
  if (!isRunning(batch)) return null;
  const { perSecond, leftMs } = paceOf(samplesOf(batch.id), batch.request_counts.processing);
  if (perSecond === undefined) return <>Time left: working out…</>;
  if (leftMs === undefined) return <>No request has finished of late</>;
  return (
    <>
      {rateWords(perSecond)}, {leftWords(leftMs)} left
    </>
  );
}

const chartWidth = 600;
const chartHeight = 48;
const stepsMax = 120;

/** Requests a second over the time that the page has watched, in a picture and in words. */
export function Throughput({ batch }: { batch: Batch }) {
  const samples = samplesOf(batch.id);
  const rates = ratesOf(samples, stepsMax);
  const top = Math.max(...rates);
  if (rates.length < 2 || top === 0) return null;
  const [last, most] = [rates.at(-1) ?? 0, top].map(rateWords);
  const step = chartWidth / (rates.length - 1);
  const points = rates.map((rate, place) => {
    const y = chartHeight - (rate / top) * (chartHeight - 2);
    return `${(place * step).toFixed(1)},${y.toFixed(1)}`;
  });
  const area = `M0,${chartHeight} L${points.join(" L")} L${chartWidth},${chartHeight} Z`;
  return (
    <figure>
      <svg
        aria-hidden
        viewBox={`0 0 ${chartWidth} ${chartHeight}`}
        preserveAspectRatio="none"
        className="block h-12 w-full border-b border-line-strong text-accent"
      >
        <path d={area} className="fill-accent-soft" />
        <polyline
          points={points.join(" ")}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption className="mt-1 text-sm text-soft">
        Throughput while this page watched: {last} at last, {most} at most.
      </figcaption>
    </figure>
  );
}
