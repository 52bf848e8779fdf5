// The answer of the playground: its blocks, its numbers, and the events that it came as.
import { Tabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import type { ModelEntry } from "../../kit/server/api.ts";
import { priceOf } from "../../models/price.ts";
import { moneyText } from "../../kit/value/money.ts";
import type { Message } from "../../../client/messages/message.ts";
import type { Run } from "./run.ts";
import { plural } from "../../../client/text/words.ts";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { CopyButton } from "../../kit/value/copy-button.tsx";
import { Blocks, Json } from "../../messages/message-blocks.tsx";
import { Hops, Refusal, Tokens } from "../../messages/message-facts.tsx";
import { Fact } from "../../kit/value/facts.tsx";
import { Tab } from "../../kit/page/tab.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

const states: Record<Run["state"], { label: string; tone: Tone }> = {
  running: { label: "Running", tone: "accent" },
  done: { label: "Done", tone: "good" },
  stopped: { label: "Stopped", tone: "warn" },
  failed: { label: "Failed", tone: "bad" },
};

/** A refusal is done, and no answer. */
export const stateOf = (state: Run["state"], stopReason: string | null | undefined) =>
  state === "done" && stopReason === "refusal"
    ? ({ label: "Refused", tone: "warn" } as const)
    : states[state];

export function Answer({
  run,
  of,
  entries,
  after,
}: {
  run: Run;
  /** Whose it is, where there are two. */
  of?: string;
  entries: readonly ModelEntry[];
  after: ReactNode;
}) {
  const { label, tone } = stateOf(run.state, run.message?.stop_reason);
  return (
    <section
      aria-label={of === undefined ? "Answer" : `Answer of ${of}`}
      className="min-w-0 rounded-lg border border-line bg-surface p-4"
    >
      {of !== undefined && <h2 className="mb-2 font-semibold wrap-anywhere">{of}</h2>}
      <Tabs.Root defaultValue="answer">
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <Tabs.List aria-label="Answer as" className="flex gap-1">
            <Tab value="answer">Answer</Tab>
            <Tab value="events">Raw events</Tab>
          </Tabs.List>
          <span className="flex-1" />
          <span role="status">
            <Badge tone={tone}>{label}</Badge>
          </span>
        </div>
        <Tabs.Panel value="answer" className="grid gap-4">
          <Content run={run} />
          {run.message !== undefined && <Numbers run={run} entries={entries} />}
          {after}
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <RawEvents run={run} />
        </Tabs.Panel>
      </Tabs.Root>
    </section>
  );
}

/** Of a long answer so many are shown from its start, and as many from its end: 60,000 lines take seconds to draw. */
const edgeEvents = 1_000;

const linesOf = (events: Run["events"]): string =>
  events
    .map(({ ms, event }) => `${ms.toFixed(0).padStart(6)} ms  ${JSON.stringify(event)}`)
    .join("\n");

/** A component of its own: while the answer is looked at, nothing of this is made. */
function RawEvents({ run: { events } }: { run: Run }) {
  const between = events.length - 2 * edgeEvents;
  const text =
    between <= 0
      ? linesOf(events)
      : [
          linesOf(events.slice(0, edgeEvents)),
          `          ${plural(between, "event")} between, in what is copied`,
          linesOf(events.slice(-edgeEvents)),
        ].join("\n");
  return (
    <div className="grid gap-2">
      <Json label="Raw events" text={events.length === 0 ? "Nothing has come yet." : text} />
      {events.length > 0 && (
        <div className="flex flex-wrap items-center gap-3">
          <CopyButton text={() => linesOf(events)} label="Copy all events" />
          <span className="text-sm text-soft">{plural(events.length, "event")}</span>
        </div>
      )}
    </div>
  );
}

function Content({ run: { message, state, error } }: { run: Run }) {
  const refusal = message?.stop_reason === "refusal" ? message.stop_details : undefined;
  return (
    <>
      {message === undefined && state === "running" && <p className="text-soft">Waiting…</p>}
      {message === undefined && state === "stopped" && (
        <p className="text-soft">Stopped before anything came.</p>
      )}
      {message !== undefined && <Blocks blocks={message.content} busy={state === "running"} />}
      {message !== undefined && isSticky(message) && (
        <p className="text-sm text-soft">
          This went straight to {message.model}, because this conversation fell back to it before.
        </p>
      )}
      {refusal !== undefined && <Refusal details={refusal} />}
      {state === "failed" && <TroubleBox error={error} inFull />}
    </>
  );
}

/** A fallback model answered, and nobody declined on the way. */
const isSticky = ({ usage, content }: Message): boolean =>
  usage.iterations?.some(({ type }) => type === "fallback_message") === true &&
  !content.some(({ type }) => type === "fallback");

export const msText = (ms: number | undefined) =>
  ms === undefined ? "None" : ms < 10_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`;

/** A stream tells at its end how much it was; what was charged for one that broke stands in the ledger. */
function outputWords({ state }: Run, { stop_reason, usage }: Message): string {
  if (stop_reason !== null) return plural(usage.output_tokens, "token");
  return state === "running" ? "Not told yet" : "Not told";
}

function Numbers({ run, entries }: { run: Run; entries: readonly ModelEntry[] }) {
  const { message, firstMs, totalMs } = run;
  if (message === undefined) return null;
  const { usage, model, stop_reason } = message;
  const price = stop_reason === null ? undefined : priceOf(message, entries);
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 border-t border-line pt-3">
      <Fact name="Answered by">{model}</Fact>
      <Fact name="Stop reason">{stop_reason ?? "None yet"}</Fact>
      <Tokens usage={usage} output={outputWords(run, message)} />
      {price !== undefined && <Fact name="Price">{moneyText(price)} USD</Fact>}
      <Fact name="First token">{msText(firstMs)}</Fact>
      {totalMs !== undefined && <Fact name="Whole answer">{msText(totalMs)}</Fact>}
      <Hops message={message} />
    </dl>
  );
}
