// The events of a thread in a row: a bar for each, in the colour of its kind, the wider the longer it took.
import { useLayoutEffect, useMemo, useRef, type KeyboardEvent, type UIEvent } from "react";
import type { SessionEvent } from "../../kit/server/api.ts";
import { plural } from "../../../client/text/words.ts";
import { barsOf } from "./bars.ts";
import type { Past } from "./follow.ts";
import { kindNames, kinds, type Kind } from "./event-words.ts";

export function Timeline({
  events,
  past,
  selected,
  onSelect,
}: {
  events: readonly SessionEvent[];
  past: Past;
  selected: string | undefined;
  onSelect: (id: string) => void;
}) {
  const bars = useMemo(() => barsOf(events), [events]);
  const used = useMemo(() => new Set(bars.map(({ kind }) => kind)), [bars]);
  const box = useRef<HTMLDivElement>(null);
  const view = useNewestInView(bars.at(-1)?.id);
  if (bars.length === 0) return null;
  const entry = bars.some(({ id }) => id === selected) ? selected : bars.at(-1)?.id;
  return (
    <section aria-label="Timeline" className="mb-6 grid gap-1.5">
      <div
        {...view}
        className="flex overflow-x-auto rounded-md border border-line bg-surface p-1.5"
      >
        {past.isThere && (
          <span
            aria-hidden
            title="Older events are not loaded"
            className="mr-1 w-6 shrink-0 rounded-xs border border-dashed border-line-strong"
          />
        )}
        <div
          ref={box}
          role="toolbar"
          aria-label="Events in the order of time"
          aria-orientation="horizontal"
          onKeyDown={(event) => moveIn(box.current, event)}
          className="flex h-8 grow items-stretch gap-px"
        >
          {bars.map(({ id, kind, label, share }) => (
            <button
              key={id}
              type="button"
              title={label}
              aria-label={label}
              aria-pressed={id === selected}
              tabIndex={id === entry ? 0 : -1}
              onClick={() => onSelect(id)}
              style={{ backgroundColor: kinds[kind].colour, flexGrow: share }}
              className="min-w-1.5 rounded-xs hover:opacity-75 aria-pressed:outline-2 aria-pressed:outline-offset-1 aria-pressed:outline-ink"
            />
          ))}
        </div>
      </div>
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
        <Kinds used={used} />
        <HowMany shown={bars.length} known={events.length} past={past} />
      </p>
    </section>
  );
}

/** What the colours say. */
const Kinds = ({ used }: { used: ReadonlySet<Kind> }) =>
  kindNames
    .filter((kind) => used.has(kind))
    .map((kind) => (
      <span key={kind} className="inline-flex items-center gap-1.5">
        <span
          aria-hidden
          className="size-2.5 rounded-xs"
          style={{ backgroundColor: kinds[kind].colour }}
        />
        {kinds[kind].word}
      </span>
    ));

/** What is left out of the picture, and the way to more of it. */
function HowMany({
  shown,
  known,
  past: { isThere, isReading, read },
}: {
  shown: number;
  known: number;
  past: Past;
}) {
  return (
    <>
      {(isThere || shown < known) && (
        <span>
          the last {plural(shown, "event")}
          {shown < known && ` of ${known.toLocaleString("en")}`}
          {isThere && (shown < known ? " so far" : ", there are older ones")}
        </span>
      )}
      {isThere && (
        <button
          type="button"
          disabled={isReading}
          onClick={read}
          className="text-accent underline underline-offset-2 disabled:opacity-55"
        >
          {isReading ? "Loading older events…" : "Load older events"}
        </button>
      )}
    </>
  );
}

const nearEndPx = 40;

/** Where there are more bars than fit, the newest are seen; unless a person looks at others. */
function useNewestInView(newest: string | undefined) {
  const view = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = view.current;
    if (element !== null && isAtEnd.current) element.scrollLeft = element.scrollWidth;
  }, [newest]);
  return {
    ref: view,
    onScroll: ({ currentTarget: { scrollLeft, clientWidth, scrollWidth } }: UIEvent) => {
      isAtEnd.current = scrollLeft + clientWidth > scrollWidth - nearEndPx;
    },
  };
}

/** One stop for the tab key; within it, arrows go from bar to bar. */
function moveIn(box: HTMLElement | null, event: KeyboardEvent): void {
  const all = [...(box?.querySelectorAll("button") ?? [])];
  const at = all.findIndex((each) => each === document.activeElement);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || all[to] === undefined) return;
  event.preventDefault();
  all[to].focus();
}
