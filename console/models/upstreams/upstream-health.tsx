// How one upstream fares: a word, what that rests on, and a picture of the last minutes.
import type { UpstreamHealth as Health } from "../../kit/server/api.ts";
import { faultWords, milliseconds, shareWords } from "./health.ts";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { Time } from "../../kit/value/time.tsx";

const states: Record<Health["state"], { word: string; tone: Tone }> = {
  works: { word: "Works", tone: "good" },
  failing: { word: "Failing", tone: "bad" },
  not_asked: { word: "Not asked yet", tone: "neutral" },
};

export function UpstreamHealth({ health }: { health: Health | undefined }) {
  if (health === undefined) return <span className="text-soft">Unknown</span>;
  const { state, failing_since: since, last_failure: failure, open, answer_ms: ms } = health;
  const { word, tone } = states[state];
  return (
    <div className="grid min-w-0 gap-1 text-sm md:min-w-64">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={tone}>{word}</Badge>
        {since !== null && (
          <span>
            since <Time at={since} />
          </span>
        )}
        {open > 0 && <span className="text-soft">{open.toLocaleString("en")} under way</span>}
      </span>
      {state === "failing" && failure !== null && (
        <span className="wrap-anywhere text-bad">It {faultWords(failure.code)}.</span>
      )}
      {state !== "not_asked" && (
        <span className="flex items-end gap-3 text-soft max-sm:flex-wrap">
          <MinuteBars minutes={health.lately.by_minute} />
          <span>
            {shareWords(health)}
            {ms !== null && (
              <span className="block" title="The middle of the last times until an answer began">
                Half begin within {milliseconds(ms)}
              </span>
            )}
          </span>
        </span>
      )}
      {state === "works" && failure !== null && health.lately.failed > 0 && (
        <span className="wrap-anywhere text-soft">
          Last failure <Time at={failure.at} />: it {faultWords(failure.code)}.
        </span>
      )}
    </div>
  );
}

const barWidth = 3;
const height = 26;

/** One bar a minute, failures at the foot. It only decorates the words beside it. */
function MinuteBars({ minutes }: { minutes: Health["lately"]["by_minute"] }) {
  const top = Math.max(...minutes.map(({ answered, failed }) => answered + failed), 1);
  const width = minutes.length * barWidth;
  // What happened at all is seen: a pixel at least.
  const size = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / top) * (height - 3)));
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className="shrink-0"
    >
      <path d={`M0 ${height - 0.5}H${width}`} className="stroke-line-strong" strokeWidth="1" />
      {minutes.map(({ answered, failed }, place) => {
        const bad = size(failed);
        const good = size(answered);
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the place is the minute
          <g key={place}>
            <rect
              x={place * barWidth}
              y={height - 1 - bad}
              width={barWidth - 1}
              height={bad}
              className="fill-bad-fill"
            />
            <rect
              x={place * barWidth}
              y={height - 1 - bad - good}
              width={barWidth - 1}
              height={good}
              className="fill-accent"
            />
          </g>
        );
      })}
    </svg>
  );
}
