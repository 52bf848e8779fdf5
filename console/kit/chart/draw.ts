// Draws the bars of a chart, and tells which of them is under the pointer.
import uPlot from "uplot";
import { axisTimes } from "../value/time.ts";

export interface ChartData {
  /** Where each bucket begins, in milliseconds. */
  times: number[];
  series: { title: string; values: number[] }[];
  /** The sum of all in the time before, bucket by bucket. */
  before?: number[];
}

export interface Drawing {
  data: ChartData;
  /** Those that the legend leaves, with their places, which are their colours. */
  shown: readonly { place: number; values: number[] }[];
  /** Of a bucket, in milliseconds. */
  step: number;
  heightPx: number;
  /** Beside the axis, where there is little room. */
  format: (value: number) => string;
  onZoom: (fromMs: number, toMs: number) => void;
}

/** The bucket under the pointer, and how far from the left its middle is. */
export interface Pointed {
  at: number;
  leftPx: number;
}

/** Each on top of those before it, drawn from the top down. */
function stacked(series: ChartData["series"]): number[][] {
  const sums = series[0]?.values.map(() => 0) ?? [];
  return series.map(({ values }) =>
    values.map((value, at) => (sums[at] = (sums[at] ?? 0) + value)),
  );
}

export function draw(
  place: HTMLElement,
  { data, shown, step, heightPx, format, onZoom }: Drawing,
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
  const heights = stacked(shown.map(({ values }) => ({ title: "", values }))).toReversed();
  const places = shown.map((each) => each.place).toReversed();
  const earlier = data.before;
  const bars = uPlot.paths.bars?.({ size: [0.8, 48], align: 1 });
  return new uPlot(
    {
      width: place.clientWidth,
      height: heightPx,
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
          const colour = colourOf(`--series-${((places[at] ?? 0) % 8) + 1}`);
          return {
            fill: colour,
            stroke: colour,
            width: 0,
            points: { show: false },
            ...(bars && { paths: bars }),
          };
        }),
        ...(earlier === undefined ? [] : [lineBefore(ink)]),
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
    [
      data.times.map((time) => time / 1000),
      ...heights,
      ...(earlier === undefined ? [] : [earlier]),
    ],
    place,
  );
}

const steps = uPlot.paths.stepped?.({ align: 1 });

/** The time before, as one dashed line over the bars: level for as long as each of them. */
const lineBefore = (ink: string): uPlot.Series => ({
  ...(steps && { paths: steps }),
  stroke: ink,
  width: 1.5,
  dash: [5, 4],
  points: { show: false },
});

/** Where the middle of a bucket stands. */
export function leftOf(chart: uPlot, times: readonly number[], step: number, at: number): number {
  const middle = chart.valToPos(((times[0] ?? 0) + (at + 0.5) * step) / 1000, "x");
  return chart.over.offsetLeft + middle;
}

/** A bar stands from where its bucket begins: the nearest beginning may be that of the next one. */
function pointedIn(chart: uPlot, times: readonly number[], step: number): Pointed | undefined {
  const { left = -1 } = chart.cursor;
  const first = times[0];
  if (left < 0 || first === undefined) return undefined;
  const at = Math.floor((chart.posToVal(left, "x") * 1000 - first) / step);
  if (times[at] === undefined) return undefined;
  return { at, leftPx: leftOf(chart, times, step, at) };
}

const topOf = (_: uPlot, __: number, max: number): [number, number] => [
  0,
  max > 0 ? max * 1.08 : 1,
];
