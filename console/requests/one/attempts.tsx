// The attempts of a request: drawn over its time, and the same as a table.
import type { CSSProperties } from "react";
import { nameColumn } from "../../kit/list/columns.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { Card, Section } from "../../kit/page/page-header.tsx";
import type { LoggedRequest } from "../../kit/server/api.ts";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { dollarsOf } from "../../kit/value/money.ts";
import { Money } from "../../kit/value/money.tsx";
import { msText, tokensIn } from "../requests.ts";
import { barOf, endingOf, endingWords, wholeOf, type Attempt, type Ending } from "./attempts.ts";

export function Attempts({ request }: { request: LoggedRequest }) {
  const { attempts } = request;
  return (
    <Section
      title="Attempts"
      note={`${timesWords(attempts.length)}, over ${msText(wholeOf(request))}.`}
    >
      <Waterfall request={request} />
      <Table
        label="Attempts"
        columns={attemptColumns}
        rows={attempts.map((attempt, place) => ({ attempt, place }))}
        keyOf={({ place }) => String(place)}
      />
    </Section>
  );
}

const timesWords = (count: number) =>
  count === 1 ? "A model was asked once" : `Models were asked ${count} times`;

const fills: Record<Ending, string> = {
  answered: "bg-accent",
  refused: "bg-warn",
  failed: "bg-bad-fill",
  left: "bg-line-strong",
  unknown: "bg-line-strong",
};

const percent = (share: number) => `${(share * 100).toFixed(2)}%`;
const span = (from: number, to: number): CSSProperties => ({
  left: percent(from),
  // What there is at all is seen.
  width: `max(${percent(to - from)}, 2px)`,
});

/** The table below says the same in words. */
function Waterfall({ request }: { request: LoggedRequest }) {
  const wholeMs = wholeOf(request);
  return (
    <Card className="mb-3">
      <div
        aria-hidden
        className="grid gap-y-2 md:grid-cols-[minmax(8rem,14rem)_minmax(0,1fr)] md:gap-x-4"
      >
        <Axis wholeMs={wholeMs} />
        {request.attempts.map((attempt, place) => (
          <Line key={place} attempt={attempt} wholeMs={wholeMs} />
        ))}
        <Legend attempts={request.attempts} />
      </div>
    </Card>
  );
}

const ticks = [0, 0.25, 0.5, 0.75, 1];

const Axis = ({ wholeMs }: { wholeMs: number }) => (
  <div className="flex justify-between border-b border-line pb-1 text-xs text-soft tabular-nums md:col-start-2">
    {ticks.map((tick) => (
      <span key={tick} className={tick === 0.25 || tick === 0.75 ? "max-sm:hidden" : ""}>
        {tick === 0 ? "0" : msText(Math.round(wholeMs * tick))}
      </span>
    ))}
  </div>
);

function Line({ attempt, wholeMs }: { attempt: Attempt; wholeMs: number }) {
  const { from, first, to } = barOf(attempt, wholeMs);
  return (
    <>
      <span className="flex min-w-0 items-center gap-2 text-sm">
        <span className="truncate">{attempt.model}</span>
        {attempt.is_guard && <Badge>Guard</Badge>}
      </span>
      <span className="relative block h-6 rounded-sm bg-sunken">
        <span
          className={`absolute inset-y-1.5 rounded-sm opacity-45 ${fills[endingOf(attempt)]}`}
          style={span(from, first)}
        />
        {to > first && (
          <span
            className={`absolute inset-y-0.5 rounded-sm ${fills[endingOf(attempt)]}`}
            style={span(first, to)}
          />
        )}
      </span>
    </>
  );
}

const endings: Record<Ending, string> = {
  answered: "Answered",
  refused: "Refused",
  failed: "Failed",
  left: "Cut off",
  unknown: "Not known",
};

function Legend({ attempts }: { attempts: readonly Attempt[] }) {
  const shown = [...new Set(attempts.map(endingOf))];
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft md:col-start-2">
      {shown.map((ending) => (
        <span key={ending} className="inline-flex items-center gap-1.5">
          <span className={`size-2.5 rounded-xs ${fills[ending]}`} />
          {endings[ending]}
        </span>
      ))}
      <span className="inline-flex items-center gap-1.5">
        <span className="h-1.5 w-4 rounded-xs bg-ink opacity-45" />
        Waiting for the first word
      </span>
      <span className="inline-flex items-center gap-1.5">
        <span className="h-2.5 w-4 rounded-xs bg-ink" />
        Writing
      </span>
    </div>
  );
}

const tones: Record<Ending, Tone> = {
  answered: "good",
  refused: "warn",
  failed: "bad",
  left: "neutral",
  unknown: "neutral",
};

interface Row {
  attempt: Attempt;
  place: number;
}

const attemptColumns: Column<Row>[] = [
  nameColumn<Row>({
    title: "Model",
    name: ({ attempt }) => attempt.model,
    beside: ({ attempt }) => attempt.is_guard && <Badge>Guard</Badge>,
    below: ({ attempt }) => attempt.upstream !== "" && `at ${attempt.upstream}`,
  }),
  {
    title: "Outcome",
    cell: ({ attempt }) => <Badge tone={tones[endingOf(attempt)]}>{endingWords(attempt)}</Badge>,
  },
  { title: "Began after", isNumber: true, cell: ({ attempt }) => msText(attempt.start_ms) },
  {
    title: "Waited",
    isNumber: true,
    cell: ({ attempt: { start_ms: start, first_ms: first, end_ms: end } }) =>
      spanText(start, first ?? end),
  },
  {
    title: "Wrote for",
    isNumber: true,
    cell: ({ attempt }) => <Writing attempt={attempt} />,
  },
  {
    title: "Tokens in",
    isNumber: true,
    cell: ({ attempt }) => tokensIn(attempt).toLocaleString("en"),
  },
  {
    title: "Out",
    isNumber: true,
    cell: ({ attempt }) => attempt.output_tokens.toLocaleString("en"),
  },
  {
    title: "Cost",
    isNumber: true,
    cell: ({ attempt }) => <Money dollars={dollarsOf(attempt.cost.amount)} places={6} />,
  },
];

const spanText = (from: number, to: number | null) =>
  to === null ? "Not known" : msText(Math.max(0, to - from));

function Writing({ attempt }: { attempt: Attempt }) {
  const { first_ms: first, end_ms: end } = attempt;
  if (first !== null) return spanText(first, end);
  const isWhole = endingOf(attempt) === "answered";
  return <span className="text-soft">{isWhole ? "Came whole" : "Nothing"}</span>;
}
