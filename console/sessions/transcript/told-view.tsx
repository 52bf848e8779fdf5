// What happened beside what was said: how turns ended, errors, changes, threads, grades.
import { Info } from "lucide-react";
import type { SessionEvent } from "../../kit/server/api.ts";
import { exactTime, relativeTime } from "../../kit/value/time.ts";
import { spaced } from "../../kit/value/words.ts";
import { plural } from "../../../client/text/words.ts";
import { stopReasonOf, words } from "../events/content.ts";
import { eventWords } from "../events/event-words.ts";
import { ErrorView } from "./error-view.tsx";
import type { Scene } from "./transcript.tsx";

export function ToldView({ event, scene }: { event: SessionEvent; scene: Scene }) {
  if (event.type === "session.error") return <ErrorView event={event} scene={scene} />;
  const thread = event.type === "session.thread_created" && words(event["session_thread_id"]);
  return (
    <p className="flex flex-wrap items-center gap-x-2 px-4 text-sm text-soft">
      <Info size={15} aria-hidden className="shrink-0" />
      <span className="min-w-0 wrap-anywhere">{sentenceOf(event)}</span>
      {thread !== false && (
        <button
          type="button"
          onClick={() => scene.toThread(thread)}
          className="text-accent underline underline-offset-2"
        >
          Show it
        </button>
      )}
      {event.processed_at !== null && (
        <time dateTime={event.processed_at} title={exactTime(event.processed_at)}>
          {relativeTime(event.processed_at, { isShort: true })}
        </time>
      )}
    </p>
  );
}

export function sentenceOf(event: SessionEvent): string {
  switch (event.type) {
    case "session.status_idle":
    case "session.thread_status_idle":
      return idleSentence(event);
    case "session.status_rescheduled":
      return "Rescheduled: it goes on after a pause.";
    case "session.status_terminated":
      return "The session has ended.";
    case "session.updated":
      return `Changed: ${changesOf(event)}.`;
    case "session.thread_created":
      return `A thread of ${words(event["agent_name"]) || "another agent"} began.`;
    case "session.deleted":
      return "The session was deleted.";
    case "user.interrupt":
      return "Interrupted.";
    case "agent.thread_context_compacted":
      return "The conversation was summed up, and goes on from the summary.";
    case "span.outcome_evaluation_end":
      return `Graded: ${spaced(words(event["result"])).toLowerCase()}. ${words(event["explanation"])}`;
    default:
      return `${eventWords(event.type)}.`;
  }
}

const own = new Set(["id", "type", "processed_at"]);
const changesOf = (event: SessionEvent): string =>
  Object.keys(event)
    .filter((name) => !own.has(name))
    .join(", ") || "nothing";

function idleSentence(event: SessionEvent): string {
  const reason = stopReasonOf(event);
  switch (reason.type) {
    case "end_turn":
      return "Idle: the turn is done.";
    case "requires_action":
      return `Idle: waits for ${plural(reason.event_ids?.length ?? 0, "call")} to be answered.`;
    case "retries_exhausted":
      return "Idle: given up after failures.";
    case "budget_reached":
      return "Idle: the budget is spent. It goes on when the budget is raised.";
    case "refusal":
      return refusalSentence(event);
    default:
      return `Idle: ${spaced(reason.type).toLowerCase()}.`;
  }
}

function refusalSentence(event: SessionEvent): string {
  const { category, explanation } = (event["stop_details"] ?? {}) as {
    category?: string | null;
    explanation?: string | null;
  };
  const why = [category && spaced(category).toLowerCase(), explanation].filter(Boolean).join(". ");
  return `Idle: the model refused${why === "" ? "." : `: ${why}`}`;
}
