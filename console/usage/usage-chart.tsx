// Usage over time, stacked by group. It shows what the table beside it says: screen readers have that one.
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { useTheme } from "../kit/page/theme.ts";
import type { Series } from "./usage.ts";

const height = 260;

/** Eight that colour-blind people tell apart; styles.css has them for light and dark. */
export const seriesColour = (place: number) => `var(--series-${(place % 8) + 1})`;

export function UsageChart({
  series,
  step,
  format,
  onZoom,
}: {
  series: Series;
  /** Of a bucket, in milliseconds. */
  step: number;
  format: (value: number) => string;
  onZoom: (fromMs: number, toMs: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  useEffect(() => {
    const place = box.current;
    if (place === null) return undefined;
    const chart = draw(place, series, { step, format, onZoom: (...span) => zoom.current(...span) });
    const watching = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height }));
    watching.observe(place);
    return () => {
      watching.disconnect();
      chart.destroy();
    };
  }, [series, step, format, theme]);
  return <div ref={box} aria-hidden className="min-w-0 overflow-hidden" style={{ height }} />;
}

/** Each on top of those before it, drawn from the top down. */
function stacked({ rows }: Series): number[][] {
  const sums = rows[0]?.values.map(() => 0) ?? [];
  return rows.map(({ values }) => values.map((value, at) => (sums[at] = (sums[at] ?? 0) + value)));
}

function draw(
  place: HTMLElement,
  series: Series,
  { step, format, onZoom }: Pick<Parameters<typeof UsageChart>[0], "step" | "format" | "onZoom">,
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
  const heights = stacked(series).toReversed();
  const last = series.rows.length - 1;
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
        axis,
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
    [series.times.map((time) => time / 1000), ...heights],
    place,
  );
}

const topOf = (_: uPlot, __: number, max: number): [number, number] => [
  0,
  max > 0 ? max * 1.08 : 1,
];
