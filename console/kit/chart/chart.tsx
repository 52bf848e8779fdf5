// Numbers over time, stacked: what stands under the pointer or where the arrow keys lead, and a legend that filters.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type uPlot from "uplot";
import { useTheme } from "../page/theme.ts";
import { draw, leftOf, type ChartData, type Drawing, type Pointed } from "./draw.ts";

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

interface ChartProps extends Pick<Drawing, "step" | "format" | "onZoom"> {
  /** Another object is drawn anew: it is to be remembered. */
  data: ChartData;
  /** What is drawn, for those who hear it. */
  label: string;
  /** Under the pointer, beside all that stand there. */
  exact?: (value: number, all: readonly number[]) => ReactNode;
  /** What all values are in: `USD`. */
  unit?: string | undefined;
  heightPx?: number;
}

export function Chart(props: ChartProps) {
  const { data, label, step, format, exact = format, unit, heightPx = 260, onZoom } = props;
  const { hidden, shown, toggle } = useHidden(data);
  const { box, chart, pointed, setPointed } = useDrawing({
    data,
    shown,
    step,
    heightPx,
    format,
    onZoom,
  });
  function point(at: number): void {
    const drawn = chart.current;
    if (drawn === undefined) return;
    const place = Math.min(Math.max(at, 0), data.times.length - 1);
    setPointed({ at: place, leftPx: leftOf(drawn, data.times, step, place) });
  }
  function onKeyDown(event: KeyboardEvent): void {
    const last = data.times.length - 1;
    const here = pointed?.at;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => point((here ?? last + 1) - 1),
      ArrowRight: () => point((here ?? -1) + 1),
      Home: () => point(0),
      End: () => point(last),
      Escape: () => setPointed(undefined),
    };
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }
  return (
    <div>
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${label}: the arrow keys lead through it`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, data.times.length - 1)}
        aria-valuenow={pointed?.at ?? 0}
        aria-valuetext={
          pointed === undefined ? "Nothing is pointed at" : wordsOf(pointed.at, data, shown, step)
        }
        className="relative rounded-md"
        onKeyDown={onKeyDown}
        onBlur={() => setPointed(undefined)}
      >
        <div ref={box} className="min-w-0 overflow-hidden" style={{ height: heightPx }} />
        {pointed !== undefined && (
          <UnderPointer
            pointed={pointed}
            widthPx={box.current?.clientWidth ?? 0}
            {...{ data, shown, step, exact, unit }}
          />
        )}
      </div>
      <Legend data={data} hidden={hidden} toggle={toggle} />
    </div>
  );
}

/** What the legend leaves. */
function useHidden(data: ChartData) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(
    () =>
      data.series
        .map((series, place) => ({ ...series, place }))
        .filter(({ title }) => !hidden.has(title)),
    [data, hidden],
  );
  const toggle = (title: string) =>
    setHidden((all) => {
      const next = new Set(all);
      if (!next.delete(title)) next.add(title);
      return next;
    });
  return { hidden, shown, toggle };
}

function useDrawing({ data, shown, step, heightPx, format, onZoom }: Drawing) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const theme = useTheme();
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const [pointed, setPointed] = useState<Pointed>();
  useEffect(() => {
    const place = box.current;
    if (place === null) return undefined;
    const drawn = draw(
      place,
      { data, shown, step, heightPx, format, onZoom: (...span) => zoom.current(...span) },
      setPointed,
    );
    chart.current = drawn;
    const watching = new ResizeObserver(() =>
      drawn.setSize({ width: place.clientWidth, height: heightPx }),
    );
    watching.observe(place);
    return () => {
      watching.disconnect();
      drawn.destroy();
      chart.current = undefined;
      setPointed(undefined);
    };
  }, [data, shown, step, heightPx, format, theme]);
  return { box, chart, pointed, setPointed };
}

/** Each name shows and hides its bars. */
function Legend({
  data,
  hidden,
  toggle,
}: {
  data: ChartData;
  hidden: ReadonlySet<string>;
  toggle: (title: string) => void;
}) {
  return (
    <ul aria-label="Legend" className="mt-3 flex flex-wrap gap-x-2 gap-y-1 text-sm text-soft">
      {data.series.map(({ title }, place) => (
        <li key={place} className="min-w-0">
          <button
            type="button"
            aria-pressed={!hidden.has(title)}
            title={hidden.has(title) ? `Show ${title}` : `Hide ${title}`}
            onClick={() => toggle(title)}
            className="flex max-w-full items-center gap-1.5 rounded-md px-1.5 py-0.5 text-left wrap-anywhere hover:bg-hover aria-[pressed=false]:line-through max-md:min-h-10"
          >
            {hidden.has(title) ? (
              <span aria-hidden className="size-3 shrink-0 rounded-sm border border-line-strong" />
            ) : (
              <Swatch place={place} />
            )}
            {title}
          </button>
        </li>
      ))}
      {data.before !== undefined && (
        <li className="flex items-center gap-1.5 px-1.5 py-0.5">
          <span aria-hidden className="w-4 border-t-2 border-dashed border-soft" />
          The time before
        </li>
      )}
    </ul>
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

const bucketWords = (times: readonly number[], at: number, step: number): string =>
  `${(step < dayMs ? moments : days).format(new Date(times[at] ?? 0))} UTC`;

type Shown = readonly { title: string; place: number; values: number[] }[];

/** What the pointer shows, for those who hear it. */
function wordsOf(at: number, { times, before }: ChartData, shown: Shown, step: number): string {
  const said = shown
    .filter(({ values }) => (values[at] ?? 0) > 0)
    .map(({ title, values }) => `${title} ${numberWords(values[at] ?? 0)}`);
  const sum = shown.reduce((all, { values }) => all + (values[at] ?? 0), 0);
  return [
    bucketWords(times, at, step),
    ...said,
    `Sum ${numberWords(sum)}`,
    ...(before === undefined ? [] : [`Before ${numberWords(before[at] ?? 0)}`]),
  ].join(", ");
}

const numberWords = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: 6 });

/** Of each series what there is, the sum of all, and what it was in the time before. */
function UnderPointer({
  pointed: { at, leftPx },
  widthPx,
  data: { times, before },
  shown: all,
  step,
  exact,
  unit,
}: Pick<ChartProps, "data" | "step" | "unit"> & {
  pointed: Pointed;
  widthPx: number;
  shown: Shown;
  exact: (value: number, all: readonly number[]) => ReactNode;
}) {
  const shown = all
    .map(({ title, place, values }) => ({ title, place, value: values[at] ?? 0 }))
    .filter(({ value }) => value > 0);
  const values = shown.map(({ value }) => value);
  const sum = values.reduce((all, value) => all + value, 0);
  const earlier = before?.[at];
  const beside = [...values, sum, ...(earlier === undefined ? [] : [earlier])];
  const isRight = leftPx > widthPx / 2;
  return (
    <div
      data-pointed
      aria-hidden
      className="pointer-events-none absolute top-1 z-10 grid max-w-[50%] gap-1 rounded-md border border-line bg-surface p-2 text-sm shadow-lift"
      style={isRight ? { right: widthPx - leftPx + 12 } : { left: leftPx + 12 }}
    >
      <p className="font-medium">
        {bucketWords(times, at, step)}
        {unit !== undefined && <span className="font-normal text-soft">, {unit}</span>}
      </p>
      {shown.map(({ title, place, value }) => (
        <p key={place} className="flex items-center gap-1.5">
          <Swatch place={place} />
          <span className="min-w-0 flex-1 truncate">{title}</span>
          <span className="pl-2 tabular-nums">{exact(value, beside)}</span>
        </p>
      ))}
      <p className="flex justify-between border-t border-line pt-1 font-medium">
        Sum <span className="pl-2 tabular-nums">{exact(sum, beside)}</span>
      </p>
      {earlier !== undefined && (
        <p className="flex justify-between text-soft">
          Before <span className="pl-2 tabular-nums">{exact(earlier, beside)}</span>
        </p>
      )}
    </div>
  );
}
