// Numbers over time, stacked, with what stands under the pointer. Screen readers have the table beside it.
import { useEffect, useRef, useState, type ReactNode } from "react";
import uPlot from "uplot";
import { useTheme } from "../page/theme.ts";
import { axisTimes } from "../value/time.ts";

const height = 260;

/** Eight that colour-blind people tell apart; styles.css has them for light and dark. */
const seriesColour = (place: number) => `var(--series-${(place % 8) + 1})`;

/** The colour of the series at this place. */
export const Swatch = ({ place }: { place: number }) => (
  <span
    aria-hidden
    className="size-3 shrink-0 rounded-sm"
    style={{ backgroundColor: seriesColour(place) }}
  />
);

export interface ChartData {
  /** Where each bucket begins, in milliseconds. */
  times: number[];
  series: { title: string; values: number[] }[];
}

interface ChartProps {
  /** Another object is drawn anew: it is to be remembered. */
  data: ChartData;
  /** Of a bucket, in milliseconds. */
  step: number;
  /** Beside the axis, where there is little room. */
  format: (value: number) => string;
  onZoom: (fromMs: number, toMs: number) => void;
}

/** The bucket under the pointer, and how far from the left its middle is. */
interface Pointed {
  at: number;
  leftPx: number;
}

export function Chart({
  data,
  step,
  format,
  exact = format,
  onZoom,
}: ChartProps & {
  /** Under the pointer, beside all that stand there. */
  exact?: (value: number, all: readonly number[]) => ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const [pointed, setPointed] = useState<Pointed>();
  useEffect(() => {
    const place = box.current;
    if (place === null) return undefined;
    const chart = draw(
      place,
      { data, step, format, onZoom: (...span) => zoom.current(...span) },
      setPointed,
    );
    const watching = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height }));
    watching.observe(place);
    return () => {
      watching.disconnect();
      chart.destroy();
      setPointed(undefined);
    };
  }, [data, step, format, theme]);
  return (
    <div aria-hidden>
      <div className="relative">
        <div ref={box} className="min-w-0 overflow-hidden" style={{ height }} />
        {pointed !== undefined && (
          <UnderPointer
            pointed={pointed}
            widthPx={box.current?.clientWidth ?? 0}
            {...{ data, step, exact }}
          />
        )}
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
        {data.series.map(({ title }, place) => (
          <li key={place} className="flex items-center gap-1.5 wrap-anywhere">
            <Swatch place={place} />
            {title}
          </li>
        ))}
      </ul>
    </div>
  );
}

const dayMs = 86_400_000;
const date = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" } as const;
const days = new Intl.DateTimeFormat("en-GB", { weekday: "short", ...date });
const moments = new Intl.DateTimeFormat("en-GB", {
  ...date,
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** Of each series what there is, and the sum of all. */
function UnderPointer({
  pointed: { at, leftPx },
  widthPx,
  data: { times, series },
  step,
  exact,
}: Pick<ChartProps, "data" | "step"> & {
  pointed: Pointed;
  widthPx: number;
  exact: (value: number, all: readonly number[]) => ReactNode;
}) {
  const shown = series
    .map(({ title, values }, place) => ({ title, place, value: values[at] ?? 0 }))
    .filter(({ value }) => value > 0);
  const values = shown.map(({ value }) => value);
  const sum = values.reduce((all, value) => all + value, 0);
  const all = [...values, sum];
  const isRight = leftPx > widthPx / 2;
  return (
    <div
      data-pointed
      className="pointer-events-none absolute top-1 z-10 grid max-w-[50%] gap-1 rounded-md border border-line bg-surface p-2 text-sm shadow-lift"
      style={isRight ? { right: widthPx - leftPx + 12 } : { left: leftPx + 12 }}
    >
      <p className="font-medium">
        {(step < dayMs ? moments : days).format(new Date(times[at] ?? 0))} UTC
      </p>
      {shown.map(({ title, place, value }) => (
        <p key={place} className="flex items-center gap-1.5">
          <Swatch place={place} />
          <span className="min-w-0 flex-1 truncate">{title}</span>
          <span className="pl-2 tabular-nums">{exact(value, all)}</span>
        </p>
      ))}
      <p className="flex justify-between border-t border-line pt-1 font-medium">
        Sum <span className="pl-2 tabular-nums">{exact(sum, all)}</span>
      </p>
    </div>
  );
}

/** Each on top of those before it, drawn from the top down. */
function stacked({ series }: ChartData): number[][] {
  const sums = series[0]?.values.map(() => 0) ?? [];
  return series.map(({ values }) =>
    values.map((value, at) => (sums[at] = (sums[at] ?? 0) + value)),
  );
}

function draw(
  place: HTMLElement,
  { data, step, format, onZoom }: ChartProps,
  onPointed: (pointed: Pointed | undefined) => void,
): uPlot {
  const style = getComputedStyle(place);
  // A canvas knows no variables: the colours are read where they hold.
  const colourOf = (name: string) => {
    const probe = document.createElement("i");
    probe.style.color = `var(${name})`;
    place.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const [ink, line] = [colourOf("--ink-soft"), colourOf("--line")];
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const heights = stacked(data).toReversed();
  const last = data.series.length - 1;
  const bars = uPlot.paths.bars?.({ size: [0.8, 48], align: 1 });
  return new uPlot(
    {
      width: place.clientWidth,
      height,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      scales: { x: { range: (_, min, max) => [min, max + step / 1000] }, y: { range: topOf } },
      axes: [
        // Lower than the 0 of the other axis, which it would run into.
        { ...axis, gap: 10, values: (_, splits, __, ___, step) => axisTimes(splits, step ?? 0) },
        { ...axis, size: 64, values: (_, splits) => splits.map((value) => format(value)) },
      ],
      series: [
        {},
        ...heights.map((_, at) => {
          const colour = colourOf(`--series-${((last - at) % 8) + 1}`);
          return {
            fill: colour,
            stroke: colour,
            width: 0,
            points: { show: false },
            ...(bars && { paths: bars }),
          };
        }),
      ],
      hooks: {
        setCursor: [(chart) => onPointed(pointedIn(chart, data.times, step))],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            if (width < 4) return;
            const at = (pixel: number) => chart.posToVal(pixel, "x") * 1000;
            onZoom(at(left), at(left + width));
          },
        ],
      },
    },
    [data.times.map((time) => time / 1000), ...heights],
    place,
  );
}

/** A bar stands from where its bucket begins: the nearest beginning may be that of the next one. */
function pointedIn(chart: uPlot, times: readonly number[], step: number): Pointed | undefined {
  const { left = -1 } = chart.cursor;
  const first = times[0];
  if (left < 0 || first === undefined) return undefined;
  const at = Math.floor((chart.posToVal(left, "x") * 1000 - first) / step);
  if (times[at] === undefined) return undefined;
  const middle = chart.valToPos((first + (at + 0.5) * step) / 1000, "x");
  return { at, leftPx: chart.over.offsetLeft + middle };
}

const topOf = (_: uPlot, __: number, max: number): [number, number] => [
  0,
  max > 0 ? max * 1.08 : 1,
];
